"""The phases of a deal: what it is waiting for."""

from __future__ import annotations

from typing import Final

from casino.ecarte.rules import SEATS, Seat

DEALING: Final = 0
EXPOSED: Final = 1
PROPOSING: Final = 2
ANSWERING: Final = 3
ELDER_EXCHANGE: Final = 4
DEALER_EXCHANGE: Final = 5
LEADING: Final = 6
FOLLOWING: Final = 7
OVER: Final = 8
ANNULLED: Final = 9

_PROMPTS: Final = (
    "the turn-up is to be shown",
    "{elder} is to ask for a new deal or let it stand",
    "{elder} is to propose or stand",
    "{dealer} is to accept or refuse",
    "{elder} is to exchange",
    "{dealer} is to exchange",
    "{turn} is to lead",
    "{turn} is to play to the card led",
    "the deal is over",
    "the deal is annulled",
)


def describe_phase(phase: int, dealer: Seat, turn: Seat) -> str:
    """Return a sentence that describes what a phase is waiting for."""
    seats = {"dealer": dealer, "elder": 1 - dealer, "turn": turn}
    return _PROMPTS[phase].format(**{role: f"the {SEATS[seat]}" for role, seat in seats.items()})
