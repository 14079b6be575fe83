"""Play whole games between two bots.

>>> played = play_game(("regle", "novice"), seed=1)
>>> played.game.score, len(played.deals)
((5, 1), 2)
>>> played == play_game(("regle", "novice"), seed=1)
True
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from casino.bots.protocol import Bot
from casino.bots.registry import get_bot
from casino.ecarte import (
    NO_SEAT,
    PACK,
    Card,
    Deal,
    Game,
    Laws,
    Record,
    Rng,
    Seat,
    after_deal,
    apply,
    begin_deal,
    cut_for_deal,
    deal_record,
    first_dealer,
    legal_for,
    new_game,
    shuffled,
    stake,
    turn_up,
    view,
    winner,
)
from casino.errors import InputError

_DEFAULT_LAWS = Laws()


class PlayedGame(NamedTuple):
    """A finished game with the final state of each deal."""

    first_dealer: Seat
    deals: tuple[Deal, ...]
    game: Game

    @property
    def winner(self) -> Seat | None:
        """The seat that won."""
        return winner(self.game)

    @property
    def stake(self) -> int | None:
        """The number of stakes that the loser pays."""
        return stake(self.game)

    @property
    def record(self) -> Record:
        """The game as a record, for `write_record` and `replay`."""
        deals = tuple(map(deal_record, self.deals))
        return Record(self.game.laws, self.first_dealer, deals)


def play_game(
    bots: Sequence[Bot | str], seed: int, laws: Laws = _DEFAULT_LAWS, loser: Seat | None = None
) -> PlayedGame:
    """Play a game between two bots, which may be objects or names; the first plays the house.

    All randomness comes from the seed. `loser` is the seat that lost the previous game. Raises
    `InputError` for unusable arguments.
    """
    if isinstance(bots, str) or len(bots) != 2:
        raise InputError(f"two bots play a game, the house's first, not {bots!r}")
    if type(seed) is not int:
        raise InputError(
            f"the seed must be a whole number, so that games can be repeated, not {seed!r}"
        )
    rng = Random(seed)
    house, challenger = (get_bot(bot) if isinstance(bot, str) else bot for bot in bots)
    for bot in (house, challenger):
        if not hasattr(bot, "choose"):
            raise InputError(f"{bot!r} is not a bot: write its method choose")
    dealer = first_dealer(laws, cut_for_deal(shuffled(PACK, rng)), loser)
    return play_out(
        new_game(laws, dealer), (house, challenger), lambda _: shuffled(PACK, rng), lambda _: rng
    )


def play_out(
    game: Game,
    bots: Sequence[Bot],
    deck_of: Callable[[int], Sequence[Card]],
    rng_of: Callable[[int], Rng],
) -> PlayedGame:
    """Play a game to its end. `deck_of` and `rng_of` are called with the number of each deal."""
    first, deals = game.dealer, list[Deal]()
    while not game.over:
        number = game.deals + 1
        deal = turn_up(begin_deal(game, deck_of(number)))
        deals.append(_play_deal(deal, bots, rng_of(number)))
        game = after_deal(game, deals[-1])
    return PlayedGame(first, tuple(deals), game)


def _play_deal(deal: Deal, bots: Sequence[Bot], rng: Rng) -> Deal:
    while (seat := deal.turn) != NO_SEAT:
        deal = apply(deal, bots[seat].choose(view(deal, seat), legal_for(deal, seat), rng))
    return deal
