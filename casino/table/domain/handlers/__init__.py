"""Command handlers, which turn a command into events, or raise `Refused`.

There is one module per group of related commands. A handler adds the events to a `Decision`, which
has the table's state after them; entries that move money are events too. The context supplies
balances and players' own limits, which are not part of the table's state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from casino.table.domain import commands
from casino.table.domain.commands import TableCommand
from casino.table.domain.handlers import game, play, shuffle
from casino.table.domain.state import Decision, DecisionContext, TableState, Transitions

_HANDLERS: Final[Mapping[type, Callable[[Decision, Any, DecisionContext], None]]] = {
    commands.OpenGame: game.open_game,
    commands.PlaceBet: game.place_bet,
    commands.BeginChain: shuffle.begin_chain,
    commands.SealCut: shuffle.seal_cut,
    commands.OpenCut: shuffle.open_cut,
    commands.CloseBetting: shuffle.lock_book,
    commands.CloseReveals: shuffle.close_reveals,
    commands.DealCards: play.deal_next,
    commands.PlayBotActions: play.play_bot_actions,
    commands.PlayAction: play.play_action,
    commands.TakeSeat: game.take_seat,
    commands.LeaveSeat: game.leave_seat,
    commands.TimeOutPlayer: play.time_out,
    commands.SetTableSettings: game.set_terms,
    commands.VoidGame: game.void_game,
    commands.CloseTable: game.close_table,
    commands.VoidPoule: game.void_poule,
}


def decide(state: TableState, command: TableCommand, context: DecisionContext) -> Transitions:
    """Return the transitions that a command causes, or raise `Refused`."""
    decision = Decision(state)
    _HANDLERS[type(command)](decision, command, context)
    return tuple(decision.steps)
