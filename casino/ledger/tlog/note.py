"""Signed checkpoints, keys and receipts, in C2SP's text formats.

A checkpoint is a *signed note* (Ed25519) of a log's size and Merkle root. A receipt (`tlog-proof`)
contains a leaf, its index, the path to the root and a checkpoint, which together prove offline that
the log contains the leaf. Other C2SP programs can read both.

>>> key = SigningKey.from_seed("example.org/casino", bytes(32))
>>> note = sign_checkpoint(key, 0, bytes(32))
>>> open_checkpoint(note, key.public).size
0
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from casino.errors import FileError
from casino.ledger.tlog.merkle import Hash, leaf_hash, parse_hash, verify_inclusion

ED25519: Final = b"\x01"  # the kind of key that signs a log's own checkpoints
COSIGNATURE: Final = b"\x04"  # the kind of key with which a witness signs a checkpoint and the time
_PROOF: Final = "c2sp.org/tlog-proof@v1"
_SECRET: Final = "PRIVATE+KEY+"
DASH: Final = "— "


class PublicKey(NamedTuple):
    """The public key of a log or a witness, with its name."""

    name: str
    raw: bytes
    kind: bytes = ED25519

    @property
    def key_id(self) -> bytes:
        """The four bytes that identify the key in a signature line."""
        return sha256(self.name.encode() + b"\n" + self.kind + self.raw).digest()[:4]

    def text(self) -> str:
        """Return the key as one line, `name+id+key`."""
        return f"{self.name}+{self.key_id.hex()}+{to_base64(self.kind + self.raw)}"

    @classmethod
    def parse(cls, text: str, kind: bytes = ED25519) -> PublicKey:
        """Parse a line written by `text`; raise `FileError` if malformed or of another kind."""
        name, key_id, raw = _key_parts(text.strip(), "public key", kind)
        key = cls(name, raw, kind)
        if key.key_id.hex() != key_id:
            raise FileError(f"the public key of {name} does not have the id {key_id[:8]}")
        return key


def read_key(key_or_file: Path | str, kind: bytes = ED25519, option: str = "--key") -> PublicKey:
    """Parse a public key, given as text or as the path of a file that contains it."""
    path = Path(key_or_file)
    if not path.exists():
        if "+" in str(key_or_file):
            return PublicKey.parse(str(key_or_file), kind)
        whose = "witness" if kind == COSIGNATURE else "log"
        raise FileError(
            f"{key_or_file} does not exist: give the {whose}'s public key with {option}"
        )
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        text = f"cannot read {key_or_file} ({error.strerror}): give the public key with {option}"
        raise FileError(text) from None
    except UnicodeDecodeError:
        raise FileError(f"{key_or_file} is not text: give the log's public key") from None
    try:
        return PublicKey.parse(text, kind)
    except FileError as error:
        is_secret = path.suffix in (".key", ".master")
        fault = f"this file is secret: give {path.with_suffix('.pub')}" if is_secret else error
        raise FileError(f"{key_or_file}: {fault}") from None


@dataclass(frozen=True)
class SigningKey:
    """The secret key of a log or a witness, with its name."""

    name: str
    secret: Ed25519PrivateKey
    kind: bytes = ED25519

    @classmethod
    def from_seed(cls, name: str, seed: bytes, kind: bytes = ED25519) -> SigningKey:
        """Build a key from 32 secret bytes; raise `FileError` if the name is invalid."""
        if not name or "+" in name or any(letter.isspace() for letter in name):
            raise FileError(f"the log's name {name!r} must not contain spaces or +")
        return cls(name, Ed25519PrivateKey.from_private_bytes(seed), kind)

    @classmethod
    def generate(cls, name: str, kind: bytes = ED25519) -> SigningKey:
        """Generate a random key."""
        return cls.from_seed(name, Ed25519PrivateKey.generate().private_bytes_raw(), kind)

    @classmethod
    def parse(cls, text: str, kind: bytes = ED25519) -> SigningKey:
        """Parse a line written by `text`; raise `FileError` if malformed or of another kind."""
        line = text.strip()
        if not line.startswith(_SECRET):
            raise FileError(f"a secret key begins with {_SECRET}")
        name, _, seed = _key_parts(line.removeprefix(_SECRET), "secret key", kind)
        return cls.from_seed(name, seed, kind)

    @classmethod
    def read(cls, file: Path, kind: bytes = ED25519) -> SigningKey:
        """Read a key from a file; raise `FileError`, which names the file, if it is malformed."""
        try:
            return cls.parse(file.read_text("utf-8", "replace"), kind)
        except FileError as error:
            raise FileError(f"{file}: {error}: put it back from a backup") from None

    @cached_property  # every commit needs it
    def public(self) -> PublicKey:
        """The matching public key."""
        return PublicKey(self.name, self.secret.public_key().public_bytes_raw(), self.kind)

    def text(self) -> str:
        """Return the key as one line, `PRIVATE+KEY+name+id+seed`."""
        seed = to_base64(self.kind + self.secret.private_bytes_raw())
        return f"{_SECRET}{self.name}+{self.public.key_id.hex()}+{seed}"


class Checkpoint(NamedTuple):
    """The signed state of a log, with its name, size and Merkle root."""

    origin: str
    size: int
    root: Hash


class Receipt(NamedTuple):
    """Proof that a leaf is under a signed checkpoint; `siblings` is the path to the root."""

    leaf: bytes
    leaf_index: int
    siblings: Sequence[Hash]
    note: str

    def text(self) -> str:
        """Return the receipt as a `tlog-proof` with the leaf as its extra data."""
        lines = [_PROOF, f"extra {to_base64(self.leaf)}", f"index {self.leaf_index}"]
        lines += [to_base64(sibling) for sibling in self.siblings]
        return "\n".join(lines) + "\n\n" + self.note


def sign_checkpoint(key: SigningKey, size: int, root: Hash) -> str:
    """Sign a log's size and root, and return the note."""
    body = f"{key.name}\n{size}\n{to_base64(root)}\n"
    signature = to_base64(key.public.key_id + key.secret.sign(body.encode()))
    return f"{body}\n{DASH}{key.name} {signature}\n"


