"""Checks of what a caller of the library passes in, each refused at once in one sentence.

The rules take for granted what is checked here: real seats, a pack without duplicates, known laws.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from casino.ecarte.cards import CARD_NAMES, PACK, Card
from casino.ecarte.laws import ALLOWED, Laws
from casino.ecarte.rules import CHALLENGER, HOUSE, NOBODY, Seat
from casino.errors import BadCards, BadInput, BadLaws, BadPosition

_ALL_CARDS: Final = bytes(PACK)


def check_type(kind: type, given: object, what: str) -> None:
    """Refuse an object of another class than the one a call is made for."""
    if not isinstance(given, kind):
        raise BadInput(f"{what} must be a {kind.__name__}, not {_shown(given)}")


def check_seat(seat: Seat, what: str) -> None:
    """Refuse what is not a seat; `True` would otherwise pass for the challenger."""
    if type(seat) is not int or seat not in (HOUSE, CHALLENGER):
        raise BadInput(f"{what} must be HOUSE (0) or CHALLENGER (1), not {seat!r}")


def check_viewer(viewer: Seat) -> None:
    """Refuse a viewer that is neither a seat nor the gallery."""
    if type(viewer) is not int or viewer not in (HOUSE, CHALLENGER, NOBODY):
        raise BadInput(
            f"the viewer must be HOUSE (0), CHALLENGER (1) or GALLERY (-1), not {viewer!r}"
        )


def check_laws(laws: Laws) -> None:
    """Refuse laws that the rules do not know; any target and any two packets are accepted."""
    if not isinstance(laws, Laws):
        raise BadLaws(f"the laws must be Laws, for example Laws(target=7), not {_shown(laws)}")
    _check_values(laws)


@lru_cache(maxsize=64)
def _check_values(laws: Laws) -> None:
    """Refuse a value that a law cannot take."""
    for name, value in laws._asdict().items():
        if name == "target":
            sound = type(value) is int and value > 0
        elif name == "packets":
            sound = type(value) is tuple and len(value) == 2 and all(map(_is_packet, value))
        else:
            sound = value in ALLOWED[name]
        if not sound:
            raise BadLaws(f"law {name}: {value!r} is not a value it can take")


def _is_packet(number: object) -> bool:
    """Whether this can be a packet, a number of cards dealt together: zero or more."""
    return type(number) is int and number >= 0


def validate_deck(deck: Sequence[Card], laws: Laws) -> tuple[Card, ...]:
    """The pack as a tuple of ints: distinct cards, enough for two hands and a turn-up."""
    try:
        packed = bytes(deck)
    except (TypeError, ValueError):
        shown = _shown(deck)
        raise BadCards(f"a pack is a sequence of ints from 0 to 31, not {shown}") from None
    # If 32 cards leave none of the 32 unnamed, each is named once.
    if len(packed) != len(_ALL_CARDS) or _ALL_CARDS.translate(None, packed):
        _check_different(packed)
    first, second = laws.packets
    if len(packed) <= 2 * (first + second):
        raise BadCards(f"{len(packed)} cards are too few for both hands and a turn-up")
    return tuple(packed)


def _check_different(packed: bytes) -> None:
    """Refuse a pack that holds something other than a card, or a card twice."""
    strange = packed.translate(None, _ALL_CARDS)
    if strange:
        raise BadCards(f"{strange[0]} is not a card: cards are ints from 0 to 31")
    for at, card in enumerate(packed):
        if card in packed[:at]:
            raise BadCards(f"{CARD_NAMES[card]} is repeated: every card is in the pack once")


def check_score(score: object, target: int) -> None:
    """Refuse a score at which no deal can begin."""
    if (
        not isinstance(score, tuple | list)
        or len(score) != 2
        or not all(type(points) is int and points >= 0 for points in score)
    ):
        raise BadPosition(f"the score must be two numbers, the house's points first, not {score!r}")
    house, challenger = score
    if house >= target or challenger >= target:
        raise BadPosition(f"the game is over at {house}-{challenger}")


def _shown(value: object) -> str:
    """A value in an error, cut to one short line; a deal or a view by the name of its class."""
    if isinstance(value, tuple) and type(value) is not tuple:
        return f"a {type(value).__name__}"
    shown = repr(value)
    return shown if len(shown) <= 40 else shown[:40] + "…"
