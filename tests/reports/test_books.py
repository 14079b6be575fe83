"""Exports as other programs read them: complete, balanced, and with unusual names."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
from contextlib import closing
from pathlib import Path

import orjson
import pytest

from casino.chips import format_chips
from casino.ecarte import read_record, replay
from casino.fairness import verify
from casino.ledger.entries import as_entry
from casino.ledger.ledger import grant
from casino.ledger.storage.location import open_log
from casino.player_limits import DAY_MS
from casino.reports.export import (
    BEANCOUNT,
    HLEDGER,
    LedgerFormat,
    date_text,
    export,
    export_account,
)
from tests.ledger.game_simulator import GameSimulator, open_ledger, wait
from tests.reports.test_statement import balances_of
from tests.table.casino_harness import log_of


class Books:
    """Exports of a casino's file, and the balances that it stores."""

    def __init__(self, night: Path, folder: Path) -> None:
        self.files = {}
        for form, suffix in (("hledger", "journal"), ("beancount", "beancount")):
            self.files[form] = folder / f"night.{suffix}"
            self.files[form].write_text("".join(export(night, form)))
        self.balances = balances_of(night)

    def total(self, prefix: str) -> int:
        return sum(cents for name, cents in self.balances.items() if name.startswith(prefix))

    def says(self, form: str, *line: str) -> str:
        program = line[0]
        if shutil.which(program) is None:
            pytest.skip(f"{program} missing: apt-get install hledger ledger beancount")
        words = [str(self.files[form]) if word == "FILE" else word for word in line]
        result = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
        assert result.returncode == 0, result.stderr
        return result.stdout


@pytest.fixture(scope="module")
def books(played: Path, tmp_path_factory: pytest.TempPathFactory) -> Books:
    return Books(played, tmp_path_factory.mktemp("books"))


def amounts(text: str) -> list[str]:
    return re.findall(r"(-?[0-9]+\.[0-9]{2}) CHIP", text)


def test_hledger_balance_sheet_shows_issued_chips_and_liabilities(books: Books) -> None:
    issued, players = -books.total("treasury"), books.total("wallet/")
    escrow = books.total("escrow/")
    house, commission = books.total("house/bank"), books.total("house/commission")
    text = books.says("hledger", "hledger", "-f", "FILE", "bs", "--depth", "2")
    said = amounts(text)
    assert format_chips(issued) in said
    assert format_chips(players) in said
    assert format_chips(escrow) in said
    assert said[-1] == format_chips(issued - players - escrow) == format_chips(house + commission)
    assert "Liabilities:Players" in text
    assert "-" not in said[0]


def test_beancount_queries_show_accounts_games_and_players(books: Books) -> None:
    query = "SELECT account, sum(position) WHERE account ~ 'Income' GROUP BY account"
    sums = books.says("beancount", "bean-query", "FILE", query)
    assert amounts(sums) == [format_chips(-books.total("house/commission"))]
    query = "SELECT date, meta('player') AS player, position WHERE meta('game') = 't1-000001'"
    game = books.says("beancount", "bean-query", "FILE", query)
    assert "house" in game
    assert amounts(game)


ODD = ('say "hi"', "back\\slash", "a, b: c", "semi ; colon", "Zoë", "-", "x  y")


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A casino's file with two games in which people with unusual names bet."""
    path = tmp_path_factory.mktemp("odd") / "casino.db"
    bank = open_ledger(path)
    night = GameSimulator(bank, bettors=0)
    for name in ODD:
        wait(grant(bank, name, 1_000_000, f"open.{name}"))
    night.players = list(ODD)
    night.play_game()
    night.play_game("open")
    bank.close()
    return path


def test_csv_preserves_every_name_and_posting(odd: Path) -> None:
    rows = list(csv.DictReader(export(odd, "csv")))
    assert {f"wallet/{name}" for name in ODD} <= {row["account"] for row in rows}
    with closing(open_log(odd)) as log:
        leaves = {leaf.n: leaf for leaf in log.entry_leaves()}
    for row in rows:
        leaf = leaves[int(row["leaf"])]
        said = orjson.loads(leaf.body)
        assert (int(row["entry"]), int(row["at_ms"])) == (said["entry"], leaf.time)
        assert row["game"] == said.get("game", "")
    assert {"", "t1-000001", "t1-000002"} == {row["game"] for row in rows}
    entries = [as_entry(leaf.body) for leaf in leaves.values()]
    postings = [(entry.entry, *posting) for entry in entries for posting in entry.postings]
    assert [(int(row["entry"]), row["account"], int(row["cents"])) for row in rows] == postings


def test_a_balance_assertion_covers_all_games_of_a_table(odd: Path) -> None:
    account = export_account("escrow/t1-000001/ann", BEANCOUNT).account
    asserted = [line for line in export(odd, "beancount") if f" balance {account} " in line]
    held = sum(cents for name, cents in balances_of(odd).items() if name.startswith("escrow/"))
    assert held > 0
    assert asserted == [f"2023-11-15 balance {account}  {format_chips(-held)} ~ 0.001 CHIP\n"]


def test_l15_an_export_of_a_running_casino_ends_with_a_checkpoint(tmp_path: Path) -> None:
    bank = open_ledger(tmp_path / "casino.db")
    GameSimulator(bank).play_game("open")
    lines = [orjson.loads(line) for line in export(bank.path, "jsonl")]
    bank.close()
    leaves = sum("leaf" in line for line in lines)
    assert lines[-1]["checkpoint"].split("\n")[1] == str(leaves)


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("beancount", "bean-check FILE"),
        ("hledger", "hledger -f FILE check --strict ordereddates"),
        ("hledger", "ledger -f FILE --pedantic balance"),
    ],
)
def test_exports_pass_the_external_checkers(books: Books, form: str, line: str) -> None:
    books.says(form, *line.split())


def test_jsonl_holds_every_leaf_as_hashed(played: Path) -> None:
    lines = [orjson.loads(line) for line in export(played, "jsonl")]
    assert lines[0]["casino_log"] == 1
    assert [line["leaf"].encode() for line in lines if "leaf" in line] == log_of(played)
    size = 0
    for line in lines[1:]:
        if "checkpoint" in line:
            assert line["checkpoint"].split("\n")[1] == str(size)
        else:
            size += 1


def test_egr_holds_the_finished_games(played: Path) -> None:
    records = [read_record(line) for line in export(played, "egr")]
    assert len(records) == 4
    for record in records:
        verify(record)
        assert replay(record).winner is not None


def test_dates_follow_the_calendar() -> None:
    assert (date_text(11_017 * DAY_MS - 1), date_text(11_017 * DAY_MS)) == (
        "2000-02-29", "2000-03-01"
    )  # fmt: skip


@pytest.mark.parametrize("style", [BEANCOUNT, HLEDGER])
def test_different_names_export_to_different_accounts(style: LedgerFormat) -> None:
    names = ["ann", "Ann", "a-n", "a2dn", "a n", "ä", "X-61nn", "a.b", "a,b", "-61", "a\u00a0n"]
    accounts = [f"wallet/{name}" for name in names] + [f"escrow/{name}-000001/x" for name in names]
    accounts += ["treasury", "house/bank", "house/commission"]
    assert len({export_account(account, style).account for account in accounts}) == len(accounts)
    places = [export_account(account, style).account for account in accounts]
    assert all(part[:1].isupper() for place in places for part in place.split(":")[:2])
