"""Reinforcement-learning environments: batches, PettingZoo, Gymnasium and OpenSpiel.

Each module needs its own optional extra, and raises `MissingExtraError` without it. Actions and
observations are encoded by `casino.ecarte.observation.encoding`. Seat 0 is the house, seat 1 the
challenger, and enforcement is always `strict`.
"""
