"""Our own engine as the other engines are driven: random whole games, by its public interface."""

from random import Random

from casino.ecarte import (
    CHALLENGER,
    HOUSE,
    LEADING,
    PACK,
    Card,
    Deal,
    DealRecord,
    Game,
    Laws,
    Record,
    after_deal,
    apply,
    begin_deal,
    deal_record,
    legal_actions,
    new_game,
    turn_up,
    write_record,
)

LAWS = Laws()


def shuffled(rng: Random) -> tuple[Card, ...]:
    """A pack in random order; sorting by random keys is the quickest fair way in Python."""
    pick = rng.random
    return tuple(sorted(PACK, key=lambda _: pick()))


def first_deal(rng: Random) -> tuple[Game, Deal]:
    """A new game and its first deal, the dealer drawn by lot."""
    game = new_game(LAWS, (HOUSE, CHALLENGER)[rng.random() < 0.5])
    return game, turn_up(begin_deal(game, shuffled(rng)))


def play_one(rng: Random) -> tuple[int, int]:
    """Play one game to five points; every pack shuffled is one chance step."""
    pick = rng.random
    game, deal = first_deal(rng)
    decisions, packs = 0, 1
    while True:
        while actions := legal_actions(deal):
            deal = apply(deal, actions[int(pick() * len(actions))])
            decisions += 1
        game = after_deal(game, deal)
        if game.over:
            return decisions, packs
        deal = turn_up(begin_deal(game, shuffled(rng)))
        packs += 1


def play_out_one(rng: Random) -> tuple[int, int]:
    """Play one game in which nobody concedes, so that all cards come to the table."""
    pick = rng.random
    game, deal = first_deal(rng)
    decisions, packs = 0, 1
    while True:
        while actions := legal_actions(deal):
            # In the play conceding is the last of the legal actions.
            choices = len(actions) - (deal.phase >= LEADING)
            deal = apply(deal, actions[int(pick() * choices)])
            decisions += 1
        game = after_deal(game, deal)
        if game.over:
            return decisions, packs
        deal = turn_up(begin_deal(game, shuffled(rng)))
        packs += 1


def states_of_one(rng: Random) -> list[Deal]:
    """Every state that one random deal goes through."""
    _, deal = first_deal(rng)
    states = [deal]
    while actions := legal_actions(deal):
        deal = apply(deal, rng.choice(actions))
        states.append(deal)
    return states


def record_of_one(rng: Random) -> str:
    """The record of one random game, as a line of a file."""
    game, deal = first_deal(rng)
    first_dealer = game.dealer
    deals: list[DealRecord] = []
    while True:
        while actions := legal_actions(deal):
            deal = apply(deal, rng.choice(actions))
        deals.append(deal_record(deal))
        game = after_deal(game, deal)
        if game.over:
            return write_record(Record(LAWS, first_dealer, tuple(deals)))
        deal = turn_up(begin_deal(game, shuffled(rng)))
