"""Boxes: what is closed opens again, and only with the same master, game and place."""

from __future__ import annotations

import hmac

import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from hypothesis import given
from hypothesis import strategies as st

from casino.errors import FileError
from casino.fairness.secret_box import decrypt, encrypt
from tests.fairness import GAME, MASTER

NONCE = bytes(range(12))


@given(st.binary(max_size=40), st.binary(min_size=12, max_size=12), st.integers(0, 30))
def test_what_is_closed_opens_again(secret: bytes, nonce: bytes, number: int) -> None:
    box = encrypt(MASTER, GAME, 2, number, nonce, secret)
    assert decrypt(MASTER, GAME, 2, number, box) == secret
    assert len(box) == 12 + len(secret) + 16


def test_a_box_is_what_the_page_says() -> None:
    key = hmac.digest(MASTER, f"file|{GAME}".encode(), "sha256")
    sealed = ChaCha20Poly1305(key).encrypt(NONCE, b"X7H8D", f"{GAME}|1|4".encode())
    assert encrypt(MASTER, GAME, 1, 4, NONCE, b"X7H8D") == NONCE + sealed


@pytest.mark.parametrize(
    ("master", "game", "deal", "number"),
    [
        (bytes(32), GAME, 1, 4),
        (MASTER, "t1-000002", 1, 4),
        (MASTER, GAME, 2, 4),
        (MASTER, GAME, 1, 5),
    ],
)
def test_a_box_opens_in_no_other_place(master: bytes, game: str, deal: int, number: int) -> None:
    box = encrypt(MASTER, GAME, 1, 4, NONCE, b"X7H8D")
    with pytest.raises(FileError, match=f"{game}: its secret {deal}.{number} cannot be opened"):
        decrypt(master, game, deal, number, box)
