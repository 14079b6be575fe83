"""L24: what witnesses say of a checkpoint, in the format that other programs read."""

from __future__ import annotations

import base64
import hashlib

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from casino.errors import FileError
from casino.ledger.tlog.cosignature import check_quorum, cosign, cosigning_times, with_cosignatures
from casino.ledger.tlog.note import (
    COSIGNATURE,
    PublicKey,
    SigningKey,
    open_checkpoint,
    sign_checkpoint,
)

LOG = SigningKey.from_seed("example.org/log", bytes(32))
WITNESSES = [
    SigningKey.from_seed(f"witness.example/{name}", bytes([number]) * 32, COSIGNATURE)
    for number, name in enumerate("abc", 1)
]
KEYS = [witness.public for witness in WITNESSES]
NOTE = sign_checkpoint(LOG, 7, bytes(range(32)))
AT = 1_679_315_147


def test_l24_a_cosignature_is_what_the_format_says() -> None:
    """Key id of kind 4, eight bytes of time, Ed25519 over two lines and the checkpoint's body."""
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


def test_l24_cosignatures_stand_beside_the_logs_own_signature() -> None:
    """The log's key still opens the checkpoint, and each known witness's time is read."""
    note = NOTE + "".join(cosign(one, NOTE, AT + n) for n, one in enumerate(WITNESSES))
    assert open_checkpoint(note, LOG.public).size == 7
    assert cosigning_times(note, KEYS) == {key.name: AT + n for n, key in enumerate(KEYS)}
    assert cosigning_times(note, KEYS[1:2]) == {KEYS[1].name: AT + 1}
    assert cosigning_times(NOTE, KEYS) == {}


@pytest.mark.parametrize("quorum", [0, 1, 2])
def test_l24_a_quorum_that_is_there_is_enough(quorum: int) -> None:
    note = NOTE + cosign(WITNESSES[0], NOTE, AT) + cosign(WITNESSES[2], NOTE, AT)
    assert set(check_quorum(note, KEYS, quorum)) == {KEYS[0].name, KEYS[2].name}


def test_l24_a_quorum_that_is_not_there_says_who_is() -> None:
    """One of three, where two are needed; two cosignatures of one witness are one."""
    note = NOTE + cosign(WITNESSES[0], NOTE, AT) + cosign(WITNESSES[0], NOTE, AT + 5)
    with pytest.raises(
        FileError, match=r"1 of 3 known witnesses cosigned it \(witness.example/a\)"
    ):
        check_quorum(note, KEYS, 2)


def test_l24_one_secret_under_two_names_is_one_witness() -> None:
    """Whoever trusts two names must have been told by two people."""
    twin = SigningKey("witness.example/twin", WITNESSES[0].secret, COSIGNATURE)
    note = NOTE + cosign(WITNESSES[0], NOTE, AT) + cosign(twin, NOTE, AT)
    assert len(check_quorum(note, [KEYS[0], twin.public], 1)) == 2
    with pytest.raises(FileError, match="by 1 key, but 2 are needed"):
        check_quorum(note, [KEYS[0], twin.public], 2)


def test_l24_a_false_cosignature_is_refused() -> None:
    """Another time, or another checkpoint, and the signature no longer holds."""
    line = cosign(WITNESSES[0], NOTE, AT)
    other = sign_checkpoint(LOG, 8, bytes(range(32)))
    raw = bytearray(base64.b64decode(line.split(" ")[2]))
    raw[11] ^= 1
    later = f"\u2014 {KEYS[0].name} {base64.b64encode(raw).decode()}\n"
    for note in (other + line, NOTE + later):
        with pytest.raises(FileError, match="the cosignature of witness.example/a is false"):
            cosigning_times(note, KEYS)


def test_l24_only_the_witness_that_was_asked_is_heard() -> None:
    """Of an answer only that witness's own lines are kept, each once; none is an error."""
    own, strange = cosign(WITNESSES[0], NOTE, AT), cosign(WITNESSES[1], NOTE, AT)
    lines = [strange.rstrip("\n"), own.rstrip("\n")]
    note = with_cosignatures(NOTE, lines, KEYS[0])
    assert note == NOTE + own
    assert with_cosignatures(note, lines, KEYS[0]) == note
    with pytest.raises(FileError, match="answered without a cosignature of its own"):
        with_cosignatures(NOTE, lines[:1], KEYS[0])


def test_l24_a_witness_key_is_not_a_logs_key() -> None:
    """The kind is part of the key: one kind is not read where the other is meant."""
    text = KEYS[0].text()
    assert PublicKey.parse(text, COSIGNATURE) == KEYS[0]
    with pytest.raises(FileError, match="a public key of a log"):
        PublicKey.parse(text)
    with pytest.raises(FileError, match="a public key of a witness"):
        PublicKey.parse(LOG.public.text(), COSIGNATURE)
    assert SigningKey.parse(WITNESSES[0].text(), COSIGNATURE).public == KEYS[0]


def test_l24_half_a_note_cannot_be_cosigned() -> None:
    with pytest.raises(FileError, match="three lines"):
        cosign(WITNESSES[0], "example.org/log\n7\n", AT)
