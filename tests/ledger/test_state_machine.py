"""The ledger against a naive model, under random commands, retries and restarts."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings, strategies
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from msgspec.structs import replace

from casino.ecarte import CHALLENGER
from casino.errors import Refused
from casino.ledger.ledger import grant
from casino.ledger.storage.location import LogLocation, SqliteLocation
from tests.audit.test_tampering import audited, errors
from tests.ledger.game_simulator import GameSimulator, Play, SimulatedClock, open_ledger, wait
from tests.ledger.grants import GRANT_TERMS, give
from tests.ledger.postgres_server import needs_postgres
from tools.postgres_server import PostgresServer

PLAYERS = ("ben", "cy", "dee")
amounts = strategies.integers(1, 3_000)


class LedgerMachine(RuleBasedStateMachine):
    """Commands in any order; the model keeps balances by adding and subtracting."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.place = self.made(Path(self.folder.name) / "casino.db")
        self.clock = SimulatedClock()
        self.bank = open_ledger(self.place, self.clock)
        self.night = GameSimulator(self.bank, bettors=0)
        self.model: dict[str, int] = defaultdict(int, ann=100_000_000)
        # Everyone has an account, and too few chips for any bet.
        poor = replace(GRANT_TERMS, opening_cents=1)
        wait(self.bank.submit(lambda tx: {"leaf": tx.log(poor)}))
        for player in PLAYERS:
            wait(grant(self.bank, player, 1, f"{player}.opening"))
            self.model[player] = 1
        self.grants: list[tuple[str, int, str]] = []
        self.games = 0
        self.play: Play | None = None
        self.held: dict[str, int] = {}

    def made(self, path: Path) -> LogLocation:
        return SqliteLocation(path)

    @rule(player=strategies.sampled_from(PLAYERS), cents=amounts)
    def grants_chips(self, player: str, cents: int) -> None:
        given = (player, cents, f"grant{len(self.grants)}")
        wait(give(self.bank, *given))
        self.grants.append(given)
        self.model[player] += cents

    @precondition(lambda self: self.grants)
    @rule(data=strategies.data())
    def grants_again(self, data: strategies.DataObject) -> None:
        """A command sent twice changes nothing; with other content it is refused."""
        player, cents, name = data.draw(strategies.sampled_from(self.grants))
        wait(give(self.bank, player, cents, name))
        with pytest.raises(Refused, match="was used"):
            wait(give(self.bank, player, cents + 1, name))

    @precondition(lambda self: self.play is None)
    @rule()
    def opens_a_game(self) -> None:
        self.games += 1
        self.play = Play(self.night, f"t1-{self.games:06d}")
        self.play.open()
        self.held = {"ann": 3_000}
        self.model["ann"] -= 3_000

    @precondition(lambda self: self.play is not None)
    @rule(player=strategies.sampled_from(PLAYERS), side=strategies.integers(0, 1), unit=amounts)
    def bets(self, player: str, side: int, unit: int) -> None:
        assert self.play is not None
        others = [bet for bet in self.play.book.bets if bet.bettor == player]
        if any(bet.side != side for bet in others):
            due = "wrong_side"
        elif unit < 100:
            due = "below_minimum"
        elif self.model[player] < 3 * unit:
            due = "insufficient_chips"
        else:
            due = ""
        code = self.play.bet(player, side, unit).get("code", "")
        assert code == due
        if not code:
            self.model[player] -= 3 * unit
            self.held[player] = self.held.get(player, 0) + 3 * unit

    @precondition(lambda self: self.play is not None)
    @rule()
    def finishes_the_game(self) -> None:
        """Close, play and settle; the model pays by the rule of thirds, bet by bet."""
        assert self.play is not None
        play, self.play = self.play, None
        play.close()
        play.play_deals()
        play.settle()
        won, times = play.outcome().winner, play.outcome().stake
        assert won is not None and times is not None
        for player, cents in self.held.items():
            self.model[player] += cents
        self.model["ann"] += 1_000 * times * (1 if won == CHALLENGER else -1)
        assert play.closing is not None
        for bet, matched in play.closing.stands:
            if bet.bettor != "house":
                gain = matched * times
                fee = gain * 5 // 100
                self.model[bet.bettor] += -gain if bet.side != won else gain - fee

    @precondition(lambda self: self.play is not None)
    @rule(closed=strategies.booleans())
    def voids_the_game(self, closed: bool) -> None:
        assert self.play is not None
        play, self.play = self.play, None
        if closed:
            play.close()
        play.void("nobody came")
        for player, cents in self.held.items():
            self.model[player] += cents

    @rule()
    def restarts(self) -> None:
        self.bank.close()
        self.bank = self.night.bank = open_ledger(self.place, self.clock)

    @invariant()
    def balances_match_model(self) -> None:
        names = ("ann", *PLAYERS)
        held = wait(self.bank.submit(lambda tx: {n: tx.balance(f"wallet/{n}") for n in names}))
        assert held == {name: self.model[name] for name in names}
        assert sum(self.bank.reader().balances().values()) == 0

    def teardown(self) -> None:
        self.bank.close()
        assert errors(audited(self.place)) == []
        self.folder.cleanup()


def nights(examples: int) -> settings:
    return settings(
        max_examples=examples,
        stateful_step_count=25,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


TestLedgerMachine = LedgerMachine.TestCase
TestLedgerMachine.settings = nights(settings().max_examples // 5)


@needs_postgres
def test_database_behaves_like_the_model(postgres: PostgresServer) -> None:
    class DatabaseMachine(LedgerMachine):
        def made(self, path: Path) -> LogLocation:
            return postgres.place(path)

    run_state_machine_as_test(DatabaseMachine, settings=nights(2))
