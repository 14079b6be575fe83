"""Entries that are too long for a leaf span several (L23): written, read, audited, exported."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from casino.audit import ExportSource, FileSource, audit
from casino.audit.audits import audit_game
from casino.audit.checks.grants import OPENING
from casino.betting import Cover, enter_bet
from casino.ecarte import CHALLENGER, HOUSE
from casino.events import factories
from casino.ledger import accounts
from casino.ledger.entries import MAX_LEAF, MAX_POSTINGS, Entry, as_entry, join_entries, split_entry
from casino.ledger.storage.location import open_log
from casino.ledger.transaction import Answer, Transaction
from casino.reports.export import export
from tests.audit.test_tampering import errors
from tests.ledger.game_simulator import TEN_THOUSAND, GameSimulator, Play, open_ledger, wait
from tests.web.test_verify_file import checked, write

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


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a log with a settled game and a void one, each with two thousand bettors."""
    path = tmp_path_factory.mktemp("crowded") / "casino.db"
    bank = open_ledger(path)
    table = GameSimulator(bank, bettors=0, cover=Cover(0, 0))
    names = [f"p{number:04}" for number in range(2_000)]

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
            play.play_deals()
            play.settle()
        else:
            play.void("enough")
    bank.close()
    return path


def test_short_entry_is_one_leaf() -> None:
    for number in (2, MAX_POSTINGS):
        one = entry(*range(number))
        assert split_entry(one) == (one,)
        assert list(join_entries([one])) == [one]


def test_entry_parts_join_to_the_same_entry() -> None:
    for number in (MAX_POSTINGS + 1, 3 * MAX_POSTINGS, 1_000):
        one = entry(*range(number), reason="why", corrects=3)
        parts = split_entry(one)
        assert [part.part for part in parts] == list(range(1, len(parts) + 1))
        assert {part.parts for part in parts} == {len(parts)}
        assert {len(part.postings) for part in parts[:-1]} == {MAX_POSTINGS}
        other = Entry(entry=8, move="grant", postings=(("treasury", -1), ("wallet/a", 1)))
        assert list(join_entries([*parts, other, *parts])) == [one, other, one]


def test_game_with_two_thousand_bettors_audits_clean(crowded: Path, tmp_path: Path) -> None:
    report = audit(FileSource(crowded), workers=1)
    assert (errors(report), report.games) == ([], 2)
    assert audit_game(FileSource(crowded), GAME).findings == []
    log = open_log(crowded)
    bodies = [leaf.body for leaf in log.leaves()]
    assert max(map(len, bodies)) <= MAX_LEAF
    entries = [as_entry(body) for body in bodies if b'"type":"entry"' in body]
    moves = [(leaf.move, leaf.parts) for leaf in entries]
    assert {move for move, parts in moves if parts} == {"release", "settle", "void"}
    log.close()
    file = write(tmp_path / "export.jsonl", *export(crowded, "jsonl"))
    again = audit(ExportSource(file), workers=1)
    assert (again.findings, again.root, again.entries) == ([], report.root, report.entries)
    (found,) = checked("", file)
    assert (found["wrong"], found["games"]) == ([], 2)
