"""The expert bot: plays to win the game, by solved exchanges and by sampling hidden cards."""
