"""Compiled games that advance one action at a time, for batches of agents.

Unlike `game_loop`, which plays whole games, this module stops at every decision. A game is a row of
integers and its deal's pack. The rules are those of `casino.ecarte.rules`; actions are numbered and
observations laid out as in `casino.ecarte.observation.encoding`. Only enforcement `strict` is
supported.

The functions at the end begin, step and observe many games in one call. Each works on a slice of
the games, so that threads can share a batch.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from casino import ecarte
from casino.analysis.numba_support import borrow, compiled
from casino.ecarte import NO_CARD, CardSet, Laws, Seat, count, highest, lowest, rules
from casino.ecarte.game import named_dealer
from casino.ecarte.observation.encoding import (
    FIRST_EXCHANGE,
    MAX_HAND,
    NUM_ACTIONS,
    OBSERVATION_SIZE,
    offset_of,
)
from casino.simulate.compiled import bot_actions
from casino.simulate.compiled.splitmix import (
    BLOCKS,
    CHOICES,
    below,
    cut_first,
    hands_dealt,
    shuffle,
    word,
)

# The state of a game. Pairs are indexed by seat, but `legal` is a bit set of action numbers in two
# words. `taken` has the cards taken at each exchange, four bits each; `leds` has a bit for each
# trick that a seat led. `draws` and `picks` number the next random draws for bots and for
# `choose_randomly`.
GAME: Final = np.dtype(
    [(name, np.int64) for name in ("key", "games", "game_key", "deal_key", "draws", "picks")]
    + [(name, np.int64, 2) for name in ("legal", "hands", "kept", "given", "taken")]
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


class EpisodeRules(NamedTuple):
    """The laws as ints, and whether an episode is a single deal.

    `elder_places` is the bit set of the elder's deck positions; `named_dealer` is the first dealer
    named by the laws, or `NO_SEAT`.
    """

    target: int
    size: int
    elder_places: int
    strict: bool
    vole_unexchanged: int
    house_deals: bool
    named_dealer: int
    loser_deals: bool
    first_packet: int
    one_deal: bool


def episode_rules(laws: Laws, one_deal: bool) -> EpisodeRules:
    """Return the laws as ints."""
    return EpisodeRules(*law_numbers(laws), laws.packets[0], one_deal)


def law_numbers(laws: Laws) -> tuple[int, int, int, bool, int, bool, int, bool]:
    """Return the laws in the order of `EpisodeRules`.

    The Python engine decides which deck positions are the elder's.
    """
    return (
        laws.target,
        sum(laws.packets),
        ecarte.deal_cards(laws, ecarte.HOUSE, range(BLOCKS[-1])).hands[ecarte.CHALLENGER],
        laws.play == "strict",
        laws.vole_unexchanged,
        laws.deal == "house",
        named_dealer(laws),
        laws.first_dealer == "loser",
    )


def _exchanges(stock: int) -> int:
    least, most = rules.min_exchange(stock), rules.max_exchange(stock, MAX_HAND)
    return sum(
        1 << places for places in range(1 << MAX_HAND) if least <= places.bit_count() <= most
    )


_GIVING: Final = tuple(map(_exchanges, range(MAX_HAND + 1)))


@register_jitable(forceinline=True)
def has_ended(laws: EpisodeRules, game: GameRow) -> bool:
    """Return True if a side has reached the target."""
    house: int = game.score[0]
    challenger: int = game.score[1]
    return laws.target in (house, challenger)


@register_jitable
def begin_game(laws: EpisodeRules, game: GameRow) -> None:
    """Start a game. A king turned up in its first deal cannot end it."""
    game.game_key = word(game.key, game.games)
    game.games += 1
    game.deals = game.score[0] = game.score[1] = 0
    dealer = rules.dealer_by_law(laws.named_dealer, laws.loser_deals, game.loser)
    game.dealer = (
        cut_first(game.deck, word(game.game_key, 0)) if dealer == ecarte.NO_SEAT else dealer
    )
    begin_deal(laws, game)


@register_jitable
def begin_deal(laws: EpisodeRules, game: GameRow) -> None:
    """Start a deal and turn up a card. A king turned up may end the game."""
    deck = game.deck
    game.deals += 1
    game.deal_key = word(game.game_key, game.deals)
    game.draws, game.picks = CHOICES, PICKED
    for card in range(len(deck)):
        deck[card] = card
    # The first block covers the hands and the turn-up; exchanges shuffle more when they need it.
    shuffle(deck, game.deal_key, 0)
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
        game.tricks[seat] = game.given[seat] = game.taken[seat] = game.leds[seat] = 0
    _may_speak(game)
    add_points(laws, game, dealing, rules.turn_up_points(game.turned))


@register_jitable(forceinline=True)
def add_points(laws: EpisodeRules, game: GameRow, seat: int, points: int) -> None:
    """Add points to a seat's score, which may end the game."""
    game.score[seat] = rules.score_after(game.score[seat], points, laws.target)
    if has_ended(laws, game):
        _is_over(game)


