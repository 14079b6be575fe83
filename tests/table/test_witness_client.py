"""L24: checkpoints go to witnesses, cosignatures come back, a rollback stops the casino."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from casino.errors import InputError
from casino.ledger.tlog import Witness, WitnessAddress, WitnessReply
from casino.ledger.tlog.merkle import Hash, consistency_proof
from casino.ledger.tlog.note import COSIGNATURE, SigningKey, sign_checkpoint
from casino.ledger.tlog.witness import cosigning_times, parse_witnesses
from casino.table.runtime.witness_client import (
    CosignedCheckpointFile,
    RolledBackError,
    WitnessClient,
    WitnessListener,
)
from tests.ledger.test_witnesses import KEYS, NOW
from tests.ledger.tile_server import KEY, invented, listening, root_of, subtree_of

LEAVES = invented(60)
TIMEOUT_SECONDS = 240


def prove(old: int, size: int) -> list[Hash]:
    return consistency_proof(old, size, subtree_of(LEAVES))


def note(size: int, leaves: list[bytes] = LEAVES) -> str:
    return sign_checkpoint(KEY, size, root_of(leaves[:size]))


class WitnessHarness:
    """A witness over HTTP, built from the protocol's server half."""

    def __init__(self, number: int, stack: ExitStack) -> None:
        self.key = SigningKey.from_seed(f"w{number}", bytes([number]) * 32, COSIGNATURE)
        self.asked: list[str] = []
        self.answer: WitnessReply | None = None
        self.witness = Witness(self.key, KEY.public, None, lambda _: None)
        address = stack.enter_context(listening(self.respond))
        self.at = WitnessAddress(self.key.public, address.rstrip("/"))

    def respond(self, _: str, body: bytes) -> tuple[int, bytes]:
        self.asked.append(body.decode())
        reply = self.answer or self.witness.answer(self.asked[-1], NOW)
        return reply.status, reply.body.encode()


@pytest.fixture
def witnesses() -> Iterator[list[WitnessHarness]]:
    with ExitStack() as stack:
        yield [WitnessHarness(number, stack) for number in (1, 2)]


def test_l24_consistency_proof_starts_at_last_cosigned_size(
    witnesses: list[WitnessHarness],
) -> None:
    asker = WitnessClient(witnesses[0].at, prove)
    for size in (7, 12, 12, 60):
        found = asker.request_cosignature(note(size))
        assert found is not None
        assert cosigning_times(found, [witnesses[0].key.public]) == {"w1": NOW}
    firsts = [text.split("\n")[0] for text in witnesses[0].asked]
    assert firsts == ["old 0", "old 7", "old 12", "old 12"]


def test_l24_restarted_client_learns_size_from_witness(witnesses: list[WitnessHarness]) -> None:
    WitnessClient(witnesses[0].at, prove).request_cosignature(note(12))
    for size in (60, 60):
        again = WitnessClient(witnesses[0].at, prove)
        assert again.request_cosignature(note(size)) is not None
    firsts = [text.split("\n")[0] for text in witnesses[0].asked]
    assert firsts == ["old 0", "old 0", "old 12", "old 0", "old 60"]


def test_l24_larger_or_forked_witness_state_proves_rollback(
    witnesses: list[WitnessHarness],
) -> None:
    WitnessClient(witnesses[0].at, prove).request_cosignature(note(40))
    with pytest.raises(
        RolledBackError, match="it has seen 40 leaves of this log, which now has 12"
    ):
        WitnessClient(witnesses[0].at, prove).request_cosignature(note(12))
    other = [*LEAVES[:5], b"{}", *LEAVES[6:]]

    def forked(old: int, size: int) -> list[Hash]:
        return consistency_proof(old, size, subtree_of(other))

    for size in (40, 60):
        with pytest.raises(RolledBackError, match="do not extend"):
            WitnessClient(witnesses[0].at, forked).request_cosignature(note(size, other))


@pytest.mark.parametrize(
    "reply",
    [
        WitnessReply(503, "later"),
        WitnessReply(404, "who?"),
        WitnessReply(200, "nothing"),
        WitnessReply(200, "\u2014 w1 AAAA\n"),
        WitnessReply(200, "\u2014 somebody AAAA\n"),
        WitnessReply(409, "x"),
        WitnessReply(409, "7\n"),
    ],
)
def test_l24_invalid_reply_is_ignored(witnesses: list[WitnessHarness], reply: WitnessReply) -> None:
    witnesses[0].answer = reply
    assert WitnessClient(witnesses[0].at, prove).request_cosignature(note(12)) is None
    witnesses[0].answer = None
    assert WitnessClient(witnesses[0].at, prove).request_cosignature(note(12)) is not None


def test_l24_all_witnesses_cosign_newest_checkpoint(witnesses: list[WitnessHarness]) -> None:
    kept: list[str] = []
    enough = threading.Event()

    def keep(text: str) -> None:
        kept.append(text)
        if len([one for one in kept if "\n60\n" in one]) == 2:
            enough.set()

    at = tuple(witness.at for witness in witnesses)
    keys = [witness.key.public for witness in witnesses]
    with closing(WitnessListener(at, prove, keep, lambda error: None)) as house:
        for size in range(1, 61):
            house.on_signed(note(size))
        assert enough.wait(TIMEOUT_SECONDS)
    assert {name for text in kept for name in cosigning_times(text, keys)} == {"w1", "w2"}


def test_l24_rollback_stops_the_casino(witnesses: list[WitnessHarness]) -> None:
    WitnessClient(witnesses[0].at, prove).request_cosignature(note(40))
    told: list[Exception] = []
    stopped = threading.Event()

    def stop(error: Exception) -> None:
        told.append(error)
        stopped.set()

    with closing(WitnessListener((witnesses[0].at,), prove, lambda _: None, stop)) as house:
        house.on_signed(note(12))
        assert stopped.wait(TIMEOUT_SECONDS)
    assert "w1: it has seen 40 leaves" in str(told[0])


def test_l24_newest_cosignatures_are_saved_to_file(
    witnesses: list[WitnessHarness], tmp_path: Path
) -> None:
    at = tuple(witness.at for witness in witnesses)
    kept = CosignedCheckpointFile(tmp_path / "casino.db.cosigned", at)
    assert kept.note_with_quorum(0) is None
    for witness in witnesses:
        found = WitnessClient(witness.at, prove).request_cosignature(note(12))
        assert found is not None
        kept.save(found)
    assert set(cosigning_times(kept.note, [one.key for one in at])) == {"w1", "w2"}
    assert kept.note_with_quorum(2) == kept.note
    again = CosignedCheckpointFile(tmp_path / "casino.db.cosigned", at)
    assert again.note == kept.note
    newer = WitnessClient(witnesses[0].at, prove).request_cosignature(note(40))
    assert newer is not None
    again.save(newer)
    again.save(kept.note)
    assert again.note == newer
    assert again.note_with_quorum(1) == newer
    assert again.note_with_quorum(2) is None


def test_l24_witnesses_are_parsed_from_address_and_key() -> None:
    text = f"http://a.example {KEYS[0].text()} , https://b.example {KEYS[1].text()}"
    found = parse_witnesses(text)
    assert [one.address for one in found] == ["http://a.example", "https://b.example"]
    assert [one.key for one in found] == KEYS[:2]
    assert parse_witnesses("") == ()
    for wrong in ("a.example key", "http://a.example", "http://a.example nonsense"):
        with pytest.raises(InputError):
            parse_witnesses(wrong)
