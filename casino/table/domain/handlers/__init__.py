"""Command handlers, one module per group of related commands."""
