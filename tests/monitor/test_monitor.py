"""L25: a monitor follows a log from outside, and keeps both signed notes of a contradiction."""

from __future__ import annotations

import stat
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest

from casino.audit import FileSource, Finding, audit
from casino.errors import CasinoError, FileError, UnreachableError
from casino.ledger.entries import Leaf, LogOpened, RunStarted, encode
from casino.ledger.side_files import CasinoFiles
from casino.ledger.storage.location import open_log
from casino.ledger.tlog.note import COSIGNATURE, PublicKey, SigningKey
from casino.ledger.tlog.witness import cosign
from casino.monitor.monitor import (
    FORMAT,
    SIZE,
    Contradiction,
    LogMonitor,
    MonitorFolder,
    MonitorState,
)
from casino.monitor.tile_client import TileClient
from tests.audit.leaf_builders import entry
from tests.ledger.game_simulator import open_ledger
from tests.ledger.tile_server import KEY, files_of, serving


class PublishedLog(NamedTuple):
    key: SigningKey
    leaves: list[bytes]
    sizes: list[int]
    files: dict[str, bytes]
    address: str

    def show(self, leaves: list[bytes], key: SigningKey | None = None) -> None:
        self.files.clear()
        self.files.update(files_of(leaves, key or self.key))

    def upto(self, number: int) -> list[bytes]:
        return self.leaves[: self.sizes[number]]


@pytest.fixture
def shown(db_file: Path) -> Iterator[PublishedLog]:
    log = open_log(db_file)
    key = SigningKey.parse(db_file.with_name("casino.db.key").read_text())
    leaves = [leaf.body for leaf in log.leaves()]
    sizes = [one.size for one in log.checkpoints()]
    files: dict[str, bytes] = {}
    with serving(files) as address:
        yield PublishedLog(key, leaves, sizes, files, address)


CLIENTS = ExitStack()


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    with CLIENTS:
        yield


def monitor_of(
    address: str,
    key: PublicKey | None = None,
    keep: Callable[[Contradiction], None] = lambda _: None,
    seen: MonitorState | None = None,
    witnesses: tuple[tuple[PublicKey, ...], int] = ((), 0),
) -> LogMonitor:
    remote = CLIENTS.enter_context(closing(TileClient(address, time.sleep)))
    return LogMonitor(remote, seen, key, witnesses, keep, workers=1)


def polled(follower: LogMonitor, *peer: str) -> list[Finding]:
    before = len(follower.audit.findings)
    follower.compare(*peer) if peer else follower.poll()
    return follower.audit.findings[before:]


class MonitorHarness:
    """A monitor with a folder of its own, and the evidence that it has kept."""

    def __init__(self, shown: PublishedLog, folder: Path, key: PublicKey | None = None) -> None:
        self.shown = shown
        self.folder = MonitorFolder(folder)
        self.evidence: list[Contradiction] = []
        seen = self.folder.load(shown.address)
        self.follower = monitor_of(shown.address, key, self._keep, seen)

    def _keep(self, evidence: Contradiction) -> None:
        self.evidence.append(evidence)
        self.folder.keep_evidence(evidence)

    def look(self) -> list[str]:
        found = polled(self.follower)
        self.folder.save(self.follower.state())
        return [finding.text for finding in found if finding.severity == "error"]


def test_l25_a_growing_log_is_verified_and_audited(
    shown: PublishedLog, db_file: Path, tmp_path: Path
) -> None:
    report = audit(FileSource(db_file), workers=1)
    harness = None
    for number in range(len(shown.sizes)):
        shown.show(shown.upto(number))
        harness = harness or MonitorHarness(shown, tmp_path / "state")
        assert harness.look() == []
        assert harness.follower.size == shown.sizes[number]
    assert harness is not None
    harness.follower.audit.finish()
    found = harness.follower.audit.findings
    state = harness.follower.report(0)
    assert (state["games"], state["entries"], state["root"]) == (
        report.games,
        report.entries,
        report.root,
    )
    assert state["key_from"] == "the log itself"
    assert [one for one in found if one.severity == "error"] == []
    assert {one.text for one in found} <= {one.text for one in report.findings}
    assert harness.evidence == []


def test_l25_a_restart_resumes_from_the_state(shown: PublishedLog, tmp_path: Path) -> None:
    stop = 1
    shown.show(shown.upto(stop))
    assert MonitorHarness(shown, tmp_path / "state").look() == []
    shown.show(shown.upto(-1))
    resumed, straight = (
        MonitorHarness(shown, tmp_path / "state"),
        MonitorHarness(shown, tmp_path / "other"),
    )
    assert resumed.follower.size == shown.sizes[stop]
    assert resumed.look() == straight.look() == []
    for harness in (resumed, straight):
        harness.follower.audit.finish()
    assert resumed.follower.report(0) == straight.follower.report(0)
    assert stat.S_IMODE((tmp_path / "state" / "state.json").stat().st_mode) == 0o600


