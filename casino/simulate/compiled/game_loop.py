"""Compiled game loop: plays whole games, thousands in a row, and counts their events.

`vector_env` plays the same games one action at a time. With the bots compiled in, it reaches 0.43
of this loop's speed (`regle`, one core: 0.53 instead of 1.23 million games a second), or 0.67 if it
neither keeps legal actions nor counts events. That is too slow, so both engines are kept.

The rules are those of `casino.ecarte.rules` and the bots those of `casino.bots`, compiled from the
same functions. Scores and hands are ints, a deck is an array of 32, and the counts are one row of
integers (see `casino.simulate.statistics`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from casino import ecarte
from casino.analysis.numba_support import borrow, compiled
from casino.ecarte import NO_CARD, NO_SEAT, CardSet, Laws, Seat, Suit, count, lowest
from casino.simulate.compiled import bot_actions
from casino.simulate.compiled.bot_actions import ExpertState
from casino.simulate.compiled.splitmix import (
    BLOCKS,
    CHOICES,
    Deck,
    Draws,
    cut_first,
    hands_dealt,
    shuffle,
    word,
)
from casino.simulate.statistics import BY_DEALS, EVENTS, EXCHANGES, FINALS, SIDE, SQUARES, Event

# Markers in `GameTrace.actions`: before a deal, and after a game. The latter is `GAME_OVER` minus
# the final score's index in the counts.
HOUSE_DEALS, CHALLENGER_DEALS, GAME_OVER = -1, -2, -3


class LawNumbers(NamedTuple):
    """The laws as ints, and whether an episode of `vector_env` is a single deal.

    `elder_places` is the bit set of the elder's deck positions; `named_dealer` is the first dealer
    named by the laws, or `NO_SEAT`.
    """

    target: int
    size: int
    elder_places: int
    strict: bool
    vole_unexchanged: int
    house_deals: bool
    named_dealer: Seat
    loser_deals: bool
    first_packet: int
    one_deal: bool


def law_numbers(laws: Laws, one_deal: bool = False) -> LawNumbers:
    """Return the laws as ints. The Python engine determines the elder's deck positions."""
    return LawNumbers(
        laws.target,
        sum(laws.packets),
        ecarte.deal_cards(laws, ecarte.HOUSE, range(BLOCKS[-1])).hands[ecarte.CHALLENGER],
        laws.play == "strict",
        laws.vole_unexchanged,
        laws.deal == "house",
        ecarte.named_dealer(laws),
        laws.first_dealer == "loser",
        laws.packets[0],
        one_deal,
    )


class GameTrace(NamedTuple):
    """Buffers that record games. Without them numba compiles the recording away.

    `actions` starts with the numbers of recorded actions and decks, followed by the actions. Each
    row of `decks` is one deal's deck; if there are no rows, nothing is recorded. The expert always
    has buffers, so that its games are compiled only once.
    """

    actions: NDArray[np.int64]
    decks: NDArray[np.int64]


class Table(NamedTuple):
    """The data that all games in a call share; numba compiles away the parts that are None.

    `state` is None if no expert plays; `draws` are the random draws for the decisions in a deal.
    """

    laws: LawNumbers
    state: ExpertState | None
    trace: GameTrace | None
    deck: Deck
    draws: Draws
    counts: NDArray[np.int64]


@register_jitable(forceinline=True)
def _note(trace: GameTrace | None, action: int) -> None:
    if trace is not None and len(trace.decks) > 0:
        trace.actions[2 + trace.actions[0]] = action
        trace.actions[0] += 1


@register_jitable(forceinline=True)
def _shuffle(deck: Deck, key: int, trace: GameTrace | None) -> int:
    """Start shuffling a fresh pack and return the number of blocks shuffled.

    One block is enough to deal from; a recorded pack is shuffled completely.
    """
    shuffle(deck, key, 0)
    if trace is None or len(trace.decks) == 0:
        return 1
    for block in range(1, len(BLOCKS) - 1):
        shuffle(deck, key, block)
    for index in range(len(deck)):
        trace.decks[trace.actions[1], index] = deck[index]
    trace.actions[1] += 1
    return len(BLOCKS) - 1


@register_jitable(forceinline=True)
def draw(deck: Deck, key: int, drawn: int, number: int, blocks: int) -> tuple[CardSet, int]:
    """Return `number` cards from the deck, and how many of its blocks are now shuffled."""
    while BLOCKS[blocks] < drawn + number:
        shuffle(deck, key, blocks)
        blocks += 1
    cards = 0
    for index in range(drawn, drawn + number):
        cards |= 1 << deck[index]
    return cards, blocks


