"""Handler for table settings, which are logged before they are used and at each change (L19).

A table's first settings apply at once. Later ones apply from the tenth game on, so that they cannot
be chosen to fit a particular game.
"""

from __future__ import annotations

from typing import Final

from casino.table.domain.commands import SetTableSettings
from casino.table.domain.context import DecisionContext
from casino.table.domain.reducers import Transitions, apply_all
from casino.table.domain.settings import to_event
from casino.table.domain.state import TableState

GAMES_BEFORE: Final = 10  # a change applies this many games after the last one opened


def set_terms(state: TableState, command: SetTableSettings, _: DecisionContext) -> Transitions:
    """Log a table's settings, unless they equal the newest ones."""
    if not state.has_terms:
        return apply_all(state, to_event(command.rules, 1))
    newest = state.coming[-1][1] if state.coming else state.rules
    if newest == command.rules:
        return ()
    return apply_all(state, to_event(command.rules, state.number + GAMES_BEFORE))
