"""The interface of a bot: choose an action, given a view, the legal actions and an `Rng`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from casino.ecarte import Action, Rng, View


class Bot(Protocol):
    """A program that plays a seat.

    All its randomness comes from `rng`: the same view and the same `rng` give the same action. It
    never revokes, and claims every revoke that the cards on the table prove.
    """

    def choose(self, view: View, legal_actions: Sequence[Action], rng: Rng) -> Action:
        """Return one of the legal actions of the seat that sees this view."""
