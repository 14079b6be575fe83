"""Odds, practice games, share images and the background audit."""
