"""Play games without spectators as fast as the machine can."""
