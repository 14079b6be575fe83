"""Commands that simulate games, compare bots, and solve the exchanges."""
