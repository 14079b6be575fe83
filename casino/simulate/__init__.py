"""Many games in memory: played by compiled code, counted, reported and drawn."""
