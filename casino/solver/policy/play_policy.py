"""Card play: weigh every hand the other side may hold, and play it out.

If few hands are possible, all of them are tried, otherwise a random sample. A hand counts the more,
the likelier its holder would have spoken, exchanged and played as they did; no hand that the rules
allow counts zero. The rest of the play is valued by the expert's own games, in which neither side
saw the other's cards. Only ints decide, so plain Python and compiled code agree.
"""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

from casino.bots.heuristics import follow, lead
from casino.ecarte import NO_CARD, legal_replies, reply_wins, suit_set, trick_points
from casino.ecarte.cards import Card, CardSet, Suit, count, lowest
from casino.solver.evaluation.endgame import OpenCards, position
from casino.solver.policy.abstraction import HAND, Buckets, IntSequence, kind_of, lead_index


class CardValues(IntSequence, Protocol):
    """Space for numbers: a list in plain Python, an array in compiled code."""

    def __setitem__(self, at: int, value: int, /) -> None: ...


LIKELY: Final = 4  # how much likelier a card is if the rule of thumb would play it too

NO_ROW: Final = -1
WHOLE: Final = 1 << 16  # stands for a probability of one

WEIGHED: Final = 32  # index, after the card values, of the total weight of the hands tried

WORD_STEPS: Final = 16
DRAWN_STEPS: Final = 16

REST: Final = 4  # tricks left when the rest of the play is looked up

SURE: Final = 255  # denominator of the tables' probabilities

EXPECTED: Final = 32  # index in the pool of what the rest is worth: see `_expected_rest`

ROOM: Final = EXPECTED + 4 * (REST + 1)


class PolicyTables(NamedTuple):
    """All tables of the expert.

    `rests` says of each position with up to four cards a side how likely the leader takes at least
    one, two, three or four tricks. `words`, `takes` and `worth` were solved for games to `target`
    points. `leads` says how likely a hand leads each of its cards first.
    """

    kinds: Buckets
    open_cards: OpenCards
    words: IntSequence
    takes: IntSequence
    drawn: IntSequence
    worth: IntSequence
    rests: IntSequence
    target: int
    leads: IntSequence


class InfoState(NamedTuple):
    """What a player about to play a card knows, in ints.

    The other side has played `played`; it holds `sure` and `size` cards of `unseen`. `plays` tells
    how it played, each card with the card it answered, the last one lowest. If it `may_mark`, it
    may still announce the king; if it is `silent`, it could have done so. `word_row` and
    `drawn_row` find in the tables how likely hands are after what was said and exchanged.
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
    tables: PolicyTables,
    spot: InfoState,
    worths: IntSequence,
    effort: int,
    key: int,
    pool: CardValues,
    values: CardValues,
) -> None:
    """Write the value of each card into the 33 `values`: its chance times the last value.

    `worths` has the win probability by the tricks taken in all, first without and then with a king
    the other side may announce. `pool` is `ROOM` for cards and the value of the rest.
    """
    _expected_rest(spot, worths, pool)
    if spot.size == 0:
        _add_hand(tables, spot, pool, spot.sure, values)
        return
    number = 0
    left = spot.unseen
    while left:
        pool[number] = lowest(left)
        left &= left - 1
        number += 1
    if binomial(number, spot.size) <= effort:
        chosen = (1 << spot.size) - 1
        while chosen < 1 << number:
            total = 0
            left = chosen
            while left:
                total |= 1 << pool[lowest(left)]
                left &= left - 1
            _add_hand(tables, spot, pool, total | spot.sure, values)
            # The next greater number with as many ones (Gosper).
            low = chosen & -chosen
            up = chosen + low
            chosen = up | (chosen ^ up) // low >> 2
        return
    word = key
    first = 0
    for _world in range(effort):
        # Hands cut from one pack hold each card equally often, a better sample than random hands.
        if first + spot.size > number:
            first = 0
        total = 0
        for at in range(first, first + spot.size):
            word ^= word << 13 & 0xFFFFFFFF
            word ^= word >> 17
            word ^= word << 5 & 0xFFFFFFFF
            other = at + (word * (number - at) >> 32)
            drawn = pool[other]
            pool[other] = pool[at]
            pool[at] = drawn
            total |= 1 << drawn
        first += spot.size
        _add_hand(tables, spot, pool, total | spot.sure, values)


def best_card(spot: InfoState, values: IntSequence) -> Card:
    """Return the best card; among equals, the one by the rule of thumb, or the first."""
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


def ruled_out(reply: Card, led: Card, trumps: Suit, strict: bool) -> CardSet:
    """Return the cards that a player who answered so cannot also have held (R5.2, R5.4)."""
    if reply >> 3 == led >> 3:
        return suit_set(led >> 3) & -(2 << led) if strict and reply < led else 0
    none = suit_set(led >> 3)
    return none | suit_set(trumps) if strict and reply >> 3 != trumps else none


def hides_king(mine: int, theirs: int, may_win_two: bool, target: int) -> bool:
    """Return True if announcing the king gains nothing, so that it may as well stay hidden.

    That is so if the side that makes the point wins the game: the holder lacks two points and would
    score two because the other side is vulnerable, and the other side lacks one.
    """
    return may_win_two and mine + 2 == target and theirs + 1 == target


def trick_worths(
    tables: PolicyTables,
    elder: bool,
    score: tuple[int, int],
    vulnerable: int,
    exchanged: bool,
    laws: tuple[int, int, bool],
    values: CardValues,
) -> None:
    """Write what 0 to 5 tricks are worth to a player, then the same if the other has the king.

    The score has the player's points first. `vulnerable` is 1 if the player is, 2 if the other is.
    The laws are the target, the points for a vole without an exchange, and whether one side always
    deals.
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
            values[6 * mark + tricks] = _worth_after(tables, elder, mine, other, target, same_roles)


