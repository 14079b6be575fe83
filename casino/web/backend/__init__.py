"""What the web asks of the casino, and how the casino publishes its events."""
