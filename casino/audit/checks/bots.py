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
from casino.ecarte import HOUSE, NO_SEAT, SEATS, Action, Deal, Record, Seat
from casino.errors import CasinoError
from casino.events.game_record import FinishedGame
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


def play(game: FinishedGame, decide: Decide) -> tuple[Seat, int]:
    """Play a game between two bots again with its `texts`; return winner and multiplier."""
    opened = game.opened
    house, challenger = opened.bots.house, opened.bots.challenger
    if game.end.server_seed is None or house is None or challenger is None:
        raise ValueError("the seed is not revealed, or a person played")
    seed, name, bots = bytes.fromhex(game.end.server_seed), opened.game, (house, challenger)
    cut = fairness.combine(text for _, text in game.cuts)
    loser = None if opened.loser_deals is None else SEATS.index(opened.loser_deals)
    by_cut = fairness.first_dealer(seed, name, cut)
    points = ecarte.new_game(game.laws, ecarte.first_dealer(game.laws, by_cut, loser))
    bot_seeds = [fairness.bot_seed(seed, name, seat) for seat in (0, 1)]
    while not points.over:
        number, made = points.deals + 1, [0, 0]
        deal = ecarte.begin_deal(points, fairness.deck(seed, name, cut, number))
        slips = deal.dealer == HOUSE
        permille = game.terms.slip_permille
        index = fairness.exposed_card(seed, name, number, permille) if slips else None
        if index is not None:
            deal = deal.apply(ecarte.EXPOSE + deal.deck[index])
        while deal.phase == ecarte.DEALING or deal.turn != NO_SEAT:
            if deal.phase == ecarte.DEALING:
                deal = ecarte.turn_up(deal)
                continue
            seat = deal.turn
            made[seat] += 1
            draws = fairness.bot_draws(bot_seeds[seat], number, made[seat])
            deal = deal.apply(choice(deal, seat, bots[seat], draws, decide))
        points = ecarte.after_deal(points, deal)
    winner = points.score.index(game.laws.target)
    return winner, ecarte.multiplier(points.score[1 - winner])
