"""Handlers for the end of a game (won, void or abandoned) and its payments."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from casino.betting import MoneyMove, as_entered, settle, void
from casino.ecarte.rules import CHALLENGER, multiplier, other
from casino.errors import RefusalReason, Refused
from casino.events import factories
from casino.ledger import accounts
from casino.table.domain.commands import VoidGame
from casino.table.domain.context import DecisionContext, require_game
from casino.table.domain.handlers import poule
from casino.table.domain.reducers import Transitions, apply_all
from casino.table.domain.state import GameState, TableState, running_game, seat_changed

MAX_REASON_LENGTH: Final = 200

BAD_VOID_REASON: Final = RefusalReason(
    "bad_void_reason", "bad_request", "say why in 1 to {most} characters"
)


def default(state: TableState, player: str, reason: str) -> Transitions:
    """Record that the challenger abandons the game; void it if the settings say so (G14)."""
    defaulted = replace(seat_changed(state, player, "defaulted"), game=running_game(state).id)
    steps = apply_all(state, defaulted)
    if state.rules.abandon == "void":
        return steps + void_steps(steps[-1].after, reason)
    return steps


def finish(before: TableState, steps: Transitions) -> Transitions:
    """If the game is decided, append its end and settlement in the same transaction (G15)."""
    state = steps[-1].after if steps else before
    running = running_game(state)
    deal, closing = running.deal, running.closing
    if deal is None or closing is None or not deal.game_over:
        return steps
    winner = deal.score.index(deal.laws.target)
    times = multiplier(deal.score[other(winner)])
    seed, deals = running.server_seed, running.played
    ended = apply_all(
        state, factories.game_over(running.id, seed, deals, deal.score, winner, times)
    )
    ended += entry_steps(ended[-1].after, running.id, settle(closing, winner, times).move)
    after = ended[-1].after
    if after.poule is not None:
        return steps + ended + poule.after_game(after, running)
    return steps + ended + _seat_after_default(running, after, lost=winner != CHALLENGER)


def void_steps(state: TableState, reason: str, fault: str | None = None) -> Transitions:
    """Return the transitions that void the running game and refund all escrow."""
    running = running_game(state)
    stands = running.closing.stands if running.closing else as_entered(running.book)
    seed, deals = running.server_seed, running.played
    steps = apply_all(state, factories.game_void(running.id, reason, seed, deals, fault))
    steps += entry_steps(
        steps[-1].after, running.id, void(running.book, stands, running.held), reason
    )
    after = steps[-1].after
    if after.poule is not None:
        return steps + poule.after_game(after, running, reason)
    return steps + _seat_after_default(running, after, lost=False)


def _seat_after_default(running: GameState, after: TableState, lost: bool) -> Transitions:
    """Return the transition by which a challenger who defaulted or lost leaves the seat (R1.2)."""
    # A loser keeps the seat unless someone is waiting for it.
    gives_up = running.abandoned or (lost and after.queue)
    if running.is_bot or not gives_up:
        return ()
    return apply_all(after, seat_changed(after, running.challenger, "left"))


def void_game(state: TableState, command: VoidGame, _: DecisionContext) -> Transitions:
    """Void the running game for the reason in the command."""
    require_game(state, command.game)
    if not 0 < len(command.reason) <= MAX_REASON_LENGTH:
        raise Refused(BAD_VOID_REASON, most=MAX_REASON_LENGTH)
    return void_steps(state, command.reason, command.fault)


def entry_steps(state: TableState, game: str, move: MoneyMove, reason: str = "") -> Transitions:
    """Return the transition that enters a money move in the ledger, or none if it is empty."""
    return apply_all(state, accounts.escrow_entry(game, *move, reason)) if move.postings else ()
