"""A casino restored from a copy (L22): what ran is void and revealed, no seed comes back."""

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
from tests.table.nights import Evening, audited, log_of, plan
from tests.table.test_secrets import exchange_of


def copied(tmp_path: Path, with_keys: bool) -> tuple[Path, Path, bytes]:
    """A casino lost in the middle of a game, after an exchange; its copy and its master."""
    path, copy = tmp_path / "casino.db", tmp_path / "copy.db"
    evening = Evening(path, [plan(challenger="")], None)
    evening.chips("ann")
    evening.house.service.submit(TakeSeat("t1", "ann", 700)).result()
    exchange_of(evening)
    master = load_master(path)
    evening.house.close()
    backup(path, copy, with_keys=with_keys)
    path.unlink()
    if with_keys:
        CasinoFiles(path).master.unlink()
    return path, copy, master


@pytest.mark.parametrize(
    "with_keys", [True, False], ids=["beside the copy", "beside the lost file"]
)
def test_l22_what_ran_is_void_and_its_seed_is_revealed(tmp_path: Path, with_keys: bool) -> None:
    path, copy, master = copied(tmp_path, with_keys)
    assert restore(copy, path, lambda: START_MS, []).after is None
    evening = Evening(path, [plan(challenger="")], None)
    evening.go(steps=40)
    evening.house.close()
    events = [decode(body) for body in log_of(path)]
    ended = [one for one in events if isinstance(one, GameVoid)]
    opened = [one for one in events if isinstance(one, GameOpened)]
    chains = [one for one in events if isinstance(one, SeedChain)]
    assert [one.reason for one in ended] == [SECRETS_LOST]
    assert ended[0].server_seed is not None and len(opened) == 2
    assert load_master(path) != master and chains[0].anchor != chains[1].anchor
    assert [one.text for one in audited(path).findings if one.severity == "error"] == []


def test_exchanges_that_are_not_kept_are_found_by_their_seals(tmp_path: Path) -> None:
    path = tmp_path / "casino.db"
    evening = Evening(path, [plan(challenger="")])
    evening.chips("ann")
    evening.house.service.submit(TakeSeat("t1", "ann", 700)).result()
    said = exchange_of(evening)
    evening.house.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM secret WHERE name LIKE 'action%'")
    evening = Evening(path, [plan(challenger="")])
    evening.go()
    evening.house.close()
    (ended,) = [one for one in map(decode, log_of(path)) if isinstance(one, GameVoid)]
    assert (ended.reason, ended.exchanges[-1]) == (SECRETS_LOST, said.removeprefix("X"))
    assert [one.text for one in audited(path).findings if one.severity == "error"] == []
