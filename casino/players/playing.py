"""Two bots play a game: who is to act sees its view and answers, until the game is over.

Packs and chance are handed in, so that the same ones give the same game.

>>> from random import Random
>>> from casino.ecarte import HOUSE, PACK, Laws, new_game
>>> from casino.players import bot_named
>>> chance = Random(1)
>>> bots = bot_named("regle"), bot_named("novice")
>>> played = play_game(new_game(Laws(), HOUSE), bots, lambda number: PACK, lambda *_: chance)
>>> max(max(step.deal.score) for step in played)
5
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from casino.ecarte.before_play import turn_up
from casino.ecarte.cards import Card
from casino.ecarte.chance import Chance
from casino.ecarte.deal import apply, legal_for
from casino.ecarte.game import Game, after_deal, begin_deal
from casino.ecarte.replay import Step
from casino.ecarte.rules import NOBODY, Seat
from casino.ecarte.state import Deal
from casino.ecarte.view import view
from casino.players.protocol import Bot


def play_game(
    game: Game,
    bots: tuple[Bot, Bot],
    deck_of: Callable[[int], Sequence[Card]],
    chance_of: Callable[[Seat, int, int], Chance],
) -> Iterator[Step]:
    """Play to the game's end, step by step.

    `deck_of` gives the pack of a deal by its number, `chance_of` the random numbers of a
    seat's decision by the deal's number and the decision's; all count from 1.
    """
    while not game.over:
        number = game.deals + 1
        deal = begin_deal(game, deck_of(number))
        yield Step(number, None, deal)
        deal = turn_up(deal)
        yield Step(number, None, deal)
        for step in _play_deal(number, deal, bots, chance_of):
            deal = step.deal
            yield step
        game = after_deal(game, deal)


def _play_deal(
    number: int,
    deal: Deal,
    bots: tuple[Bot, Bot],
    chance_of: Callable[[Seat, int, int], Chance],
) -> Iterator[Step]:
    """Play a deal from its turn-up to its end."""
    decisions = [0, 0]
    while deal.turn != NOBODY:
        seat = deal.turn
        decisions[seat] += 1
        chance = chance_of(seat, number, decisions[seat])
        action = bots[seat].choose(view(deal, seat), legal_for(deal, seat), chance)
        deal = apply(deal, action)
        yield Step(number, action, deal)
