"""The log as its readers see it: pages, games, players, proofs while it grows."""

from __future__ import annotations

import gc
import sqlite3
from pathlib import Path
from random import Random

import pytest

from casino.errors import FileError
from casino.events.codec import decode
from casino.ledger import accounts
from casino.ledger.ledger import open_log
from casino.ledger.storage.location import LogLocation, SqliteLocation
from casino.ledger.tlog.merkle import (
    TILE,
    Frontier,
    leaf_hash,
    verify_consistency,
    verify_inclusion,
)
from tests.ledger.night import Night, open_bank, play_night
from tests.ledger.sealing import wait


def test_pages_of_leaves_follow_each_other(place: LogLocation) -> None:
    """Read in pages or at once, the leaves are the same, numbered without gaps."""
    play_night(place, games=2)
    log = open_log(place)
    whole = list(log.leaves())
    pages = [leaf for first in range(0, log.size(), 50) for leaf in log.leaves(first, 50)]
    assert pages == whole
    assert [leaf.n for leaf in whole] == list(range(log.size()))
    assert list(log.leaves(log.size())) == []
    log.close()


def test_leaves_of_a_game_and_of_a_player(place: LogLocation) -> None:
    play_night(place, games=4)
    log = open_log(place)
    whole = list(log.leaves())
    for game in ("t1-000001", "t1-000006", "t9-000001"):
        assert list(log.of_subject(game)) == [leaf for leaf in whole if leaf.subject == game]
    for player in ("t1.p1", "ann", "nobody"):
        named = [leaf for leaf in whole if player in decode(leaf.body).owners]
        assert list(log.of_owner(player)) == named
    log.close()


def test_entries_outside_games_are_found_by_every_wallet_they_move(place: LogLocation) -> None:
    """Grants to people and to the house, corrections of some of them, and one that is split."""
    bank = open_bank(place)
    people = [f"wallet/p{number:03}" for number in range(200)]
    names = {"ann", 'b"\\é', "cas", *(name.removeprefix("wallet/") for name in people)}
    entries = [accounts.grant(name, 900) for name in (*sorted(names), "house")]
    for moves in (
        (("wallet/ann", 5), ("wallet/cas", -5)),
        (('wallet/b"\\é', 5), ("house/bank", -5)),
        (('wallet/b"\\é', 5), ("treasury", -5)),
        (("wallet/ann", 5), ("wallet/cas", -4), ("treasury", -1)),
        (*((name, 1) for name in people), ("treasury", -len(people))),
    ):
        entries.append(accounts.correct(1, moves, "a mistake"))
    wait(bank.submit(lambda tx: {"numbers": [tx.post(entry) for entry in entries]}))
    bank.close()
    log = open_log(place)
    whole = [(leaf, decode(leaf.body).owners) for leaf in log.leaves()]
    for player in (*sorted(names), "house", "nobody", "easury"):
        assert list(log.of_owner(player)) == [leaf for leaf, owners in whole if player in owners]
    assert log.owners() == sorted(names)
    log.close()


def test_l7_proofs_hold_at_any_size_of_a_log_of_several_tiles(place: LogLocation) -> None:
    """Roots, paths and consistency of a log longer than a tile, against a plain tree."""
    bank = open_bank(place)
    night = Night(bank, bettors=3)
    while (size := bank.reader().size()) <= 3 << TILE:
        night.play_game()
    bank.close()
    log = open_log(place)
    tree, roots, hashes = Frontier(), [Frontier().root()], []
    for leaf in log.leaves():
        hashes.append(leaf_hash(leaf.body))
        tree.append(hashes[-1])
        roots.append(tree.root())
    random = Random(7)
    for _ in range(300):
        size = random.randrange(1, log.size() + 1)
        n, old = random.randrange(size), random.randrange(size + 1)
        assert log.root(size) == roots[size]
        path_up = log.inclusion(n, size)
        assert verify_inclusion(hashes[n], n, size, path_up, roots[size])
        proof = log.consistency(old, size)
        assert verify_consistency(old, size, proof, roots[old], roots[size])
    with pytest.raises(FileError, match="shorter"):
        log.root(log.size() + 1)
    log.close()


def test_a_reader_follows_a_log_that_grows(night: Night) -> None:
    """A tile read while it was not full is read anew when more of it is asked for."""
    log = night.bank.reader()
    sizes = []
    for _ in range(4):
        night.play_game()
        wait(night.bank.submit(lambda _: {}))
        size = log.size()
        sizes.append(size)
        tree = Frontier()
        for leaf in log.leaves():
            tree.append(leaf_hash(leaf.body))
        assert log.root(size) == tree.root()
        newest = log.checkpoint()
        assert newest is not None
        assert newest.size <= size
    assert sizes == sorted(set(sizes))


def test_l8_a_receipt_comes_with_the_next_checkpoint(night: Night) -> None:
    """A bet of a running game has no receipt until the log is signed with it."""
    table = night.table
    night.play_game("open")
    wait(night.bank.submit(lambda _: {}))
    log = night.bank.reader()
    bet = next(leaf for leaf in log.of_subject(f"{table}-000001") if leaf.kind == "bet")
    assert log.receipt(bet.n) is None
    night.play_game()
    wait(night.bank.submit(lambda _: {}))
    assert log.receipt(bet.n) is not None


def test_a_log_that_nobody_closes_leaves_no_open_connection(tmp_path: Path) -> None:
    """Dropping the log closes its file, and rows that are still being read keep it open."""
    open_bank(tmp_path / "casino.db").close()
    store = SqliteLocation(tmp_path / "casino.db").open_queries()
    connection, rows = store.connection, store.leaves()
    assert next(rows).n == 0
    del store
    gc.collect()
    assert connection.execute("SELECT 1").fetchone() == (1,)
    del rows
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")
