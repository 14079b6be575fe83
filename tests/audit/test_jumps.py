"""The audit warns where time jumps ahead while a game runs, and only there (L20)."""

from __future__ import annotations

from pathlib import Path

import pytest

from casino.audit import FileSource, audit, pipeline
from casino.audit.report import ERROR, NOTE, WARNING
from tests.audit.test_tampering import sql, without_guards
from tests.ledger.night import Night, Play, SimulatedClock, open_bank

HOUR_MS = 3_600_000


class Evening:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = SimulatedClock()
        self.night = Night(open_bank(path, self.clock), bettors=2)

    def again(self) -> None:
        self.night.bank.close()
        self.night.bank = open_bank(self.path, self.clock)

    def end(self, play: Play) -> None:
        play.close()
        for _ in play.deals(stop_after=None):
            pass
        play.settle()

    def warnings(self) -> list[str]:
        self.night.bank.close()
        report = audit(FileSource(self.path), workers=1)
        assert report.is_clean
        assert all(one.severity == "warning" and one.check == "time" for one in report.findings)
        return [str(one) for one in report.findings]


def test_l20_a_jump_while_a_game_runs_is_a_warning(tmp_path: Path) -> None:
    """Once for each jump, with its leaf and the game that saw it."""
    evening = Evening(tmp_path / "casino.db")
    play = Play(evening.night, "t1-000001")
    play.open()
    log = evening.night.bank.reader()
    number = log.size()
    log.close()
    evening.clock.now_ms += 4 * HOUR_MS
    evening.end(play)
    (said,) = evening.warnings()
    assert "time jumps ahead by 240 minutes while a game runs" in said
    assert f"leaf {number}, game t1-000001" in said


def test_l20_a_table_where_nobody_plays_may_rest(tmp_path: Path) -> None:
    """Between two games time may pass as it likes; so it may within one while nothing runs."""
    evening = Evening(tmp_path / "casino.db")
    evening.night.play_game()
    evening.clock.now_ms += 4 * HOUR_MS
    play = Play(evening.night, "t1-000002")
    play.open()
    evening.night.bank.close()
    evening.clock.now_ms += 4 * HOUR_MS
    evening.again()
    play.night = evening.night
    evening.end(play)
    assert evening.warnings() == []


def test_l20_a_long_turn_is_no_jump(tmp_path: Path) -> None:
    """A table may give somebody an hour, and another one when the line is lost."""
    evening = Evening(tmp_path / "casino.db")
    play = Play(evening.night, "t1-000001")
    play.open()
    evening.clock.now_ms += 2 * HOUR_MS
    evening.end(play)
    assert evening.warnings() == []


def test_many_warnings_end_no_audit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A house that provokes as many as are listed cannot have what comes after them unread."""
    monkeypatch.setattr(pipeline, "MOST", {ERROR: 3, WARNING: 2, NOTE: 2})
    evening = Evening(tmp_path / "casino.db")
    for number in range(1, 6):
        play = Play(evening.night, f"t1-{number:06}")
        play.open()
        evening.clock.now_ms += 4 * HOUR_MS
        evening.end(play)
    evening.night.bank.close()
    without_guards(
        evening.path, sql("UPDATE account SET balance = balance + 1 WHERE name = 'wallet/ann'")
    )
    report = audit(FileSource(evening.path), workers=1)
    assert report.signed == report.leaves
    said = [str(one) for one in report.findings]
    assert sum("time jumps" in line for line in said) == 2
    assert any("wallet/ann holds" in line for line in said)
    assert "more: 3 more are not listed" in said
    assert not report.is_clean
