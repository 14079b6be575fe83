"""Compiled game loop: plays whole games, thousands in a row, and counts their events.

`vector_env` steps the same games one action at a time. A loop over it, with the bots compiled in,
plays 0.43 of the games a second (`regle`, one core, 0.53 and 1.23 million), and 0.67 if it keeps no
legal actions and counts nothing. That is more than a quarter lost, so both engines are kept.

The rules are those of `casino.ecarte.rules` and the bots those of `casino.bots`, compiled from the
same functions. Scores and hands are ints, a deck is an array of 32, and the counts are one row of
integers (see `casino.simulate.statistics`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

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
    """Return the laws as ints. The Python engine decides which deck positions are the elder's."""
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
    row of `decks` is one deal's deck. Without rows nothing is recorded: the expert always has
    buffers, so that its games are compiled only once.
    """

    actions: NDArray[np.int64]
    decks: NDArray[np.int64]


@register_jitable(forceinline=True)
def _note(tape: GameTrace | None, action: int) -> None:
    if tape is not None and len(tape.decks) > 0:
        tape.actions[2 + tape.actions[0]] = action
        tape.actions[0] += 1


@register_jitable(forceinline=True)
def _shuffle(deck: Deck, key: int, tape: GameTrace | None) -> int:
    """Start shuffling a fresh pack and return the number of blocks shuffled.

    One block is enough to deal from; a recorded pack is shuffled completely.
    """
    for card in range(len(deck)):
        deck[card] = card
    shuffle(deck, key, 0)
    if tape is None or len(tape.decks) == 0:
        return 1
    for block in range(1, len(BLOCKS) - 1):
        shuffle(deck, key, block)
    for index in range(len(deck)):
        tape.decks[tape.actions[1], index] = deck[index]
    tape.actions[1] += 1
    return len(BLOCKS) - 1


@register_jitable(forceinline=True)
def draw(deck: Deck, key: int, drawn: int, number: int, blocks: int) -> tuple[CardSet, int]:
    """Return `number` cards from the deck, and the number of blocks shuffled then."""
    while BLOCKS[blocks] < drawn + number:
        shuffle(deck, key, blocks)
        blocks += 1
    cards = 0
    for index in range(drawn, drawn + number):
        cards |= 1 << deck[index]
    return cards, blocks


@register_jitable(forceinline=True)
def _exchange(
    laws: LawNumbers,
    deck: Deck,
    blocks: int,
    bots: tuple[int, int],
    hands: tuple[CardSet, CardSet],
    key: int,
    counts: NDArray[np.int64],
    tape: GameTrace | None,
    state: ExpertState | None,
) -> tuple[CardSet, CardSet, int, int, int]:
    """Play from the turn-up to the first lead.

    Returns the hands, the vulnerable role, the number of exchanges and the next draw. Pairs list
    the elder first; role 0 is the elder.
    """
    elder, dealer = hands
    trumps = deck[2 * laws.size] >> 3
    drawn = 2 * laws.size + 1
    vulnerable = NO_SEAT
    number = CHOICES
    exchanges = 0
    while ecarte.can_propose(len(deck) - drawn):
        proposes, number = bot_actions.agrees(state, bots[0], 0, elder, trumps, key, number)
        if not proposes:
            _note(tape, ecarte.STAND)
            vulnerable = ecarte.vulnerable_for(0, exchanges > 0)
            bot_actions.on_stand(state, 0, vulnerable)
            break
        _note(tape, ecarte.PROPOSE)
        counts[Event.PROPOSALS] += 1
        accepts, number = bot_actions.agrees(state, bots[1], 1, dealer, trumps, key, number)
        if not accepts:
            _note(tape, ecarte.REFUSE)
            vulnerable = ecarte.vulnerable_for(1, exchanges > 0)
            bot_actions.on_stand(state, 1, vulnerable)
            break
        _note(tape, ecarte.ACCEPT)
        exchanges += 1
        for role in range(2):
            hand = dealer if role else elder
            bot = bots[1] if role else bots[0]
            stock = len(deck) - drawn
            discarded, number = bot_actions.discards(
                state, bot, role, hand, trumps, stock, key, number
            )
            _note(tape, ecarte.EXCHANGE | discarded)
            taken, blocks = draw(deck, key, drawn, count(discarded), blocks)
            drawn += count(discarded)
            bot_actions.on_exchange(state, role, count(discarded), taken)
            if role:
                dealer = hand ^ discarded | taken
            else:
                elder = hand ^ discarded | taken
    return elder, dealer, vulnerable, exchanges, number


@register_jitable(forceinline=True)
def _announce(
    laws: LawNumbers,
    trumps: Suit,
    hand: CardSet,
    score: int,
    role: int,
    bot: int,
    counts: NDArray[np.int64],
    tape: GameTrace | None,
    state: ExpertState | None,
) -> int:
    if not ecarte.can_mark(hand, trumps, True, False) or not bot_actions.announces(
        state, bot, role
    ):
        return score
    _note(tape, ecarte.MARK)
    counts[Event.KINGS_MARKED] += 1
    bot_actions.on_king(state, role)
    return ecarte.score_after(score, 1, laws.target)


@register_jitable(forceinline=True)
def _play_tricks(
    laws: LawNumbers,
    trumps: Suit,
    bots: tuple[int, int],
    hands: tuple[CardSet, CardSet],
    scores: tuple[int, int],
    draws: tuple[int, int],
    counts: NDArray[np.int64],
    tape: GameTrace | None,
    state: ExpertState | None,
) -> tuple[int, int, int]:
    """Play the tricks of a deal. Return both scores, the elder's first, and the elder's tricks.

    The tricks are -1 if an announced king ended the game. Pairs list the elder first.
    """
    key, number = draws
    mine, yours = hands
    mine_score, yours_score = scores
    leads = 0
    tricks = 0
    for trick in range(laws.size - 1):
        # Each side may announce the king only before its first card (R4.2).
        if trick == 0:
            mine_score = _announce(laws, trumps, mine, mine_score, 0, bots[0], counts, tape, state)
            if mine_score == laws.target:
                return mine_score, yours_score, -1
        bot, taken = (bots[1], trick - tricks) if leads else (bots[0], tricks)
        led, number = bot_actions.play(
            state, bot, leads, mine, NO_CARD, trumps, laws.strict, taken, key, number
        )
        _note(tape, led)
        bot_actions.on_card(state, leads, led, NO_CARD)
        if trick == 0:
            yours_score = _announce(
                laws, trumps, yours, yours_score, 1, bots[1], counts, tape, state
            )
            if yours_score == laws.target:
                return mine_score, yours_score, -1
        bot = bots[0] if leads else bots[1]
        reply, number = bot_actions.play(
            state, bot, 1 - leads, yours, led, trumps, laws.strict, trick - taken, key, number
        )
        _note(tape, reply)
        bot_actions.on_card(state, 1 - leads, reply, led)
        mine ^= 1 << led
        yours ^= 1 << reply
        if ecarte.reply_wins(led, reply, trumps):
            mine, yours = yours, mine
            leads = 1 - leads
        tricks += 1 - leads
    # The last cards are forced: no bot is asked and no random number is drawn.
    led, reply = lowest(mine), lowest(yours)
    _note(tape, led)
    _note(tape, reply)
    if ecarte.reply_wins(led, reply, trumps):
        leads = 1 - leads
    tricks += 1 - leads
    return mine_score, yours_score, tricks


@register_jitable(forceinline=True)
def _score_tricks(
    laws: LawNumbers,
    scores: tuple[int, int],
    tricks: int,
    vulnerable: int,
    exchanges: int,
    counts: NDArray[np.int64],
) -> tuple[int, int]:
    winner = 0 if 2 * tricks > laws.size else 1
    taken = laws.size - tricks if winner else tricks
    lost = vulnerable == 1 - winner
    points = ecarte.trick_points(taken, laws.size, lost, exchanges > 0, laws.vole_unexchanged)
    if taken == laws.size:
        counts[Event.FIVE_TRICKS] += 1
        counts[Event.VOLES] += exchanges > 0
    if lost:
        counts[Event.REFUSED_FIRST_LOST if vulnerable else Event.STOOD_AT_ONCE_LOST] += 1
    if winner:
        return scores[0], ecarte.score_after(scores[1], points, laws.target)
    return ecarte.score_after(scores[0], points, laws.target), scores[1]


@register_jitable(forceinline=True)
def _deal(
    laws: LawNumbers,
    deck: Deck,
    bots: tuple[int, int],
    scores: tuple[int, int],
    key: int,
    counts: NDArray[np.int64],
    tape: GameTrace | None,
    state: ExpertState | None,
) -> tuple[int, int]:
    blocks = _shuffle(deck, key, tape)
    turned = deck[2 * laws.size]
    points = ecarte.turn_up_points(turned)
    counts[Event.KINGS_TURNED] += points
    scores = (scores[0], ecarte.score_after(scores[1], points, laws.target))
    exchanges = 0
    if scores[1] < laws.target:
        dealt = hands_dealt(laws.size, laws.elder_places, deck)
        bot_actions.begin(state, turned, dealt, scores)
        elder, dealer, vulnerable, exchanges, number = _exchange(
            laws, deck, blocks, bots, dealt, key, counts, tape, state
        )
        if vulnerable == 0:
            counts[Event.STOOD_AT_ONCE] += 1
        elif vulnerable == 1:
            counts[Event.REFUSED_FIRST] += 1
        elder_score, dealer_score, tricks = _play_tricks(
            laws, turned >> 3, bots, (elder, dealer), scores, (key, number), counts, tape, state
        )
        scores = (elder_score, dealer_score)
        if tricks >= 0:
            scores = _score_tricks(laws, scores, tricks, vulnerable, exchanges, counts)
    counts[EXCHANGES + exchanges] += 1
    return scores


@register_jitable(forceinline=True)
def _game(
    laws: LawNumbers,
    seats: tuple[int, int],
    deck: Deck,
    key: int,
    loser: Seat,
    counts: NDArray[np.int64],
    tape: GameTrace | None,
    state: ExpertState | None,
) -> Seat:
    named = ecarte.dealer_by_law(laws.named_dealer, laws.loser_deals, loser)
    dealer = cut_first(deck, word(key, 0)) if named == NO_SEAT else named
    first_dealer = dealer
    house = 0
    challenger = 0
    deals = 0
    while house < laws.target and challenger < laws.target:
        deals += 1
        if dealer == ecarte.HOUSE:
            bots = (seats[1], seats[0])
            scores = (challenger, house)
        else:
            bots = seats
            scores = (house, challenger)
        _note(tape, HOUSE_DEALS if dealer == ecarte.HOUSE else CHALLENGER_DEALS)
        scores = _deal(laws, deck, bots, scores, word(key, deals), counts, tape, state)
        house, challenger = scores if dealer != ecarte.HOUSE else (scores[1], scores[0])
        dealer = ecarte.next_dealer(dealer, laws.house_deals)
    index = FINALS + SIDE * house + challenger
    _note(tape, GAME_OVER - index)
    loser = ecarte.CHALLENGER if house == laws.target else ecarte.HOUSE
    counts[Event.DEALS] += deals
    counts[Event.FIRST_DEALER_WINS] += first_dealer != loser
    counts[index] += 1
    return loser


@compiled
def play(
    laws: LawNumbers,
    bots: tuple[int, int],
    state: ExpertState | None,
    key: int,
    first: int,
    end: int,
    loser: Seat,
    counts: NDArray[np.int64],
    tape: GameTrace | None,
) -> Seat:
    """Play the games `first` to `end` - 1 of a series and return the loser of the last one.

    `bots` has the numbers of the house's bot and the challenger's.
    """
    deck: Any = np.empty(32, np.int64)
    before = np.empty(EVENTS, np.int64)
    lent, trace = borrow(state), borrow(tape)
    for game in range(first, end):
        for event in range(EVENTS):
            before[event] = counts[event]
        loser = _game(laws, bots, deck, word(key, game), loser, counts, trace, lent)
        deals = counts[Event.DEALS] - before[Event.DEALS]
        for event in range(EVENTS):
            happened = counts[event] - before[event]
            counts[SQUARES + event] += happened * happened
            counts[BY_DEALS + event] += happened * deals
    return loser
