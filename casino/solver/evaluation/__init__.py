"""Position evaluation: rollouts, win probabilities, game reviews and hand charts."""
