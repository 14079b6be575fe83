"""Rollouts: deal the hidden cards at random and play out the exchange stage.

Both sides follow the solved tables. The resulting hands are then valued by their double-dummy and
rule-of-thumb tricks, with weights counted in the expert's own games. All arithmetic is on ints, and
every function runs in plain Python and in compiled code.

An *outcome bin* counts deals by the vulnerable side, the side with a king to announce (each 0 for
neither, 1 for the elder, 2 for the dealer), and the elder's tricks (0 to 5).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from casino.analysis.dd_index import IntSequence, best_tricks, tricks_after_lead
from casino.bots.rule_bot import follow, lead
from casino.ecarte import NO_CARD, Card, CardSet, Suit, count, reply_wins
from casino.solver.policy.play_policy import (
    CardValues,
    InfoState,
    hand_weight,
    list_cards,
    next_word,
    shuffle_part,
)
from casino.solver.policy.tables import (
    HAND,
    STEPS,
    ExchangeState,
    PolicyTables,
    bid_share,
    cards_to_discard,
    discard_order,
    exchange_counts,
    first_discards,
)

TRICKS: Final = 6
KINGS: Final = 3
BINS: Final = 3 * KINGS * TRICKS
# Decisions of a deal, in order. Before play, even numbers are the elder's.
SPEAKS, ANSWERS, ELDER_TAKES, DEALER_TAKES, PLAYS = range(5)
BY_TABLES: Final = -1  # no decision is forced: the tables choose
SHARES: Final = 1 << 16  # denominator of the leaves' probabilities
_TRIES: Final = 2  # hands sampled; one is kept, chosen at random by likelihood


class BeliefState(NamedTuple):
    """A viewer's knowledge of a deal in progress; role 0 is the elder, role 1 the dealer.

    `elder` and `dealer` describe what is known of each hand; the viewer's own hand is entirely in
    `sure`. `stock` is the number of cards left to draw. The elder has taken `taken` tricks. Role
    `leads` leads the current trick, and `led` is the card led or `NO_CARD`. `marked` is true once
    the king has been announced.
    """

    game: int
    decision: int
    exchanges: int
    elder_took: int
    dealer_took: int
    stock: int
    vulnerable: int
    elder: InfoState
    dealer: InfoState
    taken: int
    leads: int
    led: Card
    marked: bool


def roll_out(
    tables: PolicyTables,
    leaves: IntSequence,
    belief: BeliefState,
    forced: int,
    effort: int,
    key: int,
    room: CardValues,
    bins: CardValues,
) -> None:
    """Add the weighted outcomes of `effort` random deals to `bins`.

    `forced` fixes the first decision: 0 for stand or refuse, 1 for propose or accept, a set of
    cards to discard, or `BY_TABLES` for the tables' choice. `room` is scratch space for 32 ints.
    """
    word = key
    for _world in range(effort):
        elder, weight, word = _draw_hand(tables, belief.elder, belief.elder.unseen, word, room)
        unseen = belief.dealer.unseen & ~elder
        dealer, likely, word = _draw_hand(tables, belief.dealer, unseen, word, room)
        if weight == 0 or likely == 0:
            continue
        weight = max(1, weight * likely >> 8)
        vulnerable = belief.vulnerable
        if belief.decision != PLAYS:
            rest = (belief.elder.unseen | belief.dealer.unseen) & ~elder & ~dealer
            number = list_cards(rest, room)
            word = shuffle_part(room, 0, min(belief.stock, number), number, word)
            elder, dealer, vulnerable, word = _finish_exchanges(
                tables, belief, (elder, dealer), forced, word, room
            )
        _count(tables, leaves, belief, elder, dealer, vulnerable, weight, bins)


def _draw_hand(
    tables: PolicyTables, info: InfoState, unseen: CardSet, word: int, room: CardValues
) -> tuple[CardSet, int, int]:
    """Return a sampled hand, a weight, and the next random word.

    Draws `_TRIES` hands and keeps one with probability proportional to its likelihood. The weight
    is the mean likelihood of all hands drawn.
    """
    if info.size == 0:
        return info.sure, SHARES, word
    number = list_cards(unseen, room)
    if number < info.size:
        return info.sure, 0, word
    chosen = info.sure
    total = 0
    for _again in range(_TRIES):
        word = shuffle_part(room, 0, info.size, number, word)
        hand = info.sure
        for at in range(info.size):
            hand |= 1 << room[at]
        weight = hand_weight(tables, info, hand)
        total += weight
        word = next_word(word)
        # Reservoir sampling: the new hand replaces the kept one with probability weight / total.
        if word * total >> 32 < weight:
            chosen = hand
    return chosen, total // _TRIES, word


def _finish_exchanges(
    tables: PolicyTables,
    belief: BeliefState,
    hands: tuple[CardSet, CardSet],
    forced: int,
    word: int,
    stock: CardValues,
) -> tuple[CardSet, CardSet, int, int]:
    elder, dealer = hands
    decision, exchanges = belief.decision, belief.exchanges
    elder_took, dealer_took = belief.elder_took, belief.dealer_took
    top = 0
    vulnerable = 0
    while decision != PLAYS and (decision != SPEAKS or top < belief.stock):
        hand = dealer if decision & 1 else elder
        choice = forced
        if forced == BY_TABLES:
            word = next_word(word)
            took = elder_took if decision & 1 else dealer_took
            state = ExchangeState(
                belief.game, decision & 1 == 1, exchanges, took, hand, belief.elder.turn_up
            )
            choice = _choice(tables, state, decision <= ANSWERS, word)
        forced = BY_TABLES
        if decision <= ANSWERS:
            if choice == 0:
                vulnerable = 1 + decision if exchanges == 0 else 0
            decision = decision + 1 if choice else PLAYS
            continue
        number = min(count(choice), belief.stock - top)
        kept = hand ^ first_discards(discard_order(choice, belief.elder.turn_up >> 3), number)
        for _card in range(number):
            kept |= 1 << stock[top]
            top += 1
        if decision == ELDER_TAKES:
            elder, elder_took, decision = kept, number, DEALER_TAKES
        else:
            dealer, dealer_took, decision = kept, number, SPEAKS
            exchanges += 1
    return elder, dealer, vulnerable, word


def _choice(tables: PolicyTables, state: ExchangeState, bids: bool, word: int) -> int:
    drawn = word * STEPS >> 32
    if bids:
        return 1 if drawn < bid_share(tables, state) else 0
    number, other, likely = exchange_counts(tables, state)
    return cards_to_discard(state.hand, state.turn_up, other if drawn < likely else number, HAND)


def _count(
    tables: PolicyTables,
    leaves: IntSequence,
    belief: BeliefState,
    elder: CardSet,
    dealer: CardSet,
    vulnerable: int,
    weight: int,
    bins: CardValues,
) -> None:
    trumps = belief.elder.turn_up >> 3
    king = 1 << 8 * trumps + 7
    whole = count(elder) == HAND and count(dealer) == HAND
    # Once the elder has led a first card, only the dealer may still announce the king.
    holder = 0
    if not belief.marked:
        if whole and elder & king:
            holder = 1
        elif count(dealer) == HAND and dealer & king:
            holder = 2
    index = TRICKS * (KINGS * vulnerable + holder)
    leads = 0 if whole else belief.leads
    mine, yours = (dealer, elder) if leads else (elder, dealer)
    if belief.led == NO_CARD:
        takes = best_tricks(tables.open_cards, mine, yours, trumps)
    else:
        takes = tricks_after_lead(tables.open_cards, mine, yours, belief.led, trumps)
    cards_open = count(yours) - takes if leads else takes
    by_rule = tricks_by_rule(elder, dealer, leads, belief.led, trumps)
    if whole:
        row = TRICKS * (TRICKS * cards_open + by_rule)
        for taken in range(TRICKS):
            bins[index + taken] += weight * leaves[row + taken] >> 8
    else:
        bins[index + belief.taken + cards_open] += weight * SHARES >> 9
        bins[index + belief.taken + by_rule] += weight * SHARES >> 9


def tricks_by_rule(elder: CardSet, dealer: CardSet, leads: int, led: Card, trumps: Suit) -> int:
    """Return how many more tricks the elder takes if both sides play by the rule of thumb."""
    mine, yours = (dealer, elder) if leads else (elder, dealer)
    taken = 0
    while yours:
        card = led
        if led == NO_CARD:
            card = lead(mine, trumps)
            mine ^= 1 << card
        reply = follow(yours, card, trumps)
        yours ^= 1 << reply
        if reply_wins(card, reply, trumps):
            mine, yours = yours, mine
            leads = 1 - leads
        taken += 1 - leads
        led = NO_CARD
    return taken
