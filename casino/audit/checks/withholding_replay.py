"""Replay a game as it would have been with the contributions that were withheld.

The operator can choose among the decks that unrevealed contributions leave open, and nothing else.
So once such a contribution is known its deck is derived, and if two bots played, the game is played
on it: the difference in everyone's winnings is the effect of withholding. Withholding at random
moves them as often one way as the other; `WithholdingTally` reports when it does not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import comb
from typing import Final, NamedTuple, TypeAlias

from casino import betting, fairness
from casino.audit.checks.bots import Decide
from casino.ecarte import (
    DEALING,
    EXPOSE,
    Action,
    Deal,
    Laws,
    after_deal,
    apply,
    begin_deal,
    first_dealer,
    legal_for,
    new_game,
    turn_up,
    view,
)
from casino.ecarte.rules import HOUSE, NO_SEAT, Seat, multiplier, other
from casino.events.parts import (
    BotName,
)

CHANCE: Final = Fraction(1, 1000)  # how improbable luck must be before an audit warns: 99.9 %

Net: TypeAlias = Mapping[str, int]  # net cents by account


class Contribution(NamedTuple):
    """A contribution: its number, its player, the text, and whether it was revealed in time."""

    number: int
    player: str
    text: str
    is_opened: bool


class ReplayInput(NamedTuple):
    """A game of two bots: everything its alternative decks depend on."""

    game: str
    server_seed: bytes
    laws: Laws
    loser_deals: Seat | None
    bots: tuple[BotName, BotName]
    slip_permille: int
    book: betting.Book
    cover: betting.Cover
    texts: Sequence[Contribution]
    never_opened: Sequence[str]


class WithholdingEffect(NamedTuple):
    """The effect of withholding on one game: who withheld, who won and would have won, cents by
    account.

    An account's cents are its result in the game played less its result in the game replayed.
    """

    game: str
    silent: tuple[str, ...]
    winner: Seat
    would_have_won: Seat
    cents: Net


def effect_of_late(played: ReplayInput, decide: Decide) -> WithholdingEffect | None:
    """Return the effect of late contributions on a game, or None if none is known."""
    late = [text for text in played.texts if not text.is_opened]
    if not late:
        return None
    opened = [text for text in played.texts if text.is_opened]
    shut = {text.player for text in late} | set(played.never_opened)
    winner, was = _came_to(played, opened, shut, decide)
    would_have_won, would_be = _came_to(
        played, sorted(played.texts), set(played.never_opened), decide
    )
    names = sorted({*was, *would_be})
    cents = {name: was[name] - would_be[name] for name in names if was[name] != would_be[name]}
    silent = tuple(text.player for text in late)
    return WithholdingEffect(played.game, silent, winner, would_have_won, cents)


def _came_to(
    played: ReplayInput, opened: Iterable[Contribution], shut: set[str], decide: Decide
) -> tuple[Seat, Counter[str]]:
    cut = fairness.combine([text.text for text in opened])
    winner, times = play(played, cut, decide)
    settled = betting.settle(betting.close(played.book, played.cover, shut), winner, times)
    net: Counter[str] = Counter()
    for outcome in (*settled.principals, *settled.bets):
        net[outcome.bet.bettor] += outcome.gain_cents - outcome.commission_cents
        net["commission"] += outcome.commission_cents
    return winner, net


def play(played: ReplayInput, cut: str, decide: Decide) -> tuple[Seat, int]:
    """Return the winner and multiplier of a bots' game with some contributions."""
    by_cut = fairness.first_dealer(played.server_seed, played.game, cut)
    game = new_game(played.laws, first_dealer(played.laws, by_cut, played.loser_deals))
    seeds = [fairness.bot_seed(played.server_seed, played.game, seat) for seat in (0, 1)]
    while not game.over:
        number = game.deals + 1
        deal = begin_deal(game, fairness.deck(played.server_seed, played.game, cut, number))
        decisions = None
        if deal.dealer == HOUSE:
            decisions = fairness.exposed_card(
                played.server_seed, played.game, number, played.slip_permille
            )
        if decisions is not None:
            deal = apply(deal, EXPOSE + deal.deck[decisions])
        made = [0, 0]
        while deal.phase == DEALING or deal.turn != NO_SEAT:
            if deal.phase == DEALING:
                deal = turn_up(deal)
                continue
            seat = deal.turn
            made[seat] += 1
            draws = fairness.bot_draws(seeds[seat], number, made[seat])
            deal = apply(deal, _choice(deal, played.bots[seat], draws, decide))
        game = after_deal(game, deal)
    winner = game.score.index(game.laws.target)
    return winner, multiplier(game.score[other(winner)])


def _choice(deal: Deal, bot: BotName, draws: fairness.SeededRandom, decide: Decide) -> Action:
    return decide(bot, view(deal, deal.turn), legal_for(deal, deal.turn), draws)


class WithholdingTally(NamedTuple):
    """Effects on an account over many games: cents, games it gained in, games that changed
    anything.

    >>> WithholdingTally().plus(5).plus(-2)
    WithholdingTally(cents=3, ups=1, changes=2)
    """

    cents: int = 0
    ups: int = 0
    changes: int = 0

    def plus(self, cents: int) -> WithholdingTally:
        """Return the tally with one more game that changed the account."""
        return WithholdingTally(self.cents + cents, self.ups + (cents > 0), self.changes + 1)

    @property
    def is_beyond_chance(self) -> bool:
        """Whether the changes were gains too often to be chance.

        If no one had known the decks, a gain and a loss would be equally likely.
        """
        ways = sum(comb(self.changes, more) for more in range(self.ups, self.changes + 1))
        return Fraction(ways, 2**self.changes) < CHANCE
