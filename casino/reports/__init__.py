"""The books: the ledger, the log and the games, written for bookkeepers, players and programs."""
