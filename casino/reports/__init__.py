"""Reports on the ledger, the log and the games, for bookkeepers, players and programs."""
