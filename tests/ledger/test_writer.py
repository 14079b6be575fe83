"""The single writer: answers after the commit, groups, refusals, ids, checkpoints, faults."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path

import pytest

from casino.betting import BetSizeLimits, BettingRules
from casino.ecarte import CHALLENGER, HOUSE
from casino.errors import FileError, InvariantError, RefusalReason, Refused
from casino.events import factories
from casino.events.types import CutSealed
from casino.ledger import accounts
from casino.ledger.ledger import Ledger, grant, open_log
from casino.ledger.log_reader import LogReader
from casino.ledger.storage.base import StorageError
from casino.ledger.storage.location import LogLocation
from casino.ledger.storage.queries import SqlQueries, SqlStore
from casino.ledger.tlog.note import open_checkpoint
from casino.ledger.transaction import Answer, Transaction
from casino.ledger.writer import CHECKPOINT_EVERY_MS, NOT_REMEMBERED, WriterListener
from tests.ledger.night import LIMITS, Night, Play, SimulatedClock, open_bank
from tests.ledger.sealing import wait


class Listener(WriterListener):
    def __init__(self) -> None:
        self.notes: list[str] = []
        self.all: list[str] = []
        self.faults: list[Exception] = []
        self.opened = 0

    def on_signed(self, note: str, publish: bool) -> None:
        self.all.append(note)
        if publish:
            self.notes.append(note)

    def on_fault(self, error: Exception) -> None:
        self.faults.append(error)

    def on_reopened(self, log: LogReader) -> None:
        assert log.size() >= 0
        self.opened += 1


def count(place: LogLocation, table: str) -> int:
    """How many rows a table has, as another process sees it."""
    with closing(place.open_queries()) as store:
        assert isinstance(store, SqlQueries)
        return store.number(f"SELECT count(*) FROM {table}")


def refusing(code: str):  # type: ignore[no-untyped-def]
    def work(tx: Transaction) -> Answer:
        tx.post(accounts.grant("ann", 5))
        tx.log(CutSealed(game="t1-000001", player="ann", seal="x"))
        tx.keep_secret("t1-000001", "x", b"y")
        raise Refused(RefusalReason("because", code, "refused with {n}", "R1.1"), n=code)

    return work


CODES = [
    "bad_request", "not_entered", "name_taken", "unknown_table", "unknown_game",
    "betting_closed", "wrong_side", "own_game", "below_minimum", "over_limit",
    "insufficient_chips", "stale_version", "not_your_turn", "illegal_action", "seat_taken",
    "rate_limited", "unavailable",
]  # fmt: skip


def test_l5_each_refusal_leaves_nothing_behind_and_is_refused_again(night: Night) -> None:
    """No leaf, entry or secret stays; the id stays refused, unless the refusal was for now only.

    Only that it was refused is bound by a leaf (L21).
    """
    place, bank, tables = night.bank.location, night.bank, ("leaf", "secret", "account")
    for code in CODES:
        before = [count(place, table) for table in tables]
        with pytest.raises(Refused) as refusal:
            wait(bank.submit(refusing(code), code, b"content"))
        assert refusal.value.code == code
        bound = code not in NOT_REMEMBERED
        assert [count(place, table) for table in tables] == [before[0] + bound, *before[1:]]
        assert [leaf.kind for leaf in open_log(place).leaves(before[0])] == ["answers"] * bound
        again = bank.submit(lambda _: {"done": 1}, code, b"content")
        if code in NOT_REMEMBERED:
            assert wait(again) == {"done": 1}
        else:
            with pytest.raises(Refused) as second:
                wait(again)
            assert second.value.json() == refusal.value.json()


def gallery_table() -> list[tuple[str, int, int, str]]:
    """Bets on a book with small limits, in order, each with the code it gets."""
    return [
        ("ann", HOUSE, 500, "own_game"),
        ("house", HOUSE, 500, "bad_request"),
        ("p0", HOUSE, 99, "below_minimum"),
        ("p0", HOUSE, 1001, "over_limit"),
        ("p0", HOUSE, 1000, ""),
        ("p0", CHALLENGER, 500, "wrong_side"),
        ("p0", HOUSE, 501, "over_limit"),
        ("p0", HOUSE, 500, ""),
        ("p1", HOUSE, 1000, ""),
        ("p2", HOUSE, 1000, ""),
        ("p3", HOUSE, 501, "over_limit"),
        ("poor", CHALLENGER, 334, "insufficient_chips"),
        ("poor", CHALLENGER, 333, ""),
        ("poor", CHALLENGER, 100, "insufficient_chips"),
    ]


def test_g5_a_table_of_bets_each_with_its_refusal(place: LogLocation) -> None:
    """One line for each bet, the expected code last; refused ones change no balance."""
    bank = open_bank(place)
    night = Night(bank, bettors=0, gallery=BettingRules())
    for player in ("p0", "p1", "p2", "p3"):
        wait(grant(bank, player, 100_000, player))
    wait(grant(bank, "poor", 1_000, "poor"))
    play = Play(night, "t1-000001")
    play.book = play.book._replace(limits=BetSizeLimits(100, 1000, 1500, 4000))
    play.open()
    for number, (player, side, unit_cents, code) in enumerate(gallery_table()):
        answer = play.bet(player, side, unit_cents)
        assert answer.get("code", "") == code, number
    play.close()
    assert play.bet("p3", CHALLENGER, 500) == {"code": "betting_closed"}
    play.void("end of the test")
    assert wait(bank.submit(lambda tx: {"cents": tx.balance("wallet/poor")})) == {"cents": 1_000}
    bank.close()


def test_l5_the_same_id_gives_the_first_answer_and_other_content_none(night: Night) -> None:
    """A retry is harmless, before and after a restart; an id is for one content."""
    place = night.bank.location
    first = wait(grant(night.bank, "zoe", 700, "z1"))
    assert wait(grant(night.bank, "zoe", 700, "z1")) == first
    with pytest.raises(Refused) as reused:
        wait(grant(night.bank, "zoe", 701, "z1"))
    assert reused.value.code == "id_reused"
    night.bank.close()
    bank = open_bank(place)
    assert wait(grant(bank, "zoe", 700, "z1")) == first
    assert wait(bank.submit(lambda tx: {"cents": tx.balance("wallet/zoe")})) == {"cents": 700}
    bank.close()


def test_an_id_has_a_sane_length(night: Night) -> None:
    """Empty and endless ids, and one that not every store can hold, are refused at the door."""
    for name in ("", "x" * 129, "a\0"):
        with pytest.raises(Refused) as refusal:
            wait(night.bank.submit(lambda _: {}, name, b""))
        assert refusal.value.code == "bad_request"


def held_up(bank: Ledger, command: str = "gate") -> tuple[Future[Answer], threading.Event]:
    started, go = threading.Event(), threading.Event()

    def gate(_: Transaction) -> Answer:
        started.set()
        assert go.wait(60)
        return {}

    held = bank.submit(gate, command, b"")
    assert started.wait(60)
    return held, go


def test_l10_a_refused_command_in_a_group_leaves_the_others_untouched(night: Night) -> None:
    """Commands that wait are stored together, and answered each by itself, in order."""
    _, go = held_up(night.bank)
    futures: list[Future[Answer]] = []
    for number in range(20):
        work = refusing("over_limit") if number % 3 == 0 else granting(number)
        futures.append(night.bank.submit(work, f"n{number}", b""))
    futures.append(night.bank.submit(granting(1), "n1", b""))
    go.set()
    for number, future in enumerate(futures[:20]):
        if number % 3 == 0:
            assert isinstance(future.exception(10), Refused)
        else:
            assert wait(future)["cents"] == number
    assert wait(futures[20]) == wait(futures[1])


def granting(number: int):  # type: ignore[no-untyped-def]
    def work(tx: Transaction) -> Answer:
        tx.post(accounts.grant(f"g{number}", number))
        return {"cents": tx.balance(f"wallet/g{number}")}

    return work


def test_l10_a_bug_stops_the_writer_and_keeps_what_was_done(night: Night) -> None:
    """A fault of the program is handed to who asked; what came before stands, nothing follows."""
    place = night.bank.location

    def bug(_: Transaction) -> Answer:
        raise ZeroDivisionError

    wait(grant(night.bank, "zoe", 700, "z1"))
    stored = count(place, "command")
    with pytest.raises(ZeroDivisionError):
        wait(night.bank.submit(bug, "bug", b""))
    with pytest.raises(Refused) as refusal:
        wait(grant(night.bank, "zoe", 700, "z2"))
    assert refusal.value.code == "unavailable"
    assert not night.bank.can_take_bets
    assert count(place, "command") == stored > 0


def test_l10_an_impossible_row_stops_the_writer(night: Night) -> None:
    """Should the pure part ever let through what the file's guards refuse, nothing is stored."""

    def thief(tx: Transaction) -> Answer:
        tx.post(accounts.grant("ann", 5))
        tx.balances.changed["wallet/thief"] = -100
        return {}

    leaves = count(night.bank.location, "leaf")
    with pytest.raises(InvariantError, match="(?i)check constraint"):
        wait(night.bank.submit(thief, "thief", b""))
    assert count(night.bank.location, "leaf") == leaves


