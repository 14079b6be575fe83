"""`casino odds`: the JSON others rely on, what a person reads, the chart, every refusal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from casino.cli import main
from casino.cli.play import chart
from casino.ecarte import PACK, format_card
from tests.bots import naive_regle

HAND = ("--hand", "7H KC QC JC 7S", "--turn-up", "8H")


@pytest.fixture(autouse=True, scope="module")
def _chart_counted_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chart, "rows", cache(chart.rows))
        yield


def asked(capsys: pytest.CaptureFixture[str], *args: str) -> Any:
    assert main(["odds", *args, "--json"]) == 0
    printed, said = capsys.readouterr()
    assert said == ""
    return json.loads(printed)


def test_the_json_is_what_others_rely_on(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, *HAND, "--role", "elder")
    assert list(found) == ["hand", "turn_up", "role", "opponents", "wins", "tricks", "leads"]
    assert found["hand"] == ["7H", "KC", "QC", "JC", "7S"]
    assert (found["turn_up"], found["role"], found["opponents"]) == ("8H", "elder", 65_780)
    assert sum(found["tricks"]) == 65_780
    assert sum(found["tricks"][3:]) == found["wins"]
    assert list(found["leads"]) == found["hand"]
    assert found["leads"]["KC"]["wins"] == 44_724
    assert sum(found["leads"]["7H"]["tricks"]) == 65_780


def test_a_forced_lead_is_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, *HAND, "--role", "elder", "--lead", "7S")
    assert found["lead"] == "7S"
    assert found["wins"] == found["leads"]["7S"]["wins"]
    assert found["tricks"] == found["leads"]["7S"]["tricks"]
    assert found["leads"]["KC"]["wins"] == 44_724


SPOKE: dict[tuple[str, str], Callable[[list[str]], bool]] = {
    ("elder", "stood"): lambda _: True,  # the elder's own word says nothing of the dealer's hand
    ("elder", "proposed"): lambda dealer: naive_regle.refuses(dealer, "H"),
    ("dealer", "stood"): lambda elder: naive_regle.in_table(elder, "H"),
    ("dealer", "proposed"): lambda elder: not naive_regle.in_table(elder, "H"),
}
"""By the holder's role and the elder's word: who of the other side would have spoken so."""


@pytest.mark.parametrize(("role", "given"), SPOKE)
def test_what_was_said_narrows_the_other_hands(
    capsys: pytest.CaptureFixture[str], role: str, given: str
) -> None:
    found = asked(capsys, *HAND, "--role", role, "--given", given)
    unseen = [format_card(one) for one in PACK if format_card(one) not in (*found["hand"], "8H")]
    spoke = SPOKE[role, given]
    assert found["given"] == given
    assert found["opponents"] == sum(found["tricks"])
    assert found["opponents"] == sum(spoke(list(some)) for some in combinations(unseen, 5))


def test_the_score_after_the_deal(capsys: pytest.CaptureFixture[str]) -> None:
    stood = asked(capsys, *HAND, "--role", "elder", "--score", "3-2")
    assert stood["score"] == "3-2"
    assert set(stood["expert"]) == {"stand", "propose"}
    assert max(stood["expert"].values()) == next(iter(stood["expert"].values())) < 1
    assert list(stood["scores_after"]) == ["4-3", "4-2", "3-5", "3-4"]
    assert sum(stood["scores_after"].values()) == 65_780
    refused = asked(capsys, *HAND, "--role", "elder", "--score", "3-2", "--given", "proposed")
    assert list(refused["scores_after"]) == ["5-3", "5-2", "3-4", "3-3"]


def test_the_expert_says_what_to_do_at_a_score(capsys: pytest.CaptureFixture[str]) -> None:
    strong = ("--hand", "KH QH JH AH TH", "--turn-up", "9H", "--score", "4-4")
    assert next(iter(asked(capsys, *strong, "--role", "elder")["expert"])) == "stand"
    assert next(iter(asked(capsys, *strong, "--role", "dealer")["expert"])) == "refuse"
    assert "expert" not in asked(capsys, *HAND, "--role", "elder")
    assert main(["odds", *strong, "--role", "dealer"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "At 4-4 the expert would refuse: " in said and "if he would accept." in said
    king = (*HAND[:2], "--turn-up", "KH", "--score", "0-2", "--role", "dealer")
    assert main(["odds", *king]) == 2
    assert "so he has one at least" in capsys.readouterr().err


def test_a_person_reads_a_sentence_and_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odds", *HAND, "--role", "elder", "--score", "3-2"]) == 0
    printed = capsys.readouterr().out
    for wanted in ("44,724 of 65,780 hands, 67.99 %", "stand", "KC QC JC", "From 3-2", "4-2"):
        assert wanted in printed
    assert main(["odds", *HAND, "--role", "dealer", "--given", "proposed", "--lead", "KS"]) == 0
    printed = capsys.readouterr().out
    for wanted in ("KS led, given that the elder proposed", "refuse", "elder leads", "AC TC 9C"):
        assert wanted in printed


@pytest.mark.parametrize(
    ("hand", "turn_up", "lead"),
    [
        ("7h kc qc jc 7s", "8h", "kc"),
        ("7♥ K♣ Q♣ J♣ 7♠", "8♥", "K♣"),
        ("7♡K♧Q♧J♧7♤", "8♡", "k♣"),
        ("7HKCQCJC7S", "8H", "KC"),
    ],
)
def test_cards_are_read_as_a_person_types_them(
    capsys: pytest.CaptureFixture[str], hand: str, turn_up: str, lead: str
) -> None:
    args = ("--hand", hand, "--turn-up", turn_up, "--role", "elder", "--lead", lead)
    found = asked(capsys, *args)
    assert found["hand"] == ["7H", "KC", "QC", "JC", "7S"]
    assert (found["turn_up"], found["lead"], found["wins"]) == ("8H", "KC", 44_724)


def test_the_chart_and_the_odds_of_a_hand_agree(capsys: pytest.CaptureFixture[str]) -> None:
    chart = asked(capsys, "--table", "--turn-up", "8H")
    assert chart["opponents"] == 65_780
    row = next(row for row in chart["classes"] if row["hand"] == ["7H", "KS", "QS", "JS", "7D"])
    alone = asked(capsys, *HAND, "--role", "elder")
    assert row["elder"] == {"wins": 44_724, "tricks": alone["tricks"], "regle": "stand"}
    assert (row["trumps"], row["hands"]) == (1, 6)


def test_the_laws_of_the_house_are_those_of_the_settings(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "a.toml").write_text('[laws]\nplay = "ordinary"\n')
    hand = ("--hand", "KS 8S 7H AD TD", "--turn-up", "8H", "--role", "elder")
    strict = asked(capsys, *hand)
    ordinary = asked(capsys, *hand, "--config", str(tmp_path / "a.toml"))
    assert (strict["wins"], ordinary["wins"]) == (33_260, 30_236)
