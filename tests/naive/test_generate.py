"""Random and spoilt records: everything occurs in them, and the naive replay judges them."""

from __future__ import annotations

import copy
import itertools
import json
import random
from collections import Counter
from typing import Any

import pytest

from .basics import PACK
from .corrupt import KINDS, Kind, corrupt, spoil
from .fair import chain_of, commitment_of, cut_of, deck_of, first_dealer_of, seal_of
from .game import NaiveDeal
from .generate import random_record
from .perft import lines_of_play
from .replay import ALLOWED, read_laws, replay


def records(seed: int, number: int, finished: bool | None = None) -> list[dict[str, Any]]:
    """Some random records."""
    rng = random.Random(seed)
    return [random_record(rng, finished) for _ in range(number)]


def test_random_records_replay() -> None:
    """Every random record is legal, and finished if that was asked for."""
    for record in records(1, 150):
        assert replay(record)["ok"], record
    for record in records(2, 30, finished=True):
        answer = replay(json.loads(json.dumps(record)), line=7)
        assert answer["line"] == 7 and answer["game"] == record.get("game")
        assert answer["winner"] is not None
        target = read_laws(record["laws"])["target"]
        points = Counter[str]()
        for deal in answer["deals"]:
            points.update(deal["points"])
        assert max(points.values()) == target and points == answer["score"]


def test_everything_occurs() -> None:
    """Every law's values, every token and every rare turn of the play occur in the records."""
    seen: Counter[str] = Counter()
    for record in records(3, 300):
        answer = replay(record)
        seen.update(f"{name}={value}" for name, value in read_laws(record["laws"]).items())
        seen.update(key for key in record if key not in ("egr", "laws", "deals"))
        seen[f"stake {answer['stake']}"] += 1
        for entry in record["deals"]:
            tokens = entry["actions"].split(" ")
            seen.update(token if token in ("X", "") else token[0] for token in tokens)
            seen["two claims"] += tokens.count("V") > 1
            seen["claim after conceding"] += " C V" in entry["actions"]
            seen["king after a wrong lead"] += any(
                one[:1] == "L" and two == "K" for one, two in itertools.pairwise(tokens)
            )
            seen["several exposed"] += sum(token[:1] == "E" for token in tokens) > 1
    laws = [f"{name}={value}" for name, values in ALLOWED.items() for value in values]
    words = [*"PSARKCENOLWV", "X", "", "fairness", "players", "result", "game", "note"]
    stakes = [f"stake {stake}" for stake in (1, 2, 3, None)]
    rare = ["two claims", "claim after conceding", "king after a wrong lead", "several exposed"]
    assert [what for what in laws + words + stakes + rare if seen[what] < 3] == []


@pytest.mark.parametrize("kind", dict.fromkeys(KINDS), ids=lambda kind: kind.__name__)
def test_every_kind_of_fault_is_found(kind: Kind) -> None:
    """Each kind of spoiling gives records that the replay refuses, and leaves the good one."""
    rng = random.Random(4)
    found = 0
    for record in records(5, 12):
        before = copy.deepcopy(record)
        spoilt = spoil(record, kind, rng)
        assert record == before
        if spoilt:
            found += 1
            json.dumps(spoilt[0])
    assert found >= 3


def test_corrupt_names_the_place() -> None:
    """A spoilt record comes with a place that is a token's or none at all."""
    rng = random.Random(6)
    for record in records(7, 60):
        bad, (deal, token) = corrupt(record, rng)
        error = replay(bad)["error"]
        assert (error["deal"], error["token"]) == (deal, token)
        if deal is None or token is None:
            assert (error["code"], deal, token) == ("bad_record", None, None)
        else:
            tokens = bad["deals"][deal - 1]["actions"].split(" ")
            assert error["code"] == "illegal_action" and 1 <= token <= len(tokens)


def one_deal(actions: str) -> dict[str, Any]:
    """A record of one deal: spades against spades, hearts trumps, the house deals."""
    deck = "KSQSJSKHQH9S8S7SASTS7H" + "".join(
        card for card in PACK if card not in "KSQSJSKHQH9S8S7SASTS7H"
    )
    deal = {"dealer": "house", "deck": deck, "actions": actions}
    return {"egr": 1, "laws": {}, "first_dealer": "house", "deals": [deal]}