def test_l7_the_log_is_signed_at_the_opening_each_game_each_minute_and_the_end(
    place: LogLocation,
) -> None:
    """Each signs all leaves there are, for everybody who watches and beside the file."""
    listener, clock = Listener(), SimulatedClock()
    bank = open_bank(place, clock, listener)
    night = Night(bank, bettors=2)
    assert len(listener.notes) == 1
    night.play_game()
    wait(bank.submit(lambda _: {}))
    assert len(listener.notes) == 2
    clock.now_ms += CHECKPOINT_EVERY_MS
    wait(grant(bank, "late", 5, "late"))
    wait(bank.submit(lambda _: {}))
    assert len(listener.notes) == 3
    wait(grant(bank, "later", 5, "later"))
    assert len(listener.notes) == 3
    bank.close()
    assert len(listener.notes) == 4
    sizes = [open_checkpoint(note, bank.key.public).size for note in listener.notes]
    assert sizes == sorted(set(sizes))
    assert sizes[-1] == count(place, "leaf")
    assert bank.files.checkpoint.read_text() == listener.notes[-1]


def test_l12_a_full_disk_closes_the_book_before_it_is_too_late(place: LogLocation) -> None:
    """Below the floor nothing new begins, while what runs can still be told."""
    free = [1000]
    bank = Ledger(place, SimulatedClock(), free_bytes=lambda: free[0], least_free_bytes=500)
    bank.require_room()
    free[0] = 499
    with pytest.raises(Refused) as refusal:
        bank.require_room()
    assert refusal.value.code == "unavailable"
    assert wait(grant(bank, "ann", 5, "a"))["balance_cents"] == 5
    bank.close()


