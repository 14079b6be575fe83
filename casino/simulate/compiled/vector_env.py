"""Compiled games that advance one action at a time, for batches of agents.

Unlike `game_loop`, which plays whole games, this module stops at every decision. A game is a row of
integers, which includes the current pack. The rules are those of `casino.ecarte.rules`; actions are
numbered and observations laid out as in `casino.ecarte.observation.encoding`. Only enforcement
`strict` is supported.

The functions at the end step and observe many games in one call. Each works on a slice of
the games, so that threads can share a batch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from casino import ecarte
from casino.analysis.numba_support import compiled
from casino.ecarte import NO_CARD, CardSet, Seat, count, highest, lowest
from casino.ecarte.observation.encoding import (
    FIRST_EXCHANGE,
    MAX_EXCHANGES,
    MAX_HAND,
    NUM_ACTIONS,
    NUMBERS,
    OBSERVATION_SIZE,
    PLANES,
)
from casino.simulate.compiled import bot_actions
from casino.simulate.compiled.game_loop import LawNumbers, draw
from casino.simulate.compiled.splitmix import CHOICES, below, cut_first, hands_dealt, shuffle, word

# The state of a game. Pairs are indexed by seat, but `legal` is a bit set of action numbers in two
# words. `taken` packs the number of cards taken in each exchange into four bits; `leds` has a bit
# for each trick that a seat led. Bots draw from `draws`, `choose_randomly` from `picks`.
GAME: Final = np.dtype(
    [(name, np.int64) for name in ("key", "games", "game_key")]
    + [(name, np.int64, 2) for name in (
        "draws", "picks", "legal", "hands", "kept", "discards", "taken",
    )]
    + [(name, np.int8) for name in (
        "deals", "loser", "dealer", "phase", "turn", "turned", "led", "drawn", "shuffled",
        "vulnerable", "marked", "rounds", "trick",
    )] + [(name, np.int8, 2) for name in ("score", "began", "tricks", "leds")]
    + [(name, np.int8, MAX_HAND) for name in ("leads", "replies")]
    + [("deck", np.int8, 32)],
    align=True,
)  # fmt: skip

GameRow: TypeAlias = Any  # an element of `GameRows`, in compiled code
GameRows: TypeAlias = NDArray[np.void]
WORD: Final = 64  # action numbers in the first word of `legal`
PICKED: Final = 2 * CHOICES  # number of a deal's first draw for `choose_randomly`


def _exchanges(stock: int) -> int:
    least, most = ecarte.min_exchange(stock), ecarte.max_exchange(stock, MAX_HAND)
    return sum(
        1 << places for places in range(1 << MAX_HAND) if least <= places.bit_count() <= most
    )


_EXCHANGES: Final = tuple(map(_exchanges, range(MAX_HAND + 1)))


@register_jitable(forceinline=True)
def has_ended(laws: LawNumbers, game: GameRow) -> bool:
    """Return True if a side has reached the target."""
    return laws.target in (game.score[0], game.score[1])


@register_jitable
def _begin_game(laws: LawNumbers, bots: BotNumbers, game: GameRow) -> None:
    # A king turned up in its first deal cannot end a game.
    game.game_key = word(game.key, game.games)
    game.games += 1
    game.deals = game.score[0] = game.score[1] = 0
    game.dealer = ecarte.dealer_by_law(laws.named_dealer, laws.loser_deals, game.loser)
    if game.dealer == ecarte.NO_SEAT:
        game.dealer = cut_first(game.deck, word(game.game_key, 0))
    begin_deal(laws, game)
    _answer(laws, bots, game)


@register_jitable
def begin_deal(laws: LawNumbers, game: GameRow) -> None:
    """Start a deal and turn up a card. A king turned up may end the game."""
    deck = game.deck
    game.deals += 1
    key = word(game.game_key, game.deals)
    game.draws[0], game.draws[1] = key, CHOICES
    game.picks[0], game.picks[1] = key, PICKED
    # The first block covers the hands and the turn-up; exchanges shuffle more when they need it.
    shuffle(deck, key, 0)
    game.shuffled = 1
    elder, dealer = hands_dealt(laws.size, laws.elder_places, deck)
    dealing = game.dealer
    game.turned = deck[2 * laws.size]
    game.drawn = 2 * laws.size + 1
    game.led = game.vulnerable = game.marked = -1
    game.rounds = game.trick = 0
    for seat in range(2):
        hand = dealer if seat == dealing else elder
        game.hands[seat] = game.kept[seat] = hand
        game.began[seat] = game.score[seat]
        game.tricks[seat] = game.discards[seat] = game.taken[seat] = game.leds[seat] = 0
    _may_propose(game)
    add_points(laws, game, dealing, ecarte.turn_up_points(game.turned))


@register_jitable(forceinline=True)
def add_points(laws: LawNumbers, game: GameRow, seat: int, points: int) -> None:
    """Add points to a seat's score, which may end the game."""
    game.score[seat] = ecarte.score_after(game.score[seat], points, laws.target)
    if has_ended(laws, game):
        _is_over(game)


