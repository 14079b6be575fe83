"""Commands that simulate games and measure or solve bots."""
