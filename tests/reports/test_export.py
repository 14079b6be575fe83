"""Exports: accepted by other people's programs when good, refused when bad in six ways."""

from __future__ import annotations

import csv
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from casino.chips import format_chips
from casino.cli.verify.export import FORMATS as COMMANDS_FORMATS
from casino.ecarte import read_record, replay
from casino.fairness import verify
from casino.ledger.entries import as_entry
from casino.ledger.ledger import open_log
from casino.ledger.storage import sqlite
from casino.reports.accounting_export import (
    BEANCOUNT,
    DAY_MS,
    HLEDGER,
    LedgerFormat,
    date_text,
    export_account,
)
from casino.reports.export import FORMATS, export

PROGRAMS: dict[str, tuple[str, list[list[str]]]] = {
    "bean-check": ("beancount", [["bean-check", "FILE"]]),
    "hledger": ("hledger", [["hledger", "-f", "FILE", "check", "--strict", "ordereddates"]]),
    "ledger": ("hledger", [["ledger", "-f", "FILE", "--pedantic", "balance"]]),
}
SUFFIX = {"beancount": "beancount", "hledger": "journal"}


def accepted(program: str, text: str, folder: Path) -> bool:
    """Whether an outside program takes an export; the test says so if the program is not here."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed: apt-get install beancount hledger ledger")
    form, commands = PROGRAMS[program]
    file = folder / f"export.{SUFFIX[form]}"
    file.write_text(text)
    for command in commands:
        line = [str(file) if word == "FILE" else word for word in command]
        if subprocess.run(line, capture_output=True, check=False, timeout=120).returncode:
            return False
    return True


def good(played: Path, program: str) -> str:
    return "".join(export(played, PROGRAMS[program][0]))


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_good_export_is_accepted(played: Path, tmp_path: Path, program: str) -> None:
    """bean-check, hledger in strict mode and ledger in pedantic mode find nothing."""
    assert accepted(program, good(played, program), tmp_path)


def changed_line(text: str, is_it: Callable[[str], bool], change: Callable[[str], str]) -> str:
    lines = text.split("\n")
    at = next(number for number, line in enumerate(lines) if is_it(line))
    lines[at] = change(lines[at])
    return "\n".join(lines)


def posting(line: str) -> bool:
    """Whether a line moves chips to a wallet."""
    return line.startswith("  ") and "Players" in line and "=" not in line


def assertion(line: str) -> bool:
    """Whether a line states a stored balance that is not 0."""
    return (" balance " in line or "=" in line) and "Players" in line


def declared(line: str) -> bool:
    return (" open " in line or line.startswith("account")) and "Players" in line


def more(line: str) -> str:
    head, dot, tail = line.removesuffix(" CHIP").replace(" ~ 0.001", "").rpartition(".")
    cents = f"{(int(tail[:2]) + 1) % 100:02d}"
    exact = " ~ 0.001" if "~" in line else ""
    return f"{head}{dot}{cents}{exact} CHIP"


BAD: dict[str, Callable[[str], str]] = {
    "a cent more in a posting": lambda text: changed_line(text, posting, more),
    "a stored balance a cent off": lambda text: changed_line(text, assertion, more),
    "an account not declared": lambda text: changed_line(text, declared, lambda _: ""),
    "another commodity": lambda text: changed_line(
        text, posting, lambda line: line.replace("CHIP", "COIN")
    ),
    "a posting left out": lambda text: changed_line(text, posting, lambda _: ""),
    "a date that is none": lambda text: text.replace("2023-11-14 *", "2023-13-14 *", 1),
}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("kind", BAD)
def test_a_bad_export_is_refused(played: Path, tmp_path: Path, program: str, kind: str) -> None:
    text = good(played, program)
    bad = BAD[kind](text)
    assert bad != text
    assert not accepted(program, bad, tmp_path)


def test_csv_holds_every_posting(played: Path) -> None:
    """The lines of the csv are the postings that the entries' leaves have."""
    lines = list(csv.DictReader(export(played, "csv")))
    log = open_log(played)
    entries = [as_entry(leaf.body) for leaf in log.leaves() if leaf.kind == "entry"]
    log.close()
    rows = [(entry.entry, *posting) for entry in entries for posting in entry.postings]
    assert [(int(x["entry"]), x["account"], int(x["cents"])) for x in lines] == rows
    assert {line["move"] for line in lines} == {"grant", "hold", "release", "settle", "void"}


