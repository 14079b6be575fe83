"""Render a deal or a view as text, as an SVG image for a notebook, or as one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from casino.ecarte.actions import Action, Phase, token
from casino.ecarte.cards import CARD_NAMES, Card, cards_in
from casino.ecarte.laws import Laws
from casino.ecarte.rules import CHALLENGER, HOUSE, NO_CARD, SEATS, Seat
from casino.errors import card_sign

if TYPE_CHECKING:
    from casino.ecarte.deal import Deal
    from casino.ecarte.observation.view import View

# What a deal is waiting for in each phase.
_PROMPTS: Final = {
    Phase.DEALING: "the turn-up is to be shown",
    Phase.EXPOSED: "{elder} is to ask for a new deal or let it stand",
    Phase.PROPOSING: "{elder} is to propose or stand",
    Phase.ANSWERING: "{dealer} is to accept or refuse",
    Phase.ELDER_EXCHANGE: "{elder} is to exchange",
    Phase.DEALER_EXCHANGE: "{dealer} is to exchange",
    Phase.LEADING: "{turn} is to lead",
    Phase.FOLLOWING: "{turn} is to play to the card led",
    Phase.OVER: "the deal is over",
    Phase.ANNULLED: "the deal is annulled",
}
_CARD_WIDTH, _CARD_HEIGHT, _GAP = 44, 62, 6


def as_text(seen: Deal | View) -> str:
    """Return a deal or a view as four lines of text."""
    lines = [_headline(seen)]
    for seat in (HOUSE, CHALLENGER):
        hand = " ".join(_name(card) for card in _hand(seen, seat)) or "no cards"
        tricks = "1 trick" if seen.tricks[seat] == 1 else f"{seen.tricks[seat]} tricks"
        lines.append(f"{SEATS[seat]:<10}  {hand}  {tricks}")
    return "\n".join([*lines, _status(seen)])


def as_svg(seen: Deal | View) -> str:
    """Return a deal as SVG: the challenger's hand, the cards on the table and the house's hand."""
    middle = [seen.turn_up] if seen.turn_up != NO_CARD else []
    middle += [seen.led] if seen.led != NO_CARD else []
    rows = [_hand(seen, CHALLENGER), middle, _hand(seen, HOUSE)]
    width = 2 * _GAP + max(330, max(map(len, rows)) * (_CARD_WIDTH + _GAP))
    height = 52 + 3 * (_CARD_HEIGHT + _GAP)
    cards = "".join(
        _card(card, _GAP + at * (_CARD_WIDTH + _GAP), 30 + row * (_CARD_HEIGHT + _GAP))
        for row, hand in enumerate(rows)
        for at, card in enumerate(hand)
    )
    head, foot = _caption(_headline(seen), 20), _caption(_status(seen), height - 10)
    cloth = '<rect width="100%" height="100%" rx="8" fill="#1d5b3a"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="serif">{cloth}{head}{cards}{foot}</svg>'
    )


def format_line(
    laws: Laws,
    dealer: Seat,
    score: tuple[int, int],
    deck: tuple[Card, ...],
    history: tuple[Action, ...],
) -> str:
    """Return a deal as one line in the format of `parse_position`."""
    defaults: dict[str, Any] = Laws()._asdict()
    differing = "".join(
        f", {name}={'-'.join(map(str, value)) if isinstance(value, tuple) else value}"
        for name, value in laws._asdict().items()
        if value != defaults[name]
    )
    cards = "".join("??" if card == NO_CARD else CARD_NAMES[card] for card in deck)
    tokens = "".join(" " + token(action) for action in history)
    return f"{SEATS[dealer]} deals at {score[0]}-{score[1]}{differing}: {cards}{tokens}"


def _headline(seen: Deal | View) -> str:
    turn_up = "nothing" if seen.turn_up == NO_CARD else _name(seen.turn_up)
    house, challenger = seen.score
    score = f"{SEATS[seen.dealer]} deals at {house}-{challenger}"
    return f"{score}, {turn_up} turned up, {seen.stock} in the stock"


def _status(seen: Deal | View) -> str:
    roles = {"dealer": seen.dealer, "elder": 1 - seen.dealer, "turn": seen.turn}
    seats = {role: f"the {SEATS[seat]}" for role, seat in roles.items()}
    return _PROMPTS[seen.phase].format(**seats)


def _hand(seen: Deal | View, seat: Seat) -> list[Card]:
    known = cards_in(seen.hands[seat])
    return [*known, *[NO_CARD] * (seen.sizes[seat] - len(known))]


def _name(card: Card) -> str:
    return "??" if card == NO_CARD else card_sign(CARD_NAMES[card])


def _caption(text: str, y: int) -> str:
    return f'<text x="{_GAP + 2}" y="{y}" font-size="13" fill="#fff">{text}</text>'


def _card(card: Card, x: int, y: int) -> str:
    face = "#fff" if card != NO_CARD else "#8b1e2d"
    rect = (
        f'<rect x="{x}" y="{y}" width="{_CARD_WIDTH}" height="{_CARD_HEIGHT}" rx="5" fill="{face}" '
        'stroke="#333"/>'
    )
    if card == NO_CARD:
        return rect
    name = _name(card)
    colour = "#b3122a" if card >> 3 in (1, 2) else "#111"
    return (
        f'{rect}<text x="{x + 4}" y="{y + 17}" font-size="16" fill="{colour}">{name[:-1]}</text>'
        f'<text x="{x + _CARD_WIDTH // 2}" y="{y + 48}" font-size="30" text-anchor="middle" '
        f'fill="{colour}">{name[-1]}</text>'
    )
