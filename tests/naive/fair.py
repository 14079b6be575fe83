"""Fair dealing in the most obvious form: the deck a seed and a cut give, and its check."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

from .basics import PACK


def commitment_of(server_seed: str) -> str:
    """The SHA-256 of a seed given in hex, in hex."""
    return hashlib.sha256(bytes.fromhex(server_seed)).hexdigest()


def cut_of(contributions: list[str]) -> str:
    """The cut that the contributions give, in the order received."""
    whole = b""
    for text in contributions:
        raw = text.encode("utf-8")
        whole += len(raw).to_bytes(2, "big") + raw
    return hashlib.sha256(whole).hexdigest()


def words_of(server_seed: str, game: str, number: int, cut: str) -> list[int]:
    """The first 128 words of a deal's stream: far more than a shuffle takes."""
    words = []
    for block in range(16):
        message = f"{game}|{number}|{cut}|{block}".encode()
        digest = hmac.new(bytes.fromhex(server_seed), message, hashlib.sha256).digest()
        for at in range(0, 32, 4):
            words.append(int.from_bytes(digest[at : at + 4], "big"))
    return words


def deck_of(server_seed: str, game: str, number: int, cut: str) -> str:
    """The deck of a deal, as a record writes it."""
    words = words_of(server_seed, game, number, cut)
    cards = list(PACK)
    for last in range(31, 0, -1):
        places = last + 1
        word = words.pop(0)
        while word >= 2**32 - 2**32 % places:
            word = words.pop(0)
        other = word % places
        cards[last], cards[other] = cards[other], cards[last]
    return "".join(cards)


def fault_of(fairness: Any, game: Any, decks: list[str]) -> str:
    """What is wrong with a record's fairness, or nothing."""
    if not isinstance(fairness, dict):
        return "fairness must be an object"
    for key in ("commitment", "server_seed", "cut"):
        if not isinstance(fairness.get(key), str):
            return f"fairness {key} must be a text"
    seed = fairness["server_seed"]
    if len(seed) != 64 or any(letter not in "0123456789abcdef" for letter in seed):
        return "fairness server_seed must be 64 hex digits"
    if fairness["commitment"] != commitment_of(seed):
        return "the commitment is not the hash of the seed"
    if not isinstance(game, str):
        return "decks cannot be checked without the game's id"
    for number, deck in enumerate(decks, start=1):
        if deck != deck_of(seed, game, number, fairness["cut"]):
            return f"deal {number}: the deck is not the one the seed and the cut give"
    return ""