def test_jsonl_holds_every_leaf_as_it_was_hashed(played: Path) -> None:
    """Key, leaves and checkpoints, each in its place."""
    lines = [orjson.loads(line) for line in export(played, "jsonl")]
    reader = sqlite.open_reader(played)
    bodies = [body for (body,) in reader.execute("SELECT body FROM leaf ORDER BY n")]
    reader.close()
    assert lines[0]["casino_log"] == 1
    assert [line["leaf"] for line in lines if "leaf" in line] == bodies
    size = 0
    for line in lines[1:]:
        if "checkpoint" in line:
            assert line["checkpoint"].split("\n")[1] == str(size)
        else:
            size += 1


def test_egr_holds_the_finished_games(played: Path) -> None:
    """Each record replays and is fair."""
    records = [read_record(line) for line in export(played, "egr")]
    assert len(records) == 4
    for record in records:
        verify(record)
        assert replay(record).winner is not None


def test_every_format_streams(played: Path) -> None:
    """An export can be left in the middle."""
    for form in FORMATS:
        lines = export(played, form)
        assert next(lines).endswith("\n")
        lines.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("style", [BEANCOUNT, HLEDGER])
def test_names_stay_different(style: LedgerFormat) -> None:
    """Different players and tables have different accounts in every program."""
    names = ["ann", "Ann", "a-n", "a2dn", "a n", "ä", "X-61nn", "a.b", "a,b", "-61", "a\u00a0n"]
    accounts = [f"wallet/{name}" for name in names] + [f"escrow/{name}-000001/x" for name in names]
    accounts += ["treasury", "house/bank", "house/commission"]
    assert len({export_account(account, style).account for account in accounts}) == len(accounts)
    places = [export_account(account, style).account for account in accounts]
    assert all(part[:1].isupper() for place in places for part in place.split(":")[:2])


def test_the_escrow_of_a_table_is_one_account() -> None:
    """Whose and for which game is said beside it."""
    ann, ben = (
        export_account("escrow/t1-000001/ann", HLEDGER),
        export_account("escrow/t1-000002/ben", HLEDGER),
    )
    assert ann.account == ben.account == "Liabilities:Escrow:t1"
    assert ann[1:] == ("t1-000001", "ann")
    assert ben[1:] == ("t1-000002", "ben")


@pytest.mark.parametrize(
    ("cents", "text"), [(0, "0.00"), (5, "0.05"), (-5, "-0.05"), (-12345, "-123.45"), (100, "1.00")]
)
def test_amounts_are_written_exactly(cents: int, text: str) -> None:
    """Cents become chips without a float."""
    assert format_chips(cents) == text


@pytest.mark.parametrize(
    ("day", "text"),
    [(0, "1970-01-01"), (59, "1970-03-01"), (11_016, "2000-02-29"), (11_017, "2000-03-01"),
     (19_675, "2023-11-14"), (20_088, "2024-12-31"), (47_540, "2100-02-28"),
     (47_541, "2100-03-01")],
)  # fmt: skip
def test_days_are_those_of_the_calendar(day: int, text: str) -> None:
    """Leap days, years' ends, and a century that has none; the whole day is that day."""
    assert date_text(day * DAY_MS) == text
    assert date_text((day + 1) * DAY_MS - 1) == text


def test_the_command_knows_every_format() -> None:
    """The list in the help, which loads nothing of the bank, is the list there is."""
    assert set(COMMANDS_FORMATS) == set(FORMATS)
