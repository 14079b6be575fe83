"""The frozen state of a deal and its phases.

A state is a tuple of ints: equal, hashable, picklable, and cheap to copy. Nothing here decides
anything; `talk` and `play` say how one state leads to another.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from casino.ecarte import rules
from casino.ecarte.actions import EXCHANGE, Action, exchanged_number
from casino.ecarte.cards import Card, CardSet
from casino.ecarte.laws import Laws
from casino.ecarte.rules import HOUSE, NO_CARD, NOBODY, Seat

(
    DEALING,
    EXPOSED,
    PROPOSING,
    ANSWERING,
    ELDER_EXCHANGE,
    DEALER_EXCHANGE,
    LEADING,
    FOLLOWING,
    OVER,
    ANNULLED,
) = range(10)


new: Final = tuple.__new__
"""Makes a tuple of a kind from its fields in order, without the detour of its constructor."""


class Irregular(NamedTuple):
    """What has gone wrong in a deal (R8): most deals keep the empty one."""

    exposed: CardSet = 0
    led_out: bool = False
    revoked: tuple[bool, bool] = (False, False)
    offended: tuple[bool, bool] = (False, False)


REGULAR: Final = Irregular()


class Deal(NamedTuple):
    """The whole state of a deal, hidden cards included; players see a `View` of it.

    Pairs are indexed by seat. `began` is the game's score when the deal began, `score` as it
    stands now; `kept` are the hands as they were when play began (before that, as they are);
    `drawn` tells how many cards of the deck are not in the stock: the hands, the turn-up and
    what was drawn since. `won` is what the tricks of a finished deal have scored, `history`
    every action so far.
    """

    laws: Laws
    dealer: Seat
    deck: tuple[Card, ...]
    began: tuple[int, int]
    score: tuple[int, int]
    phase: int
    turn: Seat
    turn_up: Card
    hands: tuple[CardSet, CardSet]
    kept: tuple[CardSet, CardSet]
    drawn: int
    vulnerable: Seat
    marked: Seat
    tricks: tuple[int, int]
    led: Card
    won: tuple[int, int]
    irregular: Irregular
    history: tuple[Action, ...]

    @property
    def elder(self) -> Seat:
        """The seat that speaks and leads first."""
        return 1 - self.dealer

    @property
    def hand_size(self) -> int:
        """How many cards each seat was dealt."""
        first, second = self.laws.packets
        return first + second

    @property
    def stock(self) -> int:
        """How many cards may still be drawn."""
        return len(self.deck) - self.drawn

    @property
    def exchanged(self) -> bool:
        """Whether any cards have been exchanged."""
        first, second = self.laws.packets
        return self.drawn > 2 * (first + second) + 1

    @property
    def game_over(self) -> bool:
        """Whether somebody has reached the target."""
        return self.laws.target in self.score

    def __copy__(self) -> Deal:
        """A frozen state is its own copy."""
        return self

    def __deepcopy__(self, _: object) -> Deal:
        """A frozen state is its own copy, however deep."""
        return self

    def talked(
        self,
        action: Action,
        phase: int,
        turn: Seat,
        hands: tuple[CardSet, CardSet],
        drawn: int,
        vulnerable: Seat,
    ) -> Deal:
        """The deal after a word or an exchange before the play; spelt out because it is hot."""
        (
            laws, dealer, deck, began, score, _, _, turned, _, _, _, _, marked, tricks, led,
            won, irregular, history,
        ) = self  # fmt: skip
        return new(Deal, (
            laws, dealer, deck, began, score, phase, turn, turned, hands, hands, drawn,
            vulnerable, marked, tricks, led, won, irregular, history + (action,),
        ))  # fmt: skip

    def finished(
        self,
        action: Action,
        hands: tuple[CardSet, CardSet],
        tricks: tuple[int, int],
        won: tuple[int, int],
        irregular: Irregular,
    ) -> Deal:
        """The deal after its last trick, the points won for the tricks added to the score."""
        (
            laws, dealer, deck, began, (house, challenger), _, _, turned, _, kept, drawn,
            vulnerable, marked, _, _, _, _, history,
        ) = self  # fmt: skip
        score = (house + won[0], challenger + won[1])
        return new(Deal, (
            laws, dealer, deck, began, score, OVER, NOBODY, turned, hands, kept, drawn,
            vulnerable, marked, tricks, NO_CARD, won, irregular, history + (action,),
        ))  # fmt: skip


def held_places(
    laws: Laws, dealer: Seat, history: tuple[Action, ...], seat: Seat
) -> tuple[int, ...]:
    """The places in the deck whose cards this seat has been given: dealt first, then drawn."""
    first, second = laws.packets
    size = first + second
    start = 0 if seat != dealer else 1
    places = list(range(start * first, start * first + first))
    places += range(2 * first + start * second, 2 * first + start * second + second)
    top = 2 * size + 1
    exchanger = 1 - dealer
    for action in history:
        if action >= EXCHANGE:
            number = exchanged_number(action)
            if exchanger == seat:
                places += range(top, top + number)
            top += number
            exchanger = 1 - exchanger
    return tuple(places)


def scored(deal: Deal, seat: Seat, points: int) -> tuple[int, int]:
    """The score with points added for a seat."""
    house, challenger = deal.score
    if seat == HOUSE:
        return rules.score_after(house, points, deal.laws.target), challenger
    return house, rules.score_after(challenger, points, deal.laws.target)
