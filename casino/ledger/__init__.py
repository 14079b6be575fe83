"""Ledger of accounts with a tamper-evident log, in a SQLite file or a PostgreSQL database.

Pure functions (`accounts`, `entries`, `tlog`) compute a command's effects, a `transaction` gathers
them, and the single `writer` stores them; everything else only reads.
"""
