"""Reports of a run or a sweep: text tables, and a run as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from rich.table import Column, Table

from casino.ecarte import CHALLENGER, HOUSE, Laws, laws_json
from casino.simulate.series import Run
from casino.simulate.statistics import (
    MIN_SPREAD_GAMES,
    STAKES,
    Estimate,
    Event,
    GameCounts,
    edge,
    figures,
    per_game,
    share,
)
from casino.simulate.sweep import Settings

_right = partial(Column, justify="right")


def headline(run: Run, counts: GameCounts, seconds: float) -> str:
    """Return a paragraph that summarises a run: the bots, the laws, the result and the speed."""
    usual = laws_json(Laws())
    other = {name: value for name, value in laws_json(run.laws).items() if value != usual[name]}
    laws = "".join(f", {name} {value}" for name, value in other.items())
    games = counts.games
    speed = f" in {seconds:.1f} s ({games / seconds:,.0f} games/s)" if seconds else ""
    won = share(counts.house_wins, games)
    kept = edge(counts, CHALLENGER)
    doubt = ", unreliable for so few games" if games < MIN_SPREAD_GAMES else ""
    return (
        f"{games:,} of {run.games:,} games{speed}: {run.house} as the house against "
        f"{run.challenger}, seed {run.seed}{laws}.\n"
        f"The house wins [bold]{percent(won)}[/bold] of the games and "
        f"[bold]{percent(kept, '+.2f')}[/bold] of each unit staked against it "
        f"(± is the 95 % confidence interval{doubt})."
    )


def figures_table(counts: GameCounts, commission_bp: int) -> Table:
    """Return a table of all figures with their counts and, given enough games, 95 % margins."""
    table = Table("", *map(_right, ("number", "figure", "± 95 %")), box=None)
    for name, number, figure in figures(counts, commission_bp):
        margin = f"{figure.margin:.5f}" if counts.games >= MIN_SPREAD_GAMES else "–"
        count = "" if number is None else f"{number:,}"
        table.add_row(name, count, f"{figure.value:.5f}", margin)
    return table


def finals_table(counts: GameCounts) -> Table:
    """Return a table of final scores as percentages of all games."""
    finals = dict(counts.finals())
    target = max((max(score) for score in finals), default=0)
    columns = map(_right, map(str, range(target)))
    table = Table("the loser has", *columns, box=None, title="Final scores, % of the games")
    rows = {
        "the house wins": [(target, points) for points in range(target)],
        "the challenger wins": [(points, target) for points in range(target)],
    }
    for name, scores in rows.items():
        table.add_row(name, *(f"{100 * finals.get(s, 0) / counts.games:.2f}" for s in scores))
    return table


def sweep_table(rows: Sequence[tuple[Settings, GameCounts]], commission_bp: int) -> Table:
    """Return a table with one row per run of a sweep. Long setting names wrap."""
    table = Table(box=None, caption="± is the 95 % confidence interval.")
    for key in rows[0][0]:
        longest = max(len(settings[key]) for settings, _ in rows)
        table.add_column(key, min_width=max(longest, 7), overflow="fold")
    paid = f"with {commission_bp / 100:g} %"
    for name in ("house wins", "house edge", paid, "deals", "1-2-3 × %"):
        table.add_column(name, justify="right", no_wrap=True)
    for settings, counts in rows:
        stakes = counts.stakes(HOUSE, CHALLENGER)
        shares = (100 * share(number, counts.games).value for number in stakes)
        table.add_row(
            *settings.values(),
            percent(share(counts.house_wins, counts.games)),
            percent(edge(counts, CHALLENGER), "+.2f"),
            f"{100 * edge(counts, CHALLENGER, commission_bp).value:+.2f} %",
            f"{per_game(counts, Event.DEALS).value:.2f}",
            "-".join(f"{part:.0f}" for part in shares),
        )
    return table


def number(figure: Estimate, style: str) -> str:
    """Return an estimate with its 95 % margin, both in a style such as `.2f`."""
    # "z" turns -0.00 into 0.00.
    return f"{figure.value:{style.replace('.', 'z.')}} ± {figure.margin:{style.lstrip('+')}}"


def percent(figure: Estimate, style: str = ".2f") -> str:
    """Format a share as a percentage with its 95 % margin of error."""
    return number(Estimate(100 * figure.value, 100 * figure.error), style) + " %"


def as_json(run: Run, counts: GameCounts, commission_bp: int, seconds: float) -> dict[str, Any]:
    """Return a run's counts and figures as JSON values."""
    return {
        "games": counts.games,
        "seed": run.seed,
        "house": run.house,
        "challenger": run.challenger,
        "laws": laws_json(run.laws),
        "house_wins": counts.house_wins,
        "challenger_wins": counts.challenger_wins,
        **dict(zip(STAKES, counts.stakes(HOUSE, CHALLENGER), strict=True)),
        **{event.name.lower(): counts[event] for event in Event},
        "exchanges_per_deal": list(counts.exchanges),
        "final_scores": {f"{a}-{b}": games for (a, b), games in sorted(counts.finals())},
        "stake_points_house": counts.stake_points_house,
        "seconds": round(seconds, 6),
        "games_per_second": round(counts.games / seconds, 1) if seconds else 0.0,
        "commission_bp": commission_bp,
        "house_edge": edge(counts, CHALLENGER).json(),
        "house_edge_with_commission": edge(counts, CHALLENGER, commission_bp).json(),
        "figures": {name: figure.json() for name, _, figure in figures(counts, commission_bp)},
    }
