"""Texts, seals and the cut: published example, edge cases, refusals."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.errors import ContributionError
from casino.fairness import check_contribution, combine, commitment_to, make_contribution
from tests.fairness import ALICE, BOB, CUT, GAME, SEAL_OF_ALICE, SEAL_OF_BOB
from tests.naive import fair as naive

SALT = "0123456789abcdef" * 2


def test_seals_match_published_example() -> None:
    assert commitment_to(GAME, "alice", ALICE) == SEAL_OF_ALICE
    assert commitment_to(GAME, "bob", BOB) == SEAL_OF_BOB
    assert sha256(f"{GAME}|alice|{ALICE}".encode()).hexdigest() == SEAL_OF_ALICE


def test_cut_matches_published_example() -> None:
    assert combine([ALICE, BOB]) == CUT
    assert sha256(b"\0\x26" + ALICE.encode() + b"\0\x20" + BOB.encode()).hexdigest() == CUT


@pytest.mark.parametrize(
    ("texts", "hashed"),
    [
        ([], b""),
        ([""], b"\0\0"),
        (["bob", "alice"], b"\0\3bob\0\5alice"),
        (["ab", "c"], b"\0\2ab\0\1c"),
        (["a", "bc"], b"\0\1a\0\2bc"),
        (["é♠"], b"\0\5\xc3\xa9\xe2\x99\xa0"),
        (["x" * 64], b"\0\x40" + b"x" * 64),
    ],
)
def test_cut_hashes_lengths_and_bytes(texts: list[str], hashed: bytes) -> None:
    assert combine(texts) == naive.cut_of(texts) == sha256(hashed).hexdigest()


def test_text_that_is_not_unicode_cannot_be_sealed() -> None:
    with pytest.raises(ContributionError, match="unpaired surrogate"):
        commitment_to(GAME, "alice", "\ud800" + SALT)


@pytest.mark.parametrize("typed", ["", " ", "alice ", "x" * 32, "♠♥♦♣ ça", "é" * 16, "0" * 32, "|"])
def test_valid_contribution_is_accepted(typed: str) -> None:
    assert check_contribution(typed + SALT) == typed + SALT
    assert make_contribution(typed, bytes.fromhex(SALT)) == typed + SALT


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "must end with 32 digits"),
        (SALT[1:], "must end with 32 digits"),
        (SALT.upper(), "must end with 32 digits"),
        (SALT + "\n", "must end with 32 digits"),
        ("alice", "must end with 32 digits"),
        ("x" * 33 + SALT, "33 bytes typed are too long: type at most 32"),
        ("é" * 17 + SALT, "34 bytes typed are too long"),
        ("a\nb" + SALT, "control character"),
        ("\0" + SALT, "control character"),
        ("\x7f" + SALT, "control character"),
        ("\x85" + SALT, "control character"),
        ("\ud800" + SALT, "unpaired surrogate"),
    ],
)
def test_invalid_contribution_is_refused(text: str, said: str) -> None:
    with pytest.raises(ContributionError, match=said):
        check_contribution(text)
    assert not naive.is_text(text)


@given(st.text(max_size=34), st.sampled_from([SALT, SALT[2:], SALT.upper(), "g" + SALT[1:]]))
def test_naive_check_accepts_the_same_texts(typed: str, salt: str) -> None:
    try:
        good = check_contribution(typed + salt) == typed + salt
    except ContributionError:
        good = False
    assert good == naive.is_text(typed + salt)
    if good:
        assert commitment_to(GAME, "zoé", typed + salt) == naive.seal_of(GAME, "zoé", typed + salt)
