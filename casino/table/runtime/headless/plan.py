"""Plan a whole game between bots.

The bots' decisions depend only on the seed and the contributions. So a game can be planned as soon
as it is opened, whatever bets are made meanwhile.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from casino.ecarte import Action
from casino.errors import InvariantError
from casino.events.types import BOT_FAILED
from casino.table.domain.commands import (
    CloseBetting,
    DealCards,
    OpenGame,
    PlayBotActions,
    TableCommand,
    VoidGame,
)
from casino.table.domain.decide import decide
from casino.table.domain.handlers import play
from casino.table.domain.state import GameState, TableState

_RICH_CENTS: Final = 10**15


class GamePlan(NamedTuple):
    """Commands of each deal (the last voids the game if a bot fails), and the resulting state."""

    deals: tuple[tuple[TableCommand, ...], ...]
    after: TableState


class _UnlimitedContext:
    """Context for decisions that do not depend on balances."""

    def funds_cents(self, player: str) -> int:
        return _RICH_CENTS

    def check_bet(self, table: str, player: str, risk_cents: int) -> None:
        raise InvariantError(f"play does not bet: {table}, {player}, {risk_cents}")

    def may_be_late(self, game: str) -> bool:
        return False


UNLIMITED: Final = _UnlimitedContext()


def bot_command(state: TableState, running: GameState) -> PlayBotActions | VoidGame:
    """Return the bot's next command, or one that voids the game if the bot fails (G14)."""
    table = state.rules.name
    try:
        action = play.bot_answer(running)
    except Exception as error:  # noqa: BLE001 (a bot of the operator's own may raise anything)
        return VoidGame(table, running.id, BOT_FAILED, type(error).__name__)
    if action is None:
        raise InvariantError(f"{running.id}: no seat is to act")
    return PlayBotActions(table, state.turn, (action,))


def plan_game(state: TableState, seed: bytes) -> GamePlan:
    """Plan the running game or, if there is none, the next game, whose seed is `seed`."""
    state = _closed(state, seed)
    deals: list[tuple[TableCommand, ...]] = []
    while state.running is not None:
        commands, state = _deal(state)
        deals.append(commands)
    return GamePlan(tuple(deals), state)


def apply_commands(state: TableState, *commands: TableCommand) -> TableState:
    """Return the table's state after commands, which must not depend on balances."""
    for command in commands:
        steps = decide(state, command, UNLIMITED)
        state = steps[-1].after if steps else state
    return state


def _deal(state: TableState) -> tuple[tuple[TableCommand, ...], TableState]:
    table, commands = state.rules.name, list[TableCommand]()
    if _is_to_deal(state):
        commands.append(DealCards(table, state.turn))
        state = apply_commands(state, *commands)
    turn, actions = state.turn, list[Action]()
    void: list[TableCommand] = []
    while state.running is not None and not _is_to_deal(state):
        command = bot_command(state, state.running)
        if isinstance(command, VoidGame):
            void.append(command)
        else:
            actions += command.actions
        state = apply_commands(state, command)
    # Deciding a deal as one command is faster than action by action.
    played = [PlayBotActions(table, turn, tuple(actions))] if actions else []
    return (*commands, *played, *void), state


def _closed(state: TableState, seed: bytes) -> TableState:
    table = state.rules.name
    if state.running is None:
        state = apply_commands(state, OpenGame(table, seed))
    assert state.running is not None
    if state.running.closing is None:
        state = apply_commands(state, CloseBetting(table, state.running.id))
    return state


def _is_to_deal(state: TableState) -> bool:
    running = state.running
    return running is not None and running.is_between_deals and not play.claims_revoke(running)
