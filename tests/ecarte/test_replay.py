"""Replay of records: worked deals from books, the place of each fault, every step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from casino import ecarte
from casino.ecarte import CHALLENGER, HOUSE, DealRecord, Laws, Record
from casino.errors import RecordError
from tests.ecarte.deal_helpers import dealt
from tests.strategies import records

GOLDEN = Path(__file__).parent.parent / "golden"
WORKED = (GOLDEN / "deals.egr.jsonl").read_text("utf-8").splitlines()


def deck(turned: str = "7D") -> tuple[ecarte.Card, ...]:
    return dealt(dealer="9S 8S 7S 9H 8H", turned=turned).deck


def record(*actions: str, first: int = HOUSE, result: Any = None, **laws: Any) -> Record:
    """Return a record of the usual hands, dealt in turn, with these tokens for each deal."""
    agreed = Laws(**laws)
    dealers = [first if agreed.deal == "house" or at % 2 == 0 else 1 - first for at in range(9)]
    deals = tuple(
        DealRecord(who, deck(), said) for who, said in zip(dealers, actions, strict=False)
    )
    return Record(agreed, first, deals, "t1-000001", result=result)


def refusal(bad: Record) -> RecordError:
    with pytest.raises(RecordError) as caught:
        ecarte.replay(bad)
    return caught.value


@pytest.mark.parametrize("line", WORKED, ids=[json.loads(line)["game"] for line in WORKED])
def test_r9_worked_deals_of_the_books(line: str) -> None:
    read = ecarte.read_record(line)
    expected = read.others["expected"]
    (deal,) = ecarte.replay(read).deals
    (points,) = ecarte.replay(read).points
    for role, seat in (("elder", deal.elder), ("dealer", deal.dealer)):
        assert points[seat] == expected["points"][role]
        assert deal.tricks[seat] == expected["tricks"][role]
    assert ecarte.replay(read).winner is None


def test_r2_5_turned_king_ending_the_game_leaves_no_actions() -> None:
    deals = record("S C", "S C", "S C", "S C").deals
    last = DealRecord(HOUSE, deck("KD"), "")
    whole = Record(Laws(), HOUSE, (*deals, last))
    assert (ecarte.replay(whole).winner, ecarte.replay(whole).game.score) == (HOUSE, (5, 4))
    more = whole._replace(deals=(*deals, last._replace(actions="S")))
    assert (refusal(more).deal, refusal(more).token) == (5, 1)


# Tokens by deal, place of the fault, part of the error message.
FAULTS: list[tuple[list[str], int | None, int | None, str]] = [
    (["X"], 1, 1, "only after a proposal"),
    (["S C", "S C", "S KS KS"], 3, 3, "K♠ is not in the hand"),
    (["P R KS 9H"], 1, 4, "K♠ was led: follow suit"),
    (["P A XKSQS X9S9H P A XKS"], 1, 7, "K♠ is not in the hand"),
    (["S C C"], 1, 3, "the deal is over"),
    (["S ZZ"], 1, 2, "'ZZ' is not an action"),
    (["S  C"], 1, 2, "'' is not an action"),
    ([" S C"], 1, 1, "'' is not an action"),
    (["S C "], 1, 3, "'' is not an action"),
    (["S\tC"], 1, 1, "is not an action"),
    (["s"], 1, 1, "'s' is not an action"),
    (["P EKS"], 1, 2, "only at the start of a deal"),
    (["S C", "S", "S C"], None, None, "deal 2 is unfinished, but deal 3 follows"),
    (["S C"] * 6, None, None, "the game was over before deal 6"),
]


@pytest.mark.parametrize(("actions", "deal", "token", "said"), FAULTS)
def test_error_names_deal_and_token(
    actions: list[str], deal: int | None, token: int | None, said: str
) -> None:
    error = refusal(record(*actions))
    assert (error.deal, error.token) == (deal, token)
    assert said in error.text
    assert (error.code == "illegal_action") == (token is not None)


def test_r2_2_wrong_dealer_error_names_no_token() -> None:
    deals = record("S C", "S C").deals
    wrong = Record(Laws(), HOUSE, (deals[0], deals[1]._replace(dealer=HOUSE)))
    assert refusal(wrong).code == "wrong_dealer"
    assert refusal(record("S C", first_dealer="challenger")).code == "wrong_dealer"
    assert refusal(record("S C", first=CHALLENGER, deal="house")).code == "wrong_dealer"
    assert ecarte.replay(record("S C", "S C", deal="house")).points == ((2, 0), (2, 0))


RESULTS: list[tuple[Any, str | None]] = [
    ({}, None),
    ({"winner": "house"}, None),
    ({"score": {"house": 5, "challenger": 4}, "winner": "house", "stake": 1, "note": 1}, None),
    ({"score": {"house": 5, "challenger": 3}}, "result.score"),
    ({"score": {"house": 5}}, "result.score"),
    ({"score": [5, 4]}, "result.score"),
    ({"winner": "challenger"}, "result.winner"),
    ({"winner": None}, "result.winner"),
    ({"stake": 2}, "result.stake"),
    ({"stake": 1.0}, "result.stake"),
    ({"stake": True}, "result.stake"),
]


@pytest.mark.parametrize(("result", "said"), RESULTS)
def test_result_must_match_the_replay(result: Any, said: str | None) -> None:
    game = record("S C", "S C", "S C", "S C", "S C", result=result)
    if said is None:
        assert ecarte.replay(game).winner == HOUSE
    else:
        error = refusal(game)
        assert error.code == "wrong_result" and said in error.text


@given(records())
def test_steps_of_a_record(some: Record) -> None:
    last: dict[int, Any] = {}
    for number, action, deal in ecarte.replay_steps(some):
        if number not in last:
            assert (action, deal.phase) == (None, ecarte.DEALING)
        elif action is None:
            assert deal == ecarte.turn_up(last[number])
        else:
            assert deal.history[-1] == action
        last[number] = deal
    assert tuple(last.values()) == ecarte.replay(some).deals
