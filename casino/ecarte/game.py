"""A game: who deals, the score from deal to deal, the end, and what the loser pays.

Arguments are checked here, because this module stays plain Python even where the rules are compiled
(see `setup.py`): code compiled by mypyc would report wrong types in its own words and accept `True`
as a seat.

>>> new_deal(Laws(), HOUSE, PACK).stock
21
>>> game = new_game(Laws(), HOUSE)
>>> game.dealer == HOUSE, game.over, stake(game)
(True, False, None)
>>> lost = game._replace(score=(0, 5))
>>> stake(lost), winner(lost) == CHALLENGER
(3, True)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol, TypeVar

from casino.ecarte import rules
from casino.ecarte.actions import ANNULLED, OVER
from casino.ecarte.cards import PACK, Card
from casino.ecarte.deal import Deal, deal_pack, new, turn_up
from casino.ecarte.errors import GAME_OVER
from casino.ecarte.laws import Laws
from casino.ecarte.rules import CHALLENGER, HOUSE, NO_SEAT, Seat
from casino.ecarte.validation import check_laws, check_score, check_seat, check_type
from casino.errors import IllegalAction, InputError, RefusalReason

T = TypeVar("T")

WRONG_DEALER: Final = RefusalReason(
    "wrong_dealer", "illegal_action", "by these laws the other seat deals first", "R2.1"
)
DEAL_UNFINISHED: Final = RefusalReason(
    "deal_unfinished", "illegal_action", "finish this deal before the next one begins", "R2.2"
)


class Rng(Protocol):
    """A source of random numbers, such as a `random.Random`."""

    def randrange(self, stop: int, /) -> int:
        """Return a uniform random number from 0 to `stop - 1`."""


def sample(items: Sequence[T], number: int, rng: Rng) -> list[T]:
    """Return `number` items in random order; every selection and order is equally likely."""
    left = list(items)
    return [left.pop(rng.randrange(len(left))) for _ in range(number)]


def shuffled(items: Sequence[T], rng: Rng) -> list[T]:
    """Return all items in random order."""
    return sample(items, len(items), rng)


class Game(NamedTuple):
    """A game's state between deals: the score, the next dealer and the number of deals so far."""

    laws: Laws
    dealer: Seat
    score: tuple[int, int] = (0, 0)
    deals: int = 0

    @property
    def over(self) -> bool:
        """True if a seat has reached the target (R7.1)."""
        return self.laws.target in self.score


def named_dealer(laws: Laws) -> Seat:
    """Return the seat that the laws name as first dealer, or `NO_SEAT` if they name none (R2.1)."""
    if laws.deal == "house" or laws.first_dealer == "house":
        return HOUSE
    return CHALLENGER if laws.first_dealer == "challenger" else NO_SEAT


def first_dealers(laws: Laws) -> tuple[Seat, ...]:
    """Return the seats that may deal first under these laws."""
    named = named_dealer(laws)
    return (HOUSE, CHALLENGER) if named == NO_SEAT else (named,)


def first_dealer(laws: Laws, cut: Seat, loser: Seat | None = None) -> Seat:
    """Return the first dealer: the seat that the laws name, or `loser`, or `cut` (R2.1).

    `loser` is the seat that lost the previous game, or None if there was none; it deals first only
    under the law `first_dealer` = `loser`. `cut` is the seat that won the cut.
    """
    lost = NO_SEAT if loser is None else loser
    dealer = rules.dealer_by_law(named_dealer(laws), laws.first_dealer == "loser", lost)
    return cut if dealer == NO_SEAT else dealer


def cut_for_deal(deck: Sequence[Card]) -> Seat:
    """Return the first dealer: the seats cut cards, house first, until the ranks differ (R2.1)."""
    for at in range(0, len(deck) - 1, 2):
        dealer = rules.cut_dealer(deck[at], deck[at + 1])
        if dealer != NO_SEAT:
            return dealer
    return HOUSE


