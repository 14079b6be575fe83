"""Benchmarks: every speed that the README gives, as a ratio within one run."""
