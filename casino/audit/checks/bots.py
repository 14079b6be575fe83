"""Recompute every decision of a bot from what its seat could legally see.

A bot's random draws follow from its seat's seed, the deal and the number of the decision in that
deal. A bot that had looked at a hidden card would decide differently here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from casino import fairness
from casino.audit.report import ERROR, WARNING, Finding
from casino.bots.registry import is_own_bot
from casino.ecarte import (
    EXPOSE,
    LEAD_OUT,
    SEATS,
    Action,
    Deal,
    Record,
    View,
    actor,
    legal_for,
    replay_steps,
    token,
    view,
)
from casino.errors import CasinoError
from casino.events.types import BotName, Bots

Decide: TypeAlias = Callable[[BotName, View, Sequence[Action], fairness.SeededRandom], Action]


def check_bots(
    game: str, leaf: int, record: Record, bots: Bots, decide: Decide
) -> Iterator[Finding]:
    """Report decisions that differ from the recomputed ones; `leaf` is the leaf ending the game."""
    bot_names_by_seat = {SEATS.index(seat): getattr(bots, seat) for seat in SEATS}
    players: dict[int, BotName] = {
        seat: bot for seat, bot in bot_names_by_seat.items() if bot is not None
    }
    server_seed = bytes.fromhex((record.fairness or {})["server_seed"])
    seeds = {seat: fairness.bot_seed(server_seed, game, seat) for seat in players}
    made: Counter[tuple[int, int]] = Counter()
    before: Deal | None = None
    for number, action, deal in replay_steps(record):
        seat = None if action is None or before is None else actor(before, action)
        if before is not None and action is not None and seat in players and not _accident(action):
            made[seat, number] += 1
            draws = fairness.bot_draws(seeds[seat], number, made[seat, number])
            position = f"deal {number}, token {len(deal.history)}"
            try:
                expected = decide(players[seat], view(before, seat), legal_for(before, seat), draws)
            except CasinoError as error:
                # The page shows that a bot is the operator's own: not checking it is no error.
                severity = WARNING if is_own_bot(players[seat].name) else ERROR
                yield Finding("bots", f"{position}: {error}", leaf, game, severity=severity)
                return
            if expected != action:
                did = f"{players[seat].name} did {token(action)}"
                text = f"{position}: {did}, but decides {token(expected)}"
                yield Finding("bots", text, leaf, game)
        before = deal


def _accident(action: Action) -> bool:
    """Return True for a card exposed while dealing, which is not a decision."""
    return EXPOSE <= action < LEAD_OUT
