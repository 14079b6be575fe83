"""The checks of the audit, one module each."""
