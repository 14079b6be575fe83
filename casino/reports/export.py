"""Export the ledger and the log as beancount, hledger, csv, jsonl or egr.

The accounting formats take postings from the leaves but balance assertions from the stored
balances, so that accounting programs compare the two. Lines are generated one by one, so memory use
does not grow with the log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import msgspec

from casino.ecarte import record_json
from casino.events.game_record import finished_game, record_of
from casino.events.types import decode
from casino.ledger.entries import Entry, as_entry, join_entries
from casino.ledger.ledger import open_log
from casino.ledger.log_reader import LogReader
from casino.ledger.storage.location import LogLocation
from casino.reports.accounting_export import beancount, hledger


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


FORMATS: Final[dict[str, Callable[[LogReader], Iterator[str]]]] = {
    "beancount": lambda log: beancount(_entries(log), log.balances().items()),
    "hledger": lambda log: hledger(_entries(log), log.balances().items()),
    "csv": csv,
    "jsonl": jsonl,
    "egr": egr,
}


def _entries(log: LogReader) -> Iterator[Entry]:
    return join_entries(as_entry(stored.body) for stored in log.entry_leaves())


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\r\n') else text


def _json(value: dict[str, Any]) -> str:
    return msgspec.json.encode(value).decode()
