"""Endgame lookup: the number of tricks the leader takes when both hands are known.

`casino.analysis.double_dummy` describes and builds the table. These functions run in plain Python
as well as in compiled code, so that the expert needs no compiler.
"""

from __future__ import annotations

from typing import NamedTuple

from casino.ecarte import legal_replies, reply_wins
from casino.ecarte.cards import Card, CardSet, Suit, count, lowest
from casino.solver.policy.abstraction import IntSequence


class OpenCards(NamedTuple):
    """The double-dummy table: the leader's tricks in every position, and the index into it.

    `suits` encodes one suit of both hands, `starts` gives the offset of each suit distribution, and
    `ranks` the offset within it (see `casino.analysis.dd_index`).
    """

    suits: IntSequence
    starts: IntSequence
    ranks: IntSequence
    tricks: IntSequence


def position(table: OpenCards, leader: CardSet, other: CardSet, trumps: Suit) -> int:
    """Return the table index of two hands. The loop over suits is unrolled for speed in Python."""
    suits = table.suits
    shift = 8 * trumps
    code = suits[(leader >> shift & 255) << 8 | other >> shift & 255] & 65535
    length = code & 15
    marks = 1 << length | code >> 4
    lengths = length
    shift = 8 * (trumps ^ 1)
    code = suits[(leader >> shift & 255) << 8 | other >> shift & 255] & 65535
    length = code & 15
    marks = marks << length | code >> 4
    lengths = 9 * lengths + length
    shift = 8 * (trumps ^ 2)
    code = suits[(leader >> shift & 255) << 8 | other >> shift & 255] & 65535
    length = code & 15
    marks = marks << length | code >> 4
    lengths = 9 * lengths + length
    shift = 8 * (trumps ^ 3)
    code = suits[(leader >> shift & 255) << 8 | other >> shift & 255] & 65535
    length = code & 15
    marks = marks << length | code >> 4
    return table.starts[9 * lengths + length] + table.ranks[marks]


def leader_takes(table: OpenCards, leader: CardSet, other: CardSet, trumps: Suit) -> int:
    """Return how many of the remaining tricks the leader takes with both hands open."""
    return table.tricks[position(table, leader, other, trumps)] & 7


def taken_after_reply(
    table: OpenCards, leader: CardSet, other: CardSet, led: Card, reply: Card, trumps: Suit
) -> int:
    """Return the leader's remaining tricks, including this one; the hands exclude both cards."""
    if reply_wins(led, reply, trumps):
        return count(leader) - leader_takes(table, other, leader, trumps)
    return 1 + leader_takes(table, leader, other, trumps)


def after_lead(
    table: OpenCards, leader: CardSet, other: CardSet, led: Card, trumps: Suit, strict: bool
) -> int:
    """Return how many tricks the leader takes after leading `led`, which `leader` excludes."""
    least = 5
    replies = legal_replies(other, led, trumps, strict)
    while replies:
        reply = lowest(replies)
        replies &= replies - 1
        taken = taken_after_reply(table, leader, other ^ 1 << reply, led, reply, trumps)
        least = min(least, taken)
    return least
