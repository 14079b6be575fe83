"""Convert a view into ints, by role instead of seat, for table lookups and sampling.

Works for a seat, which sees its own cards, and for the gallery, which sees none.
"""

from __future__ import annotations

from typing import Final

from casino import ecarte
from casino.ecarte import GALLERY, NO_CARD, NO_SEAT, Seat, View
from casino.ecarte.observation.view import collect_evidence, refuted_cards
from casino.solver.evaluation.rollout import BeliefState
from casino.solver.policy import tables
from casino.solver.policy.play_policy import InfoState, add_play, hides_king
from casino.solver.policy.tables import HAND, NO_ROW, TARGET, ExchangeState

_ALL: Final = 0xFFFFFFFF


def exchange_history(view: View) -> tuple[int, list[int]]:
    """Return how often both sides have exchanged, and how many cards elder and dealer last took."""
    took = [0, 0]
    exchanges = 0
    for action in view.history:
        if action >= ecarte.EXCHANGE:
            # The elder exchanges first.
            took[exchanges % 2] = ecarte.exchanged_number(action)
            exchanges += 1
    return exchanges // 2, took


def game_of_view(view: View, solved: int = TARGET) -> int:
    """Return the index of the deal's score in the tables (see `tables.game_of`)."""
    king = ecarte.turn_up_points(view.turn_up)
    elder, dealer = view.score_before[1 - view.dealer], view.score_before[view.dealer] + king
    return tables.game_of(elder, dealer, view.laws.target, king == 1, solved)


def exchange_state(view: View, solved: int) -> ExchangeState:
    """Return the knowledge of a player who is about to propose, answer or exchange."""
    game, dealer = game_of_view(view, solved), view.viewer == view.dealer
    exchanges, took = exchange_history(view)
    return ExchangeState(game, dealer, exchanges, took[not dealer], view.hand, view.turn_up)


def stakes_of(view: View, seat: Seat) -> tuple[int, int, bool, int]:
    """Return both sides' points (`seat` first), whether the other is vulnerable, and the target."""
    theirs = 1 - seat
    return view.score[seat], view.score[theirs], view.vulnerable == theirs, view.laws.target


def info_state(view: View, solved: int = TARGET) -> InfoState | None:
    """Return the knowledge of a player who is about to play a card.

    Returns None if hands do not have five cards, a revoke was claimed, or no opposing hand fits the
    view. `solved` is the target score that the tables were solved for.
    """
    return _info_about(view, 1 - view.viewer, solved)


def belief_state(view: View) -> BeliefState | None:
    """Return what a viewer knows about a deal, or None if the tables cannot evaluate it."""
    if not ecarte.PROPOSING <= view.phase <= ecarte.FOLLOWING:
        return None
    elder, strict = 1 - view.dealer, view.laws.play == "strict"
    own = InfoState(view.hand, view.led, view.turn_up, strict, 0, view.hand, 0, 0)
    mine, yours = (
        own if seat == view.viewer else _info_about(view, seat) for seat in (elder, view.dealer)
    )
    if mine is None or yours is None:
        return None
    exchanges, (elder_took, dealer_took) = exchange_history(view)
    leader = 1 - view.turn if view.phase == ecarte.FOLLOWING else view.turn
    return BeliefState(
        game_of_view(view),
        # Decisions are numbered like the phases; play is a single one.
        min(view.phase, ecarte.LEADING) - ecarte.PROPOSING,
        exchanges,
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


def _info_about(view: View, other: Seat, solved: int = TARGET) -> InfoState | None:
    if sum(view.laws.packets) != HAND or ecarte.CLAIM in view.history:
        return None
    evidence = collect_evidence(view, other)
    besides = 0 if view.viewer != GALLERY else collect_evidence(view, 1 - other).shown
    played, plays = 0, 1
    for leader, led, reply in evidence.tricks:
        card = led if leader == other else reply
        if card == NO_CARD:
            continue
        played |= 1 << card
        plays = add_play(plays, card, NO_CARD if leader == other else led)
    sure = evidence.shown & ~played
    seen = ecarte.card_set(known_card for known_card in view.deck if known_card != NO_CARD)
    unseen = _ALL & ~seen & ~evidence.shown & ~besides & ~refuted_cards(view, evidence)
    size = view.sizes[other] - sure.bit_count()
    if unseen.bit_count() < size or size < 0:
        return None
    bid_row, second, drawn_row = _last_bid(view, other, solved)
    return InfoState(
        view.hand,
        view.led,
        view.turn_up,
        view.laws.play == "strict",
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
    exchanges, (elder_took, dealer_took) = exchange_history(view)
    refused, is_dealer = ecarte.REFUSE in view.history, other == view.dealer
    if is_dealer:
        took, before = dealer_took, elder_took
        is_bid = refused or (exchanges == 0 and ecarte.ACCEPT in view.history)
        second = is_bid and not refused
    else:
        took, before = elder_took, dealer_took
        second = refused or view.phase in (ecarte.ANSWERING, ecarte.ELDER_EXCHANGE)
        is_bid = second or ecarte.STAND in view.history
    context = tables.bid_context(is_dealer, exchanges, before)
    row = tables.bid_row(game_of_view(view, solved), context) if is_bid else NO_ROW
    return row, second, tables.drawn_row(is_dealer, took)
