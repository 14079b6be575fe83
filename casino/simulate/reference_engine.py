"""Reference engine: plays simulated games with the rules of `casino.ecarte`, in Python.

It draws the same random numbers and plays the same games as the compiled engine, and tests compare
the two. Bots that cannot be compiled play here, more slowly.
"""

from __future__ import annotations

from collections.abc import Sequence

from casino import ecarte
from casino.bots import Bot
from casino.bots.match import PlayedGame, play_out
from casino.ecarte import NO_SEAT, Card, Deal, Laws, Seat
from casino.simulate.compiled.splitmix import BLOCKS, CHOICES, KeyDraws, shuffle, word
from casino.simulate.statistics import (
    BY_DEALS,
    COUNTED,
    EVENTS,
    EXCHANGES,
    FINALS,
    SIDE,
    SQUARES,
    Event,
    GameCounts,
)


def play_game(laws: Laws, bots: Sequence[Bot], key: int, loser: Seat) -> PlayedGame:
    """Play the game that a key determines; `loser` is the last game's loser, or `NO_SEAT`."""
    dealer = ecarte.first_dealer(laws, ecarte.cut_for_deal(shuffled_pack(word(key, 0))), loser)
    return play_out(
        ecarte.new_game(laws, dealer),
        bots,
        lambda number: shuffled_pack(word(key, number)),
        lambda number: KeyDraws(word(key, number), CHOICES),
    )


def shuffled_pack(key: int) -> list[Card]:
    """Return the pack, fully shuffled with random numbers from a key."""
    deck = list(range(BLOCKS[-1]))
    for block in range(len(BLOCKS) - 1):
        shuffle(deck, key, block)
    return deck


def count_game(played: PlayedGame) -> GameCounts:
    """Return the counts of one game."""
    row = [0] * COUNTED
    won = played.winner
    for deal in played.deals:
        _tally_deal(deal, row)
    row[Event.DEALS] = len(played.deals)
    row[Event.FIRST_DEALER_WINS] = int(won == played.first_dealer)
    for event in range(EVENTS):
        row[SQUARES + event] = row[event] ** 2
        row[BY_DEALS + event] = row[event] * row[Event.DEALS]
    house, challenger = played.game.score
    row[FINALS + SIDE * house + challenger] = 1
    return GameCounts(tuple(row))


def _tally_deal(deal: Deal, row: list[int]) -> None:
    tokens = deal.history
    row[Event.KINGS_TURNED] += ecarte.turn_up_points(deal.turn_up)
    row[Event.KINGS_MARKED] += tokens.count(ecarte.MARK)
    row[Event.PROPOSALS] += tokens.count(ecarte.PROPOSE)
    row[EXCHANGES + tokens.count(ecarte.ACCEPT)] += 1
    row[Event.FIVE_TRICKS] += deal.hand_size in deal.tricks
    row[Event.VOLES] += deal.exchanged and deal.hand_size in deal.tricks
    if deal.vulnerable != NO_SEAT:
        lost = 2 * deal.tricks[1 - deal.vulnerable] > deal.hand_size
        refused = ecarte.REFUSE in tokens
        row[Event.REFUSED_FIRST if refused else Event.STOOD_AT_ONCE] += 1
        row[Event.REFUSED_FIRST_LOST if refused else Event.STOOD_AT_ONCE_LOST] += lost
