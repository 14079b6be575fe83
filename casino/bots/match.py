"""Play whole games between two bots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from traceback import extract_tb
from typing import NamedTuple

from casino import ecarte
from casino.bots.registry import Bot, get_bot
from casino.ecarte import NO_SEAT, Action, Card, Deal, Game, Laws, Record, Rng, Seat, View
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
        return ecarte.winner(self.game)

    @property
    def stake(self) -> int | None:
        """The number of stakes that the loser pays."""
        return ecarte.stake(self.game)

    @property
    def record(self) -> Record:
        """The game as a record, for `write_record` and `replay`."""
        deals = tuple(map(ecarte.deal_record, self.deals))
        return Record(self.game.laws, self.first_dealer, deals)


def play_game(
    bots: Sequence[Bot | str], seed: int, laws: Laws = _DEFAULT_LAWS, loser: Seat | None = None
) -> PlayedGame:
    """Play a game between two bots, which may be objects or names; the first plays the house.

    All randomness comes from the seed. `loser` is the seat that lost the previous game, or None.
    Raises `InputError` for unusable arguments.
    """
    if isinstance(bots, str) or len(bots) != 2:
        raise InputError(f"a game needs two bots, the house's first, not {bots!r}")
    if type(seed) is not int:
        raise InputError(f"the seed must be a whole number, not {seed!r}")
    rng = Random(seed)
    house, challenger = (get_bot(bot) if isinstance(bot, str) else bot for bot in bots)
    for bot in (house, challenger):
        if not hasattr(bot, "choose"):
            raise InputError(f"{bot!r} is not a bot: it needs a method choose")

    def shuffled_pack(_: int) -> list[Card]:
        return ecarte.shuffled(ecarte.PACK, rng)

    dealer = ecarte.first_dealer(laws, ecarte.cut_for_deal(shuffled_pack(0)), loser)
    game = ecarte.new_game(laws, dealer)
    return play_out(game, (house, challenger), shuffled_pack, lambda _: rng)


def play_out(
    game: Game,
    bots: Sequence[Bot],
    deck_of: Callable[[int], Sequence[Card]],
    rng_of: Callable[[int], Rng],
) -> PlayedGame:
    """Play a game to its end; `deck_of` and `rng_of` map a deal's number to its deck and `Rng`."""
    first, deals = game.dealer, list[Deal]()
    while not game.over:
        number = game.deals + 1
        deal = ecarte.turn_up(ecarte.begin_deal(game, deck_of(number)))
        deals.append(_play_deal(deal, bots, rng_of(number)))
        game = ecarte.after_deal(game, deals[-1])
    return PlayedGame(first, tuple(deals), game)


def _play_deal(deal: Deal, bots: Sequence[Bot], rng: Rng) -> Deal:
    while (seat := deal.turn) != NO_SEAT:
        legal = ecarte.legal_for(deal, seat)
        deal = ecarte.apply(deal, choose(bots[seat], ecarte.view(deal, seat), legal, rng))
    return deal


def choose(bot: Bot, view: View, legal: Sequence[Action], rng: Rng) -> Action:
    """Return a bot's action; raise `InputError`, naming the bot, if it fails or is illegal."""
    name = f"bot {type(bot).__module__}:{type(bot).__qualname__}"
    try:
        action = bot.choose(view, legal, rng)
    except (Exception, SystemExit) as error:
        _, *frames = extract_tb(error.__traceback__)
        own = [frame for frame in frames if frame.filename == frames[0].filename]
        where = "".join(f" at {frame.filename}:{frame.lineno}" for frame in own[-1:])
        raise InputError(f"{name}: choose raised {error!r}{where}") from error
    if type(action) is not int or action not in legal:
        words = ", ".join(map(ecarte.token, legal))
        raise InputError(f"{name} chose {action!r}, which is not legal here: choose one of {words}")
    return action
