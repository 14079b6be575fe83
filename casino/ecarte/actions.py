"""What a player can say or do, as ints and as the tokens of a game record.

A card played is the card itself, 0 to 31; the spoken words follow from 32; a card exposed,
led out of turn or a set of cards exchanged is added to a base of its own.

>>> token(PROPOSE), token(15), token(exchange(1 << 15)), parse_token("LKH") == LEAD_OUT + 15
('P', 'KH', 'XKH', True)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
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
from casino.errors import BadCards

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

_WORDS: Final = {
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
    | {word: spoken for spoken, word in _WORDS.items()}
    | {"E" + name: EXPOSE + shown for shown, name in enumerate(CARD_NAMES)}
    | {"L" + name: LEAD_OUT + led for led, name in enumerate(CARD_NAMES)}
)
_TOKENS: Final = {action: text for text, action in _ACTIONS.items()}

FIXED_TOKENS: Final = tuple(_ACTIONS)
"""The tokens of every action but an exchange."""


def exchange(discards: CardSet) -> Action:
    """The action of exchanging these cards."""
    return EXCHANGE | discards


def hidden_exchange(number: int) -> Action:
    """An exchange as the other side sees it: how many cards, but not which.

    An exchange of no cards (R3.5) hides nothing.
    """
    return HIDDEN_EXCHANGE | number if number else EXCHANGE


def exchanged_number(action: Action) -> int:
    """How many cards an exchange asks for, seen or hidden."""
    if action & HIDDEN_EXCHANGE:
        return action ^ HIDDEN_EXCHANGE
    return (action ^ EXCHANGE).bit_count()


def token(action: Action) -> str:
    """The token of an action; a hidden card is written `??`."""
    if action & EXCHANGE:
        return "X" + format_cards(cards_in(action ^ EXCHANGE))
    if action & HIDDEN_EXCHANGE:
        return "X" + "??" * (action ^ HIDDEN_EXCHANGE)
    return _TOKENS[action]


def parse_token(text: str) -> Action:
    """The action that a token names; any other token is a `BadCards` error."""
    found = _ACTIONS.get(text)
    if found is not None:
        return found
    if text.startswith("X"):
        return exchange(card_set(parse_record_cards(text[1:])))
    raise BadCards(f"{text[:40]!r} is not an action: see the table of tokens")


class Exchanges(Sequence[Action]):
    """All ways to exchange between `least` and `most` cards of a hand, built one at a time.

    >>> from casino.ecarte.cards import cards
    >>> some = Exchanges(card_set(cards("KH 7S")), 1, 2)
    >>> [token(action) for action in some], len(some), exchange(1) in some
    (['X7S', 'XKH', 'X7SKH'], 3, True)
    """

    __slots__ = ("_choices", "cards", "least", "most")

    def __init__(self, cards: CardSet, least: int, most: int) -> None:
        self.cards = cards
        self.least = least
        self.most = most
        self._choices = _choices(cards.bit_count(), least, most)

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
        for place in self._choices[at]:
            action |= 1 << held[place]
        return action

    def __iter__(self) -> Iterator[Action]:
        return (self[at] for at in range(len(self)))

    def __contains__(self, action: object) -> bool:
        return isinstance(action, int) and self.refuses(action) is None

    def refuses(self, action: Action) -> str | None:
        """Why an action is not one of these: `form`, `held`, `few`, `many`; None if it is one."""
        discards = action ^ EXCHANGE
        if not 0 <= discards < EXCHANGE:
            return "form"
        if discards & ~self.cards:
            return "held"
        number = discards.bit_count()
        if number < self.least:
            return "few"
        return "many" if number > self.most else None

    def __repr__(self) -> str:
        return f"Exchanges({format_cards(cards_in(self.cards))!r}, {self.least}, {self.most})"

    def __eq__(self, others: object) -> bool:
        if not isinstance(others, Exchanges):
            return NotImplemented
        return (self.cards, self.least, self.most) == (others.cards, others.least, others.most)

    def __hash__(self) -> int:
        return hash((self.cards, self.least, self.most))


@lru_cache(maxsize=64)
def _choices(held: int, least: int, most: int) -> tuple[tuple[int, ...], ...]:
    """The places of the cards chosen, for every choice of `least` to `most` of `held` cards."""
    chosen = (
        tuple(place for place in range(held) if choice >> place & 1) for choice in range(1 << held)
    )
    return tuple(sorted((c for c in chosen if least <= len(c) <= most), key=lambda c: (len(c), c)))


def played(action: Action) -> Card | None:
    """The card an action puts on the table, or None if it puts none."""
    if 0 <= action < 32:
        return action
    return action - LEAD_OUT if LEAD_OUT <= action < LEAD_OUT + 32 else None