def test_l12_a_lost_file_is_a_fault_that_heals(place: LogLocation) -> None:
    """While the file cannot be opened commands are refused for now; then the same id works."""
    listener, broken = Listener(), [False]

    def opener() -> SqlStore:
        if broken[0]:
            raise StorageError("simulated")
        return place.reopen_store()

    bank = Ledger(place, SimulatedClock(), watch=listener, open_store=opener)

    def fails(_: Transaction) -> Answer:
        broken[0] = True
        raise StorageError("disk I/O error")

    for name, work in (("io", fails), ("next", granting(5))):
        with pytest.raises(Refused) as refusal:
            wait(bank.submit(work, name, b""))
        assert refusal.value.code == "unavailable"
        assert not bank.can_take_bets
    broken[0] = False
    assert wait(bank.submit(granting(5), "next", b"")) == {"cents": 5}
    assert len(listener.faults) == 2
    assert listener.opened == 2
    bank.close()
    with pytest.raises(Refused):
        wait(bank.submit(granting(5), "late", b""))


def replaced_by_a_copy(file: Path) -> None:
    shutil.copy(file, file.with_name("copy.db"))
    file.with_name("copy.db").replace(file)


UNDER_IT: dict[str, Callable[[Path], object]] = {
    "moved": lambda file: file.rename(file.with_name("moved.db")),
    "deleted": lambda file: file.unlink(),
    "replaced": replaced_by_a_copy,
    "without its WAL": lambda file: file.with_name("casino.db-wal").unlink(),
    "without its index": lambda file: file.with_name("casino.db-shm").unlink(),
    "with its WAL cut": lambda file: os.truncate(file.with_name("casino.db-wal"), 0),
}


