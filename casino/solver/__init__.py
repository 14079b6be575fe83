"""The expert: plays to win the game, by solved exchanges and by sampling what the cards may be."""
