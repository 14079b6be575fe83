"""Odds, practice games and the background audit."""
