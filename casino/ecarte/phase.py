"""The phases of a deal: what it is waiting for."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from casino.ecarte.rules import SEATS, Seat


class Phase(IntEnum):
    """What a deal is waiting for, in the order of a deal."""

    DEALING = 0
    EXPOSED = 1
    PROPOSING = 2
    ANSWERING = 3
    ELDER_EXCHANGE = 4
    DEALER_EXCHANGE = 5
    LEADING = 6
    FOLLOWING = 7
    OVER = 8
    ANNULLED = 9

    # As the constants below are named, so that the text of a view is also its code.
    def __repr__(self) -> str:
        return self.name

    def describe(self, dealer: Seat, turn: Seat) -> str:
        """Return a sentence that describes what a deal in this phase is waiting for."""
        roles = {"dealer": dealer, "elder": 1 - dealer, "turn": turn}
        return _PROMPTS[self].format(**{role: f"the {SEATS[at]}" for role, at in roles.items()})


DEALING: Final = Phase.DEALING
EXPOSED: Final = Phase.EXPOSED
PROPOSING: Final = Phase.PROPOSING
ANSWERING: Final = Phase.ANSWERING
ELDER_EXCHANGE: Final = Phase.ELDER_EXCHANGE
DEALER_EXCHANGE: Final = Phase.DEALER_EXCHANGE
LEADING: Final = Phase.LEADING
FOLLOWING: Final = Phase.FOLLOWING
OVER: Final = Phase.OVER
ANNULLED: Final = Phase.ANNULLED

_PROMPTS: Final = {
    DEALING: "the turn-up is to be shown",
    EXPOSED: "{elder} is to ask for a new deal or let it stand",
    PROPOSING: "{elder} is to propose or stand",
    ANSWERING: "{dealer} is to accept or refuse",
    ELDER_EXCHANGE: "{elder} is to exchange",
    DEALER_EXCHANGE: "{dealer} is to exchange",
    LEADING: "{turn} is to lead",
    FOLLOWING: "{turn} is to play to the card led",
    OVER: "the deal is over",
    ANNULLED: "the deal is annulled",
}
