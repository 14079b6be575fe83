"""Compiled bots: the novice, the rule of thumb and the expert.

A decision takes a bot's number, the cards its seat sees, and the deal's `draws`.

Only the expert remembers more of the current deal than its hand: `ExpertState` holds the rest. The
state is None if no expert plays, and numba then compiles all of it away. Role 0 is the elder, role
1 the dealer.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from casino import ecarte
from casino.bots import rule_bot
from casino.bots.random_bot import ERROR_RATE_SCALE
from casino.ecarte import NO_CARD, NO_SEAT, Card, CardSet, Laws, Suit, count, highest
from casino.simulate.compiled.splitmix import Draws, below
from casino.solver.policy import tables
from casino.solver.policy.compiled_tables import card_values, policy_tables
from casino.solver.policy.play_policy import (
    ROOM,
    WEIGHED,
    InfoState,
    add_play,
    best_card,
    draw_key,
    hides_king,
    trick_equities,
)
from casino.solver.policy.tables import NO_ROW, ExchangeState, PolicyTables

NOVICE, REGLE, EXPERT = range(3)  # the bots

# Shifts of a bot number's fields after the bot: a mixed bot's worse bot and error rate; the effort.
WORSE, ERROR_RATE, EFFORT = 4, 8, 16
TABLES = WORSE  # the bit that selects one of two table files

FACTS = 16
# Facts known to both sides. `CERTAIN` is 1 if a reply proves what is not held (R8.5). Each of the
# two table files has its own index of the score.
(
    TARGET, VOLE, SAME_ROLES, STRICT, CERTAIN, TURN_UP, GAME, _OTHER_GAME, EXCHANGES, TOOK,
    DEALER_TOOK, SCORE, DEALER_SCORE, VULNERABLE, MARKED, WORD,
) = range(FACTS)  # fmt: skip

NOTES = 5
# Knowledge of each role: its own cards so far, and the opponent's play.
SEEN, PLAYED, NOT_HELD, PLAYS, SURE = range(NOTES)
NOTHING_SAID, STOOD, REFUSED = range(3)


class ExpertState(NamedTuple):
    """The tables of two experts, their knowledge of the current deal, and scratch space."""

    policies: tuple[PolicyTables, PolicyTables]
    facts: NDArray[np.int64]
    notes: NDArray[np.int64]
    equities: NDArray[np.int64]
    values: NDArray[np.int64]
    pool: NDArray[np.int64]


def make_state(laws: Laws, files: Iterable[Path | None]) -> ExpertState:
    """Return a state for these laws; `files` holds both experts' table files, None if shipped."""
    strict, certain = laws.play == "strict", laws.enforcement == "strict"
    facts = np.zeros(FACTS, np.int64)
    facts[:5] = laws.target, laws.vole_unexchanged, laws.deal == "house", strict, certain
    house, challenger = (policy_tables(strict, file) for file in files)
    room = (np.zeros(size, np.int64) for size in (12, WEIGHED + 1, ROOM))
    return ExpertState((house, challenger), facts, np.zeros((2, NOTES), np.int64), *room)


@register_jitable
def begin(
    state: ExpertState | None,
    turn_up: Card,
    hands: tuple[CardSet, CardSet],
    scores: tuple[int, int],
) -> None:
    """Start a deal. The scores include the point for a king turned up."""
    if state is None:
        return
    facts = state.facts
    facts[TURN_UP] = turn_up
    facts[EXCHANGES : DEALER_TOOK + 1] = 0
    facts[SCORE], facts[DEALER_SCORE] = scores
    facts[VULNERABLE] = facts[MARKED] = NO_SEAT
    facts[WORD] = NOTHING_SAID
    king = ecarte.turn_up_points(turn_up) == 1
    for at in range(2):
        solved = state.policies[at].target
        facts[GAME + at] = tables.game_of(scores[0], scores[1], facts[TARGET], king, solved)
    state.notes[:] = 0
    state.notes[:, PLAYS] = 1
    state.notes[0, SEEN], state.notes[1, SEEN] = hands


