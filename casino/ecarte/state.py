"""The frozen state of a deal and its phases.

A deal is three nested tuples: how it began (`Start`), how it stands (`Standing`), and what every
card played changes (`Deal`). States are equal, hashable, picklable and cheap to make.
Nothing here decides anything: `before_play`, `play` and `irregularities` say how one state leads
to another.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from casino.ecarte import rules
from casino.ecarte.actions import EXCHANGE, Action, exchanged_number
from casino.ecarte.cards import Card, CardSet, Suit
from casino.ecarte.laws import Laws
from casino.ecarte.records.render import as_svg, as_text, line_of
from casino.ecarte.rules import HOUSE, NO_CARD, NOBODY, SEATS, Seat

DEALING: Final = 0
EXPOSED: Final = 1
PROPOSING: Final = 2
ANSWERING: Final = 3
ELDER_EXCHANGE: Final = 4
DEALER_EXCHANGE: Final = 5
LEADING: Final = 6
FOLLOWING: Final = 7
OVER: Final = 8
ANNULLED: Final = 9

_DUE: Final = (
    "the turn-up is to be shown",
    "{elder} is to ask for a new deal or let it stand",
    "{elder} is to propose or stand",
    "{dealer} is to accept or refuse",
    "{elder} is to exchange",
    "{dealer} is to exchange",
    "{turn} is to lead",
    "{turn} is to play to the card led",
    "the deal is over",
    "the deal is annulled",
)
"""What each phase waits for."""

_NOT_TURNED_UP: Final = (DEALING, EXPOSED, ANNULLED)

NO_TRICKS: Final = (0, 0)

new: Final = tuple.__new__
"""Makes a named tuple from its fields in order, three times as fast as its own constructor."""


class Start(NamedTuple):
    """How a deal began, fixed for good: `score` is the game's before it.

    `turned` is the card that is turned up when both hands have their `hand_size` cards, and
    `trumps` its suit. `strict` and `claims` restate the laws `play` and `enforcement`, which every
    card asks for.
    """

    laws: Laws
    dealer: Seat
    deck: tuple[Card, ...]
    score: tuple[int, int]
    hand_size: int
    turned: Card
    trumps: Suit
    strict: bool
    claims: bool


class Irregularities(NamedTuple):
    """What has gone wrong in a deal (R8), nothing in most deals. Pairs are indexed by seat."""

    exposed: CardSet = 0
    led_out: bool = False
    revoked: tuple[bool, bool] = (False, False)
    offended: tuple[bool, bool] = (False, False)


REGULAR: Final = Irregularities()


class Standing(NamedTuple):
    """How a deal stands: what changes when somebody scores, exchanges or errs.

    `kept` are the hands as they were when play began, or before that as they are; `drawn` is
    how many cards of the deck are not in the stock: the hands, the turn-up and what was drawn
    since.
    """

    score: tuple[int, int]
    kept: tuple[CardSet, CardSet]
    drawn: int
    vulnerable: Seat = NOBODY
    marked: Seat = NOBODY
    irregular: Irregularities = REGULAR


class Deal(NamedTuple):
    """The whole state of a deal, hidden cards included; players see a `View` of it.

    Pairs are indexed by seat; `history` is every action so far. What does not change with
    every action is read through the properties.
    """

    start: Start
    standing: Standing
    phase: int
    turn: Seat
    hands: tuple[CardSet, CardSet]
    tricks: tuple[int, int]
    led: Card
    history: tuple[Action, ...]

    @property
    def laws(self) -> Laws:
        """The laws in force."""
        return self.start.laws

    @property
    def dealer(self) -> Seat:
        """The seat that deals."""
        return self.start.dealer

    @property
    def elder(self) -> Seat:
        """The seat that speaks and leads first."""
        return 1 - self.start.dealer

    @property
    def deck(self) -> tuple[Card, ...]:
        """The pack in dealing order."""
        return self.start.deck

    @property
    def hand_size(self) -> int:
        """How many cards each seat was dealt."""
        return self.start.hand_size

    @property
    def turn_up(self) -> Card:
        """The card turned up, or `NO_CARD` until it is shown."""
        return NO_CARD if self.phase in _NOT_TURNED_UP else self.start.turned

    @property
    def began(self) -> tuple[int, int]:
        """The game's score when the deal began."""
        return self.start.score

    @property
    def score(self) -> tuple[int, int]:
        """The game's score now."""
        return self.standing.score

    @property
    def kept(self) -> tuple[CardSet, CardSet]:
        """The hands with which play began; before it, the hands as they are."""
        return self.standing.kept

    @property
    def drawn(self) -> int:
        """How many cards of the deck are not in the stock."""
        return self.standing.drawn

    @property
    def stock(self) -> int:
        """How many cards may still be drawn."""
        return len(self.start.deck) - self.standing.drawn

    @property
    def exchanged(self) -> bool:
        """Whether any cards have been exchanged."""
        return self.standing.drawn > 2 * self.start.hand_size + 1

    @property
    def vulnerable(self) -> Seat:
        """The seat that loses double because it stood or refused at once (R3.7)."""
        return self.standing.vulnerable

    @property
    def marked(self) -> Seat:
        """The seat that has announced the king of trumps."""
        return self.standing.marked

    @property
    def irregular(self) -> Irregularities:
        """What has gone wrong (R8)."""
        return self.standing.irregular

    @property
    def won(self) -> tuple[int, int]:
        """What the tricks of a finished deal have scored, without points beyond the target."""
        if self.phase != OVER:
            return 0, 0
        before = with_points(self.start.score, self.dealer, rules.turn_up_points(self.turn_up))
        if self.marked != NOBODY:
            before = with_points(before, self.marked, 1)
        return self.score[0] - before[0], self.score[1] - before[1]

    @property
    def sizes(self) -> tuple[int, int]:
        """How many cards each seat holds."""
        return self.hands[0].bit_count(), self.hands[1].bit_count()

    @property
    def due(self) -> str:
        """What is to happen next, in words."""
        return describe_phase(self.phase, self.dealer, self.turn)

    @property
    def game_over(self) -> bool:
        """Whether somebody has reached the target."""
        return self.start.laws.target in self.standing.score

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        line = line_of(self.laws, self.dealer, self.began, self.deck, self.history)
        return f"parse_position({line!r}).{'dealing' if self.phase == DEALING else 'deal'}()"

    def _repr_svg_(self) -> str:
        """The deal as a notebook draws it."""
        return as_svg(self)

    def __copy__(self) -> Deal:
        """A frozen state is its own copy."""
        return self

    def __deepcopy__(self, _: object) -> Deal:
        """A frozen state is its own copy, however deep."""
        return self

    def with_standing(self, action: Action, standing: Standing, phase: int, turn: Seat) -> Deal:
        """The deal after an action that has changed how it stands, but no hand."""
        start, _, _, _, hands, tricks, led, history = self
        return new(Deal, (start, standing, phase, turn, hands, tricks, led, history + (action,)))


def describe_phase(phase: int, dealer: Seat, turn: Seat) -> str:
    """What a phase waits for, in words."""
    seats = {"dealer": dealer, "elder": 1 - dealer, "turn": turn}
    return _DUE[phase].format(**{who: f"the {SEATS[seat]}" for who, seat in seats.items()})


def deck_positions(
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


def with_points(score: tuple[int, int], seat: Seat, points: int) -> tuple[int, int]:
    """A score with points added for a seat."""
    house, challenger = score
    return (house + points, challenger) if seat == HOUSE else (house, challenger + points)


def with_hand(hands: tuple[CardSet, CardSet], seat: Seat, hand: CardSet) -> tuple[CardSet, CardSet]:
    """Both hands, with that of one seat replaced."""
    return (hand, hands[1]) if seat == HOUSE else (hands[0], hand)
