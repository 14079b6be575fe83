"""Positions: a deal, fully or partly known, as one line of text or set up by hand.

The line gives the dealer, the score, the laws that differ from the defaults, the pack in dealing
order, and the actions; an unknown card is `??`:

    house deals at 2-3, target=7: KDAD8HKSQSJS7HTS8C7C9C???? P A XAD8H X????

>>> position = set_up(elder="7H KC QC JC 7S", dealer="AH 9D 8D 7D TC", turn_up="8H")
>>> line = format_position(position)
>>> line[:46]
'house deals at 0-0: 7HKCQCAH9D8DJC7S7DTC8H????'
>>> parse_position(line) == position
True
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from casino.ecarte.actions import DEALING, HIDDEN_EXCHANGE, Action, hidden_exchange, parse_token
from casino.ecarte.cards import PACK, Card, card, format_cards, normalize_names, parse_record_cards
from casino.ecarte.deal import Deal, apply, is_dealing_action, turn_up
from casino.ecarte.game import deal_cards
from casino.ecarte.laws import Laws
from casino.ecarte.observation.view import View
from casino.ecarte.records.render import format_line
from casino.ecarte.rules import HOUSE, NO_CARD, SEATS, Seat
from casino.ecarte.validation import check_laws, check_score, check_seat, check_type, is_valid_law
from casino.errors import CardsError, LawsError, PositionError, suggest


class Position(NamedTuple):
    """A deal's starting point and actions; unknown cards of its deck are `NO_CARD`."""

    laws: Laws
    dealer: Seat
    score: tuple[int, int]
    deck: tuple[Card, ...]
    history: tuple[Action, ...] = ()

    def deal(self, rest: Sequence[Card] = ()) -> Deal:
        """Return the deal, with the cards of `rest` filling unknown positions in order."""
        deal = self.dealing(rest)
        return turn_up(deal) if deal.phase == DEALING else deal

    def dealing(self, rest: Sequence[Card] = ()) -> Deal:
        """Return the deal, with the turn-up still hidden if no recorded action follows it."""
        named = set(self.deck)
        spare = iter([card for card in rest if card not in named])
        try:
            deck = [next(spare) if card == NO_CARD else card for card in self.deck]
        except StopIteration:
            raise PositionError(
                "some cards of the pack are unknown: pass the cards to use for them"
            ) from None
        try:
            deal = deal_cards(self.laws, self.dealer, deck, self.score)
        except (CardsError, LawsError) as error:
            raise PositionError(str(error)) from None
        for action in self.history:
            if action & HIDDEN_EXCHANGE:
                raise PositionError("the cards of an exchange are unknown: say which they are")
            if deal.phase == DEALING and not is_dealing_action(action):
                deal = turn_up(deal)
            deal = apply(deal, action)
        return deal


def position_of_deal(deal: Deal) -> Position:
    """Return a deal as a position with all cards known."""
    check_type(Deal, deal, "the deal")
    return Position(deal.laws, deal.dealer, deal.score_before, deal.deck, deal.history)


def position_of_view(view: View) -> Position:
    """Return a view as a position; cards hidden from the viewer are unknown."""
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
    """Set up a position, dealt by `seat`, from both hands, the turn-up and the top of the stock.

    Cards left out are unknown. The pack has 32 cards, and the laws determine the size of a hand.
    """
    check_laws(laws)
    check_seat(seat, "the dealer")
    check_score(score, laws.target)
    for names in (elder, dealer, turn_up, draw):
        check_type(str, names, "a list of cards")
    first, second = laws.packets
    size = first + second
    hands = [_filled(hand, size, role) for role, hand in (("elder", elder), ("dealer", dealer))]
    packets = [hand[:first] for hand in hands] + [hand[first:] for hand in hands]
    deck = [card for packet in packets for card in packet]
    deck += _filled(turn_up, 1, "turn-up") + _filled(draw, len(PACK) - 2 * size - 1, "stock")
    return Position(laws, seat, score, _each_once(deck))


def format_position(position: Position) -> str:
    """Return a position as one line."""
    check_type(Position, position, "the position")
    return format_line(*position)


_LINE: Final = re.compile(
    r"(house|challenger) deals at (\d{1,3})-(\d{1,3})"
    r"((?:, \w+=[\w-]+)*): (\S+)((?: \S+)*)",
    re.ASCII,
)


def parse_position(line: str) -> Position:
    """Parse a position. Raise `PositionError` if the line is invalid."""
    check_type(str, line, "a position's line")
    match = _LINE.fullmatch(line)
    if match is None:
        raise PositionError("a position reads: SEAT deals at H-C[, law=value]: DECK [TOKEN …]")
    dealer, house, challenger, laws, deck, tokens = match.groups()
    try:
        return Position(
            _parse_laws(laws),
            SEATS.index(dealer),
            (int(house), int(challenger)),
            _each_once(_parse_cards(deck)),
            tuple(_parse_action(normalize_names(text)) for text in tokens.split()),
        )
    except (CardsError, LawsError) as error:
        raise PositionError(str(error)) from None


def _filled(names: str, number: int, part: str) -> list[Card]:
    known = _parse_cards(names)
    if len(known) > number:
        raise PositionError(f"{len(known)} cards are given for the {part}: at most {number} fit")
    return known + [NO_CARD] * (number - len(known))


def _each_once(deck: list[Card]) -> tuple[Card, ...]:
    parse_record_cards(format_cards(card for card in deck if card != NO_CARD))
    return tuple(deck)


def _parse_cards(names: str) -> list[Card]:
    packed = normalize_names(names).replace(" ", "")
    pairs = [packed[at : at + 2] for at in range(0, len(packed), 2)]
    return [NO_CARD if pair == "??" else card(pair) for pair in pairs]


def _parse_action(text: str) -> Action:
    number, odd = divmod(len(text) - 1, 2)
    if number and not odd and text == "X" + "??" * number:
        return hidden_exchange(number)
    return parse_token(text)


def _parse_laws(text: str) -> Laws:
    laws: dict[str, Any] = {}
    for pair in text.split(", ")[1:]:
        name, _, value = pair.partition("=")
        if name not in Laws._fields:
            raise LawsError(f"law {name} is unknown: {suggest(name, Laws._fields)}")
        laws[name] = value
        if re.fullmatch(r"\d{1,3}(-\d{1,3})*", value, re.ASCII):
            first, *others = map(int, value.split("-"))
            laws[name] = (first, *others) if others else first
        if not is_valid_law(name, laws[name]):
            raise LawsError(f"law {name}: {value} is not a value it can take")
    return Laws(**laws)
