"""Convert a view into ints, by role instead of seat, for table lookups and sampling.

Works for a seat, which sees its own cards, and for the gallery, which sees none.
"""

from __future__ import annotations

from typing import Final

from casino import ecarte
from casino.ecarte import GALLERY, NO_CARD, NO_SEAT, Seat, View
from casino.ecarte.observation.view import collect_evidence
from casino.solver.evaluation.rollout import (
    ANSWERS,
    DEALER_TAKES,
    ELDER_TAKES,
    PLAYS,
    SPEAKS,
    BeliefState,
)
from casino.solver.policy import tables
from casino.solver.policy.play_policy import NO_ROW, InfoState, hides_king
from casino.solver.policy.tables import HAND, TARGET

_ALL: Final = 0xFFFFFFFF

_DUE: Final = {
    ecarte.PROPOSING: SPEAKS,
    ecarte.ANSWERING: ANSWERS,
    ecarte.ELDER_EXCHANGE: ELDER_TAKES,
    ecarte.DEALER_EXCHANGE: DEALER_TAKES,
    ecarte.LEADING: PLAYS,
    ecarte.FOLLOWING: PLAYS,
}


def exchange_history(view: View) -> tuple[int, list[int]]:
    """Return how many proposals were accepted, and how many cards elder and dealer last took."""
    took = [0, 0]
    exchanges = accepted = 0
    for action in view.history:
        if action >= ecarte.EXCHANGE:
            took[exchanges % 2] = ecarte.exchanged_number(action)
            exchanges += 1
        accepted += action == ecarte.ACCEPT
    return accepted, took


def game_of_view(view: View, solved: int = TARGET) -> int:
    """Return the index of the deal's score in the tables (see `tables.game_of`)."""
    king = ecarte.turn_up_points(view.turn_up)
    elder, dealer = view.score_before[1 - view.dealer], view.score_before[view.dealer] + king
    return tables.game_of(elder, dealer, view.laws.target, king == 1, solved)


def stakes_of(view: View, seat: Seat) -> tuple[int, int, bool, int]:
    """Return both sides' points (`seat` first), whether the other is vulnerable, and the target."""
    theirs = 1 - seat
    return view.score[seat], view.score[theirs], view.vulnerable == theirs, view.laws.target


def info_state(view: View, solved: int = TARGET) -> InfoState | None:
    """Return the knowledge of a player who is about to play a card.

    Returns None if hands do not have five cards, a revoke was claimed, or no opposing hand fits the
    view. `solved` is the target score that the tables were solved for.
    """
    if sum(view.laws.packets) != HAND or ecarte.CLAIM in view.history:
        return None
    return _info_about(view, 1 - view.viewer, solved)


def belief_state(view: View) -> BeliefState | None:
    """Return what a viewer knows about a deal, or None if the tables cannot evaluate it."""
    if sum(view.laws.packets) != HAND or ecarte.CLAIM in view.history or view.phase not in _DUE:
        return None
    elder = 1 - view.dealer
    mine, yours = (
        _own(view) if seat == view.viewer else _info_about(view, seat)
        for seat in (elder, view.dealer)
    )
    if mine is None or yours is None:
        return None
    exchanges, (elder_took, dealer_took) = exchange_history(view)
    decision = _DUE[view.phase]
    leader = 1 - view.turn if view.phase == ecarte.FOLLOWING else view.turn
    return BeliefState(
        game_of_view(view),
        decision,
        exchanges - (decision in (ELDER_TAKES, DEALER_TAKES)),
        elder_took,
        dealer_took,
        view.stock,
        0 if view.vulnerable == NO_SEAT else 1 if view.vulnerable == elder else 2,
        mine,
        yours,
        view.tricks[elder],
        0 if leader == elder else 1,
        view.led,
        view.marked != NO_SEAT,
    )


def _own(view: View) -> InfoState:
    strict = view.laws.play == "strict"
    nothing = (False, False, NO_ROW, False, NO_ROW)
    return InfoState(view.hand, view.led, view.turn_up, strict, 0, view.hand, 0, 0, 1, 0, *nothing)


def _info_about(view: View, other: Seat, solved: int = TARGET) -> InfoState | None:
    evidence = collect_evidence(
        view if view.viewer == 1 - other else view._replace(viewer=1 - other)
    )
    besides = 0 if view.viewer != GALLERY else collect_evidence(view._replace(viewer=other)).shown
    trumps, strict = view.turn_up >> 3, view.laws.play == "strict"
    played = not_held = 0
    plays = 1
    for leader, led, reply in evidence.tricks:
        card = led if leader == other else reply
        if card == NO_CARD:
            continue
        played |= 1 << card
        # Eleven bits: 1 plus the card replied to (0 for a lead), then the card played.
        plays = plays << 11 | (0 if leader == other else led + 1) << 5 | card
        if leader != other and view.laws.enforcement == "strict":
            not_held |= ecarte.ruled_out(reply, led, trumps, strict)
    sure = evidence.shown & ~played
    seen = ecarte.card_set(known_card for known_card in view.deck if known_card != NO_CARD)
    unseen = _ALL & ~seen & ~evidence.shown & ~not_held & ~besides
    size = view.sizes[other] - sure.bit_count()
    if unseen.bit_count() < size or size < 0:
        return None
    bid_row, second, drawn_row = _last_bid(view, other, solved)
    return InfoState(
        view.hand,
        view.led,
        view.turn_up,
        strict,
        played,
        sure,
        size,
        unseen,
        plays,
        view.tricks[1 - other],
        played == 0 and view.marked == NO_SEAT,
        played != 0 and view.marked == NO_SEAT and not hides_king(*stakes_of(view, other)),
        bid_row,
        second,
        drawn_row,
    )


def _last_bid(view: View, other: Seat, solved: int) -> tuple[int, bool, int]:
    accepted, (elder_took, dealer_took) = exchange_history(view)
    game, row, second = game_of_view(view, solved), NO_ROW, False
    refused = ecarte.REFUSE in view.history
    exchanging = view.phase in (ecarte.ELDER_EXCHANGE, ecarte.DEALER_EXCHANGE)
    if other != view.dealer:
        second = refused or view.phase in (ecarte.ANSWERING, ecarte.ELDER_EXCHANGE)
        if second or ecarte.STAND in view.history:
            exchanges = accepted - (view.phase == ecarte.ELDER_EXCHANGE)
            context = tables.bid_context(False, exchanges, dealer_took)
            row = tables.bid_row(game, context)
    elif refused or (exchanging and accepted == 1):
        second = not refused
        context = tables.bid_context(True, accepted - exchanging, elder_took)
        row = tables.bid_row(game, context)
    took = dealer_took if other == view.dealer else elder_took
    drawn = tables.drawn_row(other == view.dealer, took) if took else NO_ROW
    return row, second, drawn
