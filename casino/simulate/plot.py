"""Plots of runs, sweeps and matches."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from matplotlib.figure import Figure as Picture
from matplotlib.ticker import EngFormatter, PercentFormatter

from casino.ecarte import CHALLENGER, HOUSE
from casino.simulate.match import MatchJob, MatchResult
from casino.simulate.report import percent
from casino.simulate.series import Run, RunTotal
from casino.simulate.statistics import STAKES, Estimate, GameCounts, edge, share
from casino.simulate.sweep import Settings

_COLOURS: Final = {HOUSE: "tab:red", CHALLENGER: "tab:blue"}
_NAMES: Final = {HOUSE: "the house wins", CHALLENGER: "the challenger wins"}
MIN_POINTS: Final = 4  # minimum number of points for a curve


def draw_run(total: RunTotal, file: Path) -> None:
    """Plot the final scores, the stakes and, unless the run is short, the running house edge."""
    run, counts = total.job.run, total.counts
    short = len(total.course) < MIN_POINTS
    picture = Picture(figsize=(11, 4.5 if short else 8), layout="constrained")
    grid = picture.add_gridspec(1 if short else 2, 3, hspace=0.08)
    _draw_finals(picture.add_subplot(grid[0, :2]), counts, run.laws.target)
    _draw_stakes(picture.add_subplot(grid[0, 2]), counts)
    if not short:
        _draw_running_edge(picture.add_subplot(grid[1, :]), total)
    won = share(counts.house_wins, counts.games)
    picture.suptitle(
        f"{counts.games:,} games, {run.house} as the house against {run.challenger}:\n"
        f"the house wins {percent(won)} of them (95 % confidence)",
        fontsize="x-large",
    )
    _save(picture, file)


def draw_sweep(run: Run, rows: Sequence[tuple[Settings, GameCounts]], file: Path) -> None:
    """Plot the house edge in each run of a sweep, with one panel per value of the first key."""
    panels: dict[str, list[tuple[str, Estimate]]] = {}
    for settings, counts in rows:
        first, *others = [f"{k.removeprefix('law.')} {value}" for k, value in settings.items()]
        panel, name = (first, ", ".join(others)) if others else ("", first)
        panels.setdefault(panel, []).append((name, edge(counts, CHALLENGER)))
    sizes = [len(points) for points in panels.values()]
    picture = Picture(figsize=(9, 1.5 + 0.6 * len(rows) + 0.5 * len(panels)), layout="constrained")
    grid = picture.subplots(len(panels), sharex=True, squeeze=False, height_ratios=sizes)
    for axes, (panel, points) in zip(grid[:, 0], panels.items(), strict=True):
        _draw_estimates(axes, points, "+.2f", 0)
        axes.set_title(panel, loc="left")
    grid[-1, 0].set_xlabel("what the house keeps of a unit staked against it, ± 95 % confidence")
    bots = {"house": run.house, "challenger": run.challenger}
    fixed = "".join(f"{seat} {bot}, " for seat, bot in bots.items() if seat not in rows[0][0])
    picture.suptitle(f"{fixed}{rows[0][1].games:,} games for each setting")
    _save(picture, file)


def _draw_estimates(
    axes: Any, points: Sequence[tuple[str, Estimate]], form: str, even: float
) -> None:
    """Draw a row for each estimate, with its margin, and a line where neither side is ahead."""
    figures = [figure for _, figure in points]
    values, margins = [figure.value for figure in figures], [figure.margin for figure in figures]
    style = {"fmt": "|", "markersize": 14, "elinewidth": 4, "color": _COLOURS[HOUSE]}
    axes.errorbar(values, range(len(points)), xerr=margins, **style)
    for row, figure in enumerate(figures):
        text = percent(figure, form)
        axes.annotate(
            text, (figure.value, row), (0, 9), textcoords="offset points", ha="center", size="small"
        )
    axes.set_yticks(range(len(points)), [name for name, _ in points])
    axes.set_ylim(len(points) - 0.4, -0.8)
    axes.margins(x=0.12)
    axes.axvline(even, color="black", linewidth=0.8)
    axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x", alpha=0.3)


def draw_match(match: MatchJob, course: Sequence[MatchResult], file: Path) -> None:
    """Plot the first bot's win rate over the games played, or by seat if the match is short."""
    short = len(course) < MIN_POINTS
    picture = Picture(figsize=(9, 2.7 if short else 5), layout="constrained")
    axes = picture.add_subplot()
    if short:
        seats = zip(("as the house", "as the challenger"), course[-1].by_seat, strict=True)
        _draw_estimates(axes, list(seats), ".2f", 0.5)
        axes.set_xlabel(f"games that {match.first} wins, ± 95 % confidence")
    else:
        _draw_running_share(axes, match.first, course)
    won, (low, high) = course[-1].win_rate.value, course[-1].interval
    picture.suptitle(
        f"{match.first} wins {100 * won:.2f} % ({100 * low:.2f} to {100 * high:.2f} %) of "
        f"{course[-1].games:,} games against {match.second}"
    )
    _save(picture, file)


