"""What concerns one person at a table: what only he may see, and what his words mean."""

from __future__ import annotations

from typing import Final

from casino import gallery
from casino.ecarte.actions import Action, parse_token
from casino.ecarte.cards import Card, members, text
from casino.ecarte.deal import apply
from casino.ecarte.record import SEATS
from casino.ecarte.rules import Seat
from casino.ecarte.state import FOLLOWING, LEADING, Deal
from casino.ecarte.view import view
from casino.errors import BadCards, IllegalAction, Reason, Refused
from casino.table.state import GameState, TableState
from casino.table.told import Told, viewer_of, you

UNKNOWN_ACTION: Final = Reason(
    "unknown_action", "bad_request", "{action} is not an action: send a token of game records"
)


def own(state: TableState, player: str) -> Told:
    """What only one person may see: his bets, his hand, what he may do and why not the rest."""
    seat = viewer_of(state, player)
    told: Told = {**you(state, seat), "why": {}}
    running = state.running
    if running is None:
        return told
    told |= {"game": running.id, "bets": _bets(running, player)}
    deal = running.deal
    if deal is not None and deal.turn == seat and deal.phase in (LEADING, FOLLOWING):
        told["why"] = _why_not(deal, seat)
    return told


def bettors(running: GameState) -> set[str]:
    """Who has bet on a game."""
    return {bet.bettor for bet in running.book.bets}


def action_of(said: str) -> Action:
    """The action that a client's token names, or a refusal."""
    try:
        return parse_token(said)
    except BadCards:
        raise Refused(UNKNOWN_ACTION, action=said[:40]) from None


def _bets(running: GameState, player: str) -> list[Told]:
    """A person's own bets, and how much of each is matched, or would be now (G9)."""
    if player not in bettors(running):
        return []
    closing = running.closing
    stands = closing.stands if closing else gallery.stands_now(running.book, running.wished)
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


def _why_not(deal: Deal, seat: Seat) -> Told:
    """Why cards of one's own may not be played now, each as a refusal would say it."""
    held = members(view(deal, seat).hand)
    refused = ((one, _refusal(deal, one)) for one in held)
    return {text(one): error.json() for one, error in refused if error is not None}


def _refusal(deal: Deal, card: Card) -> IllegalAction | None:
    """Why a card may not be played now; nothing if it may."""
    try:
        apply(deal, card)
    except IllegalAction as error:
        return error
    return None
