"""Exact values of hands: open positions solved, and one hand against every possible other."""
