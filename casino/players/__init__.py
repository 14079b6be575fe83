"""Bots: they see a view of the deal, never its state, and name one legal action."""
