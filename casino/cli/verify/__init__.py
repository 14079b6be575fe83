"""Commands for auditors."""
