"""Compiled games that advance one action at a time, for batches of agents.

Unlike `game_loop`, which plays whole games, this module stops at every decision. A game is a row of
integers and its deal's pack. The rules are those of `casino.ecarte.rules`, and actions are numbered
by `casino.ecarte.observation.encoding`. Only enforcement `strict` is supported.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from casino.ecarte import (
    ACCEPT,
    ANSWERING,
    CONCEDE,
    DEALER_EXCHANGE,
    ELDER_EXCHANGE,
    FOLLOWING,
    LEADING,
    MARK,
    OVER,
    PROPOSE,
    PROPOSING,
    REFUSE,
    STAND,
    Laws,
)
from casino.ecarte.cards import PACK, CardSet, count, highest, lowest
from casino.ecarte.game import deal_cards, named_dealer
from casino.ecarte.observation.encoding import FIRST_EXCHANGE, MAX_HAND
from casino.ecarte.rules import (
    CHALLENGER,
    HOUSE,
    NO_CARD,
    NO_SEAT,
    SUIT_BITS,
    Seat,
    can_mark,
    can_propose,
    dealer_by_law,
    legal_replies,
    max_exchange,
    min_exchange,
    multiplier,
    next_dealer,
    reply_wins,
    score_after,
    trick_points,
    turn_up_points,
    vulnerable_for,
)
from casino.simulate.compiled.splitmix import BLOCKS, CHOICES, cut_first, hands_dealt, shuffle, word

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
        deal_cards(laws, HOUSE, range(BLOCKS[-1])).hands[CHALLENGER],
        laws.play == "strict",
        laws.vole_unexchanged,
        laws.deal == "house",
        named_dealer(laws),
        laws.first_dealer == "loser",
    )


def _exchanges(stock: int) -> int:
    least, most = min_exchange(stock), max_exchange(stock, MAX_HAND)
    return sum(
        1 << places for places in range(1 << MAX_HAND) if least <= places.bit_count() <= most
    )


_GIVING: Final = tuple(map(_exchanges, range(MAX_HAND + 1)))


@register_jitable(forceinline=True)
def has_ended(rules: EpisodeRules, game: GameRow) -> bool:
    """Return True if a side has reached the target."""
    house: int = game.score[0]
    challenger: int = game.score[1]
    return rules.target in (house, challenger)


@register_jitable
def begin_game(rules: EpisodeRules, game: GameRow) -> None:
    """Start a game. A king turned up in its first deal cannot end it."""
    game.game_key = word(game.key, game.games)
    game.games += 1
    game.deals = game.score[0] = game.score[1] = 0
    dealer = dealer_by_law(rules.named_dealer, rules.loser_deals, game.loser)
    game.dealer = cut_first(game.deck, word(game.game_key, 0)) if dealer == NO_SEAT else dealer
    begin_deal(rules, game)


@register_jitable
def begin_deal(rules: EpisodeRules, game: GameRow) -> None:
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
    elder, dealer = hands_dealt(rules.size, rules.elder_places, deck)
    dealing = game.dealer
    game.turned = deck[2 * rules.size]
    game.drawn = 2 * rules.size + 1
    game.led = game.vulnerable = game.marked = -1
    game.rounds = game.trick = 0
    for seat in range(2):
        hand = dealer if seat == dealing else elder
        game.hands[seat] = game.kept[seat] = hand
        game.began[seat] = game.score[seat]
        game.tricks[seat] = game.given[seat] = game.taken[seat] = game.leds[seat] = 0
    _may_speak(game)
    add_points(rules, game, dealing, turn_up_points(game.turned))


@register_jitable(forceinline=True)
def add_points(rules: EpisodeRules, game: GameRow, seat: int, points: int) -> None:
    """Add points to a seat's score, which may end the game."""
    game.score[seat] = score_after(game.score[seat], points, rules.target)
    if has_ended(rules, game):
        _is_over(game)


@register_jitable(forceinline=True)
def _may_speak(game: GameRow) -> None:
    game.phase, game.turn = PROPOSING, 1 - game.dealer
    game.legal[0] = 1 << STAND | can_propose(len(PACK) - game.drawn) << PROPOSE
    game.legal[1] = 0


@register_jitable(forceinline=True)
def _may_give(game: GameRow, phase: int, seat: Seat) -> None:
    game.phase, game.turn = phase, seat
    giving = _GIVING[min(len(PACK) - game.drawn, MAX_HAND)]
    game.legal[0] = giving << FIRST_EXCHANGE
    game.legal[1] = giving >> WORD - FIRST_EXCHANGE


