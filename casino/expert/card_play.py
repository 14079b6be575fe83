"""Which card to play: every hand the other side may hold, weighed, with its cards open.

Where few hands are possible all of them are met, otherwise some drawn at random. A hand counts
the more, the likelier its holder would have spoken, exchanged and played as he did; nothing that
the rules allow counts nothing. Ints alone decide, so plain Python and compiled code agree.
"""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

from casino.ecarte.bits import count, lowest
from casino.ecarte.cards import Card, CardSet, Suit
from casino.ecarte.rules import NO_CARD, legal_replies, suit_set, trick_points
from casino.expert.hands import Kinds, Row, kind_of
from casino.expert.open_cards import OpenCards, after_lead, after_reply
from casino.expert.stages import TARGET
from casino.players.rule_of_thumb import follow, lead


class Values(Row, Protocol):
    """Room for numbers: a list in plain Python, an array in compiled code."""

    def __setitem__(self, at: int, value: int, /) -> None: ...


LIKELY: Final = 4
"""How much more often a card is played that the rule of thumb would play too."""

NO_ROW: Final = -1
WHOLE: Final = 1 << 16
"""A chance of one."""

WEIGHED: Final = 32
"""Where it stands after the values of the cards how much all hands met count together."""

WORD_STEPS: Final = 16
DRAWN_STEPS: Final = 16


class Brain(NamedTuple):
    """All tables of the expert."""

    kinds: Kinds
    open_cards: OpenCards
    words: Row
    takes: Row
    drawn: Row
    worth: Row


class Spot(NamedTuple):
    """What a player who is to play a card knows, in ints.

    The other side has played `played`; it holds `sure` and `size` cards of `unseen`. `plays` tells
    how it played, each card with the card it answered, the last one lowest. If it `may_mark`, it
    may yet announce the king; if it is `silent`, it could have done so. `word_row` and `drawn_row`
    say where the tables tell how likely hands are after what was said and exchanged.
    """

    hand: CardSet
    led: Card
    turn_up: Card
    strict: bool
    played: CardSet
    sure: CardSet
    size: int
    unseen: CardSet
    plays: int
    taken: int
    may_mark: bool
    silent: bool
    word_row: int
    second_word: bool
    drawn_row: int


def card_values(
    brain: Brain, spot: Spot, worths: Row, effort: int, key: int, pool: Values, values: Values
) -> None:
    """Write into the 33 `values` what each card is worth, in chances times what stands last.

    `worths` has the chance to win by the tricks taken in all, first without and then with a king
    the other side may announce. `pool` is room for cards.
    """
    if spot.size == 0:
        _meet(brain, spot, worths, spot.sure, values)
        return
    number = 0
    left = spot.unseen
    while left:
        pool[number] = lowest(left)
        left &= left - 1
        number += 1
    if combinations(number, spot.size) <= effort:
        chosen = (1 << spot.size) - 1
        while chosen < 1 << number:
            some = 0
            left = chosen
            while left:
                some |= 1 << pool[lowest(left)]
                left &= left - 1
            _meet(brain, spot, worths, some | spot.sure, values)
            # The next greater number with as many ones (Gosper).
            low = chosen & -chosen
            up = chosen + low
            chosen = up | (chosen ^ up) // low >> 2
        return
    word = key
    for _world in range(effort):
        some = 0
        for at in range(spot.size):
            word ^= word << 13 & 0xFFFFFFFF
            word ^= word >> 17
            word ^= word << 5 & 0xFFFFFFFF
            other = at + (word * (number - at) >> 32)
            drawn = pool[other]
            pool[other] = pool[at]
            pool[at] = drawn
            some |= 1 << drawn
        _meet(brain, spot, worths, some | spot.sure, values)


def best_card(spot: Spot, values: Row) -> Card:
    """The card worth most; of several, the one the rule of thumb would play, or the first."""
    trumps = spot.turn_up >> 3
    if spot.led == NO_CARD:
        left = spot.hand
        best = lead(spot.hand, trumps)
    else:
        left = legal_replies(spot.hand, spot.led, trumps, spot.strict)
        best = follow(spot.hand, spot.led, trumps, spot.strict)
    while left:
        card = lowest(left)
        left &= left - 1
        if values[card] > values[best]:
            best = card
    return best


