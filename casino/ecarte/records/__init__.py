"""Written forms of games: records, positions, replay, commentary, pictures."""
