"""Names as people type them, in every book: nothing in a name can spoil a line of an export."""

from __future__ import annotations

import csv
import shutil
import subprocess
from pathlib import Path

import orjson
import pytest

from casino.chips import format_chips
from casino.ledger.ledger import grant, open_log
from casino.reports.accounting_export import BEANCOUNT, export_account
from casino.reports.export import export
from casino.reports.statement import statement
from tests.ledger.night import Night, open_bank
from tests.ledger.sealing import wait

ODD = ('say "hi"', "back\\slash", "a, b: c", "semi ; colon", "Zoë", "-", "x  y")


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A night at which people with odd names bet, and a day later one of them comes again."""
    path = tmp_path_factory.mktemp("odd") / "casino.db"
    bank = open_bank(path)
    night = Night(bank, bettors=0)
    for name in ODD:
        wait(grant(bank, name, 1_000_000, f"open.{name}"))
    night.players = list(ODD)
    night.play_game()
    night.play_game("open")
    bank.close()
    return path


def says(*line: str) -> str:
    """What an outside program prints."""
    if shutil.which(line[0]) is None:
        pytest.skip(f"{line[0]} missing: apt-get install hledger ledger beancount")
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def book(odd: Path, form: str, folder: Path) -> str:
    """An export in a file."""
    file = folder / f"odd.{form}"
    file.write_text("".join(export(odd, form)), "utf-8")
    return str(file)


def test_csv_reads_every_name_back(odd: Path) -> None:
    """Commas and quotation marks are quoted; each line says its game, its leaf and its time."""
    rows = list(csv.DictReader(export(odd, "csv")))
    assert {f"wallet/{name}" for name in ODD} <= {row["account"] for row in rows}
    log = open_log(odd)
    try:
        leaves = {leaf.n: leaf for leaf in log.entry_leaves()}
    finally:
        log.close()
    for row in rows:
        leaf = leaves[int(row["leaf"])]
        said = orjson.loads(leaf.body)
        assert (int(row["entry"]), int(row["at_ms"])) == (said["entry"], leaf.time)
        assert row["game"] == said.get("game", "")
    assert {"", "t1-000001", "t1-000002"} == {row["game"] for row in rows}


def test_beancount_shows_every_name_as_it_is(odd: Path, tmp_path: Path) -> None:
    """Beside the account that stands for it, and beside each posting of its bets."""
    file = book(odd, "beancount", tmp_path)
    says("bean-check", file)
    query = "SELECT DISTINCT meta('player') AS player WHERE meta('game') = 't1-000001'"
    printed = says("bean-query", "-f", "csv", file, query).splitlines()
    found = {row[0].strip() for row in csv.reader(printed[1:])}
    assert {name.strip() for name in ODD} <= found
    lines = Path(file).read_text("utf-8").splitlines()
    opened = [at for at, line in enumerate(lines) if " open Liabilities:Players:" in line]
    assert len(opened) == len(ODD) + 1
    assert all(lines[at + 1].startswith('  player: "') for at in opened)


def test_hledger_keeps_games_and_people_apart(odd: Path, tmp_path: Path) -> None:
    """A posting's tags name its game and its player, in which a comma would end the name."""
    file = book(odd, "hledger", tmp_path / ".")
    journal = ("hledger", "-f", f"{file}")
    assert set(says(*journal, "tags", "game", "--values").split()) == {"t1-000001", "t1-000002"}
    people = says(*journal, "tags", "player", "--values").splitlines()
    assert {"a  b: c", "ann", "house"} <= set(people)
    titles = says(*journal, "register", "desc:settle t1-000001")
    assert "settle t1-000001" in titles


def test_entries_are_known_by_their_numbers(odd: Path, tmp_path: Path) -> None:
    """In hledger the number is the code of a transaction, in beancount it stands below it."""
    numbers = [int(row["entry"]) for row in csv.DictReader(export(odd, "csv"))]
    codes = says("hledger", "-f", book(odd, "hledger", tmp_path), "codes").split()
    assert sorted(map(int, codes)) == sorted(set(numbers))
    query = "SELECT DISTINCT entry_meta('entry') AS entry"
    found = says("bean-query", "-f", "csv", book(odd, "beancount", tmp_path), query).split()[1:]
    assert sorted(map(int, map(float, found))) == sorted(set(numbers))


def test_a_table_with_two_games_has_one_escrow_in_every_assertion(odd: Path) -> None:
    """Stored balances are summed by table before they are asserted, a day after the last entry."""
    account = export_account("escrow/t1-000001/ann", BEANCOUNT).account
    asserted = [line for line in export(odd, "beancount") if f" balance {account} " in line]
    log = open_log(odd)
    try:
        held = sum(log.balances("escrow/").values())
    finally:
        log.close()
    assert held > 0
    assert asserted == [f"2023-11-15 balance {account}  {format_chips(-held)} ~ 0.001 CHIP\n"]


def test_jsonl_ends_with_a_signature_over_its_last_leaf(odd: Path) -> None:
    """No leaf is left unsigned, and the same signature is not written twice (L15)."""
    lines = [orjson.loads(line) for line in export(odd, "jsonl")]
    notes = [line["checkpoint"] for line in lines if "checkpoint" in line]
    leaves = sum("leaf" in line for line in lines)
    assert "checkpoint" in lines[-1]
    assert notes[-1].split("\n")[1] == str(leaves)
    sizes = [int(note.split("\n")[1]) for note in notes]
    assert sizes == sorted(set(sizes))


def test_l15_an_export_of_a_running_casino_ends_with_a_signature_too(night: Night) -> None:
    """In the middle of a game, where no checkpoint has been published over the last leaf."""
    night.play_game("open")
    lines = [orjson.loads(line) for line in export(night.bank.path, "jsonl")]
    leaves = sum("leaf" in line for line in lines)
    assert lines[-1]["checkpoint"].split("\n")[1] == str(leaves)


@pytest.mark.parametrize("name", ODD)
def test_a_statement_of_an_odd_name_is_its_own(odd: Path, name: str) -> None:
    """Two bets, one of them settled, and the chips that the open game holds."""
    told = statement(odd, name)
    assert [bet.game for bet in told.bets] == ["t1-000001", "t1-000002"]
    log = open_log(odd)
    try:
        assert told.escrow_cents == log.balance(f"escrow/t1-000002/{name}")
        assert told.balance_cents == log.balance(f"wallet/{name}")
    finally:
        log.close()
