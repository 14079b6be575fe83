"""Headless play: plan whole games between bots, as fast as the machine allows.

The bots' decisions depend only on the seed and the contributions. So a second process on
another CPU can plan a game as soon as it is opened, whatever bets are made meanwhile. A plan is the
same wherever it is computed, so if the second process fails, this one takes over.
"""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from multiprocessing.connection import Connection
from typing import Final, TypeAlias

from casino.ecarte import Action
from casino.errors import InvariantError
from casino.events.types import BOT_FAILED
from casino.simulate.executor import spawn_context, uninterrupted
from casino.table.domain import commands
from casino.table.domain.commands import PlayBotActions, TableCommand, VoidGame
from casino.table.domain.handlers import decide, play
from casino.table.domain.state import DecisionContext, GameState, TableState

log = logging.getLogger(__name__)

_RICH_CENTS: Final = 10**15

_REPORTED: Final = set[tuple[str, str]]()  # tables, and types of their bots' faults


# Commands for each deal (the last voids the game if a bot fails), and the resulting state.
GamePlan: TypeAlias = tuple[list[tuple[TableCommand, ...]], TableState]


def _refuse_bet(player: str, day_cents: int, risk_cents: int) -> None:
    raise InvariantError(f"play does not bet: {player}, {day_cents}, {risk_cents}")


# For decisions that do not depend on balances.
UNLIMITED: Final = DecisionContext(0, lambda _: _RICH_CENTS, _refuse_bet)


def bot_command(state: TableState, running: GameState) -> PlayBotActions | VoidGame:
    """Return the bot's next command, or one that voids the game if the bot fails (G14)."""
    table = state.rules.name
    try:
        action = play.bot_answer(running)
    except Exception as error:  # noqa: BLE001 (a bot supplied by the operator may raise anything)
        fault = type(error.__cause__ or error).__name__
        # A bot that always fails would fill the log.
        if (table, fault) not in _REPORTED:
            _REPORTED.add((table, fault))
            log.warning("game %s is void: %s", running.id, error)
        return VoidGame(table, running.id, BOT_FAILED, fault)
    if action is None:
        raise InvariantError(f"{running.id}: no seat is to act")
    return PlayBotActions(table, state.turn, (action,))


def plan_game(state: TableState, seed: bytes) -> GamePlan:
    """Plan the running game or, if there is none, the next game, whose seed is `seed`."""
    table = state.rules.name
    if state.running is None:
        state = apply_commands(state, commands.OpenGame(table, seed))
    if state.running is not None and state.running.closing is None:
        state = apply_commands(state, commands.CloseBetting(table, state.running.id))
    deals: list[tuple[TableCommand, ...]] = []
    while state.running is not None:
        dealing: list[TableCommand] = []
        if state.running.is_between_deals:
            dealing.append(commands.DealCards(table, state.turn))
            state = apply_commands(state, *dealing)
        turn, actions = state.turn, list[Action]()
        void: list[TableCommand] = []
        while (running := state.running) is not None and not running.is_between_deals:
            command = bot_command(state, running)
            if isinstance(command, VoidGame):
                void.append(command)
            else:
                actions += command.actions
            state = apply_commands(state, command)
        # Deciding a deal as one command is faster than action by action.
        played = [PlayBotActions(table, turn, tuple(actions))] if actions else []
        deals.append((*dealing, *played, *void))
    return deals, state


def apply_commands(state: TableState, *asked: TableCommand) -> TableState:
    """Return the table's state after commands whose effects do not depend on balances."""
    for command in asked:
        steps = decide(state, command, UNLIMITED)
        state = steps[-1].after if steps else state
    return state


Foreseen: TypeAlias = Callable[[], GamePlan]
Foresight: TypeAlias = Callable[[TableState, bytes], Foreseen]

_PROCESSES: Final = 2
# Few enough for all replies to fit into a pipe, so that the second process never blocks.
_MAX_REQUESTS: Final = 16


def plan_now(state: TableState, seed: bytes) -> Foreseen:
    """Return a function that computes the plan in this process."""
    return lambda: plan_game(state, seed)


@contextmanager
def planner(is_worth_it: bool) -> Iterator[Foresight]:
    """Yield a planner; it uses a second process if `is_worth_it` and there are two CPUs."""
    if not is_worth_it or (os.cpu_count() or 1) < _PROCESSES:
        yield plan_now
        return
    with closing(PlannerProcess()) as foreseer:
        yield foreseer.request


class PlannerProcess:
    """Second process that computes game plans, in the order of the requests."""

    def __init__(self) -> None:
        context = spawn_context()
        self._pipe, other_end = context.Pipe()
        self._process = context.Process(target=_serve, args=(other_end,), daemon=True)
        with uninterrupted():
            self._process.start()
        other_end.close()  # so that reading fails once the process has ended
        self._pending: deque[Future[GamePlan]] = deque()

    def request(self, state: TableState, seed: bytes) -> Foreseen:
        """Request a game's plan, and return a function that waits for it."""
        asked: Future[GamePlan] = Future()
        try:
            if len(self._pending) >= _MAX_REQUESTS:
                self._receive()
            self._pipe.send((_without_bets(state), seed))
        except (EOFError, OSError):
            return plan_now(state, seed)
        self._pending.append(asked)

        def result() -> GamePlan:
            try:
                while not asked.done():
                    self._receive()
            except (EOFError, OSError):
                return plan_game(state, seed)
            return asked.result()

        return result

    def close(self) -> None:
        """Kill the second process, which has nothing to save."""
        self._process.kill()
        self._process.join()

    def _receive(self) -> None:
        plan = self._pipe.recv()
        self._pending.popleft().set_result(plan)


def _serve(pipe: Connection) -> None:
    with suppress(EOFError, OSError):  # the other process has ended
        while True:
            pipe.send(plan_game(*pipe.recv()))


def _without_bets(state: TableState) -> TableState:
    """Drop the bets, which do not affect play, so that there is less to send."""
    running = state.running
    if running is None or running.closing is not None:
        return state
    book = running.book._replace(bets=())
    return state._replace(running=running._replace(book=book))
