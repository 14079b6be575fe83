"""What only the casino's file has, against what its log says: tables, guards, pages, secrets."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

import orjson

from casino.audit.findings import Finding
from casino.audit.sources import quickly, reader_of
from casino.bank import database
from casino.bank.leaves import LogOpened
from casino.bank.merkle import TILE
from casino.bank.transaction import Answered
from casino.events.kinds import ActionTaken, GameOpened, SeatChanged
from casino.events.made import exchange_seal
from casino.events.reading import read_if_sound

_MOST: Final = 20
_RANGE: Final = 1 << 15
"""Answers in a range that one process checks."""


class FileJob(NamedTuple):
    """One check of a whole file, done by whoever takes it."""

    path: Path
    check: Callable[[sqlite3.Connection], Iterator[Finding]]


class CommandJob(NamedTuple):
    """A range of the answers in a file, checked by whoever takes it."""

    path: Path
    first: int
    last: int


class Answers(NamedTuple):
    """What a range of answers came to, and how many of them stand for leaves."""

    findings: list[Finding]
    with_leaves: int


def file_jobs(path: Path) -> list[FileJob]:
    """The checks of a whole file that need nothing but the file, the longest first."""
    checks = (check_pages, check_counts, check_references, check_guards, check_about)
    return [FileJob(path, check) for check in checks]


def check_file(job: FileJob) -> list[Finding]:
    """Do one of these checks, of one moment, on a connection of the process's own."""
    reader = reader_of(job.path)
    reader.execute("BEGIN")
    try:
        return list(job.check(reader))
    finally:
        reader.rollback()


def check_pages(connection: sqlite3.Connection) -> Iterator[Finding]:
    """The pages are whole, and the indexes agree with the tables."""
    for (text,) in connection.execute(f"PRAGMA integrity_check({_MOST})"):
        if text != "ok":
            yield Finding("file", text)


def check_references(connection: sqlite3.Connection) -> Iterator[Finding]:
    """What a row refers to is there."""
    for table, _, parent, _ in connection.execute("PRAGMA foreign_key_check").fetchmany(_MOST):
        yield Finding("file", f"a row of {table} refers to a row of {parent} that is not there")


def check_guards(connection: sqlite3.Connection) -> Iterator[Finding]:
    """The tables, indexes and triggers are those that this program makes."""
    sql = "SELECT type, name, sql FROM sqlite_master"
    fresh = sqlite3.connect(":memory:", isolation_level=None)
    database.migrate(fresh)
    due, found = set(fresh.execute(sql)), set(connection.execute(sql))
    fresh.close()
    for kind, name, _ in sorted(due ^ found):
        yield Finding("file", f"{kind} {name} is not as this program makes it")


def check_about(connection: sqlite3.Connection) -> Iterator[Finding]:
    """The key of the file is the one its first leaf names."""
    about = dict(connection.execute("SELECT name, value FROM about").fetchall())
    row = connection.execute("SELECT body FROM leaf WHERE n = 0").fetchone()
    first = None if row is None else read_if_sound(row[0])
    if not isinstance(first, LogOpened) or about != {"name": first.name, "key": first.key}:
        yield Finding("file", "about does not name the key that the first leaf names", 0)


def check_accounts(connection: sqlite3.Connection, balances: dict[str, int]) -> Iterator[Finding]:
    """Balances stored are balances rebuilt, and no account is there that nothing moved."""
    stored = dict(connection.execute("SELECT name, balance FROM account WHERE balance <> 0"))
    for name in sorted(stored.keys() | balances.keys()):
        if stored.get(name, 0) != balances.get(name, 0):
            due = balances.get(name, 0)
            text = f"{name} holds {stored.get(name, 0)} cents, its entries make {due}"
            yield Finding("balances", text, entry=_last_entry(connection, name))
    sql = """
        SELECT name FROM account WHERE NOT EXISTS
        (SELECT 1 FROM posting WHERE posting.account = account.name) LIMIT ?
    """
    for (name,) in connection.execute(sql, (_MOST,)):
        yield Finding("balances", f"{name} is an account on which no entry moved anything")


