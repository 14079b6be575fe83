"""Export the ledger and the log as beancount, hledger, csv, jsonl or egr.

In double-entry bookkeeping (beancount, and hledger or ledger) a player's chips are a debt of the
casino: chips issued are an asset, wallets and escrow are liabilities, the house's bank is equity,
and commission is income. These programs write a credit as a negative amount, so all signs are
reversed. Each table has one escrow account, whose postings name the player and the game. Postings
come from the leaves but balance assertions from the stored balances, so that these programs compare
the two.

Lines are generated one by one, so memory use does not grow with the log.

>>> export_account("escrow/t1-000001/Zoë", HLEDGER)
PostingAccount(account='Liabilities:Escrow:t1', game='t1-000001', player='Zoë')
>>> export_account("wallet/Zoë", BEANCOUNT).account
'Liabilities:Players:X-Zo-c3-ab'
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from casino.chips import format_chips
from casino.ecarte import record_json
from casino.events.game_record import finished_game, record_of
from casino.events.types import decode
from casino.ledger.accounts import COMMISSION, HOUSE_BANK, TREASURY
from casino.ledger.entries import Entry, as_entry, join_entries
from casino.ledger.log_reader import LogReader
from casino.ledger.storage.location import LogLocation, open_log


def export(where: Path | LogLocation, form: str) -> Iterator[str]:
    """Yield the lines of a log's export in the format `form`, a key of `FORMATS`."""
    # Read leaves and balances as of one moment, although the casino may keep writing.
    with closing(open_log(where)) as log, log.snapshot():
        for line in FORMATS[form](log):
            yield line + "\n"


def csv(log: LogReader) -> Iterator[str]:
    """Yield a CSV header, then one line for each posting."""
    yield "entry,leaf,at_ms,move,game,account,cents"
    for stored in log.entry_leaves():
        leaf = msgspec.json.decode(stored.body)
        for account, cents in leaf["postings"]:
            fields = (leaf["entry"], stored.n, leaf["at"], leaf["move"], leaf.get("game", ""))
            yield ",".join([*map(str, fields), _quoted(account), str(cents)])


def jsonl(log: LogReader) -> Iterator[str]:
    """Yield the log's identity, each leaf as hashed, and each checkpoint after its last leaf."""
    yield _json({"casino_log": 1, **log.identity()})
    checkpoints = log.checkpoints()
    checkpoint = next(checkpoints, None)
    signed = 0
    for leaf in log.leaves():
        yield _json({"n": leaf.n, "leaf": leaf.body.decode()})
        while checkpoint is not None and checkpoint.size == leaf.n + 1:
            signed = checkpoint.size
            yield _json({"checkpoint": checkpoint.note})
            checkpoint = next(checkpoints, None)
    newest = log.signed_head()
    if newest is not None and newest.size != signed:
        yield _json({"checkpoint": newest.note})


def egr(log: LogReader) -> Iterator[str]:
    """Yield the finished games as records, including their fairness data."""
    terms = [decode(leaf.body) for leaf in log.of_kinds(["terms"])]
    for leaf in log.of_kinds(["game_over"]):
        events = (decode(row.body) for row in log.of_subject(leaf.subject or ""))
        game = finished_game(events, terms)
        assert game is not None
        yield _json(record_json(record_of(game)))


def _entries(log: LogReader) -> Iterator[Entry]:
    return join_entries(as_entry(stored.body) for stored in log.entry_leaves())


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\r\n') else text


def _json(value: dict[str, Any]) -> str:
    return msgspec.json.encode(value).decode()


CHIP: Final = "CHIP"
_FIXED: Final = {
    TREASURY: "Assets:Treasury",
    HOUSE_BANK: "Equity:House",
    COMMISSION: "Income:Commission",
}


class PostingAccount(NamedTuple):
    """An exported account, with the game and player that its posting concerns (empty if none)."""

    account: str
    game: str = ""
    player: str = ""


