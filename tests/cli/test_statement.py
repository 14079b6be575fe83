"""`casino statement` for a person: two tables and a sentence, and the picture of the balance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from casino.chips import format_chips
from casino.cli import main
from casino.reports.statement import Statement, statement


def printed(night: Path, player: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert main(["statement", player, "--db", str(night)]) == 0
    return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.split("│")[1:-1]]


@pytest.mark.parametrize("player", ["t1.p1", "t1.p4"])
def test_every_bet_and_every_change_has_a_line(
    played: Path, player: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told: Statement = statement(played, player)
    lines = [cells(line) for line in printed(played, player, capsys)]
    for bet in told.bets:
        amounts = [bet.unit_cents, bet.matched_cents, bet.gain_cents, bet.commission_cents]
        unit, matched, gain, fee = ["" if one is None else format_chips(one) for one in amounts]
        assert [bet.game, bet.side, unit, matched, bet.result, gain, fee] in lines
    for change in told.changes:
        cents = (change.cents, change.balance_cents)
        amounts_of = [format_chips(one) for one in cents]
        place = [str(change.entry), "2023-11-14", change.move, change.game]
        assert [*place, *amounts_of] in lines


def test_the_last_line_is_the_balance_and_what_games_hold(
    played: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = statement(played, "ann")
    assert told.escrow_cents == 3_000
    last = printed(played, "ann", capsys)[-1]
    assert last == f"ann: balance {format_chips(told.balance_cents)}, in games 30.00"


def test_the_picture_steps_through_every_balance(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pictures: list[Any] = []
    monkeypatch.setattr(Figure, "savefig", lambda self, file: pictures.append((self, file)))
    plot = tmp_path / "a.PNG"
    assert main(["statement", "t1.p2", "--db", str(played), "--plot", str(plot)]) == 0
    ((figure, file),) = pictures
    told = statement(played, "t1.p2")
    (axes,) = figure.axes
    (line,) = axes.lines
    assert file == plot
    assert list(line.get_xdata()) == [change.entry for change in told.changes]
    assert list(line.get_ydata()) == [change.balance_cents / 100 for change in told.changes]
    assert line.get_drawstyle() == "steps-post"
    assert axes.get_title() == "Balance of t1.p2"
