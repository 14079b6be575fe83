"""What a person reads, written where no person reads it: no line is broken."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.table import Table

from casino.cli.output import make_console

LONG = "a sentence of many words " * 20


@pytest.mark.parametrize("columns", ["40", None])
def test_a_line_into_a_pipe_is_one_line(
    columns: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    out = StringIO()
    make_console(out).print(LONG)
    assert out.getvalue() == LONG + "\n"


def test_a_table_into_a_pipe_is_as_wide_as_it_needs() -> None:
    out = StringIO()
    table = Table(box=None)
    table.add_column("what")
    table.add_row(LONG)
    make_console(out).print(table)
    lines = [line.strip() for line in out.getvalue().splitlines()]
    assert lines == ["what", LONG.strip()]
    assert max(map(len, out.getvalue().splitlines())) < 2 * len(LONG)
