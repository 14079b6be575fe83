"""Solve the exchange game and produce policy tables."""
