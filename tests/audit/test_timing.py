"""L19: a house that closes a book early, or does not wait for texts, is warned of, by its terms."""

from __future__ import annotations

from pathlib import Path

import pytest

from casino.audit import ExportSource, FileSource, audit
from casino.audit.checks.timing import SILENT_GAMES, SILENT_MS, GameWaits, TimingCheck
from casino.ledger.ledger import grant
from casino.reports.export import export
from casino.table.domain.settings import PaceSettings, TableSettings
from tests.ledger.issues import MILLION
from tests.ledger.night import Night, Play, SimulatedClock, open_bank

PACE = PaceSettings(betting_ms=20_000, reveal_ms=4_000)


class Paced(Night):
    def rules(self) -> TableSettings:
        return super().rules()._replace(pace=PACE)


class Game:
    def __init__(self, path: Path, bettor: str = "ben") -> None:
        self.path = path
        self.bettor = bettor
        self.clock = SimulatedClock(step_ms=0)
        self.night = Paced(open_bank(path, self.clock), bettors=0)
        grant(self.night.bank, bettor, MILLION, "chips").result()
        self.number = 0

    def play(self, open_ms: int, waited_ms: int, opens: bool, bets: bool = True) -> None:
        self.number += 1
        play = Play(self.night, f"t1-{self.number:06}")
        play.open()
        seals = bets and "*" not in self.bettor
        if bets:
            assert "order" in play.bet(self.bettor, 1, 100, with_seal=seals)
        self.clock.now_ms += open_ms
        cover = play.lock()
        if opens and seals:
            play.open_text(1, self.bettor)
        self.clock.now_ms += waited_ms
        play.end_betting(*cover)
        play.void("enough")

    def warned(self) -> list[tuple[str | None, str]]:
        """What an audit warns of, of the file and of its export alike; errors it finds none."""
        self.night.bank.close()
        file = self.path.with_suffix(".jsonl")
        file.write_text("".join(export(self.path, "jsonl")))
        found = audit(FileSource(self.path), workers=1).findings
        assert audit(ExportSource(file), workers=1).findings == found
        assert all(one.severity != "error" for one in found), found
        return [(one.game, one.text) for one in found if one.check == "pace"]


EARLY = "the book was open for 19999 ms, by its terms for 20000"
IN_HASTE = "ben had 3999 ms to open a text, by the terms 4000"


@pytest.mark.parametrize(
    ("open_ms", "waited_ms", "opens", "said"),
    [
        (20_000, 4_000, True, []),
        (20_000, 4_000, False, []),
        (20_000, 0, True, []),
        (19_999, 0, True, [EARLY]),
        (20_000, 3_999, False, [IN_HASTE]),
        (19_999, 3_999, False, [EARLY, IN_HASTE]),
    ],
)
def test_l19_a_book_closed_before_its_time_is_warned_of(
    tmp_path: Path, open_ms: int, waited_ms: int, opens: bool, said: list[str]
) -> None:
    """To the millisecond; a text that was opened need not be waited for."""
    game = Game(tmp_path / "casino.db")
    game.play(open_ms, waited_ms, opens)
    assert game.warned() == [("t1-000001", text) for text in said]


@pytest.mark.parametrize(("bettor", "bets"), [("zoe*", True), ("ben", False)])
def test_l19_a_game_that_no_person_bets_on_may_be_hurried(
    tmp_path: Path, bettor: str, bets: bool
) -> None:
    """Simulated spectators are in no hurry, and a challenger may start where nobody has bet."""
    game = Game(tmp_path / "casino.db", bettor)
    game.play(0, 4_000, opens=True, bets=bets)
    assert game.warned() == []


def test_whoever_was_silent_is_waited_for_a_second_only(tmp_path: Path) -> None:
    """Once his silence is in the log, and no less than that second."""
    game = Game(tmp_path / "casino.db")
    game.play(20_000, 4_000, opens=False)
    game.play(20_000, SILENT_MS, opens=False)
    game.play(20_000, SILENT_MS - 1, opens=False)
    assert game.warned() == [
        ("t1-000003", f"ben had {SILENT_MS - 1} ms to open a text, by the terms {SILENT_MS}")
    ]


def waits(number: int, shut: bool = False, ms: int = SILENT_MS) -> GameWaits:
    names = ("ben",) if shut else ()
    return GameWaits(number, f"t1-{number:06}", True, 5, 5, ("ben",), names, ms, 4_000)


def test_a_silence_is_forgotten_after_some_games_of_that_table() -> None:
    paces = TimingCheck()

    def found(table: str, *games: GameWaits) -> int:
        return sum(len(list(paces.check_waits(table, game))) for game in games)

    assert found("t1", waits(1, shut=True, ms=4_000)) == 0
    games = [waits(number) for number in range(2, SILENT_GAMES + 1)]
    assert found("t1", *games, waits(90, shut=True)) == 0
    assert found("t2", waits(91, shut=True)) == 1
    assert found("t1", *(waits(number) for number in range(92, 92 + SILENT_GAMES))) == 0
    assert paces.kept.silent == {"t1": {}, "t2": {"ben": 1}}
    assert found("t1", waits(200, shut=True)) == 1
