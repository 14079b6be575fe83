"""Naive fair dealing, written from the documentation alone: seeds, seals, cut, decks."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

from .basics import PACK, RANKS


def mac(key: str, message: str) -> str:
    """The HMAC-SHA256 of a message under a key in hex, in hex."""
    return hmac.new(bytes.fromhex(key), message.encode("ascii"), hashlib.sha256).hexdigest()


def sha(data: str) -> str:
    """The SHA-256 of bytes in hex, in hex."""
    return hashlib.sha256(bytes.fromhex(data)).hexdigest()


def chain_of(master: str, table: str, chain: int, length: int) -> list[str]:
    """Return all seeds of a chain, beginning with seed 0, the anchor."""
    seeds = [mac(master, f"seed|{table}|{chain}|{length}")]
    while len(seeds) <= length:
        seeds.insert(0, sha(seeds[0]))
    return seeds


def seal_of(game: str, player: str, text: str) -> str:
    return hashlib.sha256(f"{game}|{player}|{text}".encode()).hexdigest()


def is_text(text: str) -> bool:
    """Return True if a text may be sealed: up to 32 bytes typed, then 32 hex digits."""
    typed, salt = text[:-32], text[-32:]
    if len(salt) != 32 or any(digit not in "0123456789abcdef" for digit in salt):
        return False
    for letter in typed:
        point = ord(letter)
        if point < 32 or 127 <= point < 160 or 0xD800 <= point < 0xE000:
            return False
    return len(typed.encode("utf-8")) <= 32


def cut_of(texts: list[str]) -> str:
    whole = b""
    for text in texts:
        raw = text.encode("utf-8")
        whole += len(raw).to_bytes(2, "big") + raw
    return hashlib.sha256(whole).hexdigest()


def words_of(server_seed: str, game: str, number: int, cut: str) -> list[int]:
    """The first 128 words of a deal's stream: far more than a shuffle takes."""
    stream = "".join(mac(server_seed, f"{game}|{number}|{cut}|{block}") for block in range(16))
    return [int(stream[at : at + 8], 16) for at in range(0, len(stream), 8)]


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


def first_dealer_of(server_seed: str, game: str, cut: str) -> str:
    deck = deck_of(server_seed, game, 0, cut)
    ranks = [RANKS.index(rank) for rank in deck[0::2]]
    while len(ranks) > 1 and ranks[0] == ranks[1]:
        del ranks[:2]
    return "challenger" if ranks and ranks[0] < ranks[1] else "house"


def fault_of_cuts(fairness: dict[str, Any]) -> str:
    for key in ("chain", "number"):
        if key in fairness and (type(fairness[key]) is not int or fairness[key] < 1):
            return f"fairness {key} must count from 1"
    withheld = fairness.get("withheld", [])
    if not isinstance(withheld, list) or any(type(name) is not str for name in withheld):
        return "fairness withheld must be names"
    if "cuts" not in fairness:
        return ""
    texts = []
    if not isinstance(fairness["cuts"], list):
        return "fairness cuts must be a list"
    for pair in fairness["cuts"]:
        if not isinstance(pair, list) or [type(one) for one in pair] != [str, str]:
            return "a cut is a name and a text"
        if len(pair[1].encode("utf-8")) > 64:
            return "a cut is too long"
        texts.append(pair[1])
    return "" if cut_of(texts) == fairness["cut"] else "the cut is not that of the cuts"


def fault_of(fairness: Any, game: Any, laws: Any, first_dealer: str, decks: list[str]) -> str:
    """Return what is wrong with a record's fairness, or an empty text."""
    if not isinstance(fairness, dict):
        return "fairness must be an object"
    for key in ("commitment", "server_seed", "cut"):
        if not isinstance(fairness.get(key), str):
            return f"fairness {key} must be a text"
    seed, cut = fairness["server_seed"], fairness["cut"]
    if len(seed) != 64 or any(letter not in "0123456789abcdef" for letter in seed):
        return "fairness server_seed must be 64 hex digits"
    if fairness["commitment"] != sha(seed):
        return "the commitment is not the hash of the seed"
    if not isinstance(game, str):
        return "decks cannot be checked without the game's id"
    if fault := fault_of_cuts(fairness):
        return fault
    by_cut = laws["deal"] == "alternate" and laws["first_dealer"] == "cut"
    if by_cut and first_dealer != first_dealer_of(seed, game, cut):
        return "the first dealer is not the one who won the cut"
    for number, deck in enumerate(decks, start=1):
        if deck != deck_of(seed, game, number, cut):
            return f"deal {number}: the deck is not the one the seed and the cut give"
    return ""
