"""Batch operations of `vector_env`: begin, step and observe many games in one call.

Each function works on a slice of the games, so that threads can share a batch.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from casino.analysis.numba_support import borrow, compiled
from casino.ecarte import (
    ACCEPT,
    ANSWERING,
    FOLLOWING,
    HOUSE,
    LEADING,
    MARK,
    NO_SEAT,
    PROPOSE,
    PROPOSING,
    REFUSE,
    STAND,
)
from casino.ecarte.cards import PACK, CardSet, count
from casino.ecarte.observation.encoding import FIRST_EXCHANGE, NUM_ACTIONS
from casino.simulate.compiled import bot_actions, expert_state
from casino.simulate.compiled.observation import Observations, observe, write_mask
from casino.simulate.compiled.splitmix import below, word
from casino.simulate.compiled.vector_env import (
    WORD,
    EpisodeRules,
    GameRow,
    GameRows,
    act,
    begin_game,
    end_episode,
    house_result,
)

OUTSIDE = -1  # in place of a bot's number: the caller plays this seat
Actions: TypeAlias = NDArray[np.int64]
BotNumbers: TypeAlias = tuple[int, int]


@compiled
def begin(
    rules: EpisodeRules, bots: BotNumbers | None, key: int, first: int, games: GameRows
) -> None:
    """Start every game of a slice; `first` is the index of its first game in the batch."""
    for at in range(len(games)):
        game = games[at]
        game.key = word(key, first + at)
        game.games = 0
        game.loser = NO_SEAT
        begin_game(rules, game)
        _answer(rules, bots, game)


@compiled
def step(
    rules: EpisodeRules,
    bots: BotNumbers | None,
    games: GameRows,
    actions: Actions,
    rewards: NDArray[np.int8],
    done: NDArray[np.bool_],
    last: Observations | None,
) -> None:
    """Apply an action to each game, then the bots' replies. A finished game restarts."""
    for at in range(len(games)):
        game = games[at]
        act(rules, game, actions[at])
        # The bot's replies may end the episode too.
        done[at] = end_episode(rules, game) or _answer(rules, bots, game)
        rewards[at, 0] = rewards[at, 1] = 0
        if done[at]:
            house = house_result(rules, game)
            rewards[at, 0], rewards[at, 1] = house, -house
            # The final observation is written before the new game overwrites the row.
            if last is not None and bots is not None:
                seat = HOUSE if bots[0] == OUTSIDE else 1 - HOUSE
                observe(rules, game, seat, borrow(last), at)
            begin_game(rules, game)
            _answer(rules, bots, game)


@compiled
def observe_all(
    rules: EpisodeRules,
    games: GameRows,
    turns: NDArray[np.int8],
    masks: NDArray[np.uint64],
    seen: Observations | None,
) -> None:
    """Write the seat to act, the legal actions and the observation of each game."""
    for at in range(len(games)):
        game = games[at]
        turns[at] = game.turn
        write_mask(game, masks, at)
        if seen is not None:
            observe(rules, game, game.turn, borrow(seen), at)


@compiled
def first_illegal(games: GameRows, actions: Actions) -> int:
    """Return the index of the first game whose action is illegal, or -1."""
    for at in range(len(games)):
        number = actions[at]
        if (
            not 0 <= number < NUM_ACTIONS
            or games[at].legal[number // WORD] >> number % WORD & 1 == 0
        ):
            return at
    return -1


@compiled
def choose_randomly(games: GameRows, actions: Actions) -> None:
    """Choose a uniformly random legal action in each game."""
    for at in range(len(games)):
        game = games[at]
        first, second = game.legal[0], game.legal[1]
        ways = count(first)
        index, game.picks = below(game.deal_key, game.picks, ways + count(second))
        actions[at] = _bit(first, index) if index < ways else WORD + _bit(second, index - ways)


@register_jitable(forceinline=True)
def _bit(cards: int, index: int) -> int:
    at = 0
    for halving in range(5, -1, -1):
        width = 1 << halving
        lower = count(cards & (1 << width) - 1)
        above = index >= lower
        cards >>= width * above
        index -= lower * above
        at += width * above
    return at


@register_jitable
def _answer(rules: EpisodeRules, bots: BotNumbers | None, game: GameRow) -> bool:
    if bots is None:
        return False
    while bots[game.turn] != OUTSIDE:
        act(rules, game, _choice(rules, bots[game.turn], game))
        if end_episode(rules, game):
            return True
    return False


@register_jitable
def _choice(rules: EpisodeRules, bot: int, game: GameRow) -> int:
    phase, hand, trumps = game.phase, game.hands[game.turn], game.turned >> 3
    key, number = game.deal_key, game.draws
    if phase == PROPOSING:
        yes = False
        if game.legal[0] >> PROPOSE & 1:
            yes, game.draws = expert_state.proposes(None, bot, hand, trumps, key, number)
        return PROPOSE if yes else STAND
    if phase == ANSWERING:
        yes, game.draws = expert_state.refuses(None, bot, hand, trumps, key, number)
        return REFUSE if yes else ACCEPT
    if phase < LEADING:
        stock = len(PACK) - game.drawn
        discarded, game.draws = expert_state.discards(
            None, bot, 0, hand, trumps, stock, key, number
        )
        return FIRST_EXCHANGE + _places(hand, discarded)
    if game.legal[0] >> MARK & 1:
        return MARK
    if phase == FOLLOWING:
        led, strict = game.led, rules.strict
        card, game.draws = expert_state.reply(
            None, bot, 0, hand, led, trumps, strict, 0, key, number
        )
    else:
        card, game.draws = expert_state.lead(None, bot, 0, hand, trumps, 0, key, number)
    return card


@register_jitable(forceinline=True)
def _places(hand: CardSet, cards: CardSet) -> int:
    places = 0
    for index in range(count(hand)):
        places |= (cards >> bot_actions.card_at(hand, index) & 1) << index
    return places
