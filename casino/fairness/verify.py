"""Verify that a game record's seed matches its commitment and yields its decks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from casino.ecarte import SEATS, Record, first_dealers
from casino.errors import ContributionError, RecordError
from casino.fairness.commit_reveal import combine
from casino.fairness.seed_chain import commitment_of, is_hash
from casino.fairness.shuffle import deck, first_dealer


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