@register_jitable(forceinline=True)
def _may_propose(game: GameRow) -> None:
    game.phase, game.turn = ecarte.PROPOSING, 1 - game.dealer
    game.legal[0] = (
        1 << ecarte.STAND | ecarte.can_propose(len(ecarte.PACK) - game.drawn) << ecarte.PROPOSE
    )
    game.legal[1] = 0


@register_jitable(forceinline=True)
def _may_exchange(game: GameRow, phase: int, seat: Seat) -> None:
    game.phase, game.turn = phase, seat
    exchanges = _EXCHANGES[min(len(ecarte.PACK) - game.drawn, MAX_HAND)]
    game.legal[0] = exchanges << FIRST_EXCHANGE
    game.legal[1] = exchanges >> WORD - FIRST_EXCHANGE


@register_jitable(forceinline=True)
def _may_play(laws: LawNumbers, game: GameRow, seat: Seat) -> None:
    hand, trumps = game.hands[seat], game.turned >> 3
    may_mark = ecarte.can_mark(hand, trumps, hand == game.kept[seat], game.marked != ecarte.NO_SEAT)
    game.phase = ecarte.LEADING if game.led == NO_CARD else ecarte.FOLLOWING
    game.turn = seat
    cards = ecarte.legal_cards(hand, game.led, trumps, laws.strict)
    game.legal[0] = cards | 1 << ecarte.CONCEDE | may_mark << ecarte.MARK
    game.legal[1] = 0


@register_jitable(forceinline=True)
def _is_over(game: GameRow) -> None:
    game.phase, game.turn = ecarte.OVER, ecarte.NO_SEAT
    game.legal[0] = game.legal[1] = 0


@register_jitable
def act(laws: LawNumbers, game: GameRow, number: int) -> None:
    """Apply the action with this number. The caller must have checked that it is legal."""
    seat = game.turn
    if number < len(ecarte.PACK):
        if game.led == NO_CARD:
            _lead(laws, game, number)
        else:
            _follow(laws, game, number)
    elif number >= FIRST_EXCHANGE:
        _exchange(laws, game, discarded(game.hands[seat], number - FIRST_EXCHANGE))
    elif number == ecarte.PROPOSE:
        game.phase, game.turn = ecarte.ANSWERING, 1 - seat
        game.legal[0] = 1 << ecarte.ACCEPT | 1 << ecarte.REFUSE
    elif number == ecarte.ACCEPT:
        _may_exchange(game, ecarte.ELDER_EXCHANGE, 1 - seat)
    elif number == ecarte.CONCEDE:
        game.tricks[1 - seat] += laws.size - game.tricks[0] - game.tricks[1]
        game.led = NO_CARD
        _finish(laws, game)
    elif number == ecarte.MARK:
        game.marked = seat
        _may_play(laws, game, seat)
        add_points(laws, game, seat, 1)
    else:
        # The seat stood or refused: play begins.
        game.vulnerable = ecarte.vulnerable_for(seat, game.rounds > 0)
        _may_play(laws, game, 1 - game.dealer)


@register_jitable(forceinline=True)
def discarded(hand: CardSet, places: int) -> CardSet:
    """Return the cards whose positions in the order of `cards_in` are set in `places`."""
    cards = 0
    while places:
        card = highest(hand & ecarte.suit_set(lowest(hand) >> 3))
        cards |= (places & 1) << card
        hand ^= 1 << card
        places >>= 1
    return cards


@register_jitable(forceinline=True)
def _exchange(laws: LawNumbers, game: GameRow, discards: CardSet) -> None:
    seat, drawn = game.turn, game.drawn
    number = count(discards)
    taken, game.shuffled = draw(game.deck, game.draws[0], drawn, number, game.shuffled)
    game.drawn = drawn + number
    game.discards[seat] |= discards
    game.hands[seat] = game.kept[seat] = game.hands[seat] ^ discards | taken
    game.taken[seat] |= number << 4 * game.rounds
    if game.phase == ecarte.ELDER_EXCHANGE:
        _may_exchange(game, ecarte.DEALER_EXCHANGE, 1 - seat)
        return
    game.rounds += 1
    if ecarte.can_propose(len(ecarte.PACK) - game.drawn):
        _may_propose(game)
    else:
        _may_play(laws, game, 1 - seat)


