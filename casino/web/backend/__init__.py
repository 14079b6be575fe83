"""The web's interface to the casino: queries, commands, published events."""
