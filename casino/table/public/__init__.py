"""Public side of a table: state, client messages and the versioned feed."""