@register_jitable(forceinline=True)
def _exchange(
    table: Table, bots: tuple[int, int], hands: tuple[CardSet, CardSet], blocks: int
) -> tuple[CardSet, CardSet, int, int]:
    """Play from the turn-up to the first lead.

    Returns the hands, the vulnerable role and the number of exchanges. Role 0 is the elder, which
    comes first in every pair.
    """
    state, trace, deck, draws = table.state, table.trace, table.deck, table.draws
    elder, dealer = hands
    trumps = deck[2 * table.laws.size] >> 3
    drawn = 2 * table.laws.size + 1
    exchanges = 0
    while ecarte.can_propose(len(deck) - drawn):
        if not bot_actions.agrees(state, bots[0], 0, elder, trumps, draws):
            return elder, dealer, _stand(table, 0, ecarte.STAND, exchanges), exchanges
        _note(trace, ecarte.PROPOSE)
        table.counts[Event.PROPOSALS] += 1
        if not bot_actions.agrees(state, bots[1], 1, dealer, trumps, draws):
            return elder, dealer, _stand(table, 1, ecarte.REFUSE, exchanges), exchanges
        _note(trace, ecarte.ACCEPT)
        exchanges += 1
        for role in range(2):
            hand, bot = (dealer, bots[1]) if role else (elder, bots[0])
            stock = len(deck) - drawn
            discarded = bot_actions.discards(state, bot, role, hand, trumps, stock, draws)
            _note(trace, ecarte.EXCHANGE | discarded)
            taken, blocks = draw(deck, draws[0], drawn, count(discarded), blocks)
            drawn += count(discarded)
            bot_actions.on_exchange(state, role, count(discarded), taken)
            if role:
                dealer = hand ^ discarded | taken
            else:
                elder = hand ^ discarded | taken
    return elder, dealer, NO_SEAT, exchanges


@register_jitable(forceinline=True)
def _stand(table: Table, role: int, action: int, exchanges: int) -> int:
    """Record that a role stands or refuses, and return the vulnerable role."""
    _note(table.trace, action)
    vulnerable = ecarte.vulnerable_for(role, exchanges > 0)
    bot_actions.on_stand(table.state, role, vulnerable)
    if vulnerable != NO_SEAT:
        table.counts[Event.REFUSED_FIRST if role else Event.STOOD_AT_ONCE] += 1
    return vulnerable


@register_jitable(forceinline=True)
def _announce(table: Table, trumps: Suit, hand: CardSet, score: int, role: int, bot: int) -> int:
    if not ecarte.can_mark(hand, trumps, True, False) or not bot_actions.announces(
        table.state, bot, role
    ):
        return score
    _note(table.trace, ecarte.MARK)
    table.counts[Event.KINGS_MARKED] += 1
    bot_actions.on_king(table.state, role)
    return ecarte.score_after(score, 1, table.laws.target)


@register_jitable(forceinline=True)
def _play_tricks(
    table: Table,
    trumps: Suit,
    bots: tuple[int, int],
    hands: tuple[CardSet, CardSet],
    scores: tuple[int, int],
) -> tuple[int, int, int]:
    """Play the tricks of a deal; return both scores, and the number of tricks the elder won.

    The number is -1 if an announced king ended the game. The elder comes first in every pair.
    """
    laws, state, trace, draws = table.laws, table.state, table.trace, table.draws
    mine, yours = hands
    mine_score, yours_score = scores
    leads = 0
    tricks = 0
    for trick in range(laws.size - 1):
        # Each side may announce the king only before its first card (R4.2).
        if trick == 0:
            mine_score = _announce(table, trumps, mine, mine_score, 0, bots[0])
            if mine_score == laws.target:
                return mine_score, yours_score, -1
        bot, taken = (bots[1], trick - tricks) if leads else (bots[0], tricks)
        led = bot_actions.play(state, bot, leads, mine, NO_CARD, trumps, laws.strict, taken, draws)
        _note(trace, led)
        bot_actions.on_card(state, leads, led, NO_CARD)
        if trick == 0:
            yours_score = _announce(table, trumps, yours, yours_score, 1, bots[1])
            if yours_score == laws.target:
                return mine_score, yours_score, -1
        bot = bots[0] if leads else bots[1]
        reply = bot_actions.play(
            state, bot, 1 - leads, yours, led, trumps, laws.strict, trick - taken, draws
        )
        _note(trace, reply)
        bot_actions.on_card(state, 1 - leads, reply, led)
        mine ^= 1 << led
        yours ^= 1 << reply
        if ecarte.reply_wins(led, reply, trumps):
            mine, yours = yours, mine
            leads = 1 - leads
        tricks += 1 - leads
    # The last cards are forced, so no bot chooses and no random number is drawn.
    led, reply = lowest(mine), lowest(yours)
    _note(trace, led)
    _note(trace, reply)
    if ecarte.reply_wins(led, reply, trumps):
        leads = 1 - leads
    return mine_score, yours_score, tricks + 1 - leads


