"""Compiled engine: games and bots in machine code (numba)."""
