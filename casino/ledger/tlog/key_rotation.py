"""Signing keys of a log, beginning with the key in its first leaf and replaced by rotations.

A rotation is a leaf that both keys sign. Earlier checkpoints are signed by the old key and later
ones by the new; the checkpoint whose last leaf is the rotation may be signed by either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from casino.errors import FileError
from casino.ledger.entries import BROKEN, KeyRotated, LogOpened
from casino.ledger.tlog import note as notes
from casino.ledger.tlog.note import Checkpoint, PublicKey, SigningKey


class Link(NamedTuple):
    """A key, and the smallest log size that it may sign."""

    least: int
    key: PublicKey


class KeyChain(NamedTuple):
    """All signing keys of a log, oldest first."""

    links: tuple[Link, ...]

    @property
    def first(self) -> PublicKey:
        """The key in the log's first leaf."""
        return self.links[0].key

    @property
    def newest(self) -> PublicKey:
        """The current signing key."""
        return self.links[-1].key

    def open(self, note: str) -> Checkpoint:
        """Return the checkpoint in a note, verified with the key valid at its size."""
        size = notes.open_checkpoint(note, None).size
        able = [
            link.key
            for link, after in zip(self.links, (*self.links[1:], None), strict=True)
            if link.least <= size and (after is None or size <= after.least)
        ]
        for key in able[:-1]:
            try:
                return notes.open_checkpoint(note, key)
            except FileError:
                continue
        return notes.open_checkpoint(note, able[-1])

    def contains(self, key: PublicKey) -> bool:
        """Return True if a key is in the chain."""
        return any(link.key == key for link in self.links)


def chain_of(first: bytes | None, rotations: Iterable[tuple[int, bytes]]) -> KeyChain:
    """Build the key chain from a log's first leaf and its rotation leaves."""
    try:
        opened = msgspec.json.decode(first or b"", type=LogOpened)
    except BROKEN:
        raise FileError("the first leaf does not name the log's key") from None
    chain = KeyChain((Link(0, PublicKey.parse(opened.key)),))
    for leaf in rotations:
        chain = with_rotation(chain, leaf)
    return chain


def rotations_in(leaves: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """Yield the rotations among numbered leaves, recognised by their bytes."""
    return (leaf for leaf in leaves if b'"type":"key_rotated"' in leaf[1])


def with_rotation(chain: KeyChain, leaf: tuple[int, bytes]) -> KeyChain:
    """Return the chain extended by a rotation; raise `FileError` if the leaf is invalid."""
    number, body = leaf
    try:
        rotated = msgspec.json.decode(body, type=KeyRotated)
    except BROKEN:
        raise FileError(f"leaf {number} does not name the new key") from None
    old, new = PublicKey.parse(rotated.old), PublicKey.parse(rotated.new)
    if old != chain.newest or new.name != old.name:
        raise FileError(f"leaf {number} rotates the key of another log")
    statement = _said(number, old, new)
    for key, signature in ((old, rotated.old_signature), (new, rotated.new_signature)):
        if not notes.is_signed(key, notes.from_base64(signature, "a signature"), statement):
            raise FileError(f"leaf {number}: {key.text()} has not signed this rotation")
    return KeyChain((*chain.links, Link(number + 1, new)))


def make_rotation(number: int, old: SigningKey, new: SigningKey) -> KeyRotated:
    """Return the leaf, signed by both keys, that rotates a log's key at leaf `number`."""
    statement = _said(number, old.public, new.public).encode()
    return KeyRotated(
        new=new.public.text(),
        new_signature=notes.to_base64(new.secret.sign(statement)),
        old=old.public.text(),
        old_signature=notes.to_base64(old.secret.sign(statement)),
    )


def _said(number: int, old: PublicKey, new: PublicKey) -> str:
    return f"casino key rotation\n{number}\n{old.text()}\n{new.text()}\n"
