"""Card play: sample the hands the opponent may hold, and value each card against them.

If few hands are possible, all of them are tried; otherwise a random sample. A hand's weight is
the likelihood that its holder would have proposed, exchanged and played as observed; no legal hand
has weight zero. The tricks after the current one are valued by statistics of the expert's own
games, in which neither side saw the other's cards. All arithmetic is on ints, so that plain Python
and compiled code agree.
"""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

from casino import ecarte
from casino.analysis.dd_index import IntSequence, table_index
from casino.bots.rule_bot import usual_card
from casino.ecarte import NO_CARD, Card, CardSet, Suit, count, legal_replies, lowest, reply_wins
from casino.solver.policy.tables import (
    HAND,
    LEADS,
    NO_ROW,
    REST,
    STEPS,
    WHOLE,
    PolicyTables,
    bucket_of,
    lead_index,
)


class CardValues(IntSequence, Protocol):
    """A writable table of ints: a list in plain Python, an array in compiled code."""

    def __setitem__(self, at: int, value: int, /) -> None: ...


LIKELY: Final = 4  # how many times likelier a card is if the rule of thumb would play it too
WEIGHED: Final = 32  # index, after the card values, of the total weight of the hands tried
DRAWN_STEPS: Final = 16
SURE: Final = 255  # denominator of the tables' probabilities
EXPECTED: Final = 32  # index in the pool of the values written by `_endgame_equities`
_SEVENS: Final = 0x01010101
ROOM: Final = EXPECTED + 4 * (REST + 1)


class InfoState(NamedTuple):
    """The knowledge of a player who is about to play a card.

    The opponent has played `played` and holds `sure` plus `size` cards from `unseen`. `plays` packs
    the cards it played, latest in the lowest bits, each with the card it replied to. The player has
    `taken` tricks. If `may_mark`, the opponent may still announce the king; if `silent`, it could
    have but did not. `bid_row` and `drawn_row` are the table offsets for the opponent's last
    decision (`agreed`: to propose or accept) and last exchange.
    """

    hand: CardSet
    led: Card
    turn_up: Card
    strict: bool
    played: CardSet
    sure: CardSet
    size: int
    unseen: CardSet
    plays: int = 1
    taken: int = 0
    may_mark: bool = False
    silent: bool = False
    bid_row: int = NO_ROW
    agreed: bool = False
    drawn_row: int = NO_ROW


def card_values(
    tables: PolicyTables,
    info: InfoState,
    equities: IntSequence,
    effort: int,
    key: int,
    pool: CardValues,
    values: CardValues,
) -> None:
    """Write each card's total value over all hands tried, and at `WEIGHED` the hands' total weight.

    `equities` holds the win probability by total tricks, first without and then with a king
    announced by the opponent. `pool` is scratch space for `ROOM` ints.
    """
    _endgame_equities(info, equities, pool)
    number = list_cards(info.unseen, pool)
    ways = binomial(number, info.size)
    chosen, first, word = (1 << info.size) - 1, 0, key
    for _world in range(min(ways, effort)):
        hand = info.sure
        if ways <= effort:
            left = chosen
            while left:
                hand |= 1 << pool[lowest(left)]
                left &= left - 1
            # Gosper's hack: the next greater number with the same number of ones.
            low = chosen & -chosen
            up = chosen + low
            chosen = up | (chosen ^ up) >> lowest(low) + 2
        else:
            # Hands dealt from one shuffled pack contain each card equally often: a better sample.
            if first + info.size > number:
                first = 0
            word = shuffle_part(pool, first, first + info.size, number, word)
            for at in range(first, first + info.size):
                hand |= 1 << pool[at]
            first += info.size
        _add_hand(tables, info, pool, hand, values)


def list_cards(cards: CardSet, pool: CardValues) -> int:
    """Write the cards of a set into the pool, and return their number."""
    number = 0
    while cards:
        pool[number] = lowest(cards)
        cards &= cards - 1
        number += 1
    return number


def draw_key(rng: ecarte.Rng) -> int:
    """Draw a nonzero random seed for sampling hands in one decision."""
    drawn = 0
    for _ in range(6):
        drawn = 32 * drawn + rng.randrange(32)
    return derive_key(drawn)


