"""Handlers for the seat and its queue, and for a table's settings.

Settings are logged before they are used and at each change (L19). The first ones apply at once;
a change applies ten games later, so that it cannot be chosen to fit a particular game.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from casino.errors import RefusalReason, Refused
from casino.events.types import LEFT, PlayedBy
from casino.ledger.accounts import check_name
from casino.table.domain.commands import CloseTable, LeaveSeat, SetTableSettings, TakeSeat
from casino.table.domain.handlers.game import default, next_in_seat
from casino.table.domain.settings import to_event
from casino.table.domain.state import (
    BOTS_NAME,
    COVER,
    NO_SECRETS,
    NOT_HOSTED,
    DecisionContext,
    TableState,
    Transitions,
    apply_all,
    refuse_closed,
    seat_changed,
)

SEAT_YOURS: Final = RefusalReason(
    "seat_yours", "seat_taken", "you have the seat already, or are waiting for it"
)
BAD_COVER: Final = RefusalReason(
    "bad_cover", "bad_request", "a cover cannot be negative: offer 0 or more"
)
SEAT_TOO_DEAR: Final = RefusalReason(
    "seat_too_dear",
    "insufficient_chips",
    "the seat needs {needed_cents:chips} chips, but you have {wallet_cents:chips}: "
    "find a table with a smaller stake",
)
NO_SEAT: Final = RefusalReason(
    "no_seat", "not_your_turn", "you do not have the seat: take it first"
)
GAME_BEGUN: Final = RefusalReason(
    "game_begun", "not_your_turn", "another game has begun: leave again to give it up"
)
LEFT_ALREADY: Final = RefusalReason(
    "left_already", "not_your_turn", "you have left already: the game is being finished"
)


def take_seat(state: TableState, command: TakeSeat, context: DecisionContext) -> Transitions:
    """Add a player to the queue; between games, seat the first player if the seat is free."""
    player = command.player
    check_name(player)
    refuse_closed(state)
    if player in state.rules.challengers:
        raise Refused(BOTS_NAME, name=player)
    if player == state.holder or any(player == waiting for waiting, _ in state.queue):
        raise Refused(SEAT_YOURS)
    if command.cover_cents < 0:
        raise Refused(BAD_COVER)
    needed_cents = state.rules.stake_risk_cents
    if (poule := state.rules.poule) is not None:
        needed_cents += poule.entry_cents
        context.check_bet(command.table, player, poule.entry_cents)
    has_cents = context.funds_cents(player)
    if has_cents < needed_cents:
        raise Refused(SEAT_TOO_DEAR, needed_cents=needed_cents, wallet_cents=has_cents)
    offered = {COVER: b"%d" % command.cover_cents} if command.cover_cents else NO_SECRETS
    played_by: PlayedBy | None = "remote_bot" if command.remote_bot else None
    queued = replace(seat_changed(state, player, "queued"), played_by=played_by)
    steps = apply_all(state, queued, secrets=offered)
    return steps + next_in_seat(steps[-1].after) if state.running is None else steps


def leave_seat(state: TableState, command: LeaveSeat, _: DecisionContext) -> Transitions:
    """Leave the queue or the seat; the challenger of a running game defaults (G14)."""
    player, running = command.player, state.running
    waits = any(player == waiting for waiting, _ in state.queue)
    if not waits and player != state.holder:
        raise Refused(NO_SEAT)
    plays = running is not None and player == running.challenger and not running.is_bot
    if not plays or waits:
        return apply_all(state, seat_changed(state, player, "left"))
    assert running is not None
    if command.game not in (None, running.id):
        raise Refused(GAME_BEGUN)
    if running.abandoned:
        raise Refused(LEFT_ALREADY)
    return default(state, player, LEFT)


GAMES_BEFORE: Final = 10  # a change applies this many games after the last game opened

CHANGE_PENDING: Final = RefusalReason(
    "change_pending",
    "unavailable",
    "the last change of {table} applies from game {from_game}: wait until then",
)


def set_terms(state: TableState, command: SetTableSettings, _: DecisionContext) -> Transitions:
    """Log a table's settings, unless they equal the newest ones."""
    if not state.has_terms:
        return apply_all(state, to_event(command.rules, 1))
    newest = state.newest_settings
    if newest == command.rules:
        return ()
    refuse_closed(state)
    # A host could otherwise fill the log with changes.
    if newest.hosted is not None and state.coming:
        raise Refused(CHANGE_PENDING, table=newest.name, from_game=state.coming[-1][0])
    return apply_all(state, to_event(command.rules, state.number + GAMES_BEFORE))


def close_table(state: TableState, command: CloseTable, _: DecisionContext) -> Transitions:
    """Log that a hosted table closes once its game or a person's poule ends; ignore repeats."""
    newest = state.newest_settings
    if newest.hosted is None:
        raise Refused(NOT_HOSTED, table=newest.name)
    if newest.is_closed:
        return ()
    closed = newest._replace(hosted=replace(newest.hosted, closed=command.reason))
    return apply_all(state, to_event(closed, state.number + GAMES_BEFORE))