def beancount(log: LogReader) -> Iterator[str]:
    """Yield the lines of a ledger that bean-check accepts; accounts open on their first use."""
    yield 'option "title" "The casino\'s ledger"'
    yield f'option "operating_currency" "{CHIP}"'
    opened: set[str] = set()
    at = 0
    for entry in _entries(log):
        at = entry.at
        day = date_text(at)
        if not opened:
            yield f"{day} commodity {CHIP}"
        places = [(export_account(account, BEANCOUNT), cents) for account, cents in entry.postings]
        for account_name, _ in places:
            if account_name.account not in opened:
                opened.add(account_name.account)
                yield f"{day} open {account_name.account} {CHIP}"
                if account_name.account.startswith("Liabilities:Players:"):
                    yield f"  player: {_string(account_name.player)}"
        yield ""
        yield f"{day} * {_string(_title(entry))}"
        yield f"  entry: {entry.entry}"
        for account_name, cents in places:
            yield f"  {account_name.account}  {format_chips(-cents)} {CHIP}"
            if account_name.game:
                yield f"    game: {_string(account_name.game)}"
                yield f"    player: {_string(account_name.player)}"
    yield ""
    for account, cents in _summed(log, BEANCOUNT):
        if account in opened:
            # beancount's default tolerance would accept a balance that is a cent off.
            day = date_text(at, later_days=1)
            yield f"{day} balance {account}  {format_chips(-cents)} ~ 0.001 {CHIP}"


def hledger(log: LogReader) -> Iterator[str]:
    """Yield the lines of a journal that hledger and ledger accept."""
    yield f"commodity {CHIP}"
    yield f"    format 1000.00 {CHIP}"
    yield "tag game"
    yield "tag player"
    declared: set[str] = set()
    at = 0
    for entry in _entries(log):
        at = entry.at
        places = [(export_account(account, HLEDGER), cents) for account, cents in entry.postings]
        for account_name, _ in places:
            if account_name.account not in declared:
                declared.add(account_name.account)
                yield f"account {account_name.account}"
        yield ""
        yield f"{date_text(at)} * ({entry.entry}) {_title(entry)}"
        for account_name, cents in places:
            player = account_name.player.replace(",", " ")
            tags = f"  ; game: {account_name.game}, player: {player}" if account_name.game else ""
            yield f"    {account_name.account}  {format_chips(-cents)} {CHIP}{tags}"
    yield ""
    yield f"{date_text(at, later_days=1)} * the balances as stored"
    for account, cents in _summed(log, HLEDGER):
        if account in declared:
            yield f"    {account}  0.00 {CHIP} = {format_chips(-cents)} {CHIP}"


class LedgerFormat(NamedTuple):
    """Pattern of the names that a program accepts unchanged, and the prefix of escaped names."""

    plain: re.Pattern[str]
    prefix: str


BEANCOUNT: Final = LedgerFormat(re.compile(r"[A-Z0-9][A-Za-z0-9]*"), "X-")
HLEDGER: Final = LedgerFormat(re.compile(r"[\w.]+(?: [\w.]+)*"), "-")


@lru_cache(maxsize=65_536)
def export_account(account: str, style: LedgerFormat) -> PostingAccount:
    """Convert a ledger account for export; distinct accounts give distinct results."""
    if account in _FIXED:
        return PostingAccount(_FIXED[account])
    kind, _, name = account.partition("/")
    if kind == "wallet":
        return PostingAccount(f"Liabilities:Players:{_escaped(name, style)}", player=name)
    game, _, player = name.partition("/")
    table = game.rpartition("-")[0]
    return PostingAccount(f"Liabilities:Escrow:{_escaped(table, style)}", game, player)


def _escaped(name: str, style: LedgerFormat) -> str:
    """Return a name unchanged if valid, or with invalid bytes escaped as - and two hex digits."""
    if style.plain.fullmatch(name):
        return name
    plain = (chr(b) if b < 128 and chr(b).isalnum() else f"-{b:02x}" for b in name.encode())
    return style.prefix + "".join(plain)


def _summed(log: LogReader, style: LedgerFormat) -> list[tuple[str, int]]:
    sums: Counter[str] = Counter()
    for account, cents in log.balances().items():
        sums[export_account(account, style).account] += cents
    return sorted(sums.items())


def _title(entry: Entry) -> str:
    return " ".join(filter(None, [entry.move, entry.game]))


def _string(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def date_text(at_ms: int, later_days: int = 0) -> str:
    """Return the day (UTC) of a time in milliseconds, or a later one, as YYYY-MM-DD."""
    return (date(1970, 1, 1) + timedelta(days=later_days, milliseconds=at_ms)).isoformat()


FORMATS: Final[dict[str, Callable[[LogReader], Iterator[str]]]] = {
    form.__name__: form for form in (beancount, hledger, csv, jsonl, egr)
}
