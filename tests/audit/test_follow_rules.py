"""L25: what a follower checks besides the tree: keys, limits, late texts, corrections, tiles."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from casino.cli.verify.audit import decide_again
from casino.ledger import accounts
from casino.ledger.entries import Entry, LogOpened, encode
from casino.ledger.ledger import Ledger, open_log
from casino.ledger.side_files import CasinoFiles
from casino.ledger.tlog.note import PublicKey, SigningKey
from casino.ledger.transaction import Answer, Transaction
from casino.monitor.monitor import SIZE, Contradiction, LogMonitor
from casino.monitor.state import MonitorFolder, monitor_report
from casino.monitor.tile_client import TileClient, UnreachableError
from tests.ledger.issues import REFILL
from tests.ledger.night import Night, SimulatedClock, open_bank
from tests.ledger.sealing import wait
from tests.ledger.tiled import KEY, files_of, serving


class Watched:
    """A casino whose log is served as it stands, and who follows it, restarted at every look."""

    def __init__(self, path: Path, address: str, files: dict[str, bytes]) -> None:
        self.path = path
        self.address = address
        self.files = files
        self.clock = SimulatedClock()
        self.bank = open_bank(path, self.clock)
        self.evidence: list[Contradiction] = []

    def leaves(self) -> list[bytes]:
        return [leaf.body for leaf in open_log(self.path).leaves()]

    def show(self, leaves: list[bytes] | None = None) -> None:
        self.files.clear()
        self.files.update(files_of(leaves or self.leaves(), CasinoFiles(self.path).load_key()))

    def look(
        self, key: PublicKey | None = None, name: str = "state", bots: bool = False
    ) -> list[str]:
        folder = MonitorFolder(self.path.with_name(name))
        decide = decide_again if bots else None
        remote = TileClient(self.address, time.sleep)
        seen = folder.load(self.address, decide)
        follower = LogMonitor(remote, seen, key, ((), 0), self.evidence.append, decide, workers=1)
        try:
            found = follower.poll()
            self.told = monitor_report(follower.seen, 0)
            folder.save(self.address, follower.seen)
        finally:
            remote.close()
        return [finding.text for finding in found if finding.severity == "error"]

    def kept(self) -> dict[str, Any]:
        text = self.path.with_name("state").joinpath("state.json").read_text()
        kept: dict[str, Any] = json.loads(text)["audit"]["checks"]
        return kept

    def hand_on(self) -> None:
        self.bank.close()
        open_bank(self.path, self.clock).rotate_key()
        self.bank = open_bank(self.path, self.clock)


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    files: dict[str, bytes] = {}
    with serving(files) as address:
        watched = Watched(tmp_path / "casino.db", address, files)
        yield watched
        watched.bank.close()


def test_l16_a_log_that_is_handed_on_is_followed_under_its_new_key(watched: Watched) -> None:
    first = watched.bank.key.public
    night = Night(watched.bank, bettors=2)
    night.play_game()
    watched.show()
    assert watched.look(first) == []
    watched.hand_on()
    middle = watched.bank.key.public
    watched.hand_on()
    watched.show()
    assert watched.look(first) == []
    assert watched.told["key"] == watched.bank.key.public.text()
    for number, key in enumerate((None, first, middle, watched.bank.key.public)):
        assert watched.look(key, f"late{number}") == []
        assert watched.told["key"] == watched.bank.key.public.text()
    stranger = SigningKey.generate(first.name).public
    assert any("is of the key" in text for text in watched.look(stranger, "stranger"))
    assert watched.evidence[-1].name == "refused"


def correct(bank: Ledger, change: Callable[[Entry], Entry]) -> None:
    def work(tx: Transaction) -> Answer:
        granted = accounts.grant("zed", 500, REFILL)
        number = tx.post(granted)
        tx.post(change(accounts.correct(number, granted.postings, "too much")))
        return {}

    wait(bank.submit(work))


OPENED = LogOpened(at=1, key=KEY.public.text(), name=KEY.name, version=2)
LONG = [encode(OPENED), *(b'{"at":%d,"type":"run_started"}' % n for n in range(2, 2 * SIZE + 301))]
"""A log of two whole ranges and more."""


@pytest.fixture(scope="module")
def long() -> dict[str, bytes]:
    return files_of(LONG)


def spoilt(path: str, data: bytes) -> bytes:
    return data.replace(b"started", b"stopped", 1) if "entries" in path else b"x" * 32 + data[32:]


@pytest.mark.parametrize(
    ("path", "leaves", "name"),
    [
        ("", len(LONG), ""),
        ("tile/entries/300", SIZE, "leaves"),
        ("tile/entries/513.p/44", 2 * SIZE, "leaves"),
        ("tile/0/300", len(LONG), ""),
        ("tile/1/001", len(LONG), ""),
        ("tile/2/000.p/2", 0, "tiles"),
    ],
)
def test_l25_ranges_are_proved_before_they_are_taken_in(
    long: dict[str, bytes], path: str, leaves: int, name: str
) -> None:
    assert path in long or path == ""
    files = {one: spoilt(one, data) if one == path else data for one, data in long.items()}
    evidence: list[Contradiction] = []
    with serving(files) as address:
        remote = TileClient(address, time.sleep)
        follower = LogMonitor(remote, None, KEY.public, ((), 0), evidence.append, workers=1)
        follower.poll()
        assert (follower.size, [one.name for one in evidence]) == (leaves, [name] if name else [])
        files.update(long)
        follower.poll()
        assert follower.size == len(LONG), "served as it was signed, the rest is taken in"
        assert follower.seen.tree.root() == follower.seen.newest.root
        remote.close()


def test_l25_what_cannot_be_reached_now_is_read_at_the_next_look(long: dict[str, bytes]) -> None:
    files = {path: data for path, data in long.items() if path != "tile/entries/400"}
    with serving(files) as address:
        remote = TileClient(address, time.sleep)
        follower = LogMonitor(remote, None, None, ((), 0), lambda _: None, workers=1)
        with pytest.raises(UnreachableError, match="tile/entries/400 is not there"):
            follower.poll()
        assert (follower.size, follower.seen.newest.size) == (SIZE, len(LONG))
        assert monitor_report(follower.seen, 0)["unread"] == SIZE + 300
        files.update(long)
        assert follower.poll() == []
        assert follower.size == len(LONG)
        remote.close()
