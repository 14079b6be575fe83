"""Reports and plots of a run."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table

from casino.ecarte import CHALLENGER, HOUSE, Laws
from casino.simulate import plot, report
from casino.simulate.match import MatchJob, MatchResult
from casino.simulate.plot import draw_match, draw_run, draw_sweep
from casino.simulate.series import STEP_GAMES, Run, RunJob, RunTotal
from casino.simulate.statistics import Estimate, GameCounts, edge
from casino.simulate.sweep import sweep
from tests.simulate.test_run_files import played


def total_of(run: Run) -> RunTotal:
    return played(RunJob(run, width=1))


def shown(*things: str | Table, width: int = 120) -> str:
    console = Console(file=StringIO(), width=width)
    console.print(*things)
    file = console.file
    assert isinstance(file, StringIO)
    return file.getvalue()


def rows() -> list[tuple[dict[str, str], GameCounts]]:
    given = ["law.vole_unexchanged=1,2", "house=regle,novice"]
    return [(dict(s), total_of(run).counts) for s, run in sweep(Run(600), given)]


@pytest.mark.parametrize("width", [80, 120])
def test_sweep_table_has_a_row_for_each_run(width: int) -> None:
    said = shown(report.sweep_table(rows(), 500), width=width)
    *lines, caption = [line for line in said.splitlines() if "±" in line]
    assert [line.split()[:2] for line in lines] == [
        ["1", "regle"],
        ["1", "novice"],
        ["2", "regle"],
        ["2", "novice"],
    ]
    assert "…" not in said and caption.strip() == "± is the 95 % confidence interval."
    assert all(line.count("±") == 2 and line.count("%") == 3 for line in lines)


def text_of(file: Path) -> str:
    """Return the text of a well-formed SVG, which matplotlib writes as comments."""
    assert ET.parse(file).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    return "\n".join(re.findall(r"<!-- (.*?) -->", file.read_text("utf-8")))


@pytest.mark.parametrize("run", [Run(30_000), Run(1, 2), Run(700, laws=Laws(target=11))])
def test_run_plot_is_valid_svg(run: Run, tmp_path: Path) -> None:
    draw_run(total_of(run), tmp_path / "run.svg")
    text = text_of(tmp_path / "run.svg")
    target = run.laws.target
    for said in ("single", "triple", "95 % confidence", f"{target}–0", f"0–{target}"):
        assert said in text
    curve = ("what the house keeps of a unit staked against it", "running edge", "games played")
    assert [said in text for said in curve] == [run.games == 30_000] * 3


def test_sweep_plot_is_valid_svg(tmp_path: Path) -> None:
    draw_sweep(Run(600), rows(), tmp_path / "sweep.svg")
    text = text_of(tmp_path / "sweep.svg")
    assert "vole_unexchanged 2" in text and "house novice" in text
    assert "600 games for each setting" in text


def test_a_short_match_is_drawn_by_seats_and_a_long_one_by_its_course(tmp_path: Path) -> None:
    short, file = MatchJob("regle", "novice", 100, 5), tmp_path / "match.svg"
    draw_match(short, [short.play(0)], file)
    text = text_of(file)
    assert "as the house" in text and "as the challenger" in text and "games played" not in text
    assert "of 200 games against novice" in text
    sums = MatchResult()
    course = [sums := sums.plus(short.play(0)) for _ in range(4)]
    draw_match(short, course, file)
    assert "games played, each deal from both seats" in text_of(file)


def test_no_figure_is_less_than_nothing_by_rounding() -> None:
    assert report.percent(Estimate(-0.00001, 0.001), "+.2f") == "+0.00 ± 0.20 %"


RUN = Run(3 * STEP_GAMES + 5, 4, "regle", "novice", Laws(target=7))


@pytest.fixture(scope="module")
def total() -> RunTotal:
    return total_of(RUN)


@pytest.fixture
def axes(total: RunTotal, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The three plots of a run: final scores, stakes, running edge."""
    pictures: list[Any] = []
    monkeypatch.setattr(plot, "_save", lambda picture, file: pictures.append(picture))
    plot.draw_run(total, Path("x.svg"))
    return pictures[0].axes


def heights(axes: Any) -> list[float]:
    """Return the heights of the bars, in drawing order."""
    return [bar.get_height() for bar in axes.patches]


def test_final_score_bars_are_shares(total: RunTotal, axes: Any) -> None:
    finals = dict(total.counts.finals())
    names = [label.get_text() for label in axes[0].get_xticklabels()]
    assert names == [f"7–{lost}" for lost in range(7)] + [f"{won}–7" for won in range(6, -1, -1)]
    scores = [tuple(map(int, name.split("–"))) for name in names]
    assert heights(axes[0]) == [finals.get((a, b), 0) / RUN.games for a, b in scores]
    assert sum(heights(axes[0])) == pytest.approx(1)


def test_stake_bars_are_stacked(total: RunTotal, axes: Any) -> None:
    shares = [
        games / RUN.games for seat in (HOUSE, CHALLENGER) for games in total.counts.stakes(seat)
    ]
    assert heights(axes[1]) == pytest.approx(shares)
    assert [bar.get_y() for bar in axes[1].patches] == pytest.approx([0, 0, 0, *shares[:3]])


def test_running_edge_ends_at_the_edge(total: RunTotal, axes: Any) -> None:
    line, last = axes[2].lines[:2]
    found = edge(total.counts, CHALLENGER)
    games, running = line.get_xdata(), line.get_ydata()
    assert list(games) == [STEP_GAMES, 2 * STEP_GAMES, 3 * STEP_GAMES, RUN.games]
    assert running[-1] == pytest.approx(found.value) == pytest.approx(last.get_ydata()[0])
    band = axes[2].collections[0].get_paths()[0].vertices
    at_end = [y for x, y in band if x == RUN.games]
    assert max(at_end) - min(at_end) == pytest.approx(2 * 1.96 * found.error)
