"""L24: the witness protocol, the witness's half and the log's, held against its text."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field

import pytest

from casino.errors import FileError
from casino.ledger.tlog.cosignature import cosigning_times
from casino.ledger.tlog.merkle import consistency_proof
from casino.ledger.tlog.note import COSIGNATURE, SigningKey, open_checkpoint, sign_checkpoint
from casino.ledger.tlog.witness import (
    LastCosigned,
    Witness,
    WitnessReply,
    WitnessRequest,
    read_reply,
    read_request,
)
from tests.ledger.tiled import invented, root_of, subtree_of

LOG = SigningKey.from_seed("example.org/log", bytes(32))
KEY = SigningKey.from_seed("witness.example", bytes(range(32)), COSIGNATURE)
LEAVES = invented(40)
FORKED = [*LEAVES[:10], b"{}", *LEAVES[11:]]
AT = 1_700_000_000


@dataclass
class Stand:
    saved: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.witness = Witness(KEY, {LOG.name: LOG.public}, {}, self._save)

    def _save(self, origin: str, note: str) -> None:
        self.saved.append((origin, note))

    def ask(self, old: int, size: int, leaves: list[bytes] = LEAVES) -> WitnessReply:
        return self.witness.answer(request(old, size, leaves).text(), AT)


def request(old: int, size: int, leaves: list[bytes] = LEAVES) -> WitnessRequest:
    proof = consistency_proof(old, size, subtree_of(leaves))
    return WitnessRequest(old, proof, sign_checkpoint(LOG, size, root_of(leaves[:size])))


def test_l24_a_checkpoint_that_continues_the_last_is_cosigned_and_saved_first() -> None:
    """From nothing to 7, to 12, to 12 again, to 40: each answered with a cosignature."""
    stand = Stand()
    for old, size in ((0, 7), (7, 12), (12, 12), (12, 40)):
        reply = stand.ask(old, size)
        assert reply.status == 200
        note = request(old, size).note + reply.body
        assert cosigning_times(note, [KEY.public]) == {KEY.name: AT}
        assert stand.saved[-1] == (LOG.name, note)


def test_l24_another_size_than_the_last_is_told_the_last() -> None:
    """409, the size as text, and its own media type; nothing is saved."""
    stand = Stand()
    stand.ask(0, 12)
    for old, size in ((0, 40), (7, 40), (7, 7), (13, 40)):
        assert stand.ask(old, size) == WitnessReply(409, "12\n", "text/x.tlog.size")
    assert len(stand.saved) == 1


def test_l24_a_fork_is_not_cosigned() -> None:
    """Another tree of the same size, a later one that does not continue it: 422, not saved."""
    stand = Stand()
    stand.ask(0, 12)
    assert stand.ask(12, 12, FORKED).status == 422
    assert stand.ask(12, 40, FORKED).status == 422
    honest = request(12, 40)
    for proof in (honest.proof[:-1], honest.proof[::-1], [*honest.proof, bytes(32)]):
        assert stand.witness.answer(honest._replace(proof=proof).text(), AT).status == 422
    assert len(stand.saved) == 1


def test_l24_a_proof_where_none_is_due_is_refused() -> None:
    """From nothing no hash may be given; an empty log has the hash of nothing."""
    stand = Stand()
    assert stand.witness.answer(request(0, 7)._replace(proof=[bytes(32)]).text(), AT).status == 422
    empty = WitnessRequest(0, [], sign_checkpoint(LOG, 0, bytes(32)))
    assert stand.witness.answer(empty.text(), AT).status == 422
    assert stand.ask(0, 0).status == 200


def test_l24_who_is_not_known_or_has_not_signed_is_refused() -> None:
    """404 for another log, 403 for a missing or a false signature."""
    stand = Stand()
    other = SigningKey.from_seed("example.org/other", bytes(32))
    note = sign_checkpoint(other, 7, root_of(LEAVES[:7]))
    assert stand.witness.answer(WitnessRequest(0, [], note).text(), AT).status == 404
    thief = SigningKey.from_seed(LOG.name, b"x" * 32)
    note = sign_checkpoint(thief, 7, root_of(LEAVES[:7]))
    assert stand.witness.answer(WitnessRequest(0, [], note).text(), AT).status == 403
    note = request(0, 7).note.replace("\n7\n", "\n8\n")
    assert stand.witness.answer(WitnessRequest(0, [], note).text(), AT).status == 403
    assert stand.saved == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "old\n\nx",
        "old x\n\nx\n1\n",
        "old 00\n\n" + request(0, 7).note,
        "old -1\n\n" + request(0, 7).note,
        "old 0\n" + request(0, 7).note,
        "old 7\nAAAA\n\n" + request(0, 7).note,
        "old 7\n" + (base64.b64encode(bytes(32)).decode() + "\n") * 64 + "\n" + request(0, 7).note,
        "old 0\n\nexample.org/log\nseven\n" + "A" * 43 + "=\n\n",
        "old 41\n\n" + request(0, 40).note,
    ],
)
def test_l24_what_is_malformed_is_a_400(text: str) -> None:
    """Nothing that is not a request is answered otherwise, or raises."""
    assert Stand().witness.answer(text, AT).status == 400


def test_l24_a_request_is_read_as_it_was_written() -> None:
    sent = request(7, 40)
    assert read_request(sent.text()) == sent
    with pytest.raises(FileError, match="old SIZE"):
        read_request(sent.text().replace("old", "new"))


def test_l24_a_witness_goes_on_from_what_it_saved() -> None:
    """A restarted witness knows what it saw, and does not cosign a shorter log."""
    stand = Stand()
    stand.ask(0, 12)
    checkpoint = open_checkpoint(stand.saved[-1][1], LOG.public)
    seen = {LOG.name: LastCosigned(checkpoint.size, checkpoint.root)}
    again = Witness(KEY, {LOG.name: LOG.public}, seen, lambda *_: None)
    assert again.answer(request(0, 7).text(), AT).status == 409
    assert again.answer(request(12, 40).text(), AT).status == 200


def test_l24_what_is_not_saved_is_not_cosigned() -> None:
    """A witness whose disk fails answers nothing, and still knows the older checkpoint."""

    def fail(*_: str) -> None:
        raise OSError(28, "no space left")

    witness = Witness(KEY, {LOG.name: LOG.public}, {}, fail)
    for _ in range(2):
        with pytest.raises(OSError, match="no space"):
            witness.answer(request(0, 7).text(), AT)


@pytest.mark.parametrize(
    ("status", "body", "prove_from", "rolled_back"),
    [
        (409, "5\n", 5, False),
        (409, "12\n", 12, False),
        (409, "41\n", None, True),
        (409, "7\n", None, False),
        (409, "many\n", None, False),
        (422, "no\n", None, True),
        (503, "later", None, False),
        (404, "who?", None, False),
    ],
)
def test_l24_the_log_knows_what_an_answer_means(
    status: int, body: str, prove_from: int | None, rolled_back: bool
) -> None:
    told = read_reply(WitnessReply(status, body), request(7, 12), 12)
    assert (told.prove_from, told.rolled_back) == (prove_from, rolled_back)
    assert bool(told.trouble) == (prove_from is None)
    assert told.lines == ()


def test_l24_the_lines_of_an_answer_are_read() -> None:
    told = read_reply(WitnessReply(200, "\u2014 w AAAA\nhello\n\u2014 v BBBB\n"), request(0, 7), 7)
    assert told.lines == ("\u2014 w AAAA", "\u2014 v BBBB")
