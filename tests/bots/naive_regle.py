"""Naive implementation of the rule bot, to test the real one against.

A hand is a list of two-letter names; no code is shared with the program.
"""

from __future__ import annotations

from tests.naive.basics import RANKS, SUITS, follows, reply_wins


def rank(card: str) -> int:
    return RANKS.index(card[0])


def suit_of(hand: list[str], suit: str) -> list[str]:
    return sorted((c for c in hand if c[1] == suit), key=rank, reverse=True)


def in_table(hand: list[str], trump: str) -> bool:
    trumps = suit_of(hand, trump)
    plain = [suit_of(hand, suit) for suit in SUITS if suit != trump]
    with_queen = [suit for suit in plain if any(c[0] == "Q" for c in suit)]
    guarded = [suit for suit in with_queen if len(suit) >= 2]
    if len(trumps) >= 3:
        return True
    if len(trumps) == 2:
        has_king = any(c[0] == "K" for c in hand)
        has_void = any(len(suit) == 0 for suit in plain)
        return (has_king and has_void) or bool(guarded) or any(len(suit) >= 3 for suit in plain)
    if len(trumps) == 1:
        three_best = any({c[0] for c in suit} >= {"K", "Q", "J"} for suit in plain)
        third = any(len(suit) >= 3 for suit in with_queen)
        return three_best or third or len(guarded) >= 2
    return sum(c[0] in "KQ" for c in hand) >= 4


def refuses(hand: list[str], trump: str) -> bool:
    if in_table(hand, trump):
        return True
    plain = [suit_of(hand, suit) for suit in SUITS if suit != trump]
    return len(suit_of(hand, trump)) == 2 and any(len(suit) >= 2 for suit in plain)


def discards(hand: list[str], trump: str, most: int) -> set[str]:
    """Return the exchange: the least valuable cards that are neither trump nor king."""

    def keep_value(card: str) -> tuple[bool, int, int, int]:
        return (card[1] == trump, rank(card), len(suit_of(hand, card[1])), -SUITS.index(card[1]))

    if most == 0:
        return set()
    in_order = sorted(hand, key=keep_value)
    bad = [c for c in in_order if c[1] != trump and c[0] != "K"]
    return set(bad[:most]) if bad else {in_order[0]}


def lead(hand: list[str], trump: str) -> str:
    trumps = suit_of(hand, trump)
    if len(trumps) >= 3 or len(trumps) == len(hand):
        return trumps[0]
    suits = [suit_of(hand, suit) for suit in SUITS if suit != trump and suit_of(hand, suit)]
    best = max(suits, key=lambda suit: (len(suit), rank(suit[0]), -SUITS.index(suit[0][1])))
    return best[0]


def follow(hand: list[str], led: str, trump: str, strict: bool) -> str:
    legal = follows(hand, led, trump, "strict" if strict else "ordinary")
    winners = [card for card in legal if reply_wins(led, card, trump)]
    if winners:
        return min(winners, key=rank)
    if legal[0][1] == led[1]:
        return min(legal, key=rank)
    return min(legal, key=lambda c: (rank(c), len(suit_of(hand, c[1])), SUITS.index(c[1])))