@register_jitable(forceinline=True)
def _may_play(rules: EpisodeRules, game: GameRow, seat: Seat) -> None:
    hand, trumps = game.hands[seat], game.turned >> 3
    may_mark = can_mark(hand, trumps, hand == game.kept[seat], game.marked != NO_SEAT)
    game.phase, game.turn = LEADING, seat
    if game.led != NO_CARD:
        game.phase = FOLLOWING
        hand = legal_replies(hand, game.led, trumps, rules.strict)
    game.legal[0] = hand | 1 << CONCEDE | may_mark << MARK
    game.legal[1] = 0


@register_jitable(forceinline=True)
def _is_over(game: GameRow) -> None:
    game.phase, game.turn = OVER, NO_SEAT
    game.legal[0] = game.legal[1] = 0


@register_jitable
def act(rules: EpisodeRules, game: GameRow, number: int) -> None:
    """Apply the action with this number, which the caller has checked to be legal."""
    seat = game.turn
    if number < len(PACK):
        if game.led == NO_CARD:
            _lead(rules, game, number)
        else:
            _follow(rules, game, number)
    elif number >= FIRST_EXCHANGE:
        _exchange(rules, game, number - FIRST_EXCHANGE)
    elif number == PROPOSE:
        game.phase, game.turn = ANSWERING, 1 - seat
        game.legal[0] = 1 << ACCEPT | 1 << REFUSE
    elif number == ACCEPT:
        _may_give(game, ELDER_EXCHANGE, 1 - seat)
    elif number == CONCEDE:
        game.tricks[1 - seat] += rules.size - game.tricks[0] - game.tricks[1]
        game.led = NO_CARD
        _finish(rules, game)
    elif number == MARK:
        game.marked = seat
        _may_play(rules, game, seat)
        add_points(rules, game, seat, 1)
    else:
        # The seat stood or refused: play begins.
        game.vulnerable = vulnerable_for(seat, game.rounds > 0)
        _may_play(rules, game, 1 - game.dealer)


@register_jitable(forceinline=True)
def discarded(hand: CardSet, places: int) -> CardSet:
    """Return the cards whose positions in the order of `cards_in` are set in `places`."""
    cards = 0
    while places:
        card = highest(hand & SUIT_BITS << (lowest(hand) & ~7))
        cards |= (places & 1) << card
        hand ^= 1 << card
        places >>= 1
    return cards


@register_jitable(forceinline=True)
def _exchange(rules: EpisodeRules, game: GameRow, places: int) -> None:
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
    if game.phase == ELDER_EXCHANGE:
        _may_give(game, DEALER_EXCHANGE, 1 - seat)
        return
    game.rounds += 1
    if can_propose(len(PACK) - game.drawn):
        _may_speak(game)
    else:
        _may_play(rules, game, 1 - seat)


@register_jitable(forceinline=True)
def _lead(rules: EpisodeRules, game: GameRow, card: int) -> None:
    seat, trick = game.turn, game.trick
    game.hands[seat] ^= 1 << card
    game.leads[trick] = game.led = card
    game.leds[seat] |= 1 << trick
    _may_play(rules, game, 1 - seat)


@register_jitable(forceinline=True)
def _follow(rules: EpisodeRules, game: GameRow, card: int) -> None:
    seat, trick, led = game.turn, game.trick, game.led
    game.hands[seat] ^= 1 << card
    game.replies[trick] = card
    taker = seat if reply_wins(led, card, game.turned >> 3) else 1 - seat
    game.tricks[taker] += 1
    game.trick = trick + 1
    game.led = NO_CARD
    if game.hands[seat] == 0:
        _finish(rules, game)
    else:
        _may_play(rules, game, taker)


@register_jitable(forceinline=True)
def _finish(rules: EpisodeRules, game: GameRow) -> None:
    taker = HOUSE if game.tricks[0] > game.tricks[1] else CHALLENGER
    points = trick_points(
        game.tricks[taker],
        rules.size,
        game.vulnerable == 1 - taker,
        game.rounds > 0,
        rules.vole_unexchanged,
    )
    _is_over(game)
    add_points(rules, game, taker, points)


@register_jitable
def end_episode(rules: EpisodeRules, game: GameRow) -> bool:
    """Return True if the episode is over. If only a deal is over, start the next one."""
    if game.phase != OVER:
        return False
    # A king turned up may end the new deal at once.
    while not (rules.one_deal or has_ended(rules, game)):
        game.dealer = next_dealer(game.dealer, rules.house_deals)
        begin_deal(rules, game)
        if game.phase != OVER:
            return False
    return True


@register_jitable
def house_result(rules: EpisodeRules, game: GameRow) -> int:
    """Return the stakes or points that the house won, and record the game's loser."""
    if rules.one_deal:
        ahead: int = game.score[0] - game.began[0] - game.score[1] + game.began[1]
        return ahead
    game.loser = CHALLENGER if game.score[0] == rules.target else HOUSE
    stake = multiplier(game.score[game.loser])
    return stake if game.loser == CHALLENGER else -stake
