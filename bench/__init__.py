"""Benchmarks: every speed the README states, measured as a ratio within one run."""
