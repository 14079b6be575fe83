"""Handle changes of table settings, logged before they are used and at each change (L19).

The first settings of a table hold at once; new ones hold from the tenth game after them, so that no
one is dealt a game by settings made for it.
"""

from __future__ import annotations

from typing import Final

from casino.table.domain.commands import SetTableSettings
from casino.table.domain.context import DecisionContext
from casino.table.domain.reducers import Transitions, apply_all
from casino.table.domain.settings import to_event
from casino.table.domain.state import TableState

GAMES_BEFORE: Final = 10  # new settings hold from this many games after the last one opened


def set_terms(state: TableState, command: SetTableSettings, _: DecisionContext) -> Transitions:
    """Set the table's settings, unless they equal the last ones."""
    if not state.has_terms:
        return apply_all(state, to_event(command.rules, 1))
    newest = state.coming[-1][1] if state.coming else state.rules
    if newest == command.rules:
        return ()
    return apply_all(state, to_event(command.rules, state.number + GAMES_BEFORE))
