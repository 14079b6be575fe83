"""Keys, signed checkpoints and receipts, in the formats that other programs read."""

from __future__ import annotations

import base64
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from casino.errors import FileError
from casino.ledger.ledger import open_log
from casino.ledger.side_files import CasinoFiles
from casino.ledger.tlog.note import (
    PublicKey,
    SigningKey,
    open_checkpoint,
    read_receipt,
    sign_checkpoint,
    verify_receipt,
)

# A key pair of the Go project's signed notes, used in its documentation and tests.
PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETER_SECRET = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
PETER_NOTE = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
)


def test_l7_keys_are_those_of_signed_notes() -> None:
    """A published key pair is read, agrees, and is written as it was."""
    secret, public = SigningKey.parse(PETER_SECRET), PublicKey.parse(PETER)
    assert secret.public == public
    assert secret.text() == PETER_SECRET
    assert public.text() == PETER


def test_l7_a_checkpoint_is_signed_as_its_format_says() -> None:
    """Name, size, root, an empty line, a dash, the name, key id and signature over the text."""
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
        (lambda note: note.replace("\n42\n", "\n43\n"), "false"),
        (lambda note: note.replace("\n42\n", "\n042\n"), "three lines"),
        (lambda note: note.replace("log\n42", "other\n42"), "is of"),
        (lambda note: note.replace("— log", "— lug"), "not signed"),
        (lambda note: note.split("\n\n")[0], "three lines"),
        (lambda note: note.replace("A=\n", "\n"), "false"),
        (lambda note: note.replace("A=\n", "AAAA=\n"), "false"),
    ],
)
def test_l7_a_changed_checkpoint_is_refused(change, said: str) -> None:  # type: ignore[no-untyped-def]
    key = SigningKey.from_seed("log", bytes(32))
    note = change(sign_checkpoint(key, 42, bytes(32)))
    with pytest.raises(FileError, match=said):
        open_checkpoint(note, key.public)


@pytest.mark.parametrize(
    "text", ["", "a+b", "a+00000000+AAAA", PETER.replace("c74f20a3", "c74f20a4"), PETER_SECRET[:40]]
)
def test_a_bad_key_is_refused(text: str) -> None:
    with pytest.raises(FileError):
        PublicKey.parse(text)
    with pytest.raises(FileError):
        SigningKey.parse(text)


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\nb"])
def test_a_log_has_a_name_of_one_word(name: str) -> None:
    with pytest.raises(FileError, match="name"):
        SigningKey.from_seed(name, bytes(32))


def test_l7_the_key_lies_beside_the_file_for_its_owner_only(tmp_path: Path) -> None:
    """The key is made at the first start with mode 600, kept, and missed when it is gone."""
    path = tmp_path / "casino.db"
    files = CasinoFiles(path)
    key = files.create_key("log")
    secret = tmp_path / "casino.db.key"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert files.load_key().text() == key.text()
    assert PublicKey.parse((tmp_path / "casino.db.pub").read_text()) == key.public
    path.touch()
    secret.unlink()
    with pytest.raises(FileError, match="is missing"):
        files.load_key()


def receipt_of_a_bet(played: Path) -> tuple[str, PublicKey]:
    log = open_log(played)
    bet = next(leaf for leaf in log.leaves() if leaf.kind == "bet")
    receipt = log.receipt(bet.n)
    key = PublicKey.parse(played.with_name("casino.db.pub").read_text())
    log.close()
    assert receipt is not None
    return receipt, key


def test_l8_a_bet_has_a_receipt_that_verifies_offline(played: Path) -> None:
    """The receipt holds the leaf, and its path leads to the signed root."""
    text, key = receipt_of_a_bet(played)
    receipt, checkpoint = verify_receipt(text, key)
    assert b'"type":"bet"' in receipt.leaf
    assert receipt.leaf_index < checkpoint.size
    assert read_receipt(text).text() == text
    # An editor or a copy by hand leaves blank lines at the end.
    assert verify_receipt(f"{text}\n\n", key)[1] == checkpoint


def test_l8_any_line_changed_makes_a_receipt_false(played: Path) -> None:
    text, key = receipt_of_a_bet(played)
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if not line:
            continue
        at = len(line) // 2
        spoilt = line[:at] + ("1" if line[at] != "1" else "2") + line[at + 1 :]
        with pytest.raises(FileError):
            verify_receipt("\n".join([*lines[:number], spoilt, *lines[number + 1 :]]), key)


def test_l8_every_leaf_covered_has_a_receipt_and_later_ones_have_none_yet(played: Path) -> None:
    log = open_log(played)
    key = PublicKey.parse(played.with_name("casino.db.pub").read_text())
    for number in range(0, log.size(), 7):
        receipt = log.receipt(number)
        assert receipt is not None
        verify_receipt(receipt, key)
    assert log.receipt(log.size()) is None
    assert log.receipt_of("nobody's") is None
    assert log.receipt_of("t1-2") is not None
    log.close()
