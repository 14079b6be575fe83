"""Private view of a table: a person's hand, legal actions, and why cards are illegal.

Nothing else that clients receive is derived from the full state, which contains every card.
"""

from __future__ import annotations

from typing import Final

from casino import betting, ecarte
from casino.ecarte import SEATS, Action, Deal, Seat
from casino.errors import CardsError, RefusalReason, Refused
from casino.table.domain.handlers.play import refused_card
from casino.table.domain.state import TableState
from casino.table.public.state import Message, PublicGame, PublicTable, bettors

UNKNOWN_ACTION: Final = RefusalReason(
    "unknown_action", "illegal_action", "{action} is not an action: send a token of game records"
)


def private_view(state: TableState, table: PublicTable, player: str) -> Message:
    """Return the part of a table's state that only one person may see."""
    seat = viewer_seat(state, player)
    hand = hand_message(state, seat)
    message = {"table": state.rules.name, **hand, "why": {}, "text": ""}
    running = table.running
    if running is not None:
        message |= {"game": running.id, "text": _contribution_state(running, player)}
    deal = None if state.running is None else state.running.deal
    if deal is not None and deal.turn == seat and deal.phase in (ecarte.LEADING, ecarte.FOLLOWING):
        message["why"] = _why_not(deal, seat)
    return message


def viewer_seat(state: TableState, player: str) -> Seat:
    """Return the seat whose cards a person may see, or the gallery for a spectator."""
    running = state.running
    if running is None or running.is_bot or running.abandoned or player != running.challenger:
        return ecarte.GALLERY
    return ecarte.CHALLENGER


def hand_message(state: TableState, seat: Seat) -> Message:
    """Return the hand and the legal actions of a seat."""
    running = state.running
    if seat == ecarte.GALLERY or running is None or running.deal is None:
        return {"hand": [], "legal": []}
    # A claim is not listed: noticing a revoke is up to the person.
    deal = running.deal
    legal = [
        ecarte.token(action)
        for action in ecarte.legal_for(deal, seat)
        if action != ecarte.CLAIM and refused_card(deal, action) is None
    ]
    hand = [ecarte.format_card(action) for action in ecarte.cards_in(ecarte.view(deal, seat).hand)]
    return {"game": running.id, "hand": hand, "legal": legal}


def parse_action(token_text: str) -> Action:
    """Parse an action token sent by a client; raise `Refused` if it is invalid."""
    try:
        return ecarte.parse_token(token_text)
    except CardsError:
        raise Refused(UNKNOWN_ACTION, action=token_text[:40]) from None


def own_bets(running: PublicGame, player: str) -> list[Message]:
    """Return a bettor's bets with their matched amounts, as of now if the book is open (G9)."""
    if player not in bettors(running):
        return []
    closing = running.closing
    stands = closing.stands if closing else betting.matched_now(running.book, running.cover)
    return [
        {
            "order": bet.order,
            "side": SEATS[bet.side],
            "unit_cents": bet.unit_cents,
            "matched_cents": matched_cents,
        }
        for bet, matched_cents in stands
        if bet.bettor == player
    ]


def _contribution_state(running: PublicGame, player: str) -> str:
    """Return "sealed", "opened", "counted", "missed", or "" if there is no contribution."""
    mine = running.seal_of(player)
    if mine is None:
        return ""
    is_open = mine.number in running.revealed
    if running.closing is None:
        return "opened" if is_open else "sealed"
    return "counted" if is_open else "missed"


def _why_not(deal: Deal, seat: Seat) -> Message:
    held = ecarte.cards_in(ecarte.view(deal, seat).hand)
    refused = ((card, refused_card(deal, card)) for card in held)
    return {ecarte.format_card(card): error.json() for card, error in refused if error is not None}
