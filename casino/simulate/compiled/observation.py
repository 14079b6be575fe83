"""Compiled observations, in the layout of `casino.ecarte.observation.encoding`.

Rows are aligned to cache lines, and card planes are written eight cards at a time.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from casino.ecarte import NO_CARD, Seat, king_of, suit_set
from casino.ecarte.cards import CardSet, count
from casino.ecarte.observation.encoding import NUM_ACTIONS, OBSERVATION_SIZE, offset_of
from casino.simulate.compiled.vector_env import EpisodeRules, GameRow

LINE: Final = 64
OBSERVED_BYTES: Final = -(-OBSERVATION_SIZE // LINE) * LINE
MASK_BYTES: Final = -(-NUM_ACTIONS // 8) * 8  # bytes between rows of observations and of masks

# For each byte, its bits as eight bytes of 0 or 1.
EIGHT: Final = np.array([[byte >> at & 1 for at in range(8)] for byte in range(256)], np.int8).view(
    np.uint64
)[:, 0]

_PACK_SIZE: Final = 32
(
    _HAND, _KEPT, _TURNED, _TRUMPS, _LED, _GIVEN, _SHOWN, _LEADS, _REPLIES,
) = map(offset_of, (
    "hand", "hand when play began", "turn-up", "trumps", "led", "own discards",
    "shown by the other", "led to trick 1", "reply to trick 1",
))  # fmt: skip
(
    _TARGET, _OWN_SCORE, _SCORE, _OWN_BEGAN, _BEGAN, _OWN_DEAL, _OWN_TURN, _PHASE, _STOCK,
    _OWN_CARDS, _CARDS, _OWN_TRICKS, _TRICKS, _OWN_VULNERABLE, _VULNERABLE, _OWN_MARK, _MARK,
    _STRICT, _VOLE, _PACKET, _HOUSE_DEALS, _OWN_EXCHANGES, _EXCHANGES, _OWN_LEADS,
) = map(offset_of, (
    "target", "own score", "other's score", "own score before", "other's score before",
    "own deal", "own turn", "phase", "stock", "own cards", "other's cards", "own tricks",
    "other's tricks", "own vulnerable", "other vulnerable", "own mark", "other's mark",
    "strict play", "vole unexchanged", "first packet", "house always deals",
    "own exchange 1", "other's exchange 1", "own lead of trick 1",
))  # fmt: skip


class Observations(NamedTuple):
    """The observations of many games: the same memory as bytes and as 64-bit words."""

    numbers: NDArray[np.int8]
    words: NDArray[np.uint64]


@register_jitable(forceinline=True)
def _write_set(seen: Observations, at: int, plane: int, cards: CardSet) -> None:
    for index in range(4):
        seen.words[at, (plane >> 3) + index] = EIGHT[cards >> 8 * index & 255]


@register_jitable
def observe(rules: EpisodeRules, game: GameRow, seat: Seat, seen: Observations, at: int) -> None:
    """Write a seat's observation of a game into row `at`."""
    for index in range(OBSERVED_BYTES // 8):
        seen.words[at, index] = 0
    other = 1 - seat
    _write_set(seen, at, _HAND, game.hands[seat])
    _write_set(seen, at, _KEPT, game.kept[seat])
    seen.numbers[at, _TURNED + game.turned] = 1
    _write_set(seen, at, _TRUMPS, suit_set(game.turned >> 3))
    if game.led != NO_CARD:
        seen.numbers[at, _LED + game.led] = 1
    if game.given[0] | game.given[1]:
        _write_exchanges(game, seat, seen, at)
    shown = game.kept[other] ^ game.hands[other]
    if game.marked == other:
        shown |= 1 << king_of(game.turned >> 3)
    _write_set(seen, at, _SHOWN, shown)
    _write_tricks(game, seat, seen, at)
    _write_standing(rules, game, seat, seen.numbers, at)


@register_jitable(forceinline=True)
def _write_exchanges(game: GameRow, seat: Seat, seen: Observations, at: int) -> None:
    _write_set(seen, at, _GIVEN, game.given[seat])
    own, others = game.taken[seat], game.taken[1 - seat]
    index = 0
    while own >> 4 * index or others >> 4 * index:
        seen.numbers[at, _OWN_EXCHANGES + index] = own >> 4 * index & 15
        seen.numbers[at, _EXCHANGES + index] = others >> 4 * index & 15
        index += 1


@register_jitable(forceinline=True)
def _write_tricks(game: GameRow, seat: Seat, seen: Observations, at: int) -> None:
    led = game.leds[0] | game.leds[1]
    trick = 0
    while led >> trick:
        seen.numbers[at, _LEADS + _PACK_SIZE * trick + game.leads[trick]] = 1
        seen.numbers[at, _OWN_LEADS + trick] = game.leds[seat] >> trick & 1
        if trick < game.trick:
            seen.numbers[at, _REPLIES + _PACK_SIZE * trick + game.replies[trick]] = 1
        trick += 1


@register_jitable(forceinline=True)
def _write_standing(
    rules: EpisodeRules, game: GameRow, seat: Seat, numbers: NDArray[np.int8], at: int
) -> None:
    other = 1 - seat
    numbers[at, _TARGET] = rules.target
    numbers[at, _OWN_SCORE] = game.score[seat]
    numbers[at, _SCORE] = game.score[other]
    numbers[at, _OWN_BEGAN] = game.began[seat]
    numbers[at, _BEGAN] = game.began[other]
    numbers[at, _OWN_DEAL] = game.dealer == seat
    numbers[at, _OWN_TURN] = game.turn == seat
    numbers[at, _PHASE] = game.phase
    numbers[at, _STOCK] = _PACK_SIZE - game.drawn
    numbers[at, _OWN_CARDS] = count(game.hands[seat])
    numbers[at, _CARDS] = count(game.hands[other])
    numbers[at, _OWN_TRICKS] = game.tricks[seat]
    numbers[at, _TRICKS] = game.tricks[other]
    numbers[at, _OWN_VULNERABLE] = game.vulnerable == seat
    numbers[at, _VULNERABLE] = game.vulnerable == other
    numbers[at, _OWN_MARK] = game.marked == seat
    numbers[at, _MARK] = game.marked == other
    numbers[at, _STRICT] = rules.strict
    numbers[at, _VOLE] = rules.vole_unexchanged
    numbers[at, _PACKET] = rules.first_packet
    numbers[at, _HOUSE_DEALS] = rules.house_deals


@register_jitable(forceinline=True)
def write_mask(game: GameRow, masks: NDArray[np.uint64], at: int) -> None:
    """Write one byte per action number: 1 if the action is legal, else 0."""
    for index in range(8):
        masks[at, index] = EIGHT[game.legal[0] >> 8 * index & 255]
    for index in range(8, MASK_BYTES // 8):
        masks[at, index] = EIGHT[game.legal[1] >> 8 * (index - 8) & 255]
