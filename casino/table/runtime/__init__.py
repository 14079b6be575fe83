"""Threads, clocks and secrets: run tables on a ledger."""