def tampered(leaf: bytes) -> bytes:
    return leaf.replace(b'"at":1', b'"at":2', 1)


def with_tampered(leaves: list[bytes], n: int) -> list[bytes]:
    leaves[n] = tampered(leaves[n])
    return leaves


@pytest.mark.parametrize(
    ("name", "words", "cheat"),
    [
        ("fork", "do not begin with", lambda shown: with_tampered(shown.upto(-1), 5)),
        ("fork", "two roots", lambda shown: with_tampered(shown.upto(1), -1)),
        ("shrunken", "shrunk", lambda shown: with_tampered(shown.upto(1)[:-3], -1)),
        ("stale", "stale", lambda shown: shown.upto(0)),
    ],
)
def test_l25_a_contradiction_is_reported_and_both_notes_are_kept(
    shown: PublishedLog,
    tmp_path: Path,
    name: str,
    words: str,
    cheat: Callable[[PublishedLog], list[bytes]],
) -> None:
    shown.show(shown.upto(0))
    harness = MonitorHarness(shown, tmp_path / "state")
    assert harness.look() == []
    shown.show(shown.upto(1))
    assert harness.look() == []
    before = shown.files["checkpoint"].decode()
    shown.show(cheat(shown))
    (said,) = harness.look()
    assert words in said
    assert harness.look() == [], "said once, kept once"
    (kept,) = harness.evidence
    assert (kept.name, kept.before, kept.after) == (
        name,
        before,
        shown.files["checkpoint"].decode(),
    )
    folder = tmp_path / "state" / "evidence" / f"0001-{name}"
    assert (folder / "before").read_text() == before
    assert (folder / "after").read_text() == kept.after
    assert (folder / "what.txt").read_text().strip() == said
    assert harness.follower.size == shown.sizes[1], "what contradicts is not taken in"
    again = MonitorHarness(shown, tmp_path / "state")
    assert [one.text for one in again.follower.audit.findings] == [said]


def test_l25_a_log_signed_by_another_key_is_refused(shown: PublishedLog, tmp_path: Path) -> None:
    thief = SigningKey.from_seed(shown.key.name, b"t" * 32)
    shown.show(shown.upto(0))
    harness = MonitorHarness(shown, tmp_path / "state")
    harness.look()
    shown.show(shown.upto(-1), thief)
    (said,) = harness.look()
    assert "refused" in said
    with pytest.raises(CasinoError, match="is signed by") as refused:
        MonitorHarness(shown, tmp_path / "state", thief.public)
    assert refused.value.exit_status == 1, "as that of an audit with another key"
    shown.show(shown.upto(0), thief)
    other = MonitorHarness(shown, tmp_path / "other", shown.key.public)
    assert "refused" in other.look()[0]


def test_l24_a_quorum_of_witnesses_is_required(shown: PublishedLog) -> None:
    witnesses = [SigningKey.from_seed(f"w{n}", bytes([n]) * 32, COSIGNATURE) for n in range(1, 4)]
    shown.show(shown.upto(0))
    keys = tuple(witness.public for witness in witnesses)
    follower = monitor_of(shown.address, shown.key.public, witnesses=(keys, 2))
    assert "0 of 3 known witnesses" in polled(follower)[0].text
    note = shown.files["checkpoint"].decode()
    shown.files["checkpoint"] = (
        note + cosign(witnesses[0], note, 5) + cosign(witnesses[2], note, 6)
    ).encode()
    assert polled(follower) == []
    assert follower.size == shown.sizes[0]


def test_l25_comparing_two_followers_finds_a_fork(shown: PublishedLog, tmp_path: Path) -> None:
    leaves = shown.upto(-1)
    shown.show(leaves)
    ann = MonitorHarness(shown, tmp_path / "ann")
    assert ann.look() == []
    shown.show(with_tampered(shown.upto(-1), -1))
    ben_saw = shown.files["checkpoint"].decode()
    shown.show(leaves)
    found = polled(ann.follower, "ben", ben_saw)
    assert ["fork" in one.text for one in found] == [True]
    assert (ann.evidence[0].before, ann.evidence[0].after) == (ann.follower.note, ben_saw)
    shown.show(shown.upto(0))
    earlier = shown.files["checkpoint"].decode()
    shown.show(leaves)
    assert polled(ann.follower, "ben", earlier) == []
    assert "refused" in polled(ann.follower, "ben", "no checkpoint")[0].text


def test_l25_an_unreachable_log_is_not_a_finding(shown: PublishedLog, tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match="check the address"):
        MonitorHarness(shown, tmp_path / "state")
    assert not (tmp_path / "state").exists()


def test_l25_a_state_of_another_log_is_refused(shown: PublishedLog, tmp_path: Path) -> None:
    shown.show(shown.upto(0))
    MonitorHarness(shown, tmp_path / "state").look()
    with pytest.raises(FileError, match="another --state"):
        MonitorFolder(tmp_path / "state").load("http://example.org/log/")
    file = tmp_path / "state" / "state.json"
    whole = file.read_text()
    for spoilt in (whole[:-5], whole.replace(f'"format":{FORMAT}', '"format":9'), "[]"):
        file.write_text(spoilt)
        with pytest.raises(FileError, match="choose another --state"):
            MonitorFolder(tmp_path / "state").load(shown.address)


