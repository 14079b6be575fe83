"""A casino table for Écarté: the game, its bots, its gallery's bets and its ledger."""
