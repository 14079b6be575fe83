"""Écarté casino: the card game, bots to play against, side bets and an auditable ledger."""

__version__ = "0.1.0"
