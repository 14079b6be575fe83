"""The 32 cards as small ints, sets of cards as bit sets, and both as text.

A card is `8 * suit + rank`. Suits are S H D C from 0; ranks are 7 8 9 T A J Q K from 0,
so that within a suit the greater int is the better card: the ace ranks below the jack.
A set of cards is an int whose bit `c` is set if it contains card `c`.

>>> card("KH"), format_card(15), suit_of(15) == HEARTS
(15, 'KH', True)
>>> format_cards(cards_in(card_set(cards("7S KH QC"))))
'7SKHQC'

A record writes a card as `TH`. People may also write `th`, `10H`, `10h` or `10♥`.

>>> format_cards(cards("7s 10♥ qC"))
'7STHQC'
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from casino.errors import CardsError

Card: TypeAlias = int
CardSet: TypeAlias = int
Suit: TypeAlias = int


SUITS: Final = "SHDC"
RANKS: Final = "789TAJQK"
SPADES, HEARTS, DIAMONDS, CLUBS = range(4)
CARD_NAMES: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)
# In order: suits S H D C, in each K Q J A T 9 8 7.
PACK: Final = tuple(8 * suit + rank for suit in range(4) for rank in reversed(range(8)))
_CARD_OF_NAME: Final = {name: card for card, name in enumerate(CARD_NAMES)}
# Suit signs to letters; a sign copied from a page may carry a variation selector.
_SUIT_SIGNS: Final = str.maketrans("♠♥♦♣♤♡♢♧", "SHDC" * 2, "\ufe0e\ufe0f")


def suit_of(card: Card) -> Suit:
    """Return the suit of a card, 0 to 3."""
    return card >> 3


# mypyc checks the types of arguments: with `str`, it would raise TypeError before our own error.
def card(name: object) -> Card:
    """Parse one card: `KH`, `kh`, `10h` or `10♥`. Raise `CardsError` for anything else."""
    if not isinstance(name, str):
        raise _not_a_card(repr(name))
    parsed = _CARD_OF_NAME.get(normalize_names(name))
    if parsed is None:
        raise _not_a_card(name)
    return parsed


def cards(names: object) -> tuple[Card, ...]:
    """Parse distinct cards, with or without spaces between them.

    >>> cards("KH7S") == cards("kh 7♠")
    True
    """
    if not isinstance(names, str):
        raise CardsError(f"cards must be one text, such as 'KH 10S', not {names!r:.40}")
    return parse_record_cards(normalize_names(names).replace(" ", ""))


def parse_record_cards(names: str) -> tuple[Card, ...]:
    """Parse distinct cards in record notation: two characters each, without spaces."""
    try:
        parsed = tuple([_CARD_OF_NAME[names[at : at + 2]] for at in range(0, len(names), 2)])
    except KeyError as error:
        raise _not_a_card(error.args[0]) from None
    if len(set(parsed)) < len(parsed):
        repeated = next(card for at, card in enumerate(parsed) if card in parsed[:at])
        raise CardsError(f"{format_card(repeated)} is repeated: the pack has each card once")
    return parsed


def normalize_names(names: str) -> str:
    """Convert cards or tokens as people type them to record notation.

    >>> normalize_names("x10♥8d")
    'XTH8D'
    """
    return names.upper().translate(_SUIT_SIGNS).replace("10", "T")


def _not_a_card(name: str) -> CardsError:
    return CardsError(
        f"{name[:40]!r} is not a card: write a rank (K Q J A 10 9 8 7) "
        "and a suit (S H D C or ♠ ♥ ♦ ♣)"
    )


def format_card(card: Card) -> str:
    """Return the two-character name of a card."""
    return CARD_NAMES[card]


def format_cards(cards: Iterable[Card]) -> str:
    """Return the names of cards, without spaces between them."""
    return "".join(CARD_NAMES[card] for card in cards)


def card_set(cards: Iterable[Card]) -> CardSet:
    """Return the given cards, which must be distinct, as a bit set."""
    bits = 0
    for card in cards:
        bits |= 1 << card
    return bits


def cards_in(cards: CardSet) -> tuple[Card, ...]:
    """Return the cards of a set, spades to clubs, highest first within a suit."""
    if cards >> 32:
        raise IndexError("an unknown card has no name")
    spades, hearts = OF_SPADES[cards & 255], OF_HEARTS[cards >> 8 & 255]
    return spades + hearts + OF_DIAMONDS[cards >> 16 & 255] + OF_CLUBS[cards >> 24]


def _cards_by_byte(suit: Suit) -> list[tuple[Card, ...]]:
    rows: list[tuple[Card, ...]] = [()]
    for rank in range(8):
        rows += [(8 * suit + rank, *lower) for lower in rows]
    return rows


OF_SPADES: Final = _cards_by_byte(SPADES)
OF_HEARTS: Final = _cards_by_byte(HEARTS)
OF_DIAMONDS: Final = _cards_by_byte(DIAMONDS)
# Indexed by the suit's byte of a card set. A table of all hands would be thousands of tuples, too
# many for a processor's cache.
OF_CLUBS: Final = _cards_by_byte(CLUBS)


# numba has no int methods: `numba_support` compiles each of these three to one instruction.
def count(cards: CardSet) -> int:
    """Return the number of cards in a set."""
    return cards.bit_count()


def lowest(cards: CardSet) -> Card:
    """Return the card with the lowest number in a non-empty set."""
    return (cards & -cards).bit_length() - 1


def highest(cards: CardSet) -> Card:
    """Return the card with the highest number in a non-empty set."""
    return cards.bit_length() - 1
