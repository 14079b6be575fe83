"""Entries that are too long for a leaf span several (L23): written, read, audited, exported."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from casino.audit import ExportSource, FileSource, audit
from casino.audit.checks.grants import OPENING
from casino.audit.partial import audit_game
from casino.betting import Cover, enter_bet
from casino.ecarte import CHALLENGER, HOUSE
from casino.events import factories
from casino.events.codec import decode
from casino.ledger import accounts
from casino.ledger.accounts import MAX_NAME_LENGTH
from casino.ledger.entries import (
    LONGEST,
    MAX_POSTINGS,
    Entry,
    as_entry,
    encode,
    join_entries,
    split_entry,
)
from casino.ledger.ledger import open_log
from casino.ledger.tlog.note import SigningKey
from casino.ledger.transaction import Answer, Transaction
from casino.reports.export import export
from casino.reports.game_json import full_game
from casino.reports.statement import statement
from tests.audit.test_tampering import errors, signed_again, without_guards
from tests.audit.test_verifier import verified, written
from tests.ledger.night import TEN_THOUSAND, Night, Play, open_bank
from tests.ledger.sealing import wait
from tests.reports.test_export import PROGRAMS, accepted
from tests.web.test_verify import said

BETTORS = 2_000
GAME = "t1-000001"


def entry(*cents: int, **more: object) -> Entry:
    postings = tuple((f"wallet/{place:06}", one) for place, one in enumerate(cents))
    return Entry(entry=7, move="settle", game="g", postings=postings, **more)  # type: ignore[arg-type]


def bet_all(play: Play, names: list[str], tx: Transaction) -> Answer:
    for number, name in enumerate(names):
        side, has_cents = (HOUSE, CHALLENGER)[number % 3 > 0], tx.balance(f"wallet/{name}")
        entered = enter_bet(play.book, name, side, 100 + number, has_cents)
        tx.log(factories.bet_accepted(play.game, entered.bet))
        tx.post(accounts.escrow_entry(play.game, *entered.hold))
        play.book = entered.book
    return {}


def crowd(path: Path, bettors: int) -> Path:
    bank = open_bank(path)
    table = Night(bank, bettors=0, cover=Cover(0, 0))
    names = [f"p{number:04}" for number in range(bettors)]

    def chips(tx: Transaction) -> Answer:
        for name in names:
            tx.post(accounts.grant(name, 100 * TEN_THOUSAND, OPENING))
        return {}

    wait(bank.submit(chips, "chips", b""))
    for game in (GAME, "t1-000002"):
        play = Play(table, game)
        play.open()
        play.submit(partial(bet_all, play, names))
        play.close()
        if game == GAME:
            for _ in play.deals(None):
                pass
            play.settle()
        else:
            play.void("enough")
    bank.close()
    return path


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crowd(tmp_path_factory.mktemp("crowded") / "casino.db", BETTORS)


@pytest.fixture(scope="module")
def smaller(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crowd(tmp_path_factory.mktemp("smaller") / "casino.db", 400)


def test_a_short_entry_is_one_leaf() -> None:
    for number in (2, MAX_POSTINGS):
        one = entry(*range(number))
        assert split_entry(one) == (one,)
        assert list(join_entries([one])) == [one]


def test_the_parts_of_an_entry_make_it_again() -> None:
    """In order, each as full as the one before, and nothing of the parts is left."""
    for number in (MAX_POSTINGS + 1, 3 * MAX_POSTINGS, 1_000):
        one = entry(*range(number), reason="why", corrects=3)
        parts = split_entry(one)
        assert [part.part for part in parts] == list(range(1, len(parts) + 1))
        assert {part.parts for part in parts} == {len(parts)}
        assert {len(part.postings) for part in parts[:-1]} == {MAX_POSTINGS}
        other = Entry(entry=8, move="grant", postings=(("treasury", -1), ("wallet/a", 1)))
        assert list(join_entries([*parts, other, *parts])) == [one, other, one]


def test_no_name_makes_a_part_too_long() -> None:
    """The longest names there can be, of the widest characters, in a game of such a name."""
    name = "\U0001f0a1" * MAX_NAME_LENGTH
    postings = [(f"escrow/{name}/{number:02}{name[2:]}", -(2**53 - 1)) for number in range(300)]
    long = Entry(
        entry=2**53 - 1, move="settle", game=name, postings=tuple(postings), reason=name * 5
    )
    for part in split_entry(long):
        assert len(encode(part)) <= LONGEST


def test_a_game_of_two_thousand_bettors_is_clean(crowded: Path, tmp_path: Path) -> None:
    report = audit(FileSource(crowded), workers=1)
    assert (errors(report), report.games) == ([], 2)
    assert audit_game(FileSource(crowded), GAME).findings == []
    log = open_log(crowded)
    bodies = [leaf.body for leaf in log.leaves()]
    assert max(map(len, bodies)) <= LONGEST
    moves = [(leaf.move, leaf.parts) for leaf in map(as_entry, filter(is_entry, bodies))]
    assert {move for move, parts in moves if parts} == {"release", "settle", "void"}
    log.close()
    file = written(list(export(crowded, "jsonl")), tmp_path)
    again = audit(ExportSource(file), workers=1)
    assert (again.findings, again.root, again.entries) == ([], report.root, report.entries)
    status, out = verified(file)
    assert status == 0, out
    assert f"{report.leaves} leaves, 2 games, {report.entries} entries" in out


def is_entry(body: bytes) -> bool:
    return b'"type":"entry"' in body


def test_the_books_have_each_entry_once(crowded: Path, tmp_path: Path) -> None:
    """A bookkeeper's transaction is whole, and a person's account has one change."""
    for program, (form, _) in PROGRAMS.items():
        text = "".join(export(crowded, form))
        assert accepted(program, text, tmp_path)
        assert text.count(f"settle {GAME}") == 1
    rows = list(csv.DictReader(export(crowded, "csv")))
    settled = [row for row in rows if row["move"] == "settle"]
    assert len({row["entry"] for row in settled}) == 1 < len({row["leaf"] for row in settled})
    assert sum(int(row["cents"]) for row in settled) == 0
    moves = []
    for player in ("p0000", "p0001"):
        told = statement(crowded, player)
        moves += [change.move for change in told.changes]
        assert told.escrow_cents == 0
    assert moves.count("settle") == 1  # of two on different sides


def test_the_browsers_verifier_agrees(crowded: Path) -> None:
    """Every check of a finished game, to what was paid to each of 2,000 people."""
    log = open_log(crowded)
    events = [decode(leaf.body) for leaf in log.of_subject(GAME)]
    terms = [decode(leaf.body) for leaf in log.of_kinds(["terms"])]
    log.close()
    game = full_game(events, terms)
    assert game is not None
    (found,) = said("whole.mjs", [json.loads(json.dumps(game))])
    assert found["wrong"] == []
    assert {"matching", "settlement", "balance"} <= set(found["checked"])


def part_of(connection: sqlite3.Connection, number: int) -> tuple[int, dict[str, object]]:
    rows = connection.execute("SELECT n, body FROM leaf WHERE kind(body) = 'entry' ORDER BY n")
    for n, body in rows.fetchall():
        leaf = json.loads(body)
        if leaf["move"] == "settle" and leaf["part"] == number:
            return n, leaf
    raise AssertionError


def cent_moved(leaf: dict[str, object]) -> None:
    leaf["postings"][0][1] += 1  # type: ignore[index]


FORGED: dict[str, tuple[Callable[[dict[str, object]], object], str]] = {
    "a cent more": (cent_moved, "does not sum to 0"),
    "another number": (lambda leaf: leaf.update(part=9), "ends with part"),
    "more parts": (lambda leaf: leaf.update(parts=99), "ends with part"),
    "another entry": (lambda leaf: leaf.update(entry=1), "ends with part"),
    "no part": (lambda leaf: [leaf.pop("part"), leaf.pop("parts")], "follows entry"),
    "another move": (lambda leaf: leaf.update(move="void"), "ends with part"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_part_is_found(smaller: Path, tmp_path: Path, name: str) -> None:
    """Even if all is signed again: the parts no longer fit each other, or do not balance."""
    change, text = FORGED[name]
    path = tmp_path / "casino.db"
    without_guards(smaller, lambda connection: connection.execute("VACUUM INTO ?", (str(path),)))
    for suffix in (".key", ".pub"):
        old = smaller.with_name(f"casino.db{suffix}")
        path.with_name(f"casino.db{suffix}").write_bytes(old.read_bytes())

    def forge(connection: sqlite3.Connection) -> None:
        number, leaf = part_of(connection, 3)
        change(leaf)
        body = json.dumps(leaf, sort_keys=True, separators=(",", ":"))
        connection.execute("UPDATE leaf SET body = ? WHERE n = ?", (body, number))
        key = SigningKey.parse(path.with_name("casino.db.key").read_text())
        signed_again(connection, key)

    without_guards(path, forge)
    assert any(text in line for line in errors(audit(FileSource(path), workers=1)))
