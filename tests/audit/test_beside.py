"""An audit, an export and a statement beside a casino that goes on: each tells one moment."""

from __future__ import annotations

from itertools import chain, islice
from pathlib import Path

from casino.audit import FileSource, audit
from casino.cli.verify.audit import decide_again
from casino.reports.export import export
from casino.reports.statement import statement
from tests.table.nights import Evening, plan


def evening_in_a_game(path: Path) -> Evening:
    evening = Evening(path, [plan(spectators=3)])
    for player in evening.croupier.names:
        evening.chips(player)
    evening.house.run_headless(2)
    evening.go(steps=12)
    assert evening.state.running is not None
    return evening


def test_an_audit_beside_a_running_casino_is_clean(tmp_path: Path) -> None:
    """What is written after the audit has begun is for the next one."""
    path = tmp_path / "casino.db"
    evening = evening_in_a_game(path)
    source = FileSource(path)
    size = source.size

    def meanwhile(_: int) -> None:
        evening.house.run_headless(2)
        evening.go(steps=12)

    report = audit(source, meanwhile, workers=1, decide=decide_again)
    evening.house.close()
    assert [one.text for one in report.findings if one.severity == "error"] == []
    assert report.leaves == size < FileSource(path).size


def test_an_export_beside_a_running_casino_tells_one_moment(tmp_path: Path) -> None:
    """The balances asserted are those that the entries make, though more are written meanwhile."""
    path = tmp_path / "casino.db"
    evening = evening_in_a_game(path)
    still = list(export(path, "hledger"))
    running = export(path, "hledger")
    begun = list(islice(running, 3))
    evening.house.run_headless(2)
    assert list(chain(begun, running)) == still
    evening.house.close()


def test_a_statement_beside_a_running_casino_adds_up(tmp_path: Path) -> None:
    path = tmp_path / "casino.db"
    evening = evening_in_a_game(path)
    told = statement(path, evening.croupier.names[0])
    evening.house.close()
    assert told.balance_cents == sum(change.cents for change in told.changes)
