"""What shut texts and void games did at a real table of two bots, as the audit tells it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from casino import fairness
from casino.audit import ExportSource, FileSource, Finding, Report, audit
from casino.audit.check import Game, GameLeaf
from casino.audit.checks.table_rules import TableRulesCheck
from casino.audit.checks.voids import VoidedGame, VoidsCheck, read_void
from casino.cli.verify.audit import decide_again
from casino.ecarte import CHALLENGER, HOUSE
from casino.events.codec import decode
from casino.ledger.ledger import open_log
from casino.reports.export import export
from casino.table.domain.commands import OpenCut, PlaceBet, VoidGame
from casino.table.domain.state import TableState, running_game
from tests.table.nights import Evening, audited, plan

GAME = "t1-000001"
PUPPETS = {"pia": CHALLENGER, "pol": CHALLENGER, "hon": HOUSE}


def text_of(game: str, player: str) -> str:
    return fairness.make_contribution("", f"{game}{player}".encode()[-16:].rjust(16))


class Table(Evening):
    """Two bots play; three people bet, and each opens his text, or is silent."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, [plan()])
        for player in PUPPETS:
            self.chips(player)

    def play(self, *silent: str, late: bool = True, void: bool = False) -> str:
        """One game, to its end or void after its closing; who is silent comes late, or never."""
        clerk = self.house.service
        self.go_until(lambda state: state.running is not None)
        game = running_game(self.state).id
        for player, side in PUPPETS.items():
            seal = fairness.commitment_to(game, player, text_of(game, player))
            clerk.submit(PlaceBet("t1", game, game, player, side, 500, seal)).result()
        self.go_until(lambda state: running_game(state).locked is not None)
        for player in PUPPETS.keys() - set(silent):
            clerk.submit(OpenCut("t1", game, player, text_of(game, player))).result()
        self.go_until(lambda state: running_game(state).closing is not None)
        if void:
            clerk.submit(VoidGame("t1", game, "the house says so")).result()
        for number, player in enumerate(silent):
            if number:
                self.go_until(lambda state: state.running is None)
            if late:
                clerk.submit(OpenCut("t1", game, player, text_of(game, player))).result()
        self.go_until(lambda state: state.running is None)
        return game

    def go_until(self, there: Callable[[TableState], bool]) -> None:
        while not there(self.state):
            self.go()


def both(path: Path, tmp_path: Path) -> Report:
    report = audited(path)
    file = tmp_path / "export.jsonl"
    file.write_text("".join(export(path, "jsonl")))
    assert audit(ExportSource(file), workers=1, decide=decide_again).findings == report.findings
    return report


def winners(path: Path) -> dict[str, str]:
    leaves = [json.loads(leaf.body) for leaf in open_log(path).leaves()]
    return {leaf["game"]: leaf["winner"] for leaf in leaves if leaf["type"] == "game_over"}


def test_each_silence_is_told_with_who_won_and_would_have(tmp_path: Path) -> None:
    """A text that comes while the game runs, one after it, one never: names, cents, sums."""
    path = tmp_path / "casino.db"
    table = Table(path)
    games = [table.play("pia", "pol"), table.play(), table.play("pol", late=False)]
    table.house.close()
    report = both(path, tmp_path)
    assert report.is_clean
    told = [one for one in report.findings if one.check == "silence"]
    assert [one.game for one in told if one.game] == [games[0]]
    assert f"pia, pol was silent: {winners(path)[games[0]]} won, " in told[0].text
    assert "pia left 1 sealed texts shut, 0 of them were never seen" in {one.text for one in told}
    assert "pol left 2 sealed texts shut, 1 of them were never seen" in {one.text for one in told}


def forged(path: Path, change: Callable[[dict[str, object]], object]) -> list[Finding]:
    """What is found when the texts that came late say something else, in an export."""
    lines = []
    for line in export(path, "jsonl"):
        whole = json.loads(line)
        leaf = json.loads(whole.get("leaf", "{}"))
        if leaf.get("type") == "cut_late":
            change(leaf)
            whole["leaf"] = json.dumps(leaf, sort_keys=True, separators=(",", ":"))
        lines.append(json.dumps(whole) + "\n")
    file = path.with_name("forged.jsonl")
    file.write_text("".join(lines))
    return audit(ExportSource(file), workers=1, decide=decide_again).findings


