"""What a bot is: it chooses an action, given a view, the legal actions and random numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from casino.ecarte.actions import Action
from casino.ecarte.observation.view import View
from casino.ecarte.rng import Rng


class Bot(Protocol):
    """A player of a seat that is not a person.

    It sees what its seat may see, is told what it may do, and takes all randomness from `rng`: the
    same view and the same `rng` give the same action. It never revokes, and it claims every revoke
    that the cards on the table have proved.
    """

    def choose(self, view: View, legal_actions: Sequence[Action], rng: Rng) -> Action:
        """One of the legal actions of the seat whose view this is."""
