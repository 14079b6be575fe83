"""Encrypt a table's secrets for storage, with ChaCha20-Poly1305.

Keys are derived from the casino's master secret, so that neither the database nor its WAL nor a
copy reveals hidden cards. If the master secret is lost, running games must be voided.

>>> box = encrypt(bytes(32), "t1-000001", 1, 4, bytes(12), b"X7H8D")
>>> decrypt(bytes(32), "t1-000001", 1, 4, box)
b'X7H8D'
"""

from __future__ import annotations

import os
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from casino.errors import FileError
from casino.fairness.rng import hmac_sha256

NONCE_BYTES: Final = 12


def fresh_nonce() -> bytes:
    """Return a random nonce, to be used for a single encryption."""
    return os.urandom(NONCE_BYTES)


def encrypt(master: bytes, game: str, deal: int, number: int, nonce: bytes, secret: bytes) -> bytes:
    """Encrypt a secret; return the nonce followed by the ciphertext.

    `deal` and `number` identify the secret within its game; deal 0 means the game itself.
    """
    return nonce + _cipher(master, game).encrypt(nonce, secret, _place(game, deal, number))


def decrypt(master: bytes, game: str, deal: int, number: int, box: bytes) -> bytes:
    """Decrypt a box; raise `FileError` if it was altered or encrypted with other arguments."""
    nonce, closed = box[:NONCE_BYTES], box[NONCE_BYTES:]
    try:
        return _cipher(master, game).decrypt(nonce, closed, _place(game, deal, number))
    except (InvalidTag, ValueError):
        text = f"{game}: its secret {deal}.{number} cannot be opened with this master"
        raise FileError(text) from None


def _cipher(master: bytes, game: str) -> ChaCha20Poly1305:
    return ChaCha20Poly1305(hmac_sha256(master, f"file|{game}".encode()))


def _place(game: str, deal: int, number: int) -> bytes:
    # Associated data: a box that is moved to another game, deal or number does not decrypt.
    return f"{game}|{deal}|{number}".encode()
