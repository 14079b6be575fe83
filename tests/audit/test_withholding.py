"""Effects of withheld texts and void games, by name and to the cent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from casino import betting, fairness
from casino.audit import FileSource, audit
from casino.audit.check import Game, GameLeaf
from casino.audit.checks.bots import play
from casino.audit.checks.table_rules import TableRulesCheck
from casino.audit.checks.voids import VoidsCheck
from casino.audit.checks.withholding import effect_of_late, is_beyond_chance
from casino.betting import Bet, BettingRules, Cover
from casino.cli.verify.audit import decide_again
from casino.ecarte import CHALLENGER, HOUSE
from casino.events import factories
from casino.events.game_record import FinishedGame
from casino.events.types import decode
from casino.table.domain.commands import OpenCut, PlaceBet, VoidGame
from casino.table.domain.settings import TableSettings
from casino.table.domain.state import TableState, running_game
from tests.audit.leaf_builders import ended, locked
from tests.audit.test_tampering import audited_both_ways
from tests.table.casino_harness import CasinoHarness, leaves_of, plan

GAME = "t1-000001"
PUPPETS = {"pia": CHALLENGER, "pol": CHALLENGER, "hon": HOUSE}


def text_of(game: str, player: str) -> str:
    return fairness.make_contribution("", f"{game}{player}".encode()[-16:].rjust(16))


class Table(CasinoHarness):
    """Two bots play; three people bet, and each reveals a text or withholds it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, [plan()])
        for player in PUPPETS:
            self.chips(player)

    def play(self, *silent: str, late: bool = True, void: bool = False) -> str:
        """Play a game to its end or void it after closing; withheld texts come late or never."""
        self.go_until(lambda state: state.running is not None)
        game = running_game(self.state).id
        for player, side in PUPPETS.items():
            seal = fairness.commitment_to(game, player, text_of(game, player))
            self.submit(PlaceBet("t1", game, game, player, side, 500, seal))
        self.go_until(lambda state: running_game(state).locked is not None)
        for player in PUPPETS.keys() - set(silent):
            self.submit(OpenCut("t1", game, player, text_of(game, player)))
        self.go_until(lambda state: running_game(state).closing is not None)
        if void:
            self.submit(VoidGame("t1", game, "the house says so"))
        for number, player in enumerate(silent):
            if number:
                self.go_until(lambda state: state.running is None)
            if late:
                self.submit(OpenCut("t1", game, player, text_of(game, player)))
        self.go_until(lambda state: state.running is None)
        return game

    def go_until(self, there: Callable[[TableState], bool]) -> None:
        while not there(self.state):
            self.advance()


def winners(path: Path) -> dict[str, str]:
    return {leaf["game"]: leaf["winner"] for leaf in leaves_of(path, "game_over")}


def test_report_names_each_silence_and_both_winners(tmp_path: Path) -> None:
    path = tmp_path / "casino.db"
    table = Table(path)
    games = [table.play("pia", "pol"), table.play(), table.play("pol", late=False)]
    table.house.close()
    report = audited_both_ways(path, decide_again)
    assert report.is_clean
    told = [one for one in report.findings if one.check == "silence"]
    assert [one.game for one in told if one.game] == [games[0]]
    assert f"pia, pol withheld texts: {winners(path)[games[0]]} won, " in told[0].text
    assert "pia withheld one sealed text, but not for good" in {one.text for one in told}
    assert "pol withheld 2 sealed texts, 1 of them for good" in {one.text for one in told}


