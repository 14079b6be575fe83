"""Headless play, as fast as the machine allows."""
