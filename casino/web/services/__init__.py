"""Odds and practice games."""
