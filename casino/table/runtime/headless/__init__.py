"""Headless play, as fast as the machine can."""
