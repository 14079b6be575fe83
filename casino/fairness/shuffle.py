"""Derive decks, first dealers, exposed cards and bots' random numbers from a game's seed.

>>> from casino.ecarte import format_cards
>>> seed = bytes.fromhex("34954f45a76a06c2839f4c67538eeda0d74bdc444beb551c4c2a49a7d3974367")
>>> cut = "02009da2f09e79e503c0d44962d36b1da10924fda0dc59d85d679a79116d8ce5"
>>> format_cards(deck(seed, "t1-000001", cut, 1))[:22]
'QSJS7CTSJH8CASKHTDAC9H'
>>> SEATS[first_dealer(seed, "t1-000001", cut)]
'house'
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from casino.ecarte import PACK, SEATS, Card, Seat, cut_for_deal
from casino.fairness.rng import SeededRandom, blocks, hmac_sha256, words

_THOUSAND: Final = 1000
_DEALT_CARDS: Final = 10  # cards dealt before the turn-up, any of which may be exposed


def deck(server_seed: bytes, game: str, cut: str, deal: int) -> tuple[Card, ...]:
    """Return a deal's deck in dealing order; deals are numbered from 1, including annulled ones."""
    pack = list(PACK)
    SeededRandom(words(blocks(server_seed, f"{game}|{deal}|{cut}"))).shuffle(pack)
    return tuple(pack)


def first_dealer(server_seed: bytes, game: str, cut: str) -> Seat:
    """Return the seat that deals first, decided by cutting the deck of deal 0 (R2.1)."""
    return cut_for_deal(deck(server_seed, game, cut, 0))


def poule_order(server_seed: bytes, poule: str, entrants: Iterable[str]) -> tuple[str, ...]:
    """Return a poule's entrants in random order, drawn from the seed of the poule's first game.

    The casino committed to the seed before anyone entered, and keeps it secret until that game is
    over. So neither the house nor an entrant can choose a position.
    """
    order = list(entrants)
    SeededRandom(words(blocks(server_seed, f"{poule}|order"))).shuffle(order)
    return tuple(order)


def exposed_card(server_seed: bytes, game: str, deal: int, permille: int) -> int | None:
    """Return the index, in dealing order, of a card that the house as dealer exposes, or None.

    The result depends on the seed and the deal's number, but not on the contributions. The house
    exposes a card in `permille` out of 1000 of its deals.
    """
    block = hmac_sha256(server_seed, f"{game}|slip|{deal}".encode("ascii"))
    slips, card_index, *_ = words([block])
    return card_index % _DEALT_CARDS if slips % _THOUSAND < permille else None


def exchange_commitment(server_seed: bytes, game: str, deal: int, number: int, token: str) -> str:
    """Return the HMAC, in hex, that commits to the exchange `token` while its cards are secret."""
    message = f"{game}|exchange|{deal}|{number}|{token}"
    return hmac_sha256(server_seed, message.encode("ascii")).hex()


@lru_cache(maxsize=256)  # each decision of a bot in the game needs it
def bot_seed(server_seed: bytes, game: str, seat: Seat) -> bytes:
    """Derive the bot's seed from the game's seed and the bot's seat."""
    return hmac_sha256(server_seed, f"{game}|bot|{SEATS[seat]}".encode("ascii"))


def bot_draws(seed: bytes, deal: int, decision: int) -> SeededRandom:
    """Return the random source for a bot's decision; deals and decisions are numbered from 1."""
    return SeededRandom(words(blocks(seed, f"{deal}|{decision}")))