@register_jitable(forceinline=True)
def _lead(laws: LawNumbers, game: GameRow, card: int) -> None:
    seat, trick = game.turn, game.trick
    game.hands[seat] ^= 1 << card
    game.leads[trick] = game.led = card
    game.leds[seat] |= 1 << trick
    _may_play(laws, game, 1 - seat)


@register_jitable(forceinline=True)
def _follow(laws: LawNumbers, game: GameRow, card: int) -> None:
    seat, trick, led = game.turn, game.trick, game.led
    game.hands[seat] ^= 1 << card
    game.replies[trick] = card
    taker = seat if ecarte.reply_wins(led, card, game.turned >> 3) else 1 - seat
    game.tricks[taker] += 1
    game.trick = trick + 1
    game.led = NO_CARD
    if game.hands[seat] == 0:
        _finish(laws, game)
    else:
        _may_play(laws, game, taker)


@register_jitable(forceinline=True)
def _finish(laws: LawNumbers, game: GameRow) -> None:
    taker = ecarte.HOUSE if game.tricks[0] > game.tricks[1] else ecarte.CHALLENGER
    taken, lost = game.tricks[taker], game.vulnerable == 1 - taker
    points = ecarte.trick_points(taken, laws.size, lost, game.rounds > 0, laws.vole_unexchanged)
    _is_over(game)
    add_points(laws, game, taker, points)


@register_jitable
def end_episode(laws: LawNumbers, game: GameRow) -> bool:
    """Return True if the episode is over. If only a deal is over, start the next one."""
    if game.phase != ecarte.OVER:
        return False
    # A king turned up may end the new deal at once.
    while not (laws.one_deal or has_ended(laws, game)):
        game.dealer = ecarte.next_dealer(game.dealer, laws.house_deals)
        begin_deal(laws, game)
        if game.phase != ecarte.OVER:
            return False
    return True


@register_jitable
def house_result(laws: LawNumbers, game: GameRow) -> int:
    """Return the stakes (or points, for one deal) that the house won; record a game's loser."""
    if laws.one_deal:
        ahead: int = game.score[0] - game.began[0] - game.score[1] + game.began[1]
        return ahead
    game.loser = ecarte.CHALLENGER if game.score[0] == laws.target else ecarte.HOUSE
    stake = ecarte.multiplier(game.score[game.loser])
    return stake if game.loser == ecarte.CHALLENGER else -stake