@pytest.mark.parametrize("how", UNDER_IT)
def test_l12_a_file_that_is_moved_or_replaced_takes_no_bets(tmp_path: Path, how: str) -> None:
    """It is noticed without a command; a clean stop still saves a WAL that was deleted."""
    path, noticed, listener = tmp_path / "casino.db", threading.Event(), Listener()
    listener.on_fault = lambda _: noticed.set()  # type: ignore[assignment, method-assign]
    bank = open_bank(path, SimulatedClock(), listener)
    wait(bank.submit(granting(5), "first", b""))
    UNDER_IT[how](path)
    assert noticed.wait(60)
    with pytest.raises(Refused, match="start it again|that are not") as refusal:
        wait(bank.submit(granting(5), "next", b""))
    assert refusal.value.code == "unavailable"
    assert not bank.can_take_bets
    bank.close()
    if how == "without its WAL":
        assert open_log(path).balance("wallet/g5") == 5


def test_l12_a_checkpoint_by_another_program_is_no_fault(tmp_path: Path) -> None:
    bank = open_bank(tmp_path / "casino.db")
    wait(bank.submit(granting(5), "first", b""))
    with closing(sqlite3.connect(tmp_path / "casino.db")) as other:
        assert other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() == (0, 0, 0)
    assert wait(bank.submit(granting(5), "next", b"")) == {"cents": 10}
    bank.close()


def test_l10_a_group_is_answered_though_the_next_one_fails(place: LogLocation) -> None:
    """What is durable is told, also if what waits behind it brings the writer to a stop."""
    for number, bug in enumerate((ZeroDivisionError(), StorageError("disk I/O error"))):
        bank = open_bank(place)

        def fails(_: Transaction, bug: Exception = bug) -> Answer:
            raise bug

        first, go = held_up(bank, f"gate{number}")
        second = bank.submit(fails, f"fails{number}", b"")
        go.set()
        assert wait(first) == {}
        assert second.exception(10) is not None
        bank.close()


def test_l13_a_log_that_is_not_the_signed_one_does_not_open(night_file: Path) -> None:
    """A leaf or a node changed under a signature is seen at the start, a foreign key as well."""
    for table, spoilt in (
        ("leaf", "UPDATE leaf SET body = '{  }' WHERE n = (SELECT max(n) FROM leaf)"),
        ("node", "UPDATE node SET hash = zeroblob(32) WHERE place = 0"),
    ):
        spoilt_file = night_file.with_name(f"{table}.db")
        for file in night_file.parent.glob("casino.db*"):
            shutil.copy(file, file.with_name(file.name.replace("casino", table)))
        connection = sqlite3.connect(spoilt_file)
        connection.execute(f"DROP TRIGGER IF EXISTS {table}_keeps")
        connection.execute(spoilt)
        connection.commit()
        connection.close()
        with pytest.raises(FileError, match="not those that"):
            open_bank(spoilt_file)
    secret = night_file.with_name("casino.db.key")
    secret.write_text(
        "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz\n"
    )
    with pytest.raises(FileError, match="belongs to the key"):
        open_bank(night_file)


def test_l13_a_running_game_can_be_resumed_from_log_and_secrets(night: Night) -> None:
    """Hidden exchanges of an unfinished game are kept, those of others are forgotten."""
    log, exchanged = night.bank.reader(), 0
    while not exchanged:
        game = night.play_game("open")
        exchanged = sum(b'"X??' in leaf.body for leaf in log.of_subject(game))
        assert len(log.secrets(game)) == exchanged
    over = night.play_game()
    assert any(b'"X??' in leaf.body for leaf in log.of_subject(over)) and not log.secrets(over)


def test_no_leaf_of_a_running_game_shows_a_hidden_card(played: Path) -> None:
    """Until a game is over its leaves hold neither its seed, nor a deck, nor what was exchanged."""
    log = open_log(played)
    for stored in log.leaves():
        body = stored.body
        if stored.kind in ("game_over", "game_void"):
            continue
        assert b"server_seed" not in body
        assert b"deck" not in body
        if b'"action":"X' in body:
            assert b'"action":"X??' in body
            assert b'"seal":"' in body
    log.close()


def test_limits_are_leaves_too(night: Night) -> None:
    """A player's own limits are told by a leaf that names the player."""
    event = factories.limit_set("zoe", {"day_stake_cents": 500}, 5)

    def work(tx: Transaction) -> Answer:
        return {"leaf": tx.log(event)}

    wait(night.bank.submit(work, "limit", b""))
    assert [leaf.kind for leaf in night.bank.reader().of_owner("zoe")] == ["limit"]
    assert LIMITS.least_cents == 100
