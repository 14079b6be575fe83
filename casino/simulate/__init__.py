"""Simulation of many games: compiled engine, statistics, checkpoints, reports and plots."""
