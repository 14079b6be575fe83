"""A game between the house's bots, told in the terminal as it goes."""

from __future__ import annotations

import time

import click

from casino import fairness
from casino.config import Config
from casino.ecarte.commentary import changes, heading, names_of, title
from casino.ecarte.game import first_dealer, new_game
from casino.ecarte.state import Deal
from casino.errors import BadInput
from casino.players.bots import BOTS
from casino.players.playing import play_game

GAME = "terminal"


def tell_game(config: Config) -> None:
    """Play one game between the bots of the configuration and tell it step by step.

    The cards are dealt as they are for money: committed to before the game, and with the seed
    shown after it anybody can derive them again.
    """
    seed = fairness.fresh_seed()
    cut = fairness.cut_of(())
    seats = fairness.bot_seed(seed, GAME, 0), fairness.bot_seed(seed, GAME, 1)
    table = config.table
    if table.challenger == "nobody":
        raise BadInput("[table] challenger: nobody challenges the house: name a bot")
    names = names_of({"house": table.house, "challenger": table.challenger})
    click.echo(title(config.laws, names))
    click.echo(f"Commitment to the cards: {fairness.commitment_of(seed)}")
    played = play_game(
        new_game(config.laws, first_dealer(config.laws, fairness.first_dealer(seed, GAME, cut))),
        (BOTS[table.house], BOTS[table.challenger]),
        lambda number: fairness.deck(seed, GAME, cut, number),
        lambda seat, number, decision: fairness.bot_draws(seats[seat], number, decision),
    )
    before: Deal | None = None
    deals = 0
    for number, action, deal in played:
        if before is None or number != deals:
            deals = number
            lines = iter(heading(number, deal, names))
        else:
            lines = changes(before, action, deal, names)
        for line in lines:
            click.echo(line)
        before = deal
        time.sleep(table.pace_ms / 1000)
    click.echo(f"\nSeed of the cards, now shown: {seed.hex()}")