MASK_BYTES: Final = -(-NUM_ACTIONS // 8) * 8  # bytes between rows of masks


def _fields(names: Iterable[str], kind: type, *shape: int) -> list[Any]:
    """Return a field for each name. Names that differ only in a final number share an array."""
    sizes = Counter(name.rstrip(" 0123456789") for name in names)
    return [(name, kind, (size, *shape) if size > 1 else shape) for name, size in sizes.items()]


# A card set is written eight cards at a time, and rows are aligned to cache lines.
PADDING: Final = ("padding", np.int8, -OBSERVATION_SIZE % 64)
OBSERVATION: Final = np.dtype(
    [*_fields(PLANES, np.uint64, 4), *_fields(NUMBERS, np.int8), PADDING], align=True
)
ObservationRow: TypeAlias = Any  # an element of `Observations`, in compiled code
Observations: TypeAlias = NDArray[np.void]

# For each byte, its bits as eight bytes of 0 or 1.
EIGHT: Final = np.array([[byte >> at & 1 for at in range(8)] for byte in range(256)], np.int8).view(
    np.uint64
)[:, 0]


@register_jitable(forceinline=True)
def _write_set(plane: NDArray[np.uint64], cards: CardSet) -> None:
    for index in range(4):
        plane[index] = EIGHT[cards >> 8 * index & 255]


@register_jitable
def observe(laws: LawNumbers, game: GameRow, seat: Seat, row: ObservationRow) -> None:
    """Write a seat's observation of a game."""
    other = 1 - seat
    shown = game.kept[other] ^ game.hands[other]
    if game.marked == other:
        shown |= 1 << ecarte.king_of(game.turned >> 3)
    _write_set(row["hand"], game.hands[seat])
    _write_set(row["hand when play began"], game.kept[seat])
    _write_set(row["turn-up"], 1 << game.turned)
    _write_set(row["trumps"], ecarte.suit_set(game.turned >> 3))
    _write_set(row["led"], 0 if game.led == NO_CARD else 1 << game.led)
    _write_set(row["own discards"], game.discards[seat])
    _write_set(row["shown by the other"], shown)
    leds = game.leds[0] | game.leds[1]
    for at in range(MAX_HAND):
        _write_set(row["led to trick"][at], (leds >> at & 1) << game.leads[at])
        _write_set(row["reply to trick"][at], (1 if at < game.trick else 0) << game.replies[at])
        row["own lead of trick"][at] = game.leds[seat] >> at & 1
    for at in range(MAX_EXCHANGES):
        row["own exchange"][at] = game.taken[seat] >> 4 * at & 15
        row["other's exchange"][at] = game.taken[other] >> 4 * at & 15
    row["target"], row["strict play"] = laws.target, laws.strict
    row["vole unexchanged"], row["first packet"] = laws.vole_unexchanged, laws.first_packet
    row["house always deals"], row["own deal"] = laws.house_deals, game.dealer == seat
    row["own score"], row["other's score"] = game.score[seat], game.score[other]
    row["own score before"], row["other's score before"] = game.began[seat], game.began[other]
    row["own turn"], row["phase"] = game.turn == seat, game.phase
    row["stock"] = len(ecarte.PACK) - game.drawn
    row["own cards"], row["other's cards"] = count(game.hands[seat]), count(game.hands[other])
    row["own tricks"], row["other's tricks"] = game.tricks[seat], game.tricks[other]
    row["own vulnerable"] = game.vulnerable == seat
    row["other vulnerable"] = game.vulnerable == other
    row["own mark"], row["other's mark"] = game.marked == seat, game.marked == other


OUTSIDE = -1  # instead of a bot's number: the caller plays this seat
RESTART = -1  # instead of an action's number: begin the next game
Actions: TypeAlias = NDArray[np.int64]
BotNumbers: TypeAlias = tuple[int, int]


@compiled
def step(
    laws: LawNumbers,
    bots: BotNumbers,
    games: GameRows,
    actions: Actions,
    rewards: NDArray[np.int8],
    done: NDArray[np.bool_],
    last: Observations,
) -> None:
    """Apply an action to each game, then the actions of the bots. A finished game restarts.

    The action `RESTART` only begins the next game.
    """
    for at in range(len(games)):
        game = games[at]
        rewards[at, 0] = rewards[at, 1] = 0
        done[at] = False
        if actions[at] != RESTART:
            act(laws, game, actions[at])
            # The bot's replies may end the episode too.
            done[at] = end_episode(laws, game) or _answer(laws, bots, game)
        if done[at]:
            house = house_result(laws, game)
            rewards[at, 0], rewards[at, 1] = house, -house
            # The final observation is written before the new game overwrites the row.
            if len(last) > 0:
                seat = ecarte.HOUSE if bots[0] == OUTSIDE else 1 - ecarte.HOUSE
                observe(laws, game, seat, last[at])
        if done[at] or actions[at] == RESTART:
            _begin_game(laws, bots, game)


@compiled
def observe_all(
    laws: LawNumbers,
    games: GameRows,
    turns: NDArray[np.int8],
    masks: NDArray[np.uint64],
    seen: Observations,
) -> None:
    """Write the seat to act, the legal actions and the observation of each game."""
    for at in range(len(games)):
        game = games[at]
        turns[at] = game.turn
        # One byte per action number: 1 if the action is legal, else 0.
        for index in range(8):
            masks[at, index] = EIGHT[game.legal[0] >> 8 * index & 255]
        for index in range(8, MASK_BYTES // 8):
            masks[at, index] = EIGHT[game.legal[1] >> 8 * (index - 8) & 255]
        if len(seen) > 0:
            observe(laws, game, game.turn, seen[at])


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
        index = below(game.picks, ways + count(second))
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
def _answer(laws: LawNumbers, bots: BotNumbers, game: GameRow) -> bool:
    while bots[game.turn] != OUTSIDE:
        bot, hand, trumps = bots[game.turn], game.hands[game.turn], game.turned >> 3
        if game.phase == ecarte.ELDER_EXCHANGE or game.phase == ecarte.DEALER_EXCHANGE:
            stock = len(ecarte.PACK) - game.drawn
            _exchange(
                laws, game, bot_actions.discards(None, bot, 0, hand, trumps, stock, game.draws)
            )
        else:
            act(laws, game, _choice(laws, bot, game))
        if end_episode(laws, game):
            return True
    return False


@register_jitable
def _choice(laws: LawNumbers, bot: int, game: GameRow) -> int:
    phase, hand, trumps = game.phase, game.hands[game.turn], game.turned >> 3
    if phase == ecarte.PROPOSING or phase == ecarte.ANSWERING:
        role = 1 if phase == ecarte.ANSWERING else 0
        yes = False
        if role or game.legal[0] >> ecarte.PROPOSE & 1:
            yes = bot_actions.agrees(None, bot, role, hand, trumps, game.draws)
        if role:
            return ecarte.ACCEPT if yes else ecarte.REFUSE
        return ecarte.PROPOSE if yes else ecarte.STAND
    if game.legal[0] >> ecarte.MARK & 1:
        return ecarte.MARK
    return bot_actions.play(None, bot, 0, hand, game.led, trumps, laws.strict, 0, game.draws)
