"""Verification of a record: valid records, and every fault by code and text."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest

from casino import ecarte
from casino.errors import RecordError
from casino.fairness import commitment_of, verify
from tests.fairness import ALICE, ANCHOR, BOB, CUT, DECKS, GAME, NO_CUT, SEED
from tests.naive import fair as naive

FAIRNESS = {"commitment": ANCHOR, "server_seed": SEED.hex(), "cut": CUT}


def fair_record(**changes: object) -> ecarte.Record:
    deals = tuple(ecarte.DealRecord(ecarte.HOUSE, ecarte.cards(names), "") for names in DECKS[1:])
    return ecarte.Record(
        ecarte.Laws(), ecarte.HOUSE, deals, game=GAME, fairness={**FAIRNESS, **changes}
    )


def fault(record: ecarte.Record) -> tuple[str, str]:
    with pytest.raises(RecordError) as caught:
        verify(record)
    assert (caught.value.deal, caught.value.token) == (None, None)
    return caught.value.code, caught.value.text


WHOLE = {"chain": 1, "number": 1, "cuts": [["alice", ALICE], ["bob", BOB]], "withheld": ["carol"]}


@pytest.mark.parametrize("fairness", [{}, {"contributions": ["mallory"]}, WHOLE])
def test_fair_record_verifies(fairness: dict[str, Any]) -> None:
    verify(fair_record(**fairness))
    verify(ecarte.read_record(ecarte.write_record(fair_record(**fairness))))


SEEDS = (SEED.hex()[:-2], SEED.hex() + "00", SEED.hex().upper(), "")
# The keys, their wrong values, and what is said of them.
MALFORMED: list[tuple[Iterable[str], Iterable[object], str]] = [
    (FAIRNESS, [None], "is missing"),
    (FAIRNESS, [7, "é"], "must be a text in ASCII"),
    (["server_seed"], SEEDS, "must be 64 digits of 0-9 a-f"),
    (["chain", "number"], [0, -1, "1", 1.0, True, None], "must be a whole number from 1"),
    (["withheld"], ["carol", None, {}, [1], [None], [["carol"]]], "must be a list of names"),
    (["cuts"], [None, "alice", {}, ["alice"], [["alice"]], [["a", "b", "c"]], [["alice", 1]],
                [[1, ""]]], 'must be a list of ["name", "text"]'),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "values", "said"), MALFORMED)
def test_malformed_fairness_is_named(
    keys: Iterable[str], values: Iterable[object], said: str
) -> None:
    for key, value in product(keys, values):
        found = fault(fair_record(**{**WHOLE, key: value}))
        assert found == ("bad_fairness", f"fairness.{key} {said}"), value


@pytest.mark.parametrize("game", [None, "t1-é"])
def test_game_id_is_required_to_derive_decks(game: str | None) -> None:
    text = "game: its id in ASCII must be there to derive the decks"
    assert fault(fair_record()._replace(game=game)) == ("bad_fairness", text)


@pytest.mark.parametrize(
    "changes",
    [
        {"server_seed": (b"\1" + SEED[1:]).hex()},
        {"commitment": ANCHOR[:-1] + "d"},
        {"commitment": ANCHOR.upper()},
        {"commitment": ""},
    ],
)
def test_uncommitted_seed_is_found(changes: dict[str, str]) -> None:
    text = "fairness.commitment is not the SHA-256 of fairness.server_seed"
    assert fault(fair_record(**changes)) == ("wrong_commitment", text)


FIRST, SECOND = fair_record().deals
SWAPPED = [
    deal._replace(deck=(*deal.deck[:-2], deal.deck[-1], deal.deck[-2])) for deal in (FIRST, SECOND)
]


@pytest.mark.parametrize(
    ("number", "record"),
    [
        (1, fair_record(cut=NO_CUT)),
        (1, fair_record(cut=CUT.upper())),
        (1, fair_record()._replace(game="t1-000002")),
        (1, fair_record()._replace(deals=(SWAPPED[0], SECOND))),
        (2, fair_record()._replace(deals=(FIRST, SWAPPED[1]))),
        (1, fair_record()._replace(deals=(SECOND,))),
        (1, fair_record()._replace(deals=(SECOND, FIRST))),
    ],
)
def test_decks_must_follow_from_seed_game_and_cut(number: int, record: ecarte.Record) -> None:
    text = f"deal {number}, deck: is not the one that seed, game and cut yield"
    fixed = ecarte.Laws(first_dealer="house")  # else another cut gives another dealer
    assert fault(record._replace(laws=fixed)) == ("wrong_deck", text)


@pytest.mark.parametrize(
    "cuts",
    [
        [],
        [["alice", ALICE]],
        [["bob", BOB], ["alice", ALICE]],
        [["alice", ALICE], ["bob", BOB[:-1] + "1"]],
        [["alice", ALICE + BOB[:1]], ["bob", BOB[1:]]],
    ],
)
def test_cut_must_follow_from_the_texts(cuts: list[list[str]]) -> None:
    text = "fairness.cut is not the one that fairness.cuts make"
    assert fault(fair_record(cuts=cuts)) == ("wrong_cut", text)


def test_r2_1_first_dealer_must_have_won_the_cut() -> None:
    wrong = fair_record()._replace(first_dealer=ecarte.CHALLENGER)
    text = "first_dealer is challenger, but the cut gives house"
    assert fault(wrong) == ("wrong_dealer", text)
    assert fault(wrong._replace(deals=())) == ("wrong_dealer", text)


def test_r2_2_house_always_deals_under_house_law() -> None:
    seeds = (bytes([n]) * 32 for n in range(9))
    seed = next(s for s in seeds if naive.first_dealer_of(s.hex(), GAME, NO_CUT) == "challenger")
    fairness = {"commitment": commitment_of(seed), "server_seed": seed.hex(), "cut": NO_CUT}
    record = ecarte.Record(
        ecarte.Laws(deal="house"), ecarte.HOUSE, (), game=GAME, fairness=fairness
    )
    verify(record)
    assert fault(record._replace(laws=ecarte.Laws()))[0] == "wrong_dealer"
