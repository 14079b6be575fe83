"""Storage backends of the ledger: SQLite and PostgreSQL."""
