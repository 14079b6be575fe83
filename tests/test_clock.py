"""The time of a running casino never goes back, and jumps ahead only if that is accepted."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from casino.cli import main
from casino.clock import MAX_JUMP_MS, MonotonicClock, wall_ms
from casino.ledger.ledger import Ledger
from tests.table.casino_harness import log_of

HOUR_MS = 3_600_000


class ManualClocks:
    """A wall clock and a monotonic clock, both moved by the test, and the messages about them."""

    def __init__(self, *, accept: bool = False) -> None:
        self.wall = 10 * HOUR_MS
        self.ran = 5
        self.said: list[str] = []
        self.now = MonotonicClock(
            lambda: self.wall, lambda: self.ran, self.said.append, accept=accept
        )

    def go(self, real_ms: int, shown_ms: int | None = None) -> int:
        """Advance both clocks; return the casino's time since the start."""
        self.ran += real_ms
        self.wall += real_ms if shown_ms is None else shown_ms
        return self.now() - 10 * HOUR_MS


def test_l20_time_follows_a_correct_clock() -> None:
    hands = ManualClocks()
    assert hands.go(1_000) == 1_000
    assert hands.go(1_000, 1_500) == 2_500
    assert hands.go(1_000, 500) == 3_000
    for _ in range(100):
        hands.go(HOUR_MS, HOUR_MS + MAX_JUMP_MS)
    assert hands.go(0) == 3_000 + 100 * (HOUR_MS + MAX_JUMP_MS)
    assert hands.said == []


def test_l20_time_pauses_while_the_clock_is_slightly_behind() -> None:
    hands = ManualClocks()
    assert hands.go(0, -MAX_JUMP_MS) == 0
    assert hands.go(MAX_JUMP_MS // 2) == 0
    assert len(hands.said) == 1
    assert "60 s behind the log: time stands still" in hands.said[0]
    assert hands.go(MAX_JUMP_MS // 2 + 7) == 7
    assert hands.said[1:] == ["The clock has caught up with the log: time goes on."]


def test_l20_time_continues_while_the_clock_is_far_behind() -> None:
    hands = ManualClocks()
    assert hands.go(5, -2 * HOUR_MS) == 5
    assert hands.go(HOUR_MS) == HOUR_MS + 5
    assert len(hands.said) == 1
    assert "7200 s behind the log: time runs on" in hands.said[0]
    assert hands.go(10, 15 + 2 * HOUR_MS) == HOUR_MS + 15
    assert hands.said[1:] == ["The clock is right again."]


def test_l20_a_log_that_is_days_ahead_does_not_freeze_time() -> None:
    hands = ManualClocks()
    hands.now.hold(100 * HOUR_MS)
    assert "324000 s behind the log: time runs on" in hands.said[0]
    assert hands.go(1_000) == 90 * HOUR_MS + 1_000
    assert hands.go(HOUR_MS) == 91 * HOUR_MS + 1_000
    assert len(hands.said) == 1


def test_l20_a_jump_ahead_is_refused_until_the_clock_is_right() -> None:
    hands = ManualClocks()
    assert hands.go(10, 10 + MAX_JUMP_MS) == 10 + MAX_JUMP_MS
    assert hands.go(10, 11 + MAX_JUMP_MS) == 20 + MAX_JUMP_MS
    assert hands.go(HOUR_MS) == HOUR_MS + 20 + MAX_JUMP_MS
    assert len(hands.said) == 1
    assert "jumped ahead by 60 s, which is refused" in hands.said[0]
    assert "--accept-clock" in hands.said[0]
    assert hands.go(5, 4 - MAX_JUMP_MS) == HOUR_MS + 25 + MAX_JUMP_MS
    assert hands.said[1] == "The clock is right again."


def test_l20_a_jump_ahead_can_be_accepted() -> None:
    hands = ManualClocks(accept=True)
    assert hands.go(0, HOUR_MS) == HOUR_MS
    assert hands.go(7) == HOUR_MS + 7
    assert hands.said == ["The clock jumped ahead by 3600 s, which is accepted."]


def test_l20_time_does_not_go_back_after_a_log_from_the_future(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "casino.db"
    Ledger(path, lambda: wall_ms() + 2 * HOUR_MS).close()
    assert main(["run", "--headless", "--games", "1", "--db", str(path)]) == 0
    assert "s behind the log: time runs on" in capsys.readouterr().err
    times = [orjson.loads(body)["at"] for body in log_of(path)]
    assert times == sorted(times)
    assert main(["audit", "--db", str(path)]) == 0