def open_checkpoint(note: str, key: PublicKey | None) -> Checkpoint:
    """Parse the checkpoint in a note, and verify its signature unless `key` is None."""
    body, gap, _ = note.partition("\n\n")
    lines = body.split("\n")
    if not gap or len(lines) < 3 or not is_canonical_number(lines[1]):
        raise FileError("a checkpoint has three lines (name, size and root), then signatures")
    if key is not None:
        if lines[0] != key.name:
            raise FileError(f"the checkpoint is for {lines[0]!r}, but the key is for {key.name!r}")
        signature = next(iter(signatures_by(note, key)), None)
        if signature is None:
            raise FileError(f"the checkpoint is not signed by the key of {key.name}")
        if not is_signed(key, signature, body + "\n"):
            raise FileError(f"the signature of {key.name} is invalid")
    return Checkpoint(lines[0], int(lines[1]), parse_hash(from_base64(lines[2], "the root")))


def read_receipt(text: str) -> Receipt:
    """Parse a receipt without verifying it."""
    head, gap, note = text.partition("\n\n")
    lines = head.split("\n")
    if not gap or len(lines) < 3 or lines[0] != _PROOF:
        raise FileError(f"a receipt begins with the line {_PROOF} and ends with a checkpoint")
    extra, index = lines[1].removeprefix("extra "), lines[2].removeprefix("index ")
    if extra == lines[1] or index == lines[2] or not is_canonical_number(index):
        raise FileError("a receipt of a casino has its leaf on line 2 and its index on line 3")
    siblings = [parse_hash(from_base64(line, "a sibling")) for line in lines[3:]]
    return Receipt(from_base64(extra, "the leaf"), int(index), siblings, note)


def verify_receipt(text: str, key: PublicKey | None) -> tuple[Receipt, Checkpoint]:
    """Parse and verify a receipt; without a key, do not check the checkpoint's signature."""
    receipt = read_receipt(text)
    checkpoint = open_checkpoint(receipt.note, key)
    hashed = leaf_hash(receipt.leaf)
    if not verify_inclusion(
        hashed, receipt.leaf_index, checkpoint.size, receipt.siblings, checkpoint.root
    ):
        raise FileError(
            f"leaf {receipt.leaf_index} is not covered by the root of the {checkpoint.size} leaves"
        )
    return receipt, checkpoint


def signatures_by(note: str, key: PublicKey) -> list[bytes]:
    """Return a note's signatures that name the key, without verifying them."""
    signatures = []
    # A note that was copied by hand may end with blank lines.
    for line in note.rstrip("\n").rpartition("\n\n")[2].split("\n"):
        if line.startswith(f"{DASH}{key.name} "):
            signature = from_base64(line.rsplit(" ", 1)[1], "a signature")
            if signature[:4] == key.key_id:
                signatures.append(signature[4:])
    return signatures


def is_signed(key: PublicKey, signature: bytes, message: str) -> bool:
    """Return True if `signature` is the key's valid signature of the message."""
    try:
        Ed25519PublicKey.from_public_bytes(key.raw).verify(signature, message.encode())
    except InvalidSignature:
        return False
    return True


def _key_parts(line: str, kind_name: str, kind: bytes) -> tuple[str, str, bytes]:
    parts = line.split("+", 2)
    raw = from_base64(parts[2], f"the {kind_name}") if len(parts) == 3 else b""
    if len(raw) != 33 or raw[:1] != kind:
        whose = "a witness" if kind == COSIGNATURE else "a log"
        text = f"a {kind_name} of {whose} has the form name+id+base64, which encodes"
        raise FileError(f"{text} the byte {kind.hex()} and 32 bytes for Ed25519")
    return parts[0], parts[1], raw[1:]


def is_canonical_number(text: str) -> bool:
    """Return True for a decimal number of at most 15 digits without leading zeros."""
    return text.isascii() and text.isdigit() and len(text) < 16 and str(int(text)) == text


def to_base64(data: bytes) -> str:
    """Encode bytes as a base64 string."""
    return base64.b64encode(data).decode()


def from_base64(text: str, subject: str) -> bytes:
    """Decode canonical base64, or raise `FileError` naming the `subject`."""
    try:
        data = base64.b64decode(text)
    except (binascii.Error, ValueError):
        data = b""
    # Python's decoder ignores foreign characters and surplus bits: compare the canonical form.
    if not data or to_base64(data) != text:
        raise FileError(f"{subject} is not base64")
    return data
