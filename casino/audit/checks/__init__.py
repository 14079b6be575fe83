"""The checks of the audit, one family a module."""