def test_l18_game_void_after_lock_is_simulated_to_its_end(tmp_path: Path) -> None:
    whole, broken = Table(tmp_path / "whole.db"), Table(tmp_path / "broken.db")
    for void in (True, True, False, True, True, True):
        assert whole.play() == broken.play(void=void)
    whole.house.close()
    broken.house.close()
    won = winners(tmp_path / "whole.db")
    del won["t1-000003"]
    would = Counter(won.values())
    report = audited_both_ways(tmp_path / "broken.db", decide_again)
    assert report.is_clean
    told = [one for one in report.findings if one.check == "voids"]
    assert [(one.severity, one.text) for one in told] == [
        ("warning", "5 of 6 games of table t1 are void: ask why"),
        ("note", "void games of t1 after the lock, by the side that would have won: "
                 f"house {would['house']}, challenger {would['challenger']}, unknown 0"),
    ]  # fmt: skip
    alone = audit(FileSource(tmp_path / "broken.db"), workers=1).findings
    assert [one.severity for one in alone] == ["warning"], "without --bots nothing is played"
    log = FileSource(tmp_path / "broken.db").log
    rows = [GameLeaf(n, decode(body)) for n, body in log.of_subject(GAME)]
    unlocked = [row for row in rows if row.leaf.kind != "book_locked"]
    voids = VoidsCheck(TableRulesCheck(), None)
    voids.on_game(Game(GAME, rows, ()))
    voids.on_game(Game(GAME, unlocked, ()))
    assert (voids.void, voids.locked, voids.won) == ({"t1": 2}, {"t1": {"unknown": 1}}, {})


@pytest.mark.parametrize(
    ("void", "won", "blind"),
    [
        ((5, 5), 5_000, True), ((9, 0), 5_000, True), ((10, 0), 5_000, False),
        ((0, 10), 5_000, False), ((20, 12), 5_000, True),
        ((10, 0), 0, True),  # without settled games nothing shows how often a side wins
    ],
)  # fmt: skip
def test_l18_informed_veto_is_a_warning(void: tuple[int, int], won: int, blind: bool) -> None:
    rules = TableRulesCheck()
    rules.numbers["t1"] = 10_032
    voids = VoidsCheck(rules, None)
    locked = {"house": void[0], "challenger": void[1]}
    voids.void, voids.locked = {"t1": sum(void)}, {"t1": locked}
    voids.won = {"t1": {"house": won, "challenger": won}}
    spared = [one.text for one in voids.statistics() if one.severity == "warning"]
    assert (spared == []) is blind
    if not blind:
        loser = "challenger" if void[0] else "house"
        assert spared == [f"void games of t1 spared {loser} more defeats than chance explains"]


RULES = TableSettings("t1", gallery=BettingRules(commission_bp=500))
COVER = Cover(200, 0)
BETS = (
    Bet(1, "honest", HOUSE, 500),
    Bet(2, "puppet", CHALLENGER, 300),
    Bet(3, "mallory", CHALLENGER, 400),
)


def make_game(number: int) -> FinishedGame:
    """Return a game in which honest reveals a text, and puppet withholds one."""
    game = f"t1-{number:06d}"
    bets = [factories.bet_accepted(game, bet) for bet in BETS]
    lock = locked(number, COVER.house_cents)
    seed, texts = sha256(game.encode()).digest(), [text_of(game, "honest")]
    return ended(RULES, seed, texts, number, bets=bets, seals=bets[:2], locked=lock)


def net_of(played: FinishedGame, winner: int, times: int, shut: set[str]) -> dict[str, int]:
    settled = betting.settle(betting.close(played.book, COVER, shut), winner, times)
    net: dict[str, int] = {"commission": 0}
    for one in (*settled.principals, *settled.bets):
        who, fee = one.bet.bettor, one.commission_cents
        net[who] = net.get(who, 0) + one.gain_cents - fee
        net["commission"] += fee
    return net


def test_sums_moved_by_late_texts_are_exact() -> None:
    for number in range(1, 25):
        played = make_game(number)
        puppet = text_of(played.opened.game, "puppet")
        winner, other, gains = effect_of_late(played, {2: puppet}, decide_again)
        was = play(played, decide_again)
        would = play(played._replace(texts={**played.texts, 2: puppet}), decide_again)
        before, after = net_of(played, *was, {"puppet"}), net_of(played, *would, set())
        due = {who: before.get(who, 0) - after[who] for who in after}
        assert gains == {who: cents for who, cents in due.items() if cents}
        assert (winner, other) == (was[0], would[0])
        assert sum(gains.values()) == 0


@pytest.mark.parametrize(
    ("ups", "downs", "beyond"),
    [(0, 0, False), (9, 0, False), (10, 0, True), (15, 3, False), (17, 2, True)],
)
def test_withholding_is_flagged_only_beyond_chance(ups: int, downs: int, beyond: bool) -> None:
    assert is_beyond_chance(ups, ups + downs) is beyond
