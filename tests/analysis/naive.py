"""Naive double-dummy solver: every legal line of play, on sets of two-letter names."""

from __future__ import annotations

from random import Random

from tests.naive.basics import PACK, follows, reply_wins


def replies(hand: frozenset[str], led: str, trump: str, strict: bool) -> list[str]:
    return follows(list(hand), led, trump, "strict" if strict else "ordinary")


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
        if reply_wins(lead, reply, trump):
            found.append(len(left) - tricks(kept, left, trump, strict))
        else:
            found.append(1 + tricks(left, kept, trump, strict))
    return min(found)


def position(rng: Random, size: int) -> tuple[frozenset[str], frozenset[str], str]:
    """Return a random position with `size` cards on each side, and its trump suit."""
    drawn = rng.sample(PACK, 2 * size)
    return frozenset(drawn[:size]), frozenset(drawn[size:]), rng.choice("SHDC")