@register_jitable(forceinline=True)
def _score_tricks(
    table: Table, scores: tuple[int, int], tricks: int, vulnerable: int, exchanged: bool
) -> tuple[int, int]:
    laws, counts = table.laws, table.counts
    winner = 0 if 2 * tricks > laws.size else 1
    taken = laws.size - tricks if winner else tricks
    lost = vulnerable == 1 - winner
    points = ecarte.trick_points(taken, laws.size, lost, exchanged, laws.vole_unexchanged)
    if taken == laws.size:
        counts[Event.FIVE_TRICKS] += 1
        counts[Event.VOLES] += exchanged
    if lost:
        counts[Event.REFUSED_FIRST_LOST if vulnerable else Event.STOOD_AT_ONCE_LOST] += 1
    if winner:
        return scores[0], ecarte.score_after(scores[1], points, laws.target)
    return ecarte.score_after(scores[0], points, laws.target), scores[1]


@register_jitable(forceinline=True)
def _deal(
    table: Table, bots: tuple[int, int], scores: tuple[int, int], key: int
) -> tuple[int, int]:
    laws, deck = table.laws, table.deck
    table.draws[0], table.draws[1] = key, CHOICES
    blocks = _shuffle(deck, key, table.trace)
    turned = deck[2 * laws.size]
    points = ecarte.turn_up_points(turned)
    table.counts[Event.KINGS_TURNED] += points
    scores = (scores[0], ecarte.score_after(scores[1], points, laws.target))
    exchanges = 0
    if scores[1] < laws.target:
        dealt = hands_dealt(laws.size, laws.elder_places, deck)
        bot_actions.begin(table.state, turned, dealt, scores)
        elder, dealer, vulnerable, exchanges = _exchange(table, bots, dealt, blocks)
        elder_score, dealer_score, tricks = _play_tricks(
            table, turned >> 3, bots, (elder, dealer), scores
        )
        scores = (elder_score, dealer_score)
        if tricks >= 0:
            scores = _score_tricks(table, scores, tricks, vulnerable, exchanges > 0)
    table.counts[EXCHANGES + exchanges] += 1
    return scores


@register_jitable(forceinline=True)
def _game(table: Table, seats: tuple[int, int], key: int, loser: Seat) -> Seat:
    laws, counts = table.laws, table.counts
    named = ecarte.dealer_by_law(laws.named_dealer, laws.loser_deals, loser)
    dealer = cut_first(table.deck, word(key, 0)) if named == NO_SEAT else named
    first_dealer = dealer
    house = 0
    challenger = 0
    deals = 0
    while house < laws.target and challenger < laws.target:
        deals += 1
        house_deals = dealer == ecarte.HOUSE
        bots = (seats[1], seats[0]) if house_deals else seats
        scores = (challenger, house) if house_deals else (house, challenger)
        _note(table.trace, HOUSE_DEALS if house_deals else CHALLENGER_DEALS)
        scores = _deal(table, bots, scores, word(key, deals))
        house, challenger = (scores[1], scores[0]) if house_deals else scores
        dealer = ecarte.next_dealer(dealer, laws.house_deals)
    index = FINALS + SIDE * house + challenger
    _note(table.trace, GAME_OVER - index)
    loser = ecarte.CHALLENGER if house == laws.target else ecarte.HOUSE
    counts[Event.DEALS] += deals
    counts[Event.FIRST_DEALER_WINS] += first_dealer != loser
    counts[index] += 1
    return loser


@compiled
def play(table: Table, bots: tuple[int, int], key: int, first: int, end: int, loser: Seat) -> Seat:
    """Play the games `first` to `end` - 1 of a series and return the loser of the last one.

    `bots` holds the numbers of the house's bot and the challenger's.
    """
    before = np.empty(EVENTS, np.int64)
    counts, lent = table.counts, borrow(table)
    for game in range(first, end):
        for event in range(EVENTS):
            before[event] = counts[event]
        loser = _game(lent, bots, word(key, game), loser)
        deals = counts[Event.DEALS] - before[Event.DEALS]
        for event in range(EVENTS):
            happened = counts[event] - before[event]
            counts[SQUARES + event] += happened * happened
            counts[BY_DEALS + event] += happened * deals
    return loser
