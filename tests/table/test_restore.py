"""A casino restored from a copy (L22): the running game is void, no seed is reused."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from casino.events.codec import decode
from casino.events.types import SECRETS_LOST, GameOpened, GameVoid, SeedChain
from casino.ledger.restore import restore
from casino.ledger.side_files import CasinoFiles
from casino.ledger.storage.backup import backup
from casino.table.domain.commands import TakeSeat
from casino.table.runtime.casino import START_MS
from casino.table.runtime.seed_chains import load_master
from tests.table.casino_harness import CasinoHarness, audited, log_of, plan
from tests.table.test_secrets import play_until_exchange


def copied(tmp_path: Path, with_keys: bool) -> tuple[Path, Path, bytes]:
    """Lose a casino in mid-game, after an exchange; return its path, copy and master."""
    path, copy = tmp_path / "casino.db", tmp_path / "copy.db"
    harness = CasinoHarness(path, [plan(challenger="")], None)
    harness.chips("ann")
    harness.house.service.submit(TakeSeat("t1", "ann", 700)).result()
    play_until_exchange(harness)
    master = load_master(path)
    harness.house.close()
    backup(path, copy, with_keys=with_keys)
    path.unlink()
    if with_keys:
        CasinoFiles(path).master.unlink()
    return path, copy, master


@pytest.mark.parametrize(
    "with_keys", [True, False], ids=["beside the copy", "beside the lost file"]
)
def test_l22_running_game_is_void_and_its_seed_revealed(tmp_path: Path, with_keys: bool) -> None:
    path, copy, master = copied(tmp_path, with_keys)
    assert restore(copy, path, lambda: START_MS, []).after is None
    harness = CasinoHarness(path, [plan(challenger="")], None)
    harness.advance(steps=40)
    harness.house.close()
    events = [decode(body) for body in log_of(path)]
    ended = [one for one in events if isinstance(one, GameVoid)]
    opened = [one for one in events if isinstance(one, GameOpened)]
    chains = [one for one in events if isinstance(one, SeedChain)]
    assert [one.reason for one in ended] == [SECRETS_LOST]
    assert ended[0].server_seed is not None and len(opened) == 2
    assert load_master(path) != master and chains[0].anchor != chains[1].anchor
    assert [one.text for one in audited(path).findings if one.severity == "error"] == []


def test_lost_exchange_is_recovered_from_its_seal(tmp_path: Path) -> None:
    path = tmp_path / "casino.db"
    harness = CasinoHarness(path, [plan(challenger="")])
    harness.chips("ann")
    harness.house.service.submit(TakeSeat("t1", "ann", 700)).result()
    said = play_until_exchange(harness)
    harness.house.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM secret WHERE name LIKE 'action%'")
    harness = CasinoHarness(path, [plan(challenger="")])
    harness.advance()
    harness.house.close()
    (ended,) = [one for one in map(decode, log_of(path)) if isinstance(one, GameVoid)]
    assert (ended.reason, ended.exchanges[-1]) == (SECRETS_LOST, said.removeprefix("X"))
    assert [one.text for one in audited(path).findings if one.severity == "error"] == []
