"""The frozen state of a deal and its phases.

A state is a tuple of ints: equal, hashable, picklable, and cheap to copy. Nothing here decides
anything; `talk` and `play` say how one state leads to another.
"""

from __future__ import annotations

from typing import NamedTuple

from casino.ecarte import rules
from casino.ecarte.actions import Action
from casino.ecarte.cards import Card, CardSet
from casino.ecarte.laws import Laws
from casino.ecarte.rules import HOUSE, Seat

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


class Irregular(NamedTuple):
    """What has gone wrong in a deal (R8): most deals keep the empty one."""

    exposed: CardSet = 0
    led_out: bool = False
    revoked: tuple[bool, bool] = (False, False)
    offended: tuple[bool, bool] = (False, False)


class Deal(NamedTuple):
    """The whole state of a deal, hidden cards included; players see a `View` of it.

    Pairs are indexed by seat. `score` is the game's score as it stands now, `kept` the hands
    as they were when play began, `drawn` how many cards of the deck have left it, `won` what
    the tricks of a finished deal have scored, `history` every action so far.
    """

    laws: Laws
    dealer: Seat
    deck: tuple[Card, ...]
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
        return sum(self.laws.packets)

    @property
    def stock(self) -> int:
        """How many cards may still be drawn."""
        return len(self.deck) - self.drawn

    @property
    def exchanged(self) -> bool:
        """Whether any cards have been exchanged."""
        return self.drawn > 2 * self.hand_size + 1

    @property
    def game_over(self) -> bool:
        """Whether somebody has reached the target."""
        return self.laws.target in self.score

    def with_card(
        self,
        card: Card,
        phase: int,
        turn: Seat,
        tricks: tuple[int, int],
        led: Card,
        irregular: Irregular,
    ) -> Deal:
        """The deal after the seat to play has put down a card; spelt out because it is hot."""
        (
            laws, dealer, deck, score, _, player, turned, (house, challenger), kept, drawn,
            vulnerable, marked, _, _, won, _, history,
        ) = self  # fmt: skip
        if player == HOUSE:
            hands = (house ^ 1 << card, challenger)
        else:
            hands = (house, challenger ^ 1 << card)
        return Deal(
            laws, dealer, deck, score, phase, turn, turned, hands, kept, drawn,
            vulnerable, marked, tricks, led, won, irregular, (*history, card),
        )  # fmt: skip


def say(deal: Deal, action: Action, phase: int, turn: Seat) -> Deal:
    """The deal in its next phase, the action noted."""
    return deal._replace(phase=phase, turn=turn, history=(*deal.history, action))


def begin_play(deal: Deal, action: Action, vulnerable: Seat) -> Deal:
    """The exchanges are over: the elder is to lead (R5.1)."""
    return deal._replace(
        phase=LEADING,
        turn=1 - deal.dealer,
        kept=deal.hands,
        vulnerable=vulnerable,
        history=(*deal.history, action),
    )



def scored(deal: Deal, seat: Seat, points: int) -> tuple[int, int]:
    """The score with points added for a seat."""
    house, challenger = deal.score
    if seat == HOUSE:
        return rules.score_after(house, points, deal.laws.target), challenger
    return house, rules.score_after(challenger, points, deal.laws.target)