def derive_key(drawn: int) -> int:
    """Derive a nonzero 32-bit seed from a 30-bit random number."""
    return (drawn + 1) * 2654435761 & 0xFFFFFFFF


def next_word(word: int) -> int:
    """Return the 32-bit random word that follows a nonzero word (xorshift)."""
    word ^= word << 13 & 0xFFFFFFFF
    word ^= word >> 17
    return word ^ (word << 5 & 0xFFFFFFFF)


def shuffle_part(pool: CardValues, first: int, end: int, number: int, word: int) -> int:
    """Partly shuffle `pool[first:number]`, as far as `end`; return the last random word."""
    for at in range(first, end):
        word = next_word(word)
        other = at + (word * (number - at) >> 32)
        drawn = pool[other]
        pool[other] = pool[at]
        pool[at] = drawn
    return word


def best_card(info: InfoState, values: IntSequence) -> Card:
    """Return the card of highest value; ties go to the rule of thumb's card, then the lowest."""
    trumps = info.turn_up >> 3
    left = ecarte.legal_cards(info.hand, info.led, trumps, info.strict)
    best = usual_card(info.hand, info.led, trumps)
    while left:
        card = lowest(left)
        left &= left - 1
        if values[card] > values[best]:
            best = card
    return best


def hides_king(mine: int, theirs: int, may_win_two: bool, target: int) -> bool:
    """Return True if announcing the king gains nothing, so that it may as well stay hidden.

    At this score the point decides the game either way: the holder needs two points and the
    opponent, who is vulnerable, needs one.
    """
    return may_win_two and mine + 2 == target and theirs + 1 == target


def trick_equities(
    tables: PolicyTables,
    elder: bool,
    score: tuple[int, int],
    vulnerable: tuple[bool, bool],
    exchanged: bool,
    laws: tuple[int, int, bool],
    values: CardValues,
) -> None:
    """Write the win probability after 0 to 5 tricks, then again with the opponent's king announced.

    Pairs list the player first. `laws` lists the target, the points for a vole without an exchange,
    and whether one side always deals.
    """
    target, vole, same_roles = laws
    for mark in range(2):
        theirs = score[1] + mark
        for tricks in range(6):
            mine = score[0]
            other = theirs
            if other < target:
                if tricks >= 3:
                    mine += ecarte.trick_points(tricks, 5, vulnerable[1], exchanged, vole)
                else:
                    other += ecarte.trick_points(5 - tricks, 5, vulnerable[0], exchanged, vole)
            values[6 * mark + tricks] = _equity_after(
                tables, elder, mine, other, target, same_roles
            )


def _equity_after(
    tables: PolicyTables, elder: bool, mine: int, theirs: int, target: int, same_roles: bool
) -> int:
    if mine >= target:
        return WHOLE
    if theirs >= target:
        return 0
    first = max(0, tables.target - target + mine)
    second = max(0, tables.target - target + theirs)
    if elder == same_roles:
        return tables.equity[tables.target * first + second]
    return WHOLE - tables.equity[tables.target * second + first]


def binomial(number: int, chosen: int) -> int:
    """Return a binomial coefficient. `math.comb` would be simpler, but cannot be compiled."""
    ways = 1
    for at in range(chosen):
        ways = ways * (number - at) // (at + 1)
    return ways


def _endgame_equities(info: InfoState, equities: IntSequence, pool: CardValues) -> None:
    """Write the value of the tricks after this one into the pool, in units of 1/`SURE`.

    There are four rows: for the player or the opponent leading next, without and then with a king
    that the opponent may announce. Each row holds the value if the leader takes no trick, followed
    by the change for each further trick.
    """
    left = count(info.hand) - 1
    for row in range(4):
        mine = row & 1 == 0
        start = EXPECTED + (REST + 1) * row
        tricks = 6 * (row >> 1) + info.taken + (1 if mine else left)
        last = 0
        for taken in range(REST + 1):
            pool[start + taken] = 0
            if taken <= left:
                equity = SURE * equities[tricks]
                pool[start + taken] = equity - last if taken == 0 else (equity - last) // SURE
                last = equity
            tricks += 1 if mine else -1