@register_jitable(forceinline=True)
def _may_speak(game: GameRow) -> None:
    game.phase, game.turn = ecarte.PROPOSING, 1 - game.dealer
    game.legal[0] = (
        1 << ecarte.STAND | rules.can_propose(len(ecarte.PACK) - game.drawn) << ecarte.PROPOSE
    )
    game.legal[1] = 0


@register_jitable(forceinline=True)
def _may_give(game: GameRow, phase: int, seat: Seat) -> None:
    game.phase, game.turn = phase, seat
    giving = _GIVING[min(len(ecarte.PACK) - game.drawn, MAX_HAND)]
    game.legal[0] = giving << FIRST_EXCHANGE
    game.legal[1] = giving >> WORD - FIRST_EXCHANGE


@register_jitable(forceinline=True)
def _may_play(laws: EpisodeRules, game: GameRow, seat: Seat) -> None:
    hand, trumps = game.hands[seat], game.turned >> 3
    may_mark = rules.can_mark(hand, trumps, hand == game.kept[seat], game.marked != ecarte.NO_SEAT)
    game.phase, game.turn = ecarte.LEADING, seat
    if game.led != NO_CARD:
        game.phase = ecarte.FOLLOWING
        hand = rules.legal_replies(hand, game.led, trumps, laws.strict)
    game.legal[0] = hand | 1 << ecarte.CONCEDE | may_mark << ecarte.MARK
    game.legal[1] = 0


@register_jitable(forceinline=True)
def _is_over(game: GameRow) -> None:
    game.phase, game.turn = ecarte.OVER, ecarte.NO_SEAT
    game.legal[0] = game.legal[1] = 0


@register_jitable
def act(laws: EpisodeRules, game: GameRow, number: int) -> None:
    """Apply the action with this number, which the caller has checked to be legal."""
    seat = game.turn
    if number < len(ecarte.PACK):
        if game.led == NO_CARD:
            _lead(laws, game, number)
        else:
            _follow(laws, game, number)
    elif number >= FIRST_EXCHANGE:
        _exchange(laws, game, number - FIRST_EXCHANGE)
    elif number == ecarte.PROPOSE:
        game.phase, game.turn = ecarte.ANSWERING, 1 - seat
        game.legal[0] = 1 << ecarte.ACCEPT | 1 << ecarte.REFUSE
    elif number == ecarte.ACCEPT:
        _may_give(game, ecarte.ELDER_EXCHANGE, 1 - seat)
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
        game.vulnerable = rules.vulnerable_for(seat, game.rounds > 0)
        _may_play(laws, game, 1 - game.dealer)


@register_jitable(forceinline=True)
def discarded(hand: CardSet, places: int) -> CardSet:
    """Return the cards whose positions in the order of `cards_in` are set in `places`."""
    cards = 0
    while places:
        card = highest(hand & rules.SUIT_BITS << (lowest(hand) & ~7))
        cards |= (places & 1) << card
        hand ^= 1 << card
        places >>= 1
    return cards


@register_jitable(forceinline=True)
def _exchange(laws: EpisodeRules, game: GameRow, places: int) -> None:
    seat, drawn = game.turn, game.drawn
    discarded_cards = discarded(game.hands[seat], places)
    number = count(discarded_cards)
    while BLOCKS[game.shuffled] < drawn + number:
        shuffle(game.deck, game.deal_key, game.shuffled)
        game.shuffled += 1
    taken = 0
    for index in range(drawn, drawn + number):
        taken |= 1 << game.deck[index]
    game.drawn = drawn + number
    game.given[seat] |= discarded_cards
    game.hands[seat] = game.kept[seat] = game.hands[seat] ^ discarded_cards | taken
    game.taken[seat] |= number << 4 * game.rounds
    if game.phase == ecarte.ELDER_EXCHANGE:
        _may_give(game, ecarte.DEALER_EXCHANGE, 1 - seat)
        return
    game.rounds += 1
    if rules.can_propose(len(ecarte.PACK) - game.drawn):
        _may_speak(game)
    else:
        _may_play(laws, game, 1 - seat)


@register_jitable(forceinline=True)
def _lead(laws: EpisodeRules, game: GameRow, card: int) -> None:
    seat, trick = game.turn, game.trick
    game.hands[seat] ^= 1 << card
    game.leads[trick] = game.led = card
    game.leds[seat] |= 1 << trick
    _may_play(laws, game, 1 - seat)


