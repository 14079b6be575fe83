"""Keys, checkpoints, receipts, cosignatures and witness protocol, checked against their specs."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from casino.errors import FileError
from casino.ledger.storage.location import open_log
from casino.ledger.tlog.merkle import consistency_proof
from casino.ledger.tlog.note import (
    COSIGNATURE,
    PublicKey,
    SigningKey,
    from_base64,
    open_checkpoint,
    read_receipt,
    sign_checkpoint,
    verify_receipt,
)
from casino.ledger.tlog.witness import (
    Witness,
    WitnessReply,
    WitnessRequest,
    check_quorum,
    cosign,
    cosigning_times,
    with_cosignatures,
)
from tests.ledger.tile_server import invented, root_of, subtree_of

# A key pair of the Go project's signed notes, used in its documentation and tests.
PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETER_SECRET = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"


def test_l7_keys_match_signed_note_format() -> None:
    secret, public = SigningKey.parse(PETER_SECRET), PublicKey.parse(PETER)
    assert secret.public == public
    assert secret.text() == PETER_SECRET
    assert public.text() == PETER


def test_l7_checkpoint_signature_follows_the_format() -> None:
    key = SigningKey.from_seed("example.org/log", bytes(range(32)))
    note = sign_checkpoint(key, 42, bytes(32))
    body, signature = note.split("\n\n")
    assert body == f"example.org/log\n42\n{base64.b64encode(bytes(32)).decode()}"
    dash, name, encoded = signature.rstrip("\n").split(" ")
    assert (dash, name) == ("—", "example.org/log")
    raw = base64.b64decode(encoded)
    assert raw[:4] == key.public.key_id
    Ed25519PublicKey.from_public_bytes(key.public.raw).verify(raw[4:], (body + "\n").encode())
    assert open_checkpoint(note, key.public) == ("example.org/log", 42, bytes(32))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda note: note.replace("\n42\n", "\n43\n"), "is invalid"),
        (lambda note: note.replace("\n42\n", "\n042\n"), "three lines"),
        (lambda note: note.replace("log\n42", "other\n42"), "is for"),
        (lambda note: note.replace("— log", "— lug"), "not signed"),
        (lambda note: note.split("\n\n")[0], "three lines"),
        (lambda note: note.replace("A=\n", "\n"), "is invalid"),
        (lambda note: note.replace("A=\n", "AAAA=\n"), "is invalid"),
    ],
)
def test_l7_changed_checkpoint_is_refused(change, said: str) -> None:  # type: ignore[no-untyped-def]
    key = SigningKey.from_seed("log", bytes(32))
    note = change(sign_checkpoint(key, 42, bytes(32)))
    with pytest.raises(FileError, match=said):
        open_checkpoint(note, key.public)


@pytest.mark.parametrize(
    "text", ["", "a+b", "a+00000000+AAAA", PETER.replace("c74f20a3", "c74f20a4"), PETER_SECRET[:40]]
)
def test_malformed_key_is_refused(text: str) -> None:
    with pytest.raises(FileError):
        PublicKey.parse(text)
    with pytest.raises(FileError):
        SigningKey.parse(text)


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\nb"])
def test_log_name_must_be_one_word(name: str) -> None:
    with pytest.raises(FileError, match="name"):
        SigningKey.from_seed(name, bytes(32))


def bet_receipt(played: Path) -> tuple[str, PublicKey]:
    log = open_log(played)
    bet = next(leaf for leaf in log.leaves() if leaf.kind == "bet")
    receipt = log.receipt(bet.n)
    key = PublicKey.parse(played.with_name("casino.db.pub").read_text())
    log.close()
    assert receipt is not None
    return receipt, key


def test_l8_bet_receipt_verifies_offline(played: Path) -> None:
    text, key = bet_receipt(played)
    receipt, checkpoint = verify_receipt(text, key)
    assert b'"type":"bet"' in receipt.leaf
    assert receipt.leaf_index < checkpoint.size
    assert read_receipt(text).text() == text
    alone = receipt._replace(leaf_index=0, siblings=[])
    assert read_receipt(alone.text()) == alone
    # An editor may leave blank lines at the end.
    assert verify_receipt(f"{text}\n\n", key)[1] == checkpoint


@pytest.mark.parametrize("text", ["", "A", "AB==", "AA==\n", "A A==", "AA", "\u0410A=="])
def test_base64_must_be_canonical(text: str) -> None:
    assert from_base64("AA==", "a hash") == b"\0"
    with pytest.raises(FileError, match="a hash is not base64"):
        from_base64(text, "a hash")


def test_l8_receipt_with_any_changed_line_is_refused(played: Path) -> None:
    text, key = bet_receipt(played)
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if not line:
            continue
        at = len(line) // 2
        spoilt = line[:at] + ("1" if line[at] != "1" else "2") + line[at + 1 :]
        with pytest.raises(FileError):
            verify_receipt("\n".join([*lines[:number], spoilt, *lines[number + 1 :]]), key)


LOG = SigningKey.from_seed("example.org/log", bytes(32))
WITNESSES = [
    SigningKey.from_seed(f"witness.example/{name}", bytes([number]) * 32, COSIGNATURE)
    for number, name in enumerate("abc", 1)
]
KEYS = [witness.public for witness in WITNESSES]
NOTE = sign_checkpoint(LOG, 7, bytes(range(32)))
AT = 1_679_315_147


def test_l24_cosignature_follows_the_format() -> None:
    line = cosign(WITNESSES[0], NOTE, AT)
    dash, name, encoded = line.removesuffix("\n").split(" ")
    raw = base64.b64decode(encoded)
    key = KEYS[0]
    assert (dash, name) == ("\u2014", "witness.example/a")
    assert raw[:4] == hashlib.sha256(name.encode() + b"\n\x04" + key.raw).digest()[:4]
    assert int.from_bytes(raw[4:12], "big") == AT
    body = NOTE.partition("\n\n")[0] + "\n"
    message = f"cosignature/v1\ntime {AT}\n{body}"
    Ed25519PublicKey.from_public_bytes(key.raw).verify(raw[12:], message.encode())


def test_l24_note_carries_log_signature_and_cosignatures() -> None:
    note = NOTE + "".join(cosign(one, NOTE, AT + n) for n, one in enumerate(WITNESSES))
    assert open_checkpoint(note, LOG.public).size == 7
    assert cosigning_times(note, KEYS) == {key.name: AT + n for n, key in enumerate(KEYS)}
    assert cosigning_times(note, KEYS[1:2]) == {KEYS[1].name: AT + 1}
    assert cosigning_times(NOTE, KEYS) == {}


@pytest.mark.parametrize("quorum", [0, 1, 2])
def test_l24_quorum_is_met_by_enough_witnesses(quorum: int) -> None:
    note = NOTE + cosign(WITNESSES[0], NOTE, AT) + cosign(WITNESSES[2], NOTE, AT)
    assert set(check_quorum(note, KEYS, quorum)) == {KEYS[0].name, KEYS[2].name}


def test_l24_missing_quorum_names_cosigning_witnesses() -> None:
    note = NOTE + cosign(WITNESSES[0], NOTE, AT) + cosign(WITNESSES[0], NOTE, AT + 5)
    with pytest.raises(
        FileError, match=r"1 of 3 known witnesses cosigned it \(witness.example/a\)"
    ):
        check_quorum(note, KEYS, 2)


def test_l24_one_key_under_two_names_counts_once() -> None:
    twin = SigningKey("witness.example/twin", WITNESSES[0].secret, COSIGNATURE)
    note = NOTE + cosign(WITNESSES[0], NOTE, AT) + cosign(twin, NOTE, AT)
    assert len(check_quorum(note, [KEYS[0], twin.public], 1)) == 2
    with pytest.raises(FileError, match="by 1 key, but 2 are needed"):
        check_quorum(note, [KEYS[0], twin.public], 2)
    note += cosign(WITNESSES[1], NOTE, AT)
    with pytest.raises(FileError, match="by 2 keys, but 3 are needed"):
        check_quorum(note, [*KEYS[:2], twin.public], 3)


def test_l24_false_cosignature_is_refused() -> None:
    line = cosign(WITNESSES[0], NOTE, AT)
    other = sign_checkpoint(LOG, 8, bytes(range(32)))
    raw = bytearray(base64.b64decode(line.split(" ")[2]))
    raw[11] ^= 1
    later = f"\u2014 {KEYS[0].name} {base64.b64encode(raw).decode()}\n"
    for note in (other + line, NOTE + later):
        with pytest.raises(FileError, match="the cosignature of witness.example/a is invalid"):
            cosigning_times(note, KEYS)


def test_l24_only_cosignature_of_requested_witness_is_added() -> None:
    own, strange = cosign(WITNESSES[0], NOTE, AT), cosign(WITNESSES[1], NOTE, AT)
    lines = [strange.rstrip("\n"), own.rstrip("\n")]
    note = with_cosignatures(NOTE, lines, KEYS[0])
    assert note == NOTE + own
    assert with_cosignatures(note, lines, KEYS[0]) == note
    with pytest.raises(FileError, match="answered without its own cosignature"):
        with_cosignatures(NOTE, lines[:1], KEYS[0])


def test_l24_witness_key_is_not_a_log_key() -> None:
    text = KEYS[0].text()
    assert PublicKey.parse(text, COSIGNATURE) == KEYS[0]
    with pytest.raises(FileError, match="a public key of a log"):
        PublicKey.parse(text)
    with pytest.raises(FileError, match="a public key of a witness"):
        PublicKey.parse(LOG.public.text(), COSIGNATURE)
    assert SigningKey.parse(WITNESSES[0].text(), COSIGNATURE).public == KEYS[0]


KEY = SigningKey.from_seed("witness.example", bytes(range(32)), COSIGNATURE)
LEAVES = invented(40)
FORKED = [*LEAVES[:10], b"{}", *LEAVES[11:]]
NOW = 1_700_000_000


@dataclass
class WitnessHarness:
    saved: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.witness = Witness(KEY, LOG.public, None, self.saved.append)

    def ask(self, old: int, size: int, leaves: list[bytes] = LEAVES) -> WitnessReply:
        return self.witness.answer(request(old, size, leaves).text(), NOW)


def request(old: int, size: int, leaves: list[bytes] = LEAVES) -> WitnessRequest:
    proof = consistency_proof(old, size, subtree_of(leaves))
    return WitnessRequest(old, proof, sign_checkpoint(LOG, size, root_of(leaves[:size])))


def test_l24_consistent_checkpoint_is_saved_and_cosigned() -> None:
    harness = WitnessHarness()
    for old, size in ((0, 7), (7, 12), (12, 12), (12, 40)):
        reply = harness.ask(old, size)
        assert reply.status == 200
        note = request(old, size).note + reply.body
        assert cosigning_times(note, [KEY.public]) == {KEY.name: NOW}
        assert harness.saved[-1] == note


def test_l24_wrong_old_size_is_answered_with_last_size() -> None:
    harness = WitnessHarness()
    harness.ask(0, 12)
    for old, size in ((0, 40), (7, 40), (7, 7), (13, 40)):
        assert harness.ask(old, size) == WitnessReply(409, "12\n", "text/x.tlog.size")
    assert len(harness.saved) == 1


def test_l24_fork_is_not_cosigned() -> None:
    harness = WitnessHarness()
    harness.ask(0, 12)
    assert harness.ask(12, 12, FORKED).status == 422
    assert harness.ask(12, 40, FORKED).status == 422
    honest = request(12, 40)
    for proof in (honest.proof[:-1], honest.proof[::-1], [*honest.proof, bytes(32)]):
        assert harness.witness.answer(honest._replace(proof=proof).text(), NOW).status == 422
    assert len(harness.saved) == 1


def test_l24_unneeded_proof_is_refused() -> None:
    harness = WitnessHarness()
    assert (
        harness.witness.answer(request(0, 7)._replace(proof=[bytes(32)]).text(), NOW).status == 422
    )
    empty = WitnessRequest(0, [], sign_checkpoint(LOG, 0, bytes(32)))
    assert harness.witness.answer(empty.text(), NOW).status == 422
    assert harness.ask(0, 0).status == 200


def test_l24_unknown_log_or_wrong_signature_is_refused() -> None:
    harness = WitnessHarness()
    other = SigningKey.from_seed("example.org/other", bytes(32))
    note = sign_checkpoint(other, 7, root_of(LEAVES[:7]))
    assert harness.witness.answer(WitnessRequest(0, [], note).text(), NOW).status == 404
    thief = SigningKey.from_seed(LOG.name, b"x" * 32)
    note = sign_checkpoint(thief, 7, root_of(LEAVES[:7]))
    assert harness.witness.answer(WitnessRequest(0, [], note).text(), NOW).status == 403
    note = request(0, 7).note.replace("\n7\n", "\n8\n")
    assert harness.witness.answer(WitnessRequest(0, [], note).text(), NOW).status == 403
    assert harness.saved == []


@pytest.mark.parametrize(
    "text",
    [
        "", "old\n\nx", "old x\n\nx\n1\n", "old 00\n\n" + request(0, 7).note,
        "old -1\n\n" + request(0, 7).note, "old 0\n" + request(0, 7).note,
        "old 7\nAAAA\n\n" + request(0, 7).note,
        "old 7\n" + (base64.b64encode(bytes(32)).decode() + "\n") * 64 + "\n" + request(0, 7).note,
        "old 0\n\nexample.org/log\nseven\n" + "A" * 43 + "=\n\n",
        "old 41\n\n" + request(0, 40).note,
    ],
)  # fmt: skip
def test_l24_malformed_request_returns_400(text: str) -> None:
    assert WitnessHarness().witness.answer(text, NOW).status == 400


def test_l24_restarted_witness_continues_from_saved_checkpoint() -> None:
    harness = WitnessHarness()
    harness.ask(0, 12)
    checkpoint = open_checkpoint(harness.saved[-1], LOG.public)
    again = Witness(KEY, LOG.public, checkpoint, lambda _: None)
    assert again.answer(request(0, 7).text(), NOW).status == 409
    assert again.answer(request(12, 40).text(), NOW).status == 200


def test_l24_checkpoint_is_not_cosigned_if_saving_fails() -> None:
    def fail(*_: str) -> None:
        raise OSError(28, "no space left")

    witness = Witness(KEY, LOG.public, None, fail)
    for _ in range(2):
        with pytest.raises(OSError, match="no space"):
            witness.answer(request(0, 7).text(), NOW)
