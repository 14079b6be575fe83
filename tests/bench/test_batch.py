"""The benchmark of batches: its table is whole, what is missing is named, all take turns."""

import pytest
from click.testing import CliRunner

from bench import batch
from bench._laps import speeds
from bench.batch import CONTENDERS, Contender, Row, ready


def test_the_table_has_our_rows_first() -> None:
    """A short run of the whole script; packages that are missing are named, not needed."""
    result = CliRunner().invoke(batch.main, ["--laps", "1", "--seconds", "0.002"])
    assert result.exit_code == 0, result.output
    rows = [line for line in result.output.splitlines() if line.startswith("Écarté batch")]
    assert [row.split()[2] for row in rows[:2]] == ["no", "yes"]
    for one in CONTENDERS:
        assert one.name in result.output


def test_threads_are_compared_from_one_to_all_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """One, two, four and so on up to what the machine has, each with its decisions a second."""
    monkeypatch.setattr("os.cpu_count", lambda: 6)
    found = batch.scaling(1, 0.001, 3)
    assert [threads for threads, _ in found] == [1, 2, 4]
    assert all(rate > 0 for _, rate in found)


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rival whose package is not there costs its own row."""

    def load(_seconds: float, _seed: int) -> None:
        raise ImportError("no such thing")

    rival = Contender("whist", "whist_engine", True, load)  # type: ignore[arg-type]
    monkeypatch.setattr(batch, "CONTENDERS", (rival,))
    said: list[str] = []
    assert ready(0.1, 1, said.append) == []
    assert said == ["left out: whist: whist_engine cannot be imported (no such thing)"]


def test_every_engine_has_its_turn_in_every_lap() -> None:
    """Speeds are decisions over seconds, lap by lap."""
    rows = [Row(CONTENDERS[0], lambda: (10, 2.0)), Row(CONTENDERS[1], lambda: (9, 3.0))]
    assert speeds(rows, 3) == [[5.0] * 3, [3.0] * 3]


def test_our_lap_counts_every_decision_of_every_game() -> None:
    """So many steps of so many games."""
    decisions, seconds = CONTENDERS[1].load(0.001, 3)()
    assert decisions % batch.GAMES == 0 and decisions > 0 and seconds > 0