LIES: dict[str, tuple[dict[str, object], str]] = {
    "another text": ({"text": "0" * 32}, "does not fit the seal of pia"),
    "no text": ({"text": "x"}, "does not fit the seal of pia"),
    "another's number": ({"number": 2}, "was not withheld, or came late twice"),
    "no number": ({"number": 9}, "was not withheld, or came late twice"),
    "another game": ({"game": "t1-000002"}, "to a game that lacks none"),
    "a day later": ({"at": 1_700_000_000_000 + 2 * 86_400_000}, "more than a day"),
}


@pytest.mark.parametrize("name", LIES)
def test_a_late_text_that_cannot_be_is_found(tmp_path: Path, name: str) -> None:
    """It fits its seal, was withheld in that game, and came within a day."""
    table = Table(tmp_path / "casino.db")
    table.play("pia")
    table.house.close()
    lie, said = LIES[name]
    found = [one.text for one in forged(table.path, lambda leaf: leaf.update(lie))]
    assert any(said in text for text in found), found


def test_l18_a_game_void_after_its_lock_is_played_to_its_end(tmp_path: Path) -> None:
    """By the seed that the void revealed: its winner is the one that the same night brings."""
    whole, broken = Table(tmp_path / "whole.db"), Table(tmp_path / "broken.db")
    for void in (True, True, False, True, True, True):
        assert whole.play() == broken.play(void=void)
    whole.house.close()
    broken.house.close()
    won = winners(tmp_path / "whole.db")
    del won["t1-000003"]
    would = Counter(won.values())
    report = both(tmp_path / "broken.db", tmp_path)
    assert report.is_clean
    told = [one for one in report.findings if one.check == "voids"]
    assert [(one.severity, one.text) for one in told] == [
        ("warning", "5 of 6 games of table t1 are void: ask why"),
        ("note", "5 games of t1 void after the lock would have won: "
                 f"house {would['house']}, challenger {would['challenger']}, unknown 0"),
    ]  # fmt: skip
    alone = audit(FileSource(tmp_path / "broken.db"), workers=1).findings
    assert [one.severity for one in alone] == ["warning"], "without --bots nothing is played"
    rows = [
        GameLeaf(n, decode(body), body) for n, body in FileSource(tmp_path / "broken.db").rows(GAME)
    ]
    unlocked = [row for row in rows if row.leaf.kind != "book_locked"]
    assert read_void(Game(GAME, rows, ()), None) == VoidedGame(True, "unknown")
    assert read_void(Game(GAME, unlocked, ()), None) == VoidedGame(False, "unknown")


def counted(games: list[VoidedGame], played: int) -> VoidsCheck:
    rules = TableRulesCheck()
    rules.kept.numbers["t1"] = played
    voids = VoidsCheck(rules, None)
    for game in games:
        voids.add("t1", game)
    return voids


@pytest.mark.parametrize(
    ("void", "blind"),
    [((5, 5), True), ((9, 0), True), ((10, 0), False), ((0, 10), False), ((20, 12), True)],
)
def test_l18_a_veto_that_is_not_blind_is_warned_of(void: tuple[int, int], blind: bool) -> None:
    """Ten games of even chances, void each time that one side would have lost, are no luck."""
    voids = counted([VoidedGame(True, "house")] * void[0], 10_032)
    for game in [VoidedGame(True, "challenger")] * void[1]:
        voids.add("t1", game)
    voids.kept.won["t1"] = {"house": 5_000, "challenger": 5_000}
    spared = [one.text for one in voids.totals() if one.severity == "warning"]
    assert (spared == []) is blind
    if not blind:
        loser = "challenger" if void[0] else "house"
        assert spared == [f"void games of t1 spared {loser} more defeats than chance explains"]


def test_l18_few_void_games_of_many_are_no_news() -> None:
    for void, played, said in ((3, 3, 0), (4, 400, 0), (4, 399, 1), (4, 4, 1)):
        voids = counted([VoidedGame(False, "unknown")] * void, played)
        assert len(list(voids.totals())) == said
