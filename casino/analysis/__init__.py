"""Exact analysis of hands: a double-dummy solver, and one hand against every possible other."""
