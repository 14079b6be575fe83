"""Command handlers, with one module for each family of commands."""
