"""Handler for table settings, which are logged before they are used and at each change (L19).

A table's first settings apply at once. Later ones apply from the tenth game on, so that they cannot
be chosen to fit a particular game.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from casino.errors import RefusalReason, Refused
from casino.table.domain.commands import CloseTable, SetTableSettings
from casino.table.domain.context import NOT_HOSTED, DecisionContext
from casino.table.domain.reducers import Transitions, apply_all
from casino.table.domain.settings import to_event
from casino.table.domain.state import TableState

GAMES_BEFORE: Final = 10  # a change applies this many games after the last one opened

TABLE_CLOSED: Final = RefusalReason(
    "table_closed", "unavailable", "table {table} is closed: choose another one"
)
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
    """Log that a hosted table closes after its game or a person's poule; again has no effect."""
    newest = state.newest_settings
    if newest.hosted is None:
        raise Refused(NOT_HOSTED, table=newest.name)
    if newest.is_closed:
        return ()
    closed = newest._replace(hosted=replace(newest.hosted, closed=command.reason))
    return apply_all(state, to_event(closed, state.number + GAMES_BEFORE))


def refuse_closed(state: TableState) -> None:
    """Raise `Refused` if the table is closed."""
    if state.newest_settings.is_closed:
        raise Refused(TABLE_CLOSED, table=state.rules.name)
