"""Odds, practice games, idle tables and the background audit."""
