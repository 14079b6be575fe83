"""Derive decks, first dealers, exposed cards and bots' random numbers from a game's seed.

`verify` compares a record with what its seed yields.

>>> from casino.ecarte import format_cards
>>> seed = bytes.fromhex("34954f45a76a06c2839f4c67538eeda0d74bdc444beb551c4c2a49a7d3974367")
>>> cut = "02009da2f09e79e503c0d44962d36b1da10924fda0dc59d85d679a79116d8ce5"
>>> format_cards(deck(seed, "t1-000001", cut, 1))[:22]
'QSJS7CTSJH8CASKHTDAC9H'
>>> SEATS[first_dealer(seed, "t1-000001", cut)]
'house'
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from casino.ecarte import PACK, SEATS, Card, Record, Seat, cut_for_deal, first_dealers
from casino.errors import ContributionError, RecordError
from casino.fairness.commit_reveal import combine
from casino.fairness.rng import SeededRandom, blocks, hmac_sha256, words
from casino.fairness.seed_chain import commitment_of, is_hash

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


def verify(record: Record) -> None:
    """Check a record's commitment, contributions, first dealer and decks.

    Raise `RecordError` for the first fault found. A record without a `fairness` section passes.
    """
    if record.fairness is None:
        return
    if record.game is None or not record.game.isascii():
        raise RecordError("bad_fairness", "game: its id in ASCII must be there to derive the decks")
    seed = _text(record.fairness, "server_seed")
    cut = _text(record.fairness, "cut")
    if not is_hash(seed):
        raise RecordError("bad_fairness", "fairness.server_seed must be 64 digits of 0-9 a-f")
    server_seed = bytes.fromhex(seed)
    if commitment_of(server_seed) != _text(record.fairness, "commitment"):
        text = "fairness.commitment is not the SHA-256 of fairness.server_seed"
        raise RecordError("wrong_commitment", text)
    _check_place(record.fairness)
    _check_cuts(record.fairness, cut)
    # The winner of the cut deals first, if the laws let the cut decide (R2.1).
    dealer, by_cut = record.first_dealer, first_dealer(server_seed, record.game, cut)
    is_cut = record.laws.first_dealer == "cut" and len(first_dealers(record.laws)) > 1
    if is_cut and dealer != by_cut:
        text = f"first_dealer is {SEATS[dealer]}, but the cut gives {SEATS[by_cut]}"
        raise RecordError("wrong_dealer", text)
    for number, deal in enumerate(record.deals, 1):
        if deal.deck != deck(server_seed, record.game, cut, number):
            text = f"deal {number}, deck: is not the one that seed, game and cut yield"
            raise RecordError("wrong_deck", text)


def _check_place(fairness: Mapping[str, Any]) -> None:
    for key in ("chain", "number"):
        value = fairness.get(key, 1)
        if type(value) is not int or value < 1:
            raise RecordError("bad_fairness", f"fairness.{key} must be a whole number from 1")
    withheld = fairness.get("withheld", [])
    if not isinstance(withheld, list) or not all(isinstance(name, str) for name in withheld):
        raise RecordError("bad_fairness", "fairness.withheld must be a list of names")


def _check_cuts(fairness: Mapping[str, Any], cut: str) -> None:
    if "cuts" not in fairness:
        return
    cuts = fairness["cuts"]
    if not isinstance(cuts, list) or not all(map(_is_pair, cuts)):
        raise RecordError("bad_fairness", 'fairness.cuts must be a list of ["name", "text"]')
    try:
        made = combine(text for _, text in cuts)
    except ContributionError as error:
        raise RecordError("bad_fairness", f"fairness.cuts: {error}") from None
    if made != cut:
        raise RecordError("wrong_cut", "fairness.cut is not the one that fairness.cuts make")


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(part) is str for part in value)


def _text(fairness: Mapping[str, Any], key: str) -> str:
    value = fairness.get(key)
    if value is None:
        raise RecordError("bad_fairness", f"fairness.{key} is missing")
    if not isinstance(value, str) or not value.isascii():
        raise RecordError("bad_fairness", f"fairness.{key} must be a text in ASCII")
    return value