def _worth_after(
    tables: PolicyTables, elder: bool, mine: int, theirs: int, target: int, same_roles: bool
) -> int:
    if mine >= target:
        return WHOLE
    if theirs >= target:
        return 0
    first = max(0, tables.target - target + mine)
    second = max(0, tables.target - target + theirs)
    if elder == same_roles:
        return tables.worth[tables.target * first + second]
    return WHOLE - tables.worth[tables.target * second + first]


def binomial(number: int, chosen: int) -> int:
    """Return the number of ways to choose `chosen` of `number` things."""
    ways = 1
    for at in range(chosen):
        ways = ways * (number - at) // (at + 1)
    return ways


def _expected_rest(spot: InfoState, worths: IntSequence, pool: CardValues) -> None:
    """Write into the pool what the tricks after this one are worth, in parts of `SURE`.

    Four rows: without and with a king that the other side may announce, the player or the other
    leading to them. Each begins with the value if the leader takes nothing, followed by the change
    for each trick taken.
    """
    left = count(spot.hand) - 1
    for row in range(4):
        mine = row & 1 == 0
        start = EXPECTED + (REST + 1) * row
        tricks = 6 * (row >> 1) + spot.taken + (1 if mine else left)
        last = 0
        for taken in range(REST + 1):
            pool[start + taken] = 0
            if taken <= left:
                worth = SURE * worths[tricks]
                pool[start + taken] = worth - last if taken == 0 else (worth - last) // SURE
                last = worth
            tricks += 1 if mine else -1


def _rest(
    tables: PolicyTables, leader: CardSet, other: CardSet, trumps: Suit, pool: IntSequence, row: int
) -> int:
    at = REST * position(tables.open_cards, leader, other, trumps)
    rests = tables.rests
    start = EXPECTED + (REST + 1) * row
    return (
        pool[start]
        + pool[start + 1] * (rests[at] & 255)
        + pool[start + 2] * (rests[at + 1] & 255)
        + pool[start + 3] * (rests[at + 2] & 255)
        + pool[start + 4] * (rests[at + 3] & 255)
    )


def _add_hand(
    tables: PolicyTables, spot: InfoState, pool: IntSequence, other: CardSet, values: CardValues
) -> None:
    """Add what each card is worth if the other side holds these cards.

    A lead is worth what the best reply leaves of it.
    """
    trumps = spot.turn_up >> 3
    weight = hand_weight(tables, spot, other)
    values[WEIGHED] += weight
    row = 2 if spot.may_mark and other >> 8 * trumps + 7 & 1 else 0
    leads = spot.led == NO_CARD
    cards = spot.hand if leads else legal_replies(spot.hand, spot.led, trumps, spot.strict)
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        kept = spot.hand ^ 1 << card
        if leads:
            least = SURE * WHOLE
            replies = legal_replies(other, card, trumps, spot.strict)
            while replies:
                reply = lowest(replies)
                replies &= replies - 1
                held = other ^ 1 << reply
                if reply_wins(card, reply, trumps):
                    worth = _rest(tables, held, kept, trumps, pool, row + 1)
                else:
                    worth = _rest(tables, kept, held, trumps, pool, row)
                least = min(least, worth)
            values[card] += weight * least
        elif reply_wins(spot.led, card, trumps):
            values[card] += weight * _rest(tables, kept, other, trumps, pool, row)
        else:
            values[card] += weight * _rest(tables, other, kept, trumps, pool, row + 1)


def hand_weight(tables: PolicyTables, spot: InfoState, other: CardSet) -> int:
    """Return how likely the other side would have come here with these cards left, in parts."""
    trumps = spot.turn_up >> 3
    weight = 1
    if spot.word_row >= 0 or spot.drawn_row >= 0:
        kind = kind_of(tables.kinds, other | spot.played, spot.turn_up)
        if spot.word_row >= 0:
            second = tables.words[spot.word_row + kind] & 255
            weight += second if spot.second_word else WORD_STEPS - second
        if spot.drawn_row >= 0:
            weight *= 1 + (tables.drawn[spot.drawn_row + kind] & 255)
    weight <<= 8
    plays = spot.plays
    held = other
    while plays > 1:
        card = plays & 31
        led = (plays >> 5 & 63) - 1
        plays >>= 11
        held |= 1 << card
        if led < 0 and count(held) == HAND:
            weight = weight * (
                tables.leads[lead_index(tables.kinds, held, spot.turn_up, card)] & 255
            )
            weight >>= 4
            continue
        usual = lead(held, trumps) if led < 0 else follow(held, led, trumps, spot.strict)
        if usual != card:
            weight //= LIKELY
    if spot.silent and other >> 8 * trumps + 7 & 1:
        weight >>= 6
    return weight