def _draw_running_share(axes: Any, bot: str, course: Sequence[MatchResult]) -> None:
    games = np.array([result.games for result in course])
    won = np.array([result.win_rate.value for result in course])
    low, high = np.array([result.interval for result in course]).T
    _draw_course(axes, games, won, low, high, f"{bot} wins")
    # Early intervals are wide: scale the axis to the last one, even if 50 % then falls outside.
    reach = 4 * (high[-1] - low[-1])
    axes.set_ylim(max(0.0, low[-1] - reach), min(1.0, high[-1] + reach))
    axes.axhline(0.5, color="black", linewidth=0.8)
    axes.set_xlabel("games played, each deal from both seats")
    axes.legend(frameon=False)


def _draw_course(axes: Any, games: Any, values: Any, low: Any, high: Any, label: str) -> None:
    axes.fill_between(games, low, high, alpha=0.25, label="95 % confidence")
    axes.plot(games, values, marker="." if len(games) < 40 else None, label=label)
    axes.xaxis.set_major_formatter(EngFormatter())
    axes.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.3)


def _draw_finals(axes: Any, counts: GameCounts, target: int) -> None:
    scores = [(target, points) for points in range(target)]
    scores += [(points, target) for points in reversed(range(target))]
    finals = dict(counts.finals())
    bars = axes.bar(
        [f"{house}–{challenger}" for house, challenger in scores],
        [finals.get(score, 0) / max(1, counts.games) for score in scores],
        color=[_COLOURS[HOUSE if house == target else CHALLENGER] for house, _ in scores],
    )
    axes.bar_label(bars, fmt=lambda value: f"{100 * value:.1f} %", fontsize="small")
    _strip(axes, "final scores, the house's points first")


def _draw_stakes(axes: Any, counts: GameCounts) -> None:
    below = np.zeros(3)
    for seat in (HOUSE, CHALLENGER):
        shares = np.array(counts.stakes(seat)) / max(1, counts.games)
        style = {"color": _COLOURS[seat], "label": _NAMES[seat]}
        bars = axes.bar(STAKES, shares, bottom=below, **style)
        labels = [f"{100 * value:.1f} %" for value in shares]
        axes.bar_label(bars, labels, label_type="center", color="white", fontsize="small")
        below += shares
    axes.margins(y=0.2)
    axes.legend(frameon=False)
    _strip(axes, "stakes")


def _strip(axes: Any, title: str) -> None:
    axes.set_title(title, pad=14)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.set_yticks([])


def _draw_running_edge(axes: Any, total: RunTotal) -> None:
    games = np.arange(1, len(total.course) + 1) * total.piece_games
    games = np.minimum(games, total.counts.games)
    running = np.cumsum(np.array(total.course, float)) / games
    last = edge(total.counts, CHALLENGER)
    band = last.margin * np.sqrt(total.counts.games / games)
    _draw_course(axes, games, running, running - band, running + band, "running edge")
    axes.axhline(last.value, linestyle=":", color="gray")
    axes.legend(frameon=False)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xlabel("games played")
    axes.set_title("what the house keeps of a unit staked against it, without commission")


def _save(picture: Picture, file: Path) -> None:
    picture.savefig(file, format=file.suffix[1:].lower(), dpi=120)
