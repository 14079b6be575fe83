"""Judge positions and decisions: rollouts, win probability, reviews, hand charts."""