@register_jitable(forceinline=True)
def _follow(laws: EpisodeRules, game: GameRow, card: int) -> None:
    seat, trick, led = game.turn, game.trick, game.led
    game.hands[seat] ^= 1 << card
    game.replies[trick] = card
    taker = seat if rules.reply_wins(led, card, game.turned >> 3) else 1 - seat
    game.tricks[taker] += 1
    game.trick = trick + 1
    game.led = NO_CARD
    if game.hands[seat] == 0:
        _finish(laws, game)
    else:
        _may_play(laws, game, taker)


@register_jitable(forceinline=True)
def _finish(laws: EpisodeRules, game: GameRow) -> None:
    taker = ecarte.HOUSE if game.tricks[0] > game.tricks[1] else ecarte.CHALLENGER
    points = rules.trick_points(
        game.tricks[taker],
        laws.size,
        game.vulnerable == 1 - taker,
        game.rounds > 0,
        laws.vole_unexchanged,
    )
    _is_over(game)
    add_points(laws, game, taker, points)


@register_jitable
def end_episode(laws: EpisodeRules, game: GameRow) -> bool:
    """Return True if the episode is over. If only a deal is over, start the next one."""
    if game.phase != ecarte.OVER:
        return False
    # A king turned up may end the new deal at once.
    while not (laws.one_deal or has_ended(laws, game)):
        game.dealer = rules.next_dealer(game.dealer, laws.house_deals)
        begin_deal(laws, game)
        if game.phase != ecarte.OVER:
            return False
    return True


@register_jitable
def house_result(laws: EpisodeRules, game: GameRow) -> int:
    """Return the stakes or points that the house won, and record the game's loser."""
    if laws.one_deal:
        ahead: int = game.score[0] - game.began[0] - game.score[1] + game.began[1]
        return ahead
    game.loser = ecarte.CHALLENGER if game.score[0] == laws.target else ecarte.HOUSE
    stake = rules.multiplier(game.score[game.loser])
    return stake if game.loser == ecarte.CHALLENGER else -stake


