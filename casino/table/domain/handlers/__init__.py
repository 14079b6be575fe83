"""Command handlers: one module for each family turns commands into events."""
