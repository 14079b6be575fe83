"""Naive double-dummy solver: every legal line of play, on sets of two-letter names."""

from __future__ import annotations

from random import Random

RANKS = "789TAJQK"
PACK = tuple(rank + suit for suit in "SHDC" for rank in RANKS)


def beats(reply: str, led: str, trump: str) -> bool:
    if reply[1] == led[1]:
        return RANKS.index(reply[0]) > RANKS.index(led[0])
    return reply[1] == trump


def replies(hand: frozenset[str], led: str, trump: str, strict: bool) -> list[str]:
    """Return the cards a hand may answer with."""
    same = [card for card in hand if card[1] == led[1]]
    if not strict:
        return same or list(hand)
    owed = same or [card for card in hand if card[1] == trump] or list(hand)
    return [card for card in owed if beats(card, led, trump)] or owed


def tricks(leader: frozenset[str], other: frozenset[str], trump: str, strict: bool) -> int:
    if not leader:
        return 0
    return max(after_lead(leader, other, lead, trump, strict) for lead in leader)


def after_lead(
    leader: frozenset[str], other: frozenset[str], lead: str, trump: str, strict: bool
) -> int:
    left, found = leader - {lead}, []
    for reply in replies(other, lead, trump, strict):
        kept = other - {reply}
        if beats(reply, lead, trump):
            found.append(len(left) - tricks(kept, left, trump, strict))
        else:
            found.append(1 + tricks(left, kept, trump, strict))
    return min(found)


def position(rng: Random, size: int) -> tuple[frozenset[str], frozenset[str], str]:
    """Return a random position with `size` cards on each side, and its trump suit."""
    drawn = rng.sample(PACK, 2 * size)
    return frozenset(drawn[:size]), frozenset(drawn[size:]), rng.choice("SHDC")