@register_jitable
def on_exchange(state: ExpertState | None, role: int, number: int, taken: CardSet) -> None:
    """Record that a role has exchanged `number` cards for `taken`."""
    if state is None:
        return
    state.facts[TOOK + role] = number
    state.notes[role, SEEN] |= taken
    state.facts[EXCHANGES] += role


@register_jitable
def on_stand(state: ExpertState | None, role: int, vulnerable: int) -> None:
    """Record that a role has stood or refused, after which play begins."""
    if state is None:
        return
    state.facts[WORD] = REFUSED if role else STOOD
    state.facts[VULNERABLE] = vulnerable


@register_jitable
def announces(state: ExpertState | None, bot: int, role: int) -> bool:
    """Return True if a role announces the king. Only the expert ever hides it."""
    return state is None or bot & 15 != EXPERT or not _hides_king(state, role)


@register_jitable
def _hides_king(state: ExpertState, role: int) -> bool:
    facts = state.facts
    score, vulnerable = facts[SCORE + role], facts[VULNERABLE] == 1 - role
    return hides_king(score, facts[SCORE + 1 - role], vulnerable, facts[TARGET])


@register_jitable
def on_king(state: ExpertState | None, role: int) -> None:
    """Record that a role has announced the king."""
    if state is None:
        return
    facts = state.facts
    facts[MARKED] = role
    facts[SCORE + role] += 1
    state.notes[1 - role, SURE] = 1 << ecarte.king_of(facts[TURN_UP] >> 3)


@register_jitable
def on_card(state: ExpertState | None, role: int, card: Card, led: Card) -> None:
    """Record that a role has played a card; `led` is the card it replies to, or `NO_CARD`."""
    if state is None:
        return
    note = state.notes[1 - role]
    note[PLAYED] |= 1 << card
    note[PLAYS] = add_play(note[PLAYS], card, led)
    note[SURE] &= ~(1 << card)
    facts = state.facts
    if led != NO_CARD and facts[CERTAIN] == 1:
        note[NOT_HELD] |= ecarte.ruled_out(card, led, facts[TURN_UP] >> 3, facts[STRICT] == 1)


@register_jitable(forceinline=True)
def card_at(cards: CardSet, index: int) -> Card:
    """Return the card at an index of a set, in the order of `cards_in`."""
    suit = 0
    while index >= count(cards >> 8 * suit & 255):
        index -= count(cards >> 8 * suit & 255)
        suit += 1
    left = cards >> 8 * suit & 255
    for _ in range(index):
        left ^= 1 << highest(left)
    return 8 * suit + highest(left)


@register_jitable(forceinline=True)
def _chosen_bot(bot: int, draws: Draws) -> int:
    error_rate = bot >> ERROR_RATE & 255
    # Like `MixedBot`, draw for a mixed bot only: both engines must consume the same random numbers.
    if error_rate == 0:
        return bot
    return (bot >> WORSE if below(draws, ERROR_RATE_SCALE) < error_rate else bot) & 15


@register_jitable(forceinline=True)
def _exchange_state(state: ExpertState, bot: int, role: int, hand: CardSet) -> ExchangeState:
    facts = state.facts
    game, took = facts[GAME + (bot >> TABLES & 1)], facts[TOOK + 1 - role]
    return ExchangeState(game, role == 1, facts[EXCHANGES], took, hand, facts[TURN_UP])


@register_jitable
def agrees(
    state: ExpertState | None, bot: int, role: int, hand: CardSet, trumps: Suit, draws: Draws
) -> bool:
    """Return True if the elder (role 0) proposes or the dealer (role 1) accepts."""
    bot = _chosen_bot(bot, draws)
    if state is not None and bot & 15 == EXPERT:
        policy = state.policies[bot >> TABLES & 1]
        return tables.draw_bid(policy, _exchange_state(state, bot, role, hand), draws)
    if bot == NOVICE:
        return below(draws, 2) == 1
    if role:
        return not rule_bot.should_refuse(hand, trumps)
    return not rule_bot.should_stand(hand, trumps)


