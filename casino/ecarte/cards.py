"""The 32 cards as small ints, sets of cards as bit sets, and both as text.

A card is `8 * suit + rank`. Suits are S H D C from 0; ranks are 7 8 9 T A J Q K from 0,
so that within a suit the greater int is the better card: the ace stands below the jack.
A set of cards is an int whose bit `c` says whether card `c` is in it.

>>> card("KH"), text(15), suit_of(15) == HEARTS, rank_of(15) == KING
(15, 'KH', True, True)
>>> texts(members(card_set(cards("7S KH QC"))))
'7SKHQC'

A card is written `TH` in a record. A person may also write `th`, `10H`, `10h` or `10♥`.

>>> texts(cards("7s 10♥ qC"))
'7STHQC'
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol, TypeAlias

from casino.errors import BadCards

Card: TypeAlias = int
CardSet: TypeAlias = int
Suit: TypeAlias = int
Rank: TypeAlias = int


class Typed(Protocol):
    """What a person types: a text.

    Were the type `str`, compiled code would refuse others in its own words before we can.
    """

    def casefold(self) -> str:
        """The text without regard to capitals."""


SUITS: Final = "SHDC"
RANKS: Final = "789TAJQK"
SPADES, HEARTS, DIAMONDS, CLUBS = range(4)
SEVEN, EIGHT, NINE, TEN, ACE, JACK, QUEEN, KING = range(8)

NAMES: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)
PACK: Final = tuple(8 * suit + rank for suit in range(4) for rank in reversed(range(8)))
"""The pack in its starting order: suits S H D C, in each K Q J A T 9 8 7."""

_CARD_OF_NAME: Final = {name: number for number, name in enumerate(NAMES)}
_SIGNS: Final = str.maketrans("♠♥♦♣♤♡♢♧", "SHDC" * 2, "\ufe0e\ufe0f")
"""Suit signs to letters. A sign copied from a page may carry a variation selector."""


def suit_of(card: Card) -> Suit:
    """The suit of a card, 0 to 3."""
    return card >> 3


def rank_of(card: Card) -> Rank:
    """The rank of a card, 0 (a seven) to 7 (a king)."""
    return card & 7


def card(name: Typed) -> Card:
    """The card that a person names: `KH`, `kh`, `10h` or `10♥`."""
    if not isinstance(name, str):
        raise _not_a_card(repr(name))
    found = _CARD_OF_NAME.get(record_names(name))
    if found is None:
        raise _not_a_card(name)
    return found


def text(card: Card) -> str:
    """The two-letter name of a card."""
    return NAMES[card]


def cards(names: Typed) -> tuple[Card, ...]:
    """The cards that a person names, with or without spaces between them, each at most once.

    >>> cards("KH7S") == cards("kh 7♠")
    True
    """
    if not isinstance(names, str):
        raise BadCards(f"cards are named in one text, as 'KH 10S', not {names!r:.40}")
    return record_cards(record_names(names).replace(" ", ""))


def record_cards(names: str) -> tuple[Card, ...]:
    """The cards of a record, two characters each, no card twice."""
    try:
        found = tuple([_CARD_OF_NAME[names[at : at + 2]] for at in range(0, len(names), 2)])
    except KeyError as error:
        raise _not_a_card(error.args[0]) from None
    if len(set(found)) < len(found):
        twice = next(one for at, one in enumerate(found) if one in found[:at])
        raise BadCards(f"{text(twice)} is repeated: every card is in the pack once")
    return found


def record_names(typed: str) -> str:
    """Cards or tokens that a person typed, spelt as in a record.

    >>> record_names("x10♥8d")
    'XTH8D'
    """
    return typed.upper().translate(_SIGNS).replace("10", "T")


def _not_a_card(name: str) -> BadCards:
    """The error for a text that should name a card."""
    return BadCards(
        f"{name[:40]!r} is not a card: write a rank (K Q J A 10 9 8 7) "
        "and a suit (S H D C or ♠ ♥ ♦ ♣)"
    )


def texts(some: Iterable[Card]) -> str:
    """The names of cards, one after the other without spaces."""
    return "".join(NAMES[one] for one in some)


def card_set(some: Iterable[Card]) -> CardSet:
    """The bit set of some cards, each named at most once."""
    found = 0
    for one in some:
        found |= 1 << one
    return found


def members(some: CardSet) -> tuple[Card, ...]:
    """The cards of a bit set, spades to clubs, the best of each suit first."""
    if some >> 32:
        raise IndexError("an unknown card has no name")
    spades, hearts = OF_SPADES[some & 255], OF_HEARTS[some >> 8 & 255]
    return spades + hearts + OF_DIAMONDS[some >> 16 & 255] + OF_CLUBS[some >> 24]


def _listed(suit: Suit) -> list[tuple[Card, ...]]:
    """The cards of each set of a suit, the best first."""
    found: list[tuple[Card, ...]] = [()]
    for rank in range(8):
        found += [(8 * suit + rank, *lower) for lower in found]
    return found


OF_SPADES: Final = _listed(SPADES)
OF_HEARTS: Final = _listed(HEARTS)
OF_DIAMONDS: Final = _listed(DIAMONDS)
OF_CLUBS: Final = _listed(CLUBS)
"""The cards of a suit in order, indexed by the eight bits that say which. A list for every hand
would be thousands of tuples, too many for a processor's cache."""