def test_l16_a_log_is_followed_across_key_rotations(tmp_path: Path) -> None:
    path, files, evidence = tmp_path / "casino.db", dict[str, bytes](), list[Contradiction]()

    def show() -> SigningKey:
        open_ledger(path).close()
        key = CasinoFiles(path).load_key()
        files.update(files_of([leaf.body for leaf in open_log(path).leaves()], key))
        return key

    first = show().public
    with serving(files) as address:
        follower, late, strange = (
            monitor_of(address, key, evidence.append)
            for key in (first, None, SigningKey.generate(first.name).public)
        )
        assert polled(follower) == []
        for _ in range(2):
            open_ledger(path).rotate_key()
        newest = show().public
        for one in (follower, late):
            assert polled(one) == []
            assert one.report(0)["key"] == newest.text()
        assert "is signed by another key" in polled(strange)[0].text
        assert evidence[-1].name == "refused"


OPENED = LogOpened(at=1, key=KEY.public.text(), name=KEY.name, version=2)
LONG = [encode(OPENED), *(b'{"at":%d,"type":"run_started"}' % n for n in range(2, 2 * SIZE + 301))]
"""A log longer than two whole ranges."""


@pytest.fixture(scope="module")
def long() -> dict[str, bytes]:
    return files_of(LONG)


def corrupt_tile(path: str, data: bytes) -> bytes:
    return data.replace(b"started", b"stopped", 1) if "entries" in path else b"x" * 32 + data[32:]


@pytest.mark.parametrize(
    ("path", "leaves", "name"),
    [
        ("tile/entries/300", SIZE, "leaves"),
        ("tile/entries/513.p/44", 2 * SIZE, "leaves"),
        ("tile/0/300", len(LONG), ""),
        ("tile/2/000.p/2", 0, "tiles"),
    ],
)
def test_l25_ranges_are_verified_before_they_are_accepted(
    long: dict[str, bytes], path: str, leaves: int, name: str
) -> None:
    assert path in long
    files = {one: corrupt_tile(one, data) if one == path else data for one, data in long.items()}
    evidence: list[Contradiction] = []
    with serving(files) as address:
        follower = monitor_of(address, KEY.public, evidence.append)
        follower.poll()
        assert (follower.size, [one.name for one in evidence]) == (leaves, [name] if name else [])
        if name == "leaves":
            assert "are not those that were signed" in evidence[0].text
        files.update(long)
        follower.poll()
        assert follower.size == len(LONG), "served as it was signed, the rest is taken in"
        assert follower.tree.root() == follower.newest.root


def test_l25_unreachable_tiles_are_read_at_the_next_poll(long: dict[str, bytes]) -> None:
    files = {path: data for path, data in long.items() if path != "tile/entries/400"}
    with serving(files) as address:
        evidence: list[Contradiction] = []
        follower = monitor_of(address, keep=evidence.append)
        with pytest.raises(UnreachableError, match="tile/entries/400 cannot be read"):
            follower.poll()
        assert evidence == []
        assert (follower.size, follower.newest.size) == (SIZE, len(LONG))
        assert follower.report(0)["unread"] == SIZE + 300
        files.update(long)
        assert polled(follower) == []
        assert follower.size == len(LONG)


@pytest.mark.parametrize(("cents", "is_false"), [(7, False), (8, False), (7, True)])
def test_l18_a_correction_is_compared_with_its_entry(
    cents: int, is_false: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that sends other leaves when the log is read again does not deceive the monitor."""
    made: list[Leaf] = [RunStarted(at=n) for n in range(700)]
    made[0] = LogOpened(at=0, key=KEY.public.text(), name=KEY.name, version=3)
    made[1] = entry(1, "grant", ("treasury", -cents), at=1, part=1, parts=2)
    made[2] = entry(1, "grant", ("wallet/ann", cents), at=2, part=2, parts=2)
    undone = ("treasury", 7), ("wallet/ann", -7)
    made[600] = entry(2, "correct", *undone, at=600, corrects=1, reason="x")
    files, real, reads = files_of([encode(leaf) for leaf in made]), TileClient.leaves, count()

    def leaves(remote: TileClient, first: int, end: int) -> Iterator[bytes]:
        is_again = end == len(made) and next(reads) == 1
        for number, leaf in enumerate(real(remote, first, end), first):
            yield encode(RunStarted(at=8)) if is_false and is_again and number == 9 else leaf

    monkeypatch.setattr(TileClient, "leaves", leaves)
    with serving(files) as address:
        follower = monitor_of(address)
        texts = [finding.text for finding in polled(follower)]
        assert ("the correction does not undo entry 1" in texts) is (cents != 7 or is_false)
        assert [finding for finding in polled(follower) if "undo" in finding.text] == []
