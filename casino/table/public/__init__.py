"""Public state of a table, its client messages and its versioned feed."""
