"""Exact analysis of hands: a double-dummy solver, and odds against every opposing hand."""
