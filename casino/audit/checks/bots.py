"""Recompute every decision of a bot from what its seat could legally see.

A bot's random draws follow from its seat's seed, the deal and the number of the decision in that
deal. If a bot had looked at a hidden card, its logged decisions would differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from casino import ecarte, fairness
from casino.audit.check import ERROR, WARNING, Decide, Finding
from casino.bots.registry import is_own_bot
from casino.ecarte import SEATS, Action, Deal, Record
from casino.errors import CasinoError
from casino.events.types import BotName, Bots


def check_bots(
    game: str, leaf: int, record: Record, bots: Bots, decide: Decide
) -> Iterator[Finding]:
    """Report decisions that differ from the recomputed ones; leaf number `leaf` ends the game."""
    named: list[BotName | None] = [getattr(bots, seat) for seat in SEATS]
    players = {seat: bot for seat, bot in enumerate(named) if bot is not None}
    server_seed = bytes.fromhex((record.fairness or {})["server_seed"])
    seeds = {seat: fairness.bot_seed(server_seed, game, seat) for seat in players}
    made: Counter[tuple[int, int]] = Counter()
    before: Deal | None = None
    for number, action, deal in ecarte.replay_steps(record):
        if before is not None and action is not None and not is_exposed(action):
            seat = before.actor(action)
            if seat in players:
                made[seat, number] += 1
                draws = fairness.bot_draws(seeds[seat], number, made[seat, number])
                position = f"deal {number}, token {len(deal.history)}"
                try:
                    expected = choice(before, seat, players[seat], draws, decide)
                except CasinoError as error:
                    # The page says that this is the operator's own bot, so a warning is enough.
                    severity = WARNING if is_own_bot(players[seat].name) else ERROR
                    yield Finding("bots", f"{position}: {error}", leaf, game, severity=severity)
                    return
                if expected != action:
                    did = f"{players[seat].name} played {ecarte.token(action)}"
                    text = f"{position}: {did}, but its decision is {ecarte.token(expected)}"
                    yield Finding("bots", text, leaf, game)
        before = deal


def choice(
    deal: Deal, seat: int, bot: BotName, draws: fairness.SeededRandom, decide: Decide
) -> Action:
    """Return the action that a bot chooses from what its seat can see."""
    return decide(bot, ecarte.view(deal, seat), ecarte.legal_for(deal, seat), draws)


def is_exposed(action: Action) -> bool:
    """Return True for a card exposed while dealing, which is not a decision."""
    return ecarte.EXPOSE <= action < ecarte.LEAD_OUT
