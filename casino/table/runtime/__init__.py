"""Runtime of the tables, which adds threads, clocks and secrets on top of the ledger."""
