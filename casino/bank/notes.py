"""Signed checkpoints, keys and receipts, in the text formats of the C2SP.

A checkpoint says how many leaves a log has and their root; it is a *signed note* (Ed25519).
A receipt (`tlog-proof`) is a leaf, its place, the path to the root and a checkpoint: enough to
prove offline that the log contains the leaf. Other people's programs read all of it.

>>> key = SigningKey.from_seed("example.org/casino", bytes(32))
>>> note = sign_checkpoint(key, 0, bytes(32))
>>> open_checkpoint(note, key.public).size
0
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from hashlib import sha256
from typing import Final, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from casino.bank.merkle import Hash, checked_hash, leaf_hash, verify_inclusion
from casino.errors import BadFile

_ED25519: Final = b"\x01"
_PROOF: Final = "c2sp.org/tlog-proof@v1"
_SECRET: Final = "PRIVATE+KEY+"
_DASH: Final = "— "


class PublicKey(NamedTuple):
    """The name and public key of a log, by which its checkpoints are checked."""

    name: str
    raw: bytes

    @property
    def key_id(self) -> bytes:
        """The four bytes that say which key made a signature."""
        return sha256(self.name.encode() + b"\n" + _ED25519 + self.raw).digest()[:4]

    def text(self) -> str:
        """The key as one line, `name+id+key`."""
        return f"{self.name}+{self.key_id.hex()}+{_base64(_ED25519 + self.raw)}"

    @classmethod
    def parse(cls, text: str) -> PublicKey:
        """The key that a line states."""
        name, key_id, raw = _key_parts(text.strip(), "public key")
        key = cls(name, raw)
        if key.key_id.hex() != key_id:
            raise BadFile(f"the public key of {name} does not have the id {key_id[:8]}")
        return key


class SigningKey(NamedTuple):
    """The secret key of a log."""

    name: str
    secret: Ed25519PrivateKey

    @classmethod
    def from_seed(cls, name: str, seed: bytes) -> SigningKey:
        """The key that 32 secret bytes make."""
        if not name or "+" in name or any(letter.isspace() for letter in name):
            raise BadFile(f"the log's name {name!r} must have neither spaces nor +")
        return cls(name, Ed25519PrivateKey.from_private_bytes(seed))

    @classmethod
    def generate(cls, name: str) -> SigningKey:
        """A new key that nobody else has."""
        return cls.from_seed(name, Ed25519PrivateKey.generate().private_bytes_raw())

    @classmethod
    def parse(cls, text: str) -> SigningKey:
        """The key that a line written by `text` states."""
        line = text.strip()
        if not line.startswith(_SECRET):
            raise BadFile(f"a secret key begins with {_SECRET}")
        name, _, seed = _key_parts(line.removeprefix(_SECRET), "secret key")
        return cls.from_seed(name, seed)

    @property
    def public(self) -> PublicKey:
        """The public half."""
        return PublicKey(self.name, self.secret.public_key().public_bytes_raw())

    def text(self) -> str:
        """The key as one line, `PRIVATE+KEY+name+id+seed`."""
        seed = _base64(_ED25519 + self.secret.private_bytes_raw())
        return f"{_SECRET}{self.name}+{self.public.key_id.hex()}+{seed}"


class Checkpoint(NamedTuple):
    """What a log's owner has signed: its name, its size, its root."""

    origin: str
    size: int
    root: Hash


class Receipt(NamedTuple):
    """A receipt as it is written: a leaf's bytes, its place, the path, a signed checkpoint."""

    leaf: bytes
    place: int
    siblings: Sequence[Hash]
    note: str

    def text(self) -> str:
        """The receipt as a `tlog-proof`, the leaf as its extra data."""
        lines = [_PROOF, f"extra {_base64(self.leaf)}", f"index {self.place}"]
        lines += [_base64(sibling) for sibling in self.siblings]
        return "\n".join(lines) + "\n\n" + self.note


