"""Exact values of hands: open positions solved, one hand against all it may meet."""