def deal_cards(
    laws: Laws, dealer: Seat, deck: Sequence[Card], score: tuple[int, int] = (0, 0)
) -> Deal:
    """Deal both hands in packets, before the turn-up is shown (R2.3)."""
    check_laws(laws)
    check_seat(dealer, "the dealer")
    check_score(score, laws.target)
    return deal_pack(laws, dealer, deck, score)


def new_deal(
    laws: Laws, dealer: Seat, deck: Sequence[Card], score: tuple[int, int] = (0, 0)
) -> Deal:
    """Deal both hands and show the turn-up, with no card exposed."""
    return turn_up(deal_cards(laws, dealer, deck, score))


def score_after_deal(
    score: tuple[int, int], vulnerable: int, king: int, taken: int, laws: Laws
) -> tuple[int, int]:
    """Return the scores of the elder and the dealer after a deal.

    `vulnerable` and `king` are 0 for neither side, 1 for the elder, 2 for the dealer; `taken` is
    the number of tricks that the elder took.
    """
    elder, dealer = score[0] + (king == 1), score[1] + (king == 2)
    if max(elder, dealer) < laws.target:
        won, most = taken > 2, max(taken, 5 - taken)
        lost = vulnerable == (2 if won else 1)
        points = rules.trick_points(most, 5, lost, vulnerable == 0, laws.vole_unexchanged)
        elder, dealer = elder + won * points, dealer + (not won) * points
    return min(elder, laws.target), min(dealer, laws.target)


def new_game(laws: Laws, first_dealer: Seat) -> Game:
    """Return a game before its first deal. Raise `IllegalAction` if the wrong seat would deal."""
    check_laws(laws)
    check_seat(first_dealer, "the first dealer")
    if first_dealer not in first_dealers(laws):
        raise IllegalAction(WRONG_DEALER, seat=rules.SEATS[first_dealer])
    return Game(laws, first_dealer)


def begin_deal(game: Game, deck: Sequence[Card]) -> Deal:
    """Deal the next hands of a game, before the turn-up is shown."""
    check_type(Game, game, "the game")
    if game.over:
        raise IllegalAction(GAME_OVER)
    return deal_pack(game.laws, game.dealer, deck, game.score)


def after_deal(game: Game, deal: Deal) -> Game:
    """Return the game after a deal. An annulled deal changes neither score nor dealer (R8.2)."""
    check_type(Game, game, "the game")
    if deal.phase == ANNULLED:
        return game._replace(deals=game.deals + 1)
    if deal.phase != OVER:
        raise IllegalAction(DEAL_UNFINISHED)
    dealer = rules.next_dealer(game.dealer, game.laws.deal == "house")
    return new(Game, (game.laws, dealer, deal.score, game.deals + 1))


def next_deal(game: Game, rng: Rng) -> Deal:
    """Shuffle the pack, deal the next hands of a game and show the turn-up."""
    if not hasattr(rng, "randrange"):
        raise InputError(
            f"the random source must have a method randrange, like random.Random(1), not {rng!r}"
        )
    return turn_up(begin_deal(game, shuffled(PACK, rng)))


def is_over(state: Deal | Game) -> bool:
    """Return True if a deal or a game is over."""
    return state.over if isinstance(state, Game) else state.phase in (OVER, ANNULLED)


def returns(state: Deal | Game) -> tuple[int, int]:
    """Return what each seat won from the other: points in a deal, stakes in a finished game.

    >>> returns(Game(Laws(), HOUSE, (5, 2)))
    (2, -2)
    """
    if isinstance(state, Game):
        won = (stake(state) or 0) * (1 if winner(state) == HOUSE else -1)
    else:
        house, challenger = (
            now - then for now, then in zip(state.score, state.score_before, strict=True)
        )
        won = house - challenger
    return won, -won


def winner(game: Game) -> Seat | None:
    """Return the seat that won, or None if the game is not over."""
    check_type(Game, game, "the game")
    return game.score.index(game.laws.target) if game.over else None


def stake(game: Game) -> int | None:
    """Return how many stakes the loser pays, 1 to 3 (R7.2), or None if the game is not over."""
    won = winner(game)
    return None if won is None else rules.multiplier(game.score[rules.other(won)])
