"""The benchmark of compiled games: its yardstick in C plays the same game, its table is whole."""

import shutil
import subprocess
from math import sqrt
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench import simulate
from bench._laps import speeds
from bench.simulate import ANCHOR, Engine, anchor
from casino.simulate.counts import DEALS, FIRST_DEALER_WINS, KINGS_MARKED, GameCounts
from casino.simulate.series import SERIES_GAMES, Run, play_series
from casino.simulate.statistics import per_deal, per_game, share

GAMES = 20 * SERIES_GAMES


def test_the_anchor_plays_the_same_game(tmp_path: Path) -> None:
    """Written apart from ours, in C: the first dealer's wins, deals and kings agree."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler cc")
    program = str(tmp_path / "anchor")
    subprocess.run([compiler, "-O2", "-Wall", "-Werror", "-o", program, str(ANCHOR)], check=True)
    said = subprocess.run([program, str(GAMES), "7"], check=True, capture_output=True, text=True)
    _, won, deals, kings = said.stdout.split()
    counts = sum((play_series(Run(GAMES), number).counts for number in range(20)), GameCounts())
    for theirs, ours in (
        (int(won) / GAMES, share(counts[FIRST_DEALER_WINS], GAMES)),
        (int(deals) / GAMES, per_game(counts, DEALS)),
        (int(kings) / int(deals), per_deal(counts, KINGS_MARKED)),
    ):
        assert abs(theirs - ours.value) < 4.5 * sqrt(2) * ours.error


def test_without_a_compiler_the_anchor_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run says so and goes on."""
    monkeypatch.setattr(shutil, "which", lambda _: None)
    said: list[str] = []
    with anchor(10, 60.0, said.append) as found:
        assert found == []
    assert said == ["left out: plain C: there is no compiler cc"]


def test_every_engine_has_its_turn_in_every_lap() -> None:
    """Speeds are games over seconds, lap by lap."""
    engines = [Engine("a", lambda: (10, 2.0), 1.0), Engine("b", lambda: (9, 3.0), 1.0)]
    assert speeds(engines, 3) == [[5.0] * 3, [3.0] * 3]


def test_the_table_has_our_rows_first() -> None:
    """A short run of the whole script; packages that are missing are named, not needed."""
    result = CliRunner().invoke(simulate.main, ["--laps", "1", "--seconds", "0.002"])
    assert result.exit_code == 0, result.output
    assert "Écarté compiled, regle" in result.output
    assert "Écarté compiled, novice" in result.output
