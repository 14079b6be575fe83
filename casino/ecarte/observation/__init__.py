"""What a player or a spectator may see of a deal, and what follows from it."""
