"""Environments for learning programs: batches, PettingZoo, Gymnasium, OpenSpiel.

Each module needs its own extra and says so if that is not installed. Actions and observations are
those of `casino.ecarte.observation.encoding` everywhere; seat 0 is the house, seat 1 the
challenger; all games are played under enforcement `strict`.
"""