@pytest.mark.parametrize(
    ("actions", "token"),
    [
        ("K", 1),
        ("P S", 2),
        ("S KS KH", 3),
        ("S KS 9S KH", 4),
        ("S KS TS KS", 4),
        ("S KS K K", 4),
        ("S KS TS V", 4),
        ("S C C", 3),
        (" S", 1),
        ("S ", 2),
        ("S  KS", 2),
        ("P A X", 3),
        ("S EKS", 2),
    ],
)
def test_place_of_an_illegal_token(actions: str, token: int) -> None:
    """The first illegal token is named, counted from 1."""
    answer = replay(one_deal(actions), line=3)
    error = answer.pop("error")
    assert answer == {"line": 3, "game": None, "ok": False}
    assert (error["code"], error["deal"], error["token"]) == ("illegal_action", 1, token)


def test_faults_outside_the_actions_have_no_place() -> None:
    """A second deal after an unfinished one, or a wrong result, is no token's fault."""
    unfinished = one_deal("S KS")
    unfinished["deals"] *= 2
    wrong = one_deal("S C")
    wrong["result"] = {"score": {"house": 1, "challenger": 0}}
    right = one_deal("S C")
    right["result"] = {"score": {"house": 2, "challenger": 0}, "winner": None, "anything": 1}
    bad: list[Any] = [unfinished, wrong, [], None, {}]
    for record in bad:
        assert replay(record)["error"]["deal"] is None
    assert replay(right)["ok"]


def test_fair_decks() -> None:
    """Seeds, seals, cut and decks of the published example come out."""
    game = "t1-000001"
    seeds = chain_of(bytes(range(32)).hex(), "t1", 1, 10)
    assert seeds[0] == "05918e3e343520bd2283201f5385d012f2edcf96e98e85281f3d9cc89a36e52c"
    assert seeds[10] == "282f721e895324c3adadc008fb9a3b95c623774fa225e3ab916b52f156eda544"
    assert commitment_of(seeds[1]) == seeds[0]
    texts = ["alice 00112233445566778899aabbccddeeff", "ffeeddccbbaa99887766554433221100"]
    assert [seal_of(game, *one) for one in zip(("alice", "bob"), texts, strict=True)] == [
        "99fb7824bfd8f6f777e71481005fff0e6056cecf933ebbe56ab36d073fc0cbbf",
        "35e2ff87d4087ce1e16f0e386d120dbeb4cbb44ffd406a3f15c10f733a7d7b88",
    ]
    cut = cut_of(texts)
    assert cut == "02009da2f09e79e503c0d44962d36b1da10924fda0dc59d85d679a79116d8ce5"
    assert first_dealer_of(seeds[1], game, cut) == "house"
    assert [deck_of(seeds[1], game, number, cut) for number in range(3)] == [
        "AH7D9STHKS8S8CADKC8DASQSKHQDJCQH9DKDJS7HTS9C9H8HJDTC7CACQCJHTD7S",
        "QSJS7CTSJH8CASKHTDAC9H9DJCJDQH8DKD7S9S7HADKC7D8STH8H9CAHQDTCKSQC",
        "7H8C9SJCKDAH7DTDTSACKH7SQDJDKC8H8D9DAS8SQCADJH9HQS9CTH7CJSTCKSQH",
    ]


def lines_in(deal: NaiveDeal) -> int:
    """The complete lines of play of a deal, by copying it for every card."""
    if deal.over():
        return 1
    lines = 0
    for token in deal.legal_tokens():
        if token in PACK:
            after = copy.deepcopy(deal)
            after.play(token)
            lines += lines_in(after)
    return lines


def test_lines_of_play_are_those_of_the_deal() -> None:
    """The count on bare hands is the count through the whole deal."""
    deck = [one_deal("")["deals"][0]["deck"][at : at + 2] for at in range(0, 64, 2)]
    deal = NaiveDeal(read_laws({}), "house", deck, {"house": 0, "challenger": 0})
    deal.play("S")
    elder, dealer = deal.hands["challenger"], deal.hands["house"]
    assert lines_in(deal) == lines_of_play(elder, dealer, "H", "strict")
    assert lines_of_play(elder, dealer, "H", "ordinary") > lines_in(deal)
