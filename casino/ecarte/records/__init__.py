"""Text forms of games: records, positions, replay, commentary and pictures."""
