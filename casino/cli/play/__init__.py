"""Commands for players and spectators."""
