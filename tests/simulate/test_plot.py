"""What is drawn of a run is what was counted: heights of bars, the course, its confidence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from casino.ecarte import CHALLENGER, HOUSE, Laws
from casino.simulate import plot
from casino.simulate.chunks import RunJob, RunTotal, play_chunk
from casino.simulate.series import STEP_GAMES, Run
from casino.simulate.statistics import edge

RUN = Run(3 * STEP_GAMES + 5, 4, "regle", "novice", Laws(target=7))


@pytest.fixture(scope="module")
def total() -> RunTotal:
    job = RunJob(RUN)
    found = RunTotal(job)
    found.add(play_chunk(job, 0), 0.5)
    return found


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    pictures: list[Any] = []
    monkeypatch.setattr(plot, "_save", lambda picture, file: pictures.append(picture))
    return pictures


def heights(axes: Any) -> list[float]:
    """The heights of the bars, in the order in which they were drawn."""
    return [bar.get_height() for bar in axes.patches]


def test_the_bars_of_final_scores_are_their_shares(total: RunTotal, drawn: list[Any]) -> None:
    plot.draw_run(total, Path("x.svg"))
    axes = drawn[0].axes[0]
    finals = dict(total.counts.finals())
    names = [label.get_text() for label in axes.get_xticklabels()]
    assert names == [f"7–{lost}" for lost in range(7)] + [f"{won}–7" for won in range(6, -1, -1)]
    scores = [tuple(map(int, name.split("–"))) for name in names]
    assert heights(axes) == [finals.get((a, b), 0) / RUN.games for a, b in scores]
    assert sum(heights(axes)) == pytest.approx(1)


def test_the_bars_of_stakes_stand_on_each_other(total: RunTotal, drawn: list[Any]) -> None:
    plot.draw_run(total, Path("x.svg"))
    axes = drawn[0].axes[1]
    shares = [
        games / RUN.games for seat in (HOUSE, CHALLENGER) for games in total.counts.stakes(seat)
    ]
    assert heights(axes) == pytest.approx(shares)
    assert [bar.get_y() for bar in axes.patches] == pytest.approx([0, 0, 0, *shares[:3]])


def test_the_course_ends_at_the_edge(total: RunTotal, drawn: list[Any]) -> None:
    plot.draw_run(total, Path("x.svg"))
    axes = drawn[0].axes[2]
    line, last = axes.lines[:2]
    found = edge(total.counts, CHALLENGER)
    games, running = line.get_xdata(), line.get_ydata()
    assert list(games) == [STEP_GAMES, 2 * STEP_GAMES, 3 * STEP_GAMES, RUN.games]
    assert running[-1] == pytest.approx(found.value) == pytest.approx(last.get_ydata()[0])
    band = axes.collections[0].get_paths()[0].vertices
    at_end = [y for x, y in band if x == RUN.games]
    assert max(at_end) - min(at_end) == pytest.approx(2 * 1.96 * found.error)
