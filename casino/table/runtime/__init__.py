"""Runtime of the tables: threads, clocks and secrets, on top of the ledger."""