@register_jitable
def discards(
    state: ExpertState | None,
    bot: int,
    role: int,
    hand: CardSet,
    trumps: Suit,
    stock: int,
    draws: Draws,
) -> CardSet:
    """Return the cards that a seat discards."""
    bot = _chosen_bot(bot, draws)
    if state is not None and bot & 15 == EXPERT:
        policy = state.policies[bot >> TABLES & 1]
        return tables.draw_discards(policy, _exchange_state(state, bot, role, hand), stock, draws)
    maximum = ecarte.max_exchange(stock, count(hand))
    if bot != NOVICE:
        return rule_bot.discards(hand, trumps, maximum)
    minimum = ecarte.min_exchange(stock)
    left = hand
    for _ in range(minimum + below(draws, maximum - minimum + 1)):
        left ^= 1 << card_at(left, below(draws, count(left)))
    return hand ^ left


@register_jitable
def play(
    state: ExpertState | None,
    bot: int,
    role: int,
    hand: CardSet,
    led: Card,
    trumps: Suit,
    strict: bool,
    taken: int,
    draws: Draws,
) -> Card:
    """Return the card to play to `led`, or to lead if `NO_CARD`; the seat has `taken` tricks."""
    bot = _chosen_bot(bot, draws)
    if bot != NOVICE and (state is None or bot >> EFFORT == 0):
        return rule_bot.usual_card(hand, led, trumps)
    legal = ecarte.legal_cards(hand, led, trumps, strict)
    if state is None or bot == NOVICE:
        return card_at(legal, below(draws, count(legal)))
    # As in `Expert`, a forced card draws no random number.
    if legal & legal - 1 == 0:
        return highest(legal)
    return _card(state, bot, role, hand, led, taken, draws)


@register_jitable
def _card(
    state: ExpertState, bot: int, role: int, hand: CardSet, led: Card, taken: int, draws: Draws
) -> Card:
    key, facts = draw_key(draws), state.facts
    vulnerable = (facts[VULNERABLE] == role, facts[VULNERABLE] == 1 - role)
    score = (facts[SCORE + role], facts[SCORE + 1 - role])
    laws = (facts[TARGET], facts[VOLE], facts[SAME_ROLES] == 1)
    exchanged, which = facts[EXCHANGES] > 0, bot >> TABLES & 1
    policy = state.policies[which]
    trick_equities(policy, role == 0, score, vulnerable, exchanged, laws, state.equities)
    state.values[:] = 0
    info = _info_state(state, which, role, hand, led, taken)
    card_values(policy, info, state.equities, bot >> EFFORT, key, state.pool, state.values)
    return best_card(info, state.values)


@register_jitable
def _info_state(
    state: ExpertState, which: int, role: int, hand: CardSet, led: Card, taken: int
) -> InfoState:
    facts, note = state.facts, state.notes[role]
    game = facts[GAME + which]
    size = count(hand) - (0 if led == NO_CARD else 1) - count(note[SURE])
    known = note[SEEN] | note[PLAYED] | note[SURE] | note[NOT_HELD] | 1 << facts[TURN_UP]
    bid_row, second = NO_ROW, False
    refused = facts[WORD] == REFUSED
    if refused or (role == 1 and facts[WORD] == STOOD):
        context = tables.bid_context(role == 0, facts[EXCHANGES], facts[TOOK + role])
        bid_row, second = tables.bid_row(game, context), refused and role == 1
    unmarked = facts[MARKED] == NO_SEAT
    return InfoState(
        hand,
        led,
        facts[TURN_UP],
        facts[STRICT] == 1,
        note[PLAYED],
        note[SURE],
        size,
        ~known & 0xFFFFFFFF,
        note[PLAYS],
        taken,
        unmarked and note[PLAYED] == 0,
        unmarked and note[PLAYED] != 0 and not _hides_king(state, 1 - role),
        bid_row,
        second,
        tables.drawn_row(role == 0, facts[TOOK + 1 - role]),
    )