def _endgame_equity(
    tables: PolicyTables,
    mine: CardSet,
    theirs: CardSet,
    trumps: Suit,
    pool: IntSequence,
    row: int,
    leads: bool,
) -> int:
    # Index by the player's cards even if the opponent leads, so that the CPU cache holds the rows.
    swapped = 0 if leads else (1 << 2 * count(mine)) - 1
    at = REST * table_index(tables.open_cards, mine, theirs, trumps, swapped)
    endgame = tables.endgame
    start = EXPECTED + (REST + 1) * (row if leads else row + 1)
    return (
        pool[start]
        + pool[start + 1] * (endgame[at] & 255)
        + pool[start + 2] * (endgame[at + 1] & 255)
        + pool[start + 3] * (endgame[at + 2] & 255)
        + pool[start + 4] * (endgame[at + 3] & 255)
    )


def _add_hand(
    tables: PolicyTables, info: InfoState, pool: IntSequence, other: CardSet, values: CardValues
) -> None:
    """Add the value of each legal card if the opponent holds `other` and makes its best reply."""
    trumps = info.turn_up >> 3
    weight = hand_weight(tables, info, other)
    values[WEIGHED] += weight
    row = 2 if info.may_mark and other >> 8 * trumps + 7 & 1 else 0
    leads = info.led == NO_CARD
    cards = ecarte.legal_cards(info.hand, info.led, trumps, info.strict)
    # Cards with none of the opponent's between them are equivalent: only the first one is valued.
    between = other | _SEVENS | (0 if leads else 1 << info.led)
    valued = equity = 0
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        lower = (2 << card) - 1
        if between & (lower ^ valued):
            if leads:
                equity = _lead_equity(tables, info, pool, card, other, row)
            else:
                wins = reply_wins(info.led, card, trumps)
                kept = info.hand ^ 1 << card
                equity = _endgame_equity(tables, kept, other, trumps, pool, row, wins)
        valued = lower
        values[card] += weight * equity


def _lead_equity(
    tables: PolicyTables, info: InfoState, pool: IntSequence, card: Card, other: CardSet, row: int
) -> int:
    trumps = info.turn_up >> 3
    kept, between = info.hand ^ 1 << card, info.hand | _SEVENS
    least, valued = SURE * WHOLE, 0
    replies = legal_replies(other, card, trumps, info.strict)
    while replies:
        reply = lowest(replies)
        replies &= replies - 1
        lower = (2 << reply) - 1
        if between & (lower ^ valued):
            wins = not reply_wins(card, reply, trumps)
            held = other ^ 1 << reply
            least = min(least, _endgame_equity(tables, kept, held, trumps, pool, row, wins))
        valued = lower
    return least


def add_play(plays: int, card: Card, led: Card) -> int:
    """Return `InfoState.plays` after the opponent played a card to `led`, or led it (`NO_CARD`)."""
    return plays << 11 | led + 1 << 5 | card


def hand_weight(tables: PolicyTables, info: InfoState, other: CardSet) -> int:
    """Return the relative likelihood that the opponent holds `other`, given its actions."""
    trumps = info.turn_up >> 3
    weight = 1
    bucket = bucket_of(tables.buckets, other | info.played, info.turn_up)
    if info.bid_row >= 0:
        second = tables.bids[info.bid_row + bucket] & 255
        weight += second if info.agreed else STEPS - second
    if info.drawn_row >= 0:
        weight *= 1 + (tables.drawn[info.drawn_row + bucket] & 255)
    # Headroom for the integer divisions below.
    weight <<= 8
    plays = info.plays
    held = other
    while plays > 1:
        card = plays & 31
        led = (plays >> 5 & 63) - 1
        plays >>= 11
        held |= 1 << card
        # For a lead from a full hand, the tables hold a frequency.
        if led < 0 and count(held) == HAND:
            index = lead_index(tables.buckets, held, info.turn_up, card)
            weight = weight * (tables.leads[LEADS * bucket + index] & 255) >> 4
            continue
        if usual_card(held, led, trumps) != card:
            weight //= LIKELY
    # A player who kept silent when the king could be announced almost never holds it.
    if info.silent and other >> 8 * trumps + 7 & 1:
        weight >>= 6
    return weight
