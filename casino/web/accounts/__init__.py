"""Player accounts: names, passwords, sessions, refills."""