def refuted(reply: Card, led: Card, trumps: Suit, strict: bool) -> CardSet:
    """The cards that a player who answered so cannot have held besides (R5.2, R5.4)."""
    if reply >> 3 == led >> 3:
        return suit_set(led >> 3) & -(2 << led) if strict and reply < led else 0
    none = suit_set(led >> 3)
    return none | suit_set(trumps) if strict and reply >> 3 != trumps else none


def trick_worths(
    worth: Row,
    elder: bool,
    score: tuple[int, int],
    vulnerable: int,
    exchanged: bool,
    laws: tuple[int, int, bool],
    found: Values,
) -> None:
    """Write what 0 to 5 tricks are worth to a player, then the same if the other has the king.

    The score has his points first. `vulnerable` is 1 if he is, 2 if the other is. The laws are
    the target, the points for a vole without an exchange, and whether one side always deals.
    """
    target, vole, same_roles = laws
    for mark in range(2):
        theirs = score[1] + mark
        for tricks in range(6):
            mine = score[0]
            other = theirs
            if other < target:
                if tricks >= 3:
                    mine += trick_points(tricks, 5, vulnerable == 2, exchanged, vole)
                else:
                    other += trick_points(5 - tricks, 5, vulnerable == 1, exchanged, vole)
            found[6 * mark + tricks] = _worth_after(worth, elder, mine, other, target, same_roles)


def _worth_after(
    worth: Row, elder: bool, mine: int, theirs: int, target: int, same_roles: bool
) -> int:
    """A player's chance to win once the deal has led to this score."""
    if mine >= target:
        return WHOLE
    if theirs >= target:
        return 0
    first = max(0, TARGET - target + mine)
    second = max(0, TARGET - target + theirs)
    if elder == same_roles:
        return worth[TARGET * first + second]
    return WHOLE - worth[TARGET * second + first]


def combinations(number: int, chosen: int) -> int:
    """In how many ways some things can be chosen."""
    ways = 1
    for at in range(chosen):
        ways = ways * (number - at) // (at + 1)
    return ways


def _meet(brain: Brain, spot: Spot, worths: Row, other: CardSet, values: Values) -> None:
    """Add what each card is worth if the other side holds these cards."""
    trumps = spot.turn_up >> 3
    weight = weight_of(brain, spot, other)
    king = other >> 8 * trumps + 7 & 1
    row = 6 if spot.may_mark and king else 0
    row += spot.taken
    if spot.led == NO_CARD:
        values[WEIGHED] += 2 * weight
        left = spot.hand
        while left:
            card = lowest(left)
            left &= left - 1
            kept = spot.hand ^ 1 << card
            least = after_lead(brain.open_cards, kept, other, card, trumps, spot.strict)
            reply = follow(other, card, trumps, spot.strict)
            likely = after_reply(brain.open_cards, kept, other ^ 1 << reply, card, reply, trumps)
            values[card] += weight * (worths[row + least] + worths[row + likely])
        return
    values[WEIGHED] += weight
    left = legal_replies(spot.hand, spot.led, trumps, spot.strict)
    while left:
        card = lowest(left)
        left &= left - 1
        kept = spot.hand ^ 1 << card
        lost = after_reply(brain.open_cards, other, kept, spot.led, card, trumps)
        values[card] += weight * worths[row + count(spot.hand) - lost]


def weight_of(brain: Brain, spot: Spot, other: CardSet) -> int:
    """How likely the other side would have come here with these cards left, in parts."""
    trumps = spot.turn_up >> 3
    weight = 1
    if spot.word_row >= 0 or spot.drawn_row >= 0:
        kind = kind_of(brain.kinds, other | spot.played, spot.turn_up)
        if spot.word_row >= 0:
            second = brain.words[spot.word_row + kind] & 255
            weight += second if spot.second_word else WORD_STEPS - second
        if spot.drawn_row >= 0:
            weight *= 1 + (brain.drawn[spot.drawn_row + kind] & 255)
    weight <<= 8
    plays = spot.plays
    held = other
    while plays > 1:
        card = plays & 31
        led = (plays >> 5 & 63) - 1
        plays >>= 11
        held |= 1 << card
        usual = lead(held, trumps) if led < 0 else follow(held, led, trumps, spot.strict)
        if usual != card:
            weight //= LIKELY
    if spot.silent and other >> 8 * trumps + 7 & 1:
        weight >>= 6
    return weight
