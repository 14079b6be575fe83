"""The books a bookkeeper expects, as hledger, ledger and beancount show them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from casino.chips import format_chips
from casino.ledger.ledger import open_log
from casino.reports.export import export


class Books:
    """A night's books, and what the casino's own tables say they come to."""

    def __init__(self, night: Path, folder: Path) -> None:
        self.files = {}
        for form, suffix in (("hledger", "journal"), ("beancount", "beancount")):
            self.files[form] = folder / f"night.{suffix}"
            self.files[form].write_text("".join(export(night, form)))
        log = open_log(night)
        self.balances: dict[str, int] = log.balances()
        log.close()

    def total(self, prefix: str) -> int:
        """What the accounts of a kind hold, in cents."""
        return sum(cents for name, cents in self.balances.items() if name.startswith(prefix))

    def says(self, form: str, *line: str) -> str:
        """What an outside program prints; FILE is the book."""
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


def test_hledgers_balance_sheet_shows_what_was_issued_and_who_is_owed_it(books: Books) -> None:
    """Assets are the chips issued; players and escrow are owed; the rest is the house's."""
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


def test_hledgers_income_statement_shows_the_commission(books: Books) -> None:
    """Revenue is the commission, and nothing else."""
    text = books.says("hledger", "hledger", "-f", "FILE", "is")
    assert "Income:Commission" in text
    assert set(amounts(text)) == {format_chips(books.total("house/commission"))}


def test_ledger_balances_to_nothing(books: Books) -> None:
    """By ledger's own count all accounts sum to 0."""
    text = books.says("hledger", "ledger", "-f", "FILE", "--pedantic", "balance", "--depth", "1")
    assert text.strip().splitlines()[-1].strip() == "0"


def test_beancounts_queries_show_accounts_games_and_people(books: Books) -> None:
    """A balance by account, and the postings of one game by their metadata."""
    sums = books.says(
        "beancount",
        "bean-query",
        "FILE",
        "SELECT account, sum(position) WHERE account ~ 'Income' GROUP BY account",
    )
    assert amounts(sums) == [format_chips(-books.total("house/commission"))]
    game = books.says(
        "beancount",
        "bean-query",
        "FILE",
        "SELECT date, meta('player') AS player, position WHERE meta('game') = 't1-000001'",
    )
    assert "house" in game
    assert amounts(game)


def test_accounts_open_on_the_day_they_are_first_used(books: Books) -> None:
    """Not long before: who reads the book sees when somebody came."""
    text = books.files["beancount"].read_text()
    first_use: dict[str, str] = {}
    day = ""
    for line in text.splitlines():
        if match := re.match(r"([0-9-]{10}) \* ", line):
            day = match[1]
        elif match := re.match(r"  ([A-Z]\S+)  -?[0-9]", line):
            first_use.setdefault(match[1], day)
    opened = dict(re.findall(r"^([0-9-]{10}) open (\S+)", text, re.MULTILINE))
    assert {account: day for day, account in opened.items()}.items() <= first_use.items()
    assert set(re.findall(r" open (\S+)", text)) == set(first_use)


def test_names_are_read_as_they_are_written(books: Books) -> None:
    """Hledger shows a player by name; beancount keeps the name beside the account."""
    assert "Liabilities:Players:t1.p1 " in books.files["hledger"].read_text()
    assert '  player: "t1.p1"' in books.files["beancount"].read_text()
