"""Pure function that turns a command into events, or raises `Refused`.

A transition is an event with the table's state after it; entries that move money are events too.
The context supplies balances and players' own limits, which are not part of the table's state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from casino.ecarte import CLAIM
from casino.errors import RefusalReason, Refused
from casino.events.types import OUT_OF_TIME
from casino.table.domain import commands
from casino.table.domain.commands import PlayBotActions, TableCommand, TimeOutPlayer
from casino.table.domain.handlers import game, play, seats, shuffle
from casino.table.domain.reducers import Transitions
from casino.table.domain.state import STALE_VERSION, DecisionContext, GameState, TableState

PERSON_ACTS: Final = RefusalReason("person_acts", "not_your_turn", "{player} is to act: wait")
NOT_PLAYING: Final = RefusalReason(
    "not_playing", "not_your_turn", "you do not play in this game: take the seat for the next"
)


def decide(state: TableState, command: TableCommand, context: DecisionContext) -> Transitions:
    """Return the transitions that a command causes, or raise `Refused`."""
    return _DECIDE[type(command)](state, command, context)


def _move_on(state: TableState, command: commands.DealCards, _: DecisionContext) -> Transitions:
    running = _playing(state)
    if command.turn != state.turn or not running.is_between_deals:
        raise Refused(STALE_VERSION)
    return game.finish(state, play.deal_cards(state))


def _play_on(state: TableState, command: PlayBotActions, _: DecisionContext) -> Transitions:
    _playing(state)
    if command.turn != state.turn:
        raise Refused(STALE_VERSION)
    steps: Transitions = ()
    for action in command.actions:
        assert state.running is not None
        # The house may claim a revoke even while the person is to act (R8.5).
        if action != CLAIM and play.waits_for_person(state.running):
            raise Refused(PERSON_ACTS, player=state.running.challenger)
        steps += play.apply_action(state, action)
        state = steps[-1].after
    return game.finish(state, steps)


def _act(state: TableState, command: commands.PlayAction, _: DecisionContext) -> Transitions:
    running = _playing(state)
    if command.player != running.challenger or running.is_bot or running.abandoned:
        raise Refused(NOT_PLAYING)
    if command.turn != state.turn:
        raise Refused(STALE_VERSION)
    play.check_person(running, command.action)
    return game.finish(state, play.apply_action(state, command.action))


def _time_out(state: TableState, command: TimeOutPlayer, _: DecisionContext) -> Transitions:
    running = _playing(state)
    if command.turn != state.turn or not play.waits_for_person(running):
        raise Refused(STALE_VERSION)
    return game.default(state, running.challenger, OUT_OF_TIME)


def _playing(state: TableState) -> GameState:
    if state.running is None or state.running.game is None:
        raise Refused(play.NOT_DEALT)
    return state.running


_DECIDE: Final[Mapping[type, Callable[[TableState, Any, DecisionContext], Transitions]]] = {
    commands.OpenGame: game.open_game,
    commands.PlaceBet: game.place_bet,
    commands.BeginChain: shuffle.begin_chain,
    commands.SealCut: shuffle.seal_cut,
    commands.OpenCut: shuffle.open_cut,
    commands.CloseBetting: shuffle.lock_book,
    commands.CloseReveals: shuffle.close_reveals,
    commands.DealCards: _move_on,
    PlayBotActions: _play_on,
    commands.PlayAction: _act,
    commands.TakeSeat: seats.take_seat,
    commands.LeaveSeat: seats.leave_seat,
    TimeOutPlayer: _time_out,
    commands.SetTableSettings: seats.set_terms,
    commands.VoidGame: game.void_game,
    commands.CloseTable: seats.close_table,
    commands.VoidPoule: game.void_poule,
}
