"""Independent reader of tiled logs, written from the C2SP specifications alone.

It opens a checkpoint, fetches every tile and bundle of a log of that size, and recomputes the root
from the leaves; any disagreement is an assertion error.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

Get = Callable[[str], bytes]


def opened(note: str, vkey: str) -> tuple[int, bytes]:
    """Verify a checkpoint's signature; return its size and root."""
    name, key_id, encoded = vkey.strip().split("+", 2)
    kind_and_key = base64.b64decode(encoded)
    assert kind_and_key[0] == 1
    expected = hashlib.sha256(name.encode() + b"\n" + kind_and_key).digest()[:4]
    assert expected.hex() == key_id
    text, _, signatures = note.rpartition("\n\n")
    text += "\n"
    signed = False
    for line in signatures.rstrip("\n").split("\n"):
        dash, who, signature = line.split(" ")
        assert dash == "\u2014"
        raw = base64.b64decode(signature)
        if who == name and raw[:4] == expected:
            Ed25519PublicKey.from_public_bytes(kind_and_key[1:]).verify(raw[4:], text.encode())
            signed = True
    assert signed
    origin, size, root = text.split("\n")[:3]
    assert origin == name
    return int(size), base64.b64decode(root)


def name_of(level: str, number: int, width: int) -> str:
    groups = [f"{number % 1000:03d}"]
    while number >= 1000:
        number //= 1000
        groups.insert(0, f"x{number % 1000:03d}")
    part = "" if width == 256 else f".p/{width}"
    return f"tile/{level}/{'/'.join(groups)}{part}"


def row(get: Get, level: str, count: int) -> list[bytes]:
    """Return the resources of one level of a log: full ones, then a partial one."""
    full, rest = divmod(count, 256)
    widths = [256] * full + [rest] * (rest > 0)
    return [get(name_of(level, number, width)) for number, width in enumerate(widths)]


def leaves(get: Get, size: int) -> list[bytes]:
    found: list[bytes] = []
    for data in row(get, "entries", size):
        while data:
            length = int.from_bytes(data[:2], "big")
            found.append(data[2 : 2 + length])
            assert len(found[-1]) == length
            data = data[2 + length :]
    assert len(found) == size
    return found


def tree_hash(hashes: list[bytes]) -> bytes:
    if len(hashes) == 1:
        return hashes[0]
    if not hashes:
        return hashlib.sha256().digest()
    split = 1
    while split * 2 < len(hashes):
        split *= 2
    left, right = tree_hash(hashes[:split]), tree_hash(hashes[split:])
    return hashlib.sha256(b"\x01" + left + right).digest()


def checked(get: Get, vkey: str) -> list[bytes]:
    """Return the leaves of a log after checking its checkpoint, tiles and bundles."""
    size, root = opened(get("checkpoint").decode(), vkey)
    found = leaves(get, size)
    hashes = [hashlib.sha256(b"\x00" + leaf).digest() for leaf in found]
    assert tree_hash(hashes) == root
    level = 0
    while hashes:
        data = b"".join(row(get, str(level), len(hashes)))
        assert data == b"".join(hashes)
        whole = len(hashes) - len(hashes) % 256
        hashes = [tree_hash(hashes[at : at + 256]) for at in range(0, whole, 256)]
        level += 1
    return found
