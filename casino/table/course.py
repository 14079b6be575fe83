"""What the bots of a game will do to its end: their answers hang on its seed and cut alone.

So a course can be known as soon as a game is opened, whatever is bet on it meanwhile.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from casino.ecarte.actions import Action
from casino.errors import CasinoError, InvariantBroken
from casino.events.voids import BOT_FAILED
from casino.table import playing
from casino.table.commands import CloseBook, MoveOn, OpenGame, PlayOn, TableCommand, VoidGame
from casino.table.decide import decide
from casino.table.evolve import Steps
from casino.table.state import GameState, TableState

_RICH_CENTS: Final = 10**15


class Course(NamedTuple):
    """The actions of each deal until the game is over; or until a bot fails, and its error."""

    deals: tuple[tuple[Action, ...], ...]
    failure: str | None


class _Blind:
    """A desk for what hangs on nobody's purse."""

    def purse_cents(self, player: str) -> int:
        """Enough."""
        return _RICH_CENTS

    def check_bet(self, table: str, player: str, risk_cents: int) -> None:
        """Never asked."""
        raise InvariantBroken(f"play does not bet: {table}, {player}, {risk_cents}")

    def may_be_late(self, game: str) -> bool:
        """Nothing is late."""
        return False


_BLIND: Final = _Blind()


def answer(state: TableState, running: GameState) -> PlayOn | VoidGame:
    """What the bot to act answers; one that cannot makes the game void (G14)."""
    table = state.rules.name
    try:
        action = playing.answer(running)
    except (CasinoError, KeyError, ValueError, IndexError) as error:
        return VoidGame(table, running.id, BOT_FAILED, type(error).__name__)
    if action is None:
        raise InvariantBroken(f"{running.id}: nobody is to act")
    return PlayOn(table, state.turn, (action,))


def course(state: TableState, seed: bytes) -> Course:
    """The course of the running game, or of the next one, which has this seed."""
    state = _closed(state, seed)
    deals: list[list[Action]] = [[]] if not _is_to_deal(state) else []
    while state.running is not None:
        if _is_to_deal(state):
            deals.append([])
            command: TableCommand = MoveOn(state.rules.name, state.turn)
        else:
            command = answer(state, state.running)
            if isinstance(command, VoidGame):
                return Course(tuple(map(tuple, deals)), command.fault)
            deals[-1] += command.actions
        state = decide(state, command, _BLIND)[-1].after
    return Course(tuple(map(tuple, deals)), None)


def next_deal(
    state: TableState, actions: tuple[Action, ...], failure: str | None
) -> tuple[list[TableCommand], Steps]:
    """The commands of a deal of a course, or of its rest, and what they come to."""
    table = state.rules.name
    commands: list[TableCommand] = []
    steps: Steps = ()
    if _is_to_deal(state):
        commands.append(MoveOn(table, state.turn))
        steps = decide(state, commands[-1], _BLIND)
        state = steps[-1].after
    if actions:
        commands.append(PlayOn(table, state.turn, actions))
        steps += decide(state, commands[-1], _BLIND)
        state = steps[-1].after
    if failure and state.running is not None:
        commands.append(VoidGame(table, state.running.id, BOT_FAILED, failure))
        steps += decide(state, commands[-1], _BLIND)
    return commands, steps


def _closed(state: TableState, seed: bytes) -> TableState:
    """The table once its game is open and the book closed, whoever may have bet."""
    table = state.rules.name
    if state.running is None:
        state = decide(state, OpenGame(table, seed), _BLIND)[-1].after
    assert state.running is not None
    if state.running.closing is None:
        state = decide(state, CloseBook(table, state.running.id), _BLIND)[-1].after
    return state


def _is_to_deal(state: TableState) -> bool:
    """Whether the next thing is to deal."""
    running = state.running
    return running is not None and running.between_deals and not playing.claims_revoke(running)