def sign_checkpoint(key: SigningKey, size: int, root: Hash) -> str:
    """The signed note that states a log's size and root."""
    body = f"{key.name}\n{size}\n{_base64(root)}\n"
    signature = _base64(key.public.key_id + key.secret.sign(body.encode()))
    return f"{body}\n{_DASH}{key.name} {signature}\n"


def open_checkpoint(note: str, key: PublicKey | None) -> Checkpoint:
    """The checkpoint a note holds, its signature checked; without a key it is not checked."""
    body, gap, signatures = note.partition("\n\n")
    lines = body.split("\n")
    if not gap or len(lines) < 3 or not _is_number(lines[1]):
        raise BadFile("a checkpoint is three lines, name, size and root, and then signatures")
    if key is not None:
        if lines[0] != key.name:
            raise BadFile(f"the checkpoint is of {lines[0]!r}, but the key is of {key.name!r}")
        _check_signature(body + "\n", signatures, key)
    return Checkpoint(lines[0], int(lines[1]), checked_hash(_unbase64(lines[2], "the root")))


def read_receipt(text: str) -> Receipt:
    """The receipt that a text states, not yet verified."""
    head, gap, note = text.partition("\n\n")
    lines = head.split("\n")
    if not gap or len(lines) < 3 or lines[0] != _PROOF:
        raise BadFile(f"a receipt begins with the line {_PROOF} and ends with a checkpoint")
    extra, index = lines[1].removeprefix("extra "), lines[2].removeprefix("index ")
    if extra == lines[1] or index == lines[2] or not _is_number(index):
        raise BadFile("a receipt of the casino has its leaf on line 2 and its index on line 3")
    siblings = [checked_hash(_unbase64(line, "a sibling")) for line in lines[3:]]
    return Receipt(_unbase64(extra, "the leaf"), int(index), siblings, note)


def verify_receipt(text: str, key: PublicKey | None) -> tuple[Receipt, Checkpoint]:
    """The receipt and its checkpoint, if all of it holds; else a `BadFile` error says what not."""
    receipt = read_receipt(text)
    checkpoint = open_checkpoint(receipt.note, key)
    hashed = leaf_hash(receipt.leaf)
    if not verify_inclusion(
        hashed, receipt.place, checkpoint.size, receipt.siblings, checkpoint.root
    ):
        raise BadFile(f"leaf {receipt.place} is not under the root of the {checkpoint.size} leaves")
    return receipt, checkpoint


def _check_signature(body: str, signatures: str, key: PublicKey) -> None:
    """Refuse a note that the key has not signed; other people's signatures may stand beside."""
    for line in signatures.split("\n"):
        if not line.startswith(f"{_DASH}{key.name} "):
            continue
        signature = _unbase64(line.rsplit(" ", 1)[1], "a signature")
        if signature[:4] == key.key_id:
            try:
                Ed25519PublicKey.from_public_bytes(key.raw).verify(signature[4:], body.encode())
            except InvalidSignature:
                raise BadFile(f"the signature of {key.name} is false") from None
            return
    raise BadFile(f"the checkpoint is not signed by the key of {key.name}")


def _key_parts(line: str, what: str) -> tuple[str, str, bytes]:
    """The name, id and 32 bytes of a key's line."""
    parts = line.split("+", 2)
    raw = _unbase64(parts[2], f"the {what}") if len(parts) == 3 else b""
    if len(raw) != 33 or raw[:1] != _ED25519:
        raise BadFile(f"a {what} is written name+id+base64, of 32 bytes for Ed25519")
    return parts[0], parts[1], raw[1:]


def _is_number(text: str) -> bool:
    """Whether a text is a number written the one right way."""
    return text.isascii() and text.isdigit() and len(text) < 16 and str(int(text)) == text


def _base64(data: bytes) -> str:
    """Bytes as base64."""
    return base64.b64encode(data).decode()


def _unbase64(text: str, what: str) -> bytes:
    """The bytes of a base64 text written the one right way."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if not data or _base64(data) != text:
        raise BadFile(f"{what} is not base64")
    return data
