"""A deal on one line of text, whole or as far as somebody knows it, and positions set up by hand.

The line gives the dealer, the score, the laws that differ from the defaults, the pack in dealing
order, and what has been said and played; a hidden card is `??`:

    house deals at 2-3, target=7: KDAD8HKSQSJS7HTS8C7C9C???? P A XAD8H X????

>>> from casino.ecarte import PACK, cards_in, format_cards
>>> given = set_up(elder="7H KC QC JC 7S", dealer="AH 9D 8D 7D TC", turn_up="8H")
>>> line = format_position(given)
>>> line[:46]
'house deals at 0-0: 7HKCQCAH9D8DJC7S7DTC8H????'
>>> parse_position(line) == given
True
>>> hands = set_up("7H KC QC JC 7S", "AHKS").deal(PACK).hands
>>> sorted(format_cards(cards_in(hand)) for hand in hands)
['7S7HKCQCJC', 'KSQSJSASAH']
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from casino.ecarte.actions import HIDDEN_EXCHANGE, Action, hidden_exchange, parse_token
from casino.ecarte.cards import PACK, Card, card, format_cards, normalize_names, parse_record_cards
from casino.ecarte.deal import apply, is_dealing_action, turn_up
from casino.ecarte.game import deal_cards
from casino.ecarte.laws import ALLOWED, Laws
from casino.ecarte.observation.view import View
from casino.ecarte.records.render import line_of
from casino.ecarte.rules import HOUSE, NO_CARD, SEATS, Seat
from casino.ecarte.state import DEALING, Deal
from casino.ecarte.validation import check_laws, check_score, check_seat, check_type
from casino.errors import BadCards, BadLaws, BadPosition

UNKNOWN: Final = NO_CARD


class Position(NamedTuple):
    """All a deal follows from: laws, dealer, score before it, pack (with `UNKNOWN`), actions."""

    laws: Laws
    dealer: Seat
    score: tuple[int, int]
    deck: tuple[Card, ...]
    history: tuple[Action, ...] = ()

    def deal(self, rest: Sequence[Card] = ()) -> Deal:
        """The deal itself; cards of `rest` not named elsewhere fill the unknown places in order."""
        deal = self.dealing(rest)
        return turn_up(deal) if deal.phase == DEALING else deal

    def dealing(self, rest: Sequence[Card] = ()) -> Deal:
        """The same, with the turn-up not yet shown if nothing has been said since the dealing."""
        named = set(self.deck)
        spare = iter([one for one in rest if one not in named])
        try:
            deck = [next(spare) if one == UNKNOWN else one for one in self.deck]
        except StopIteration:
            raise BadPosition("cards of the pack are unknown: say what fills them") from None
        try:
            deal = deal_cards(self.laws, self.dealer, deck, self.score)
        except (BadCards, BadLaws) as error:
            raise BadPosition(str(error)) from None
        for action in self.history:
            if action & HIDDEN_EXCHANGE:
                raise BadPosition("an exchange is of unknown cards: say which they are")
            if deal.phase == DEALING and not is_dealing_action(action):
                deal = turn_up(deal)
            deal = apply(deal, action)
        return deal


def position_of_deal(deal: Deal) -> Position:
    """A deal as a position with nothing hidden."""
    check_type(Deal, deal, "the deal")
    return Position(deal.laws, deal.dealer, deal.score_before, deal.deck, deal.history)


def position_of_view(view: View) -> Position:
    """A deal as a position in which whatever the viewer may not know is unknown."""
    check_type(View, view, "the view")
    return Position(view.laws, view.dealer, view.score_before, view.deck, view.history)


def set_up(
    elder: str,
    dealer: str = "",
    turn_up: str = "??",
    draw: str = "",
    *,
    seat: Seat = HOUSE,
    score: tuple[int, int] = (0, 0),
    laws: Laws = Laws(),  # noqa: B008 (a frozen default)
) -> Position:
    """A published deal: both hands, the turn-up and the cards to be drawn, `seat` dealing.

    Cards left out are unknown. A pack is 32 cards; a hand has as many as the laws deal.
    """
    check_laws(laws)
    check_seat(seat, "the dealer")
    check_score(score, laws.target)
    for names in (elder, dealer, turn_up, draw):
        check_type(str, names, "what names cards")
    first, second = laws.packets
    size = first + second
    hands = [_filled(hand, size, who) for who, hand in (("elder", elder), ("dealer", dealer))]
    packets = [hand[:first] for hand in hands] + [hand[first:] for hand in hands]
    deck = [one for packet in packets for one in packet]
    deck += _filled(turn_up, 1, "turn-up") + _filled(draw, len(PACK) - 2 * size - 1, "stock")
    return Position(laws, seat, score, _each_once(deck))


def format_position(position: Position) -> str:
    """The line of a position."""
    check_type(Position, position, "the position")
    return line_of(*position)


_LINE: Final = re.compile(
    r"(house|challenger) deals at (\d{1,3})-(\d{1,3})"
    r"((?:, \w+=[\w-]+)*): (\S+)((?: \S+)*)",
    re.ASCII,
)


def parse_position(line: str) -> Position:
    """The position on a line; anything wrong with it is a `BadPosition` error."""
    check_type(str, line, "a position's line")
    found = _LINE.fullmatch(line)
    if found is None:
        raise BadPosition("a position reads: SEAT deals at H-C[, law=value]: DECK [TOKEN …]")
    dealer, house, challenger, laws, deck, said = found.groups()
    try:
        return Position(
            _parse_laws(laws),
            SEATS.index(dealer),
            (int(house), int(challenger)),
            _each_once(_parse_cards(deck)),
            tuple(_parse_action(normalize_names(text)) for text in said.split()),
        )
    except (BadCards, BadLaws) as error:
        raise BadPosition(str(error)) from None


def _filled(names: str, number: int, whose: str) -> list[Card]:
    """The cards named, filled up to a number with unknown ones."""
    some = _parse_cards(names)
    if len(some) > number:
        raise BadPosition(f"{len(some)} cards are named for the {whose}, at most {number} fit")
    return some + [UNKNOWN] * (number - len(some))


def _each_once(deck: list[Card]) -> tuple[Card, ...]:
    """The deck, in which no known card is repeated."""
    parse_record_cards(format_cards(one for one in deck if one != UNKNOWN))
    return tuple(deck)


def _parse_cards(names: str) -> list[Card]:
    """The cards named, `??` being an unknown one."""
    packed = normalize_names(names).replace(" ", "")
    pairs = [packed[at : at + 2] for at in range(0, len(packed), 2)]
    return [UNKNOWN if pair == "??" else card(pair) for pair in pairs]


def _parse_action(text: str) -> Action:
    """An action, or an exchange of unknown cards."""
    number, odd = divmod(len(text) - 1, 2)
    if number and not odd and text == "X" + "??" * number:
        return hidden_exchange(number)
    return parse_token(text)


def _parse_laws(said: str) -> Laws:
    """The laws named on a line, the rest by default; target and packets may be any numbers."""
    laws: dict[str, Any] = {}
    usual = Laws()._asdict()
    for pair in said.split(", ")[1:]:
        name, _, value = pair.partition("=")
        if name not in usual:
            raise BadLaws(f"law {name}: unknown, the laws are {', '.join(usual)}")
        laws[name] = _parse_value(name, value, type(usual[name]))
    return Laws(**laws)


def _parse_value(name: str, value: str, kind: type) -> Any:
    """One law's value from its text."""
    numbers = value.split("-")
    if kind is str:
        if value in ALLOWED[name]:
            return value
    elif all(number.isdecimal() and len(number) < 4 for number in numbers):
        if kind is tuple and len(numbers) == 2:
            return (int(numbers[0]), int(numbers[1]))
        if kind is int and len(numbers) == 1 and int(value) > 0:
            return int(value)
    raise BadLaws(f"law {name}: {value} is no value it can take")
