"""Actions, as ints and as tokens in game records, and the phases of a deal that allow them.

Playing a card has the card's own number, 0 to 31; words such as “I propose” begin at 32. Exposing
a card, leading one out of turn and exchanging a set of cards each add a base of their own.

>>> token(PROPOSE), token(15), token(exchange(1 << 15)), parse_token("LKH") == LEAD_OUT + 15
('P', 'KH', 'XKH', True)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from itertools import combinations
from typing import Final, TypeAlias, overload

from casino.ecarte.cards import (
    CARD_NAMES,
    Card,
    CardSet,
    card_set,
    cards_in,
    format_cards,
    parse_record_cards,
)
from casino.errors import CardsError


class Phase(IntEnum):
    """The phases of a deal, in order."""

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

    # Return the name of the constant below, so that the repr of a view is valid Python.
    def __repr__(self) -> str:
        return self.name


(
    DEALING, EXPOSED, PROPOSING, ANSWERING, ELDER_EXCHANGE, DEALER_EXCHANGE, LEADING, FOLLOWING,
    OVER, ANNULLED,
) = Phase  # fmt: skip

Action: TypeAlias = int
PROPOSE: Final = 32
STAND: Final = 33
ACCEPT: Final = 34
REFUSE: Final = 35
MARK: Final = 36
CONCEDE: Final = 37
NEW_DEAL: Final = 38
LET_STAND: Final = 39
TAKE_BACK: Final = 40
CLAIM: Final = 41
EXPOSE: Final = 64
LEAD_OUT: Final = 96
EXCHANGE: Final = 1 << 32
HIDDEN_EXCHANGE: Final = 1 << 33

_WORD_TOKENS: Final = {
    PROPOSE: "P",
    STAND: "S",
    ACCEPT: "A",
    REFUSE: "R",
    MARK: "K",
    CONCEDE: "C",
    NEW_DEAL: "N",
    LET_STAND: "O",
    TAKE_BACK: "W",
    CLAIM: "V",
}
_ACTIONS: Final = (
    {name: played for played, name in enumerate(CARD_NAMES)}
    | {word: spoken for spoken, word in _WORD_TOKENS.items()}
    | {"E" + name: EXPOSE + shown for shown, name in enumerate(CARD_NAMES)}
    | {"L" + name: LEAD_OUT + led for led, name in enumerate(CARD_NAMES)}
)
_TOKENS: Final = {action: text for text, action in _ACTIONS.items()}
FIXED_TOKENS: Final = tuple(_ACTIONS)  # the tokens of all actions except exchanges


def exchange(discards: CardSet) -> Action:
    """Return the action of exchanging these cards."""
    return EXCHANGE | discards


def hidden_exchange(number: int) -> Action:
    """Return an exchange as the opponent sees it: the number of cards, but not which.

    An exchange of no cards (R3.5) has nothing to hide.
    """
    return HIDDEN_EXCHANGE | number if number else EXCHANGE


def exchanged_number(action: Action) -> int:
    """Return the number of cards in an exchange, hidden or not."""
    if action & HIDDEN_EXCHANGE:
        return action ^ HIDDEN_EXCHANGE
    return (action ^ EXCHANGE).bit_count()


def token(action: Action) -> str:
    """Return the token of an action, with `??` for each hidden card."""
    if action & EXCHANGE:
        return "X" + format_cards(cards_in(action ^ EXCHANGE))
    if action & HIDDEN_EXCHANGE:
        return "X" + "??" * (action ^ HIDDEN_EXCHANGE)
    return _TOKENS[action]


def parse_token(text: str) -> Action:
    """Return the action that a token denotes. Raise `CardsError` if it denotes none."""
    action = _ACTIONS.get(text)
    if action is not None:
        return action
    if text.startswith("X"):
        return exchange(card_set(parse_record_cards(text[1:])))
    raise CardsError(f"{text[:40]!r} is not an action: see the table of tokens")


@dataclass(frozen=True, slots=True)
class Exchanges(Sequence[Action]):
    """A lazy sequence of all exchanges of `minimum` to `maximum` cards from a hand.

    >>> from casino.ecarte.cards import cards
    >>> exchanges = Exchanges(card_set(cards("KH 7S")), 1, 2)
    >>> [token(action) for action in exchanges], len(exchanges), exchange(1) in exchanges
    (['X7S', 'XKH', 'X7SKH'], 3, True)
    """

    cards: CardSet
    minimum: int
    maximum: int

    @property
    def _choices(self) -> tuple[tuple[int, ...], ...]:
        return _choices(self.cards.bit_count(), self.minimum, self.maximum)

    def __len__(self) -> int:
        return len(self._choices)

    @overload
    def __getitem__(self, at: int) -> Action: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Action]: ...
    def __getitem__(self, at: int | slice) -> Action | Sequence[Action]:
        if isinstance(at, slice):
            return tuple(self)[at]
        held = cards_in(self.cards)
        action = EXCHANGE
        for index in self._choices[at]:
            action |= 1 << held[index]
        return action

    def __contains__(self, action: object) -> bool:
        if not isinstance(action, int):
            return False
        discards = action ^ EXCHANGE
        if not 0 <= discards < EXCHANGE or discards & ~self.cards:
            return False
        return self.minimum <= discards.bit_count() <= self.maximum


@lru_cache(maxsize=64)
def _choices(held: int, minimum: int, maximum: int) -> tuple[tuple[int, ...], ...]:
    sizes = range(minimum, maximum + 1)
    return tuple(choice for size in sizes for choice in combinations(range(held), size))


def played(action: Action) -> Card | None:
    """Return the card that an action puts on the table, or None."""
    if 0 <= action < 32:
        return action
    return action - LEAD_OUT if LEAD_OUT <= action < LEAD_OUT + 32 else None
