"""A casino table for Écarté: the game, its bots, its gallery's bets and its ledger."""

__version__ = "0.1.0"