# Rows are aligned to cache lines, and card planes are written eight cards at a time.
LINE: Final = 64
OBSERVED_BYTES: Final = -(-OBSERVATION_SIZE // LINE) * LINE
MASK_BYTES: Final = -(-NUM_ACTIONS // 8) * 8  # bytes between rows of observations and of masks

# For each byte, its bits as eight bytes of 0 or 1.
EIGHT: Final = np.array([[byte >> at & 1 for at in range(8)] for byte in range(256)], np.int8).view(
    np.uint64
)[:, 0]

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
def observe(laws: EpisodeRules, game: GameRow, seat: Seat, seen: Observations, at: int) -> None:
    """Write a seat's observation of a game into row `at`."""
    for index in range(OBSERVED_BYTES // 8):
        seen.words[at, index] = 0
    other = 1 - seat
    _write_set(seen, at, _HAND, game.hands[seat])
    _write_set(seen, at, _KEPT, game.kept[seat])
    seen.numbers[at, _TURNED + game.turned] = 1
    _write_set(seen, at, _TRUMPS, rules.suit_set(game.turned >> 3))
    if game.led != NO_CARD:
        seen.numbers[at, _LED + game.led] = 1
    if game.given[0] | game.given[1]:
        _write_exchanges(game, seat, seen, at)
    shown = game.kept[other] ^ game.hands[other]
    if game.marked == other:
        shown |= 1 << rules.king_of(game.turned >> 3)
    _write_set(seen, at, _SHOWN, shown)
    _write_tricks(game, seat, seen, at)
    _write_standing(laws, game, seat, seen.numbers, at)


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
        seen.numbers[at, _LEADS + len(ecarte.PACK) * trick + game.leads[trick]] = 1
        seen.numbers[at, _OWN_LEADS + trick] = game.leds[seat] >> trick & 1
        if trick < game.trick:
            seen.numbers[at, _REPLIES + len(ecarte.PACK) * trick + game.replies[trick]] = 1
        trick += 1


@register_jitable(forceinline=True)
def _write_standing(
    laws: EpisodeRules, game: GameRow, seat: Seat, numbers: NDArray[np.int8], at: int
) -> None:
    other = 1 - seat
    numbers[at, _TARGET] = laws.target
    numbers[at, _OWN_SCORE] = game.score[seat]
    numbers[at, _SCORE] = game.score[other]
    numbers[at, _OWN_BEGAN] = game.began[seat]
    numbers[at, _BEGAN] = game.began[other]
    numbers[at, _OWN_DEAL] = game.dealer == seat
    numbers[at, _OWN_TURN] = game.turn == seat
    numbers[at, _PHASE] = game.phase
    numbers[at, _STOCK] = len(ecarte.PACK) - game.drawn
    numbers[at, _OWN_CARDS] = count(game.hands[seat])
    numbers[at, _CARDS] = count(game.hands[other])
    numbers[at, _OWN_TRICKS] = game.tricks[seat]
    numbers[at, _TRICKS] = game.tricks[other]
    numbers[at, _OWN_VULNERABLE] = game.vulnerable == seat
    numbers[at, _VULNERABLE] = game.vulnerable == other
    numbers[at, _OWN_MARK] = game.marked == seat
    numbers[at, _MARK] = game.marked == other
    numbers[at, _STRICT] = laws.strict
    numbers[at, _VOLE] = laws.vole_unexchanged
    numbers[at, _PACKET] = laws.first_packet
    numbers[at, _HOUSE_DEALS] = laws.house_deals


@register_jitable(forceinline=True)
def write_mask(game: GameRow, masks: NDArray[np.uint64], at: int) -> None:
    """Write one byte per action number: 1 if the action is legal, else 0."""
    for index in range(8):
        masks[at, index] = EIGHT[game.legal[0] >> 8 * index & 255]
    for index in range(8, MASK_BYTES // 8):
        masks[at, index] = EIGHT[game.legal[1] >> 8 * (index - 8) & 255]


OUTSIDE = -1  # in place of a bot's number: the caller plays this seat
Actions: TypeAlias = NDArray[np.int64]
BotNumbers: TypeAlias = tuple[int, int]


@compiled
def begin(
    laws: EpisodeRules, bots: BotNumbers | None, key: int, first: int, games: GameRows
) -> None:
    """Start every game of a slice; `first` is the index of its first game in the batch."""
    for at in range(len(games)):
        game = games[at]
        game.key = word(key, first + at)
        game.games = 0
        game.loser = ecarte.NO_SEAT
        begin_game(laws, game)
        _answer(laws, bots, game)


@compiled
def step(
    laws: EpisodeRules,
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
        act(laws, game, actions[at])
        # The bot's replies may end the episode too.
        done[at] = end_episode(laws, game) or _answer(laws, bots, game)
        rewards[at, 0] = rewards[at, 1] = 0
        if done[at]:
            house = house_result(laws, game)
            rewards[at, 0], rewards[at, 1] = house, -house
            # The final observation is written before the new game overwrites the row.
            if last is not None and bots is not None:
                seat = ecarte.HOUSE if bots[0] == OUTSIDE else 1 - ecarte.HOUSE
                observe(laws, game, seat, borrow(last), at)
            begin_game(laws, game)
            _answer(laws, bots, game)


@compiled
def observe_all(
    laws: EpisodeRules,
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
            observe(laws, game, game.turn, borrow(seen), at)


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
def _answer(laws: EpisodeRules, bots: BotNumbers | None, game: GameRow) -> bool:
    if bots is None:
        return False
    while bots[game.turn] != OUTSIDE:
        act(laws, game, _choice(laws, bots[game.turn], game))
        if end_episode(laws, game):
            return True
    return False


@register_jitable
def _choice(laws: EpisodeRules, bot: int, game: GameRow) -> int:
    phase, hand, trumps = game.phase, game.hands[game.turn], game.turned >> 3
    key, number = game.deal_key, game.draws
    if phase == ecarte.PROPOSING:
        yes = False
        if game.legal[0] >> ecarte.PROPOSE & 1:
            yes, game.draws = bot_actions.proposes(None, bot, hand, trumps, key, number)
        return ecarte.PROPOSE if yes else ecarte.STAND
    if phase == ecarte.ANSWERING:
        yes, game.draws = bot_actions.refuses(None, bot, hand, trumps, key, number)
        return ecarte.REFUSE if yes else ecarte.ACCEPT
    if phase < ecarte.LEADING:
        stock = len(ecarte.PACK) - game.drawn
        discarded, game.draws = bot_actions.discards(None, bot, 0, hand, trumps, stock, key, number)
        return FIRST_EXCHANGE + _places(hand, discarded)
    if game.legal[0] >> ecarte.MARK & 1:
        return ecarte.MARK
    if phase == ecarte.FOLLOWING:
        led, strict = game.led, laws.strict
        card, game.draws = bot_actions.reply(
            None, bot, 0, hand, led, trumps, strict, 0, key, number
        )
    else:
        card, game.draws = bot_actions.lead(None, bot, 0, hand, trumps, 0, key, number)
    return card


@register_jitable(forceinline=True)
def _places(hand: CardSet, cards: CardSet) -> int:
    places = 0
    for index in range(count(hand)):
        places |= (cards >> bot_actions.card_at(hand, index) & 1) << index
    return places