def check_counts(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Tables of numbered rows have no gaps, and nothing that no leaf made."""
    for table, first in (("leaf", 0), ("node", 0), ("entry", 1), ("command", 1)):
        # Each by itself: together they would have every row looked at.
        count, least, most = connection.execute(
            f"SELECT (SELECT count(*) FROM {table} NOT INDEXED),"
            f" (SELECT coalesce(min(n), {first}) FROM {table}), (SELECT max(n) FROM {table})"
        ).fetchone()
        if count and (least != first or most != first + count - 1):
            yield Finding("tables", f"{table} has {count} rows, numbered {least} to {most}")
    sql = "SELECT DISTINCT entry FROM posting WHERE entry NOT IN (SELECT n FROM entry) LIMIT ?"
    for (entry,) in connection.execute(sql, (_MOST,)):
        yield Finding("tables", "a posting of no entry", entry=entry)
    sql = """
        SELECT n, leaf FROM entry WHERE NOT EXISTS
        (SELECT 1 FROM leaf WHERE leaf.n = entry.leaf AND leaf.type = 'entry')
    """
    for entry, leaf in connection.execute(sql).fetchmany(_MOST):
        yield Finding("tables", "an entry that is not in the log", leaf, entry=entry)
    (size,) = connection.execute("SELECT count(*) FROM leaf").fetchone()
    due = sum(size >> level for level in range(TILE, 64, TILE))
    (nodes,) = connection.execute("SELECT count(*) FROM node").fetchone()
    if nodes != due:
        yield Finding("tree", f"{nodes} nodes are stored, {size} leaves make {due}")
    sql = """
        SELECT later.n FROM node later JOIN node sooner ON sooner.n = later.n - 1
        WHERE (later.place + 1) << later.level < (sooner.place + 1) << sooner.level
    """
    for (node,) in connection.execute(sql).fetchmany(_MOST):
        yield Finding("tree", f"node row {node} is out of order")
    sql = "SELECT size FROM checkpoint WHERE size > ?"
    for (signed,) in connection.execute(sql, (size,)):
        yield Finding("checkpoints", f"{signed} leaves were signed, the log has {size}", size)


def command_jobs(path: Path, connection: sqlite3.Connection) -> Iterator[CommandJob]:
    """The answers in ranges, whatever numbers somebody may have given them."""
    sql = "SELECT n FROM command WHERE n >= ? ORDER BY n LIMIT 1 OFFSET ?"
    row = connection.execute("SELECT n FROM command ORDER BY n LIMIT 1").fetchone()
    (last,) = connection.execute("SELECT max(n) FROM command").fetchone()
    while row is not None:
        (first,) = row
        row = connection.execute(sql, (first, _RANGE)).fetchone()
        yield CommandJob(path, first, last if row is None else row[0] - 1)


def check_commands(job: CommandJob) -> Answers:
    """Every answer is as it was given, and stands for the leaves of its command."""
    sql = """
        SELECT id, content, leaf, answer, seal, body
        FROM command LEFT JOIN leaf ON leaf.n = command.leaf
        WHERE command.n BETWEEN ? AND ? ORDER BY command.n
    """
    findings = []
    with_leaves = 0
    rows = quickly(reader_of(job.path), sql, (job.first, job.last))
    for name, content, leaf, answer, seal, body in rows:
        if Answered(name, content, leaf, answer).seal() != seal:
            text = f"the answer to command {name} is not the one given"
            findings.append(Finding("commands", text, leaf))
        if leaf is not None:
            with_leaves += 1
            if body is None or b'"command":%b,' % orjson.dumps(name) not in body:
                findings.append(Finding("commands", f"leaf {leaf} is not of command {name}", leaf))
    return Answers(findings, with_leaves)


def join_answers(ranges: Iterable[Answers], starts: int) -> Iterator[Finding]:
    """What ranges of answers came to; `starts` is how many commands the log has leaves of."""
    with_leaves = 0
    for answers in ranges:
        yield from answers.findings
        with_leaves += answers.with_leaves
    if with_leaves != starts:
        text = f"{with_leaves} commands are answered, the log has leaves of {starts}"
        yield Finding("commands", text)


def check_secrets(connection: sqlite3.Connection, open_games: set[str]) -> Iterator[Finding]:
    """The secrets kept are those of the unfinished games, and open what the log has of them."""
    kept: dict[str, dict[str, bytes]] = {}
    for game, name, value in connection.execute("SELECT game, name, value FROM secret"):
        kept.setdefault(game, {})[name] = bytes(value)
    for game in sorted(kept.keys() | open_games):
        if game not in open_games:
            yield Finding("secrets", "secrets are kept of a game that is not running", game=game)
        else:
            yield from _check_game_secrets(connection, game, kept.get(game, {}))


def _check_game_secrets(
    connection: sqlite3.Connection, game: str, kept: dict[str, bytes]
) -> Iterator[Finding]:
    """The seed opens the commitment, each exchange its seal; the rest is the challenger's."""
    seed, due = kept.get("seed", b""), {"seed"}
    sql = "SELECT n, body FROM leaf WHERE game = ? AND type IN ('game_opened', 'action')"
    for number, body in connection.execute(sql, (game,)):
        leaf = read_if_sound(body)
        if isinstance(leaf, GameOpened):
            due |= _of_challenger(connection, number, leaf, kept)
            if sha256(seed).hexdigest() != leaf.commitment:
                text = "the seed kept is not the one committed to: the game cannot go on"
                yield Finding("secrets", text, number, game)
        elif isinstance(leaf, ActionTaken) and leaf.seal is not None:
            name = f"action {leaf.deal} {leaf.number}"
            due.add(name)
            said = kept.get(name, b"").decode(errors="replace")
            if _opens(seed, leaf, said) != leaf.seal:
                yield Finding("secrets", f"{name} does not open its seal", number, game)
    for name in sorted(kept.keys() - due):
        yield Finding("secrets", f"{name} belongs to no leaf", game=game)
    if "abandoned" in due - kept.keys():
        yield Finding("secrets", "that the challenger has left is not kept", game=game)


def _of_challenger(
    connection: sqlite3.Connection, opened_at: int, opened: GameOpened, kept: dict[str, bytes]
) -> set[str]:
    """What is kept of a person who challenges: the cover he offers, and that he has left."""
    if opened.bots.challenger is not None:
        return set()
    due = {"cover"} if kept.get("cover", b"").isdigit() else set()
    sql = "SELECT body FROM leaf WHERE player = ? AND n > ? AND type = 'seat'"
    said = connection.execute(sql, (opened.players.challenger, opened_at))
    seats = [leaf for (body,) in said if isinstance(leaf := read_if_sound(body), SeatChanged)]
    if any(leaf.table == opened.table and leaf.what == "defaulted" for leaf in seats):
        due.add("abandoned")
    return due


def _opens(seed: bytes, leaf: ActionTaken, said: str) -> str:
    """The seal that an exchange kept secret makes."""
    if not (said.isascii() and leaf.game.isascii()):
        return ""
    return exchange_seal(seed, leaf.game, leaf.deal, leaf.number, said)


def _last_entry(connection: sqlite3.Connection, account: str) -> int | None:
    """The last entry that moved an account."""
    sql = "SELECT max(entry) FROM posting WHERE account = ?"
    found: int | None = connection.execute(sql, (account,)).fetchone()[0]
    return found
