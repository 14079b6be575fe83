"""What everyone may see of a table: public state, messages and the versioned feed."""
