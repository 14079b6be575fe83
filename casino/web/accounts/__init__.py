"""People's accounts: names, passwords, sessions."""
