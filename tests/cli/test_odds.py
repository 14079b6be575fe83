"""`casino odds`: a hand, the chart of all hands, and the output formats."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from casino import ecarte
from casino.bots import get_bot, rule_bot
from casino.cli import main
from casino.cli.play import odds
from casino.solver.evaluation.hand_chart import (
    OPPONENTS,
    HandClass,
    classes,
    expert_percents,
    scores_of,
)
from tests.bots import naive_regle

HAND = ("--hand", "7H KC QC JC 7S", "--turn-up", "8H")


def odds_json(capsys: pytest.CaptureFixture[str], *args: str) -> Any:
    assert main(["odds", *args, "--json"]) == 0
    printed, said = capsys.readouterr()
    assert said == ""
    return json.loads(printed)


def test_json_fields_are_stable(capsys: pytest.CaptureFixture[str]) -> None:
    found = odds_json(capsys, *HAND, "--role", "elder")
    assert list(found) == ["hand", "turn_up", "role", "opponents", "wins", "tricks", "leads"]
    assert found["hand"] == ["7H", "KC", "QC", "JC", "7S"]
    assert (found["turn_up"], found["role"], found["opponents"]) == ("8H", "elder", 65_780)
    assert sum(found["tricks"]) == 65_780
    assert sum(found["tricks"][3:]) == found["wins"]
    assert list(found["leads"]) == found["hand"]
    assert found["leads"]["KC"]["wins"] == 44_724
    assert sum(found["leads"]["7H"]["tricks"]) == 65_780


SPOKE: dict[tuple[str, str], Callable[[list[str]], bool]] = {
    ("elder", "proposed"): lambda dealer: naive_regle.refuses(dealer, "H"),
    ("dealer", "stood"): lambda elder: naive_regle.in_table(elder, "H"),
    ("dealer", "proposed"): lambda elder: not naive_regle.in_table(elder, "H"),
}
"""By role and given announcement: which hands of the opponent fit it."""


@pytest.mark.parametrize(("role", "given"), SPOKE)
def test_announcements_narrow_the_opponents_hands(
    capsys: pytest.CaptureFixture[str], role: str, given: str
) -> None:
    found = odds_json(capsys, *HAND, "--role", role, "--given", given)
    unseen = [
        ecarte.format_card(one)
        for one in ecarte.PACK
        if ecarte.format_card(one) not in (*found["hand"], "8H")
    ]
    spoke = SPOKE[role, given]
    assert found["given"] == given
    assert found["opponents"] == sum(found["tricks"])
    assert found["opponents"] == sum(spoke(list(some)) for some in combinations(unseen, 5))


def test_score_option_lists_the_scores_after_the_deal(capsys: pytest.CaptureFixture[str]) -> None:
    stood = odds_json(capsys, *HAND, "--role", "elder", "--score", "3-2")
    assert stood["score"] == "3-2"
    assert set(stood["expert"]) == {"stand", "propose"}
    assert max(stood["expert"].values()) == next(iter(stood["expert"].values())) < 1
    assert list(stood["scores_after"]) == ["4-3", "4-2", "3-5", "3-4"]
    assert sum(stood["scores_after"].values()) == 65_780
    refused = odds_json(capsys, *HAND, "--role", "elder", "--score", "3-2", "--given", "proposed")
    assert list(refused["scores_after"]) == ["5-3", "5-2", "3-4", "3-3"]


def test_the_expert_gives_advice_at_a_score(capsys: pytest.CaptureFixture[str]) -> None:
    strong = ("--hand", "KH QH JH AH TH", "--turn-up", "9H", "--score", "4-4")
    assert next(iter(odds_json(capsys, *strong, "--role", "elder")["expert"])) == "stand"
    assert next(iter(odds_json(capsys, *strong, "--role", "dealer")["expert"])) == "refuse"
    assert "expert" not in odds_json(capsys, *HAND, "--role", "elder")
    assert main(["odds", *strong, "--role", "dealer"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "At 4-4 the expert would refuse: " in said and "if it accepted." in said
    king = (*HAND[:2], "--turn-up", "KH", "--score", "0-2", "--role", "dealer")
    assert main(["odds", *king]) == 2
    assert "so the dealer has at least one" in capsys.readouterr().err


def test_text_output_has_a_sentence_and_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odds", *HAND, "--role", "elder", "--score", "3-2"]) == 0
    printed = capsys.readouterr().out
    for wanted in ("44,724 of 65,780 hands, 67.99 %", "stand", "KC QC JC", "From 3-2", "4-2"):
        assert wanted in printed
    assert main(["odds", *HAND, "--role", "dealer", "--given", "proposed", "--lead", "KS"]) == 0
    printed = capsys.readouterr().out
    for wanted in ("KS led, given that the elder proposed", "refuse", "elder leads", "AC TC 9C"):
        assert wanted in printed


def test_laws_come_from_the_settings(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('[laws]\nplay = "ordinary"\n')
    hand = ("--hand", "KS 8S 7H AD TD", "--turn-up", "8H", "--role", "elder")
    strict = odds_json(capsys, *hand)
    ordinary = odds_json(capsys, *hand, "--config", str(tmp_path / "a.toml"))
    assert (strict["wins"], ordinary["wins"]) == (33_260, 30_236)


def test_chart_rows_match_regles_decisions() -> None:
    for row in list(classes(ecarte.card("8H")))[::50]:
        hand = ecarte.card_set(ecarte.cards(row.text.replace("/", "")))
        assert row.hand == hand
        stands, refuses = rule_bot.should_stand(hand, 1), rule_bot.should_refuse(hand, 1)
        assert row.regle == (("propose", "stand")[stands], ("accept", "refuse")[refuses])


@pytest.mark.parametrize("turned", ["8H", "KH"])
def test_chart_rows_match_the_experts_frequencies(turned: str) -> None:
    found, rng = list(classes(ecarte.card(turned))), Random(3)
    scores = scores_of(ecarte.card(turned))
    assert len(scores) == (20 if turned == "KH" else 25)
    for row in rng.sample(found, 12):
        names = row.text.replace("/", "")
        proposes, accepts = expert_percents(row.hand, ecarte.card(turned))
        assert len(proposes) == len(accepts) == len(scores)
        for place in rng.sample(range(len(scores)), 3):
            elder, dealer = scores[place]
            began = (dealer - (turned == "KH"), elder)
            deal = ecarte.set_up(names, "", turned, score=began).deal(ecarte.PACK)
            assert proposes[place] == pytest.approx(100 * share(deal, ecarte.PROPOSE), abs=6)
            asked = ecarte.apply(
                ecarte.set_up("", names, turned, score=began).deal(ecarte.PACK), ecarte.PROPOSE
            )
            assert accepts[place] == pytest.approx(100 * share(asked, ecarte.ACCEPT), abs=6)


def share(deal: ecarte.Deal, word: int) -> float:
    """Return the share of 16 equally likely draws in which the expert chooses an action."""
    seen, legal = ecarte.view(deal, deal.turn), ecarte.legal_for(deal, deal.turn)
    draws: list[Any] = [SimpleNamespace(randrange=lambda *_, at=at: at) for at in range(16)]
    return [get_bot("expert").choose(seen, legal, rng) for rng in draws].count(word) / 16


@pytest.fixture(scope="module")
def nine() -> dict[str, HandClass]:
    return {row.text: row for row in classes(ecarte.card("9C"))}


def test_text_csv_and_json_agree(
    nine: dict[str, HandClass], capsys: pytest.CaptureFixture[str]
) -> None:
    table = ["odds", "--table", "--turn-up", "9C", "--sort", "hands"]
    assert main([*table, "--format", "csv"]) == 0
    lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert main([*table, "--json"]) == 0
    classes = json.loads(capsys.readouterr().out)["classes"]
    assert main(table) == 0
    text = capsys.readouterr().out.splitlines()[1:]
    for line, found, said in list(zip(lines, classes, text, strict=True))[::211]:
        row = nine[line["hand"]]
        assert found["hand"] == row.text.replace("/", "").split()
        assert (found["trumps"], found["hands"]) == (row.trumps, row.hands)
        for role, tricks, word in zip(
            ("elder", "dealer"), (row.elder, row.dealer), row.regle, strict=True
        ):
            won = sum(tricks[3:])
            assert found[role] == {"wins": won, "tricks": list(tricks), "regle": word}
            assert [int(line[f"{role}_{number}"]) for number in range(6)] == list(tricks)
            assert (line[f"{role}_wins"], line[f"{role}_regle"]) == (str(won), word)
            assert f"{won:,}" in said and f"{100 * won / OPPONENTS:.2f} %" in said
        assert said.startswith(f"{row.text} ") and f" {row.hands} " in said
        assert said.endswith(f"{line['elder_regle']}, {line['dealer_regle']}")
    sizes = [int(line["hands"]) for line in lines]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize(
    ("name", "given", "begins"),
    [
        ("a.JSON", (), b'{"opponents": 65780,'),
        ("a", (), b"hand "),
        ("a.txt", (), b"hand "),
        ("a.csv", (), b"hand,"),
        ("a.csv", ("--format", "text"), b"hand "),
        ("a.txt", ("--json",), b'{"opponents": 65780,'),
    ],
)
def test_format_options_override_the_file_suffix(
    name: str,
    given: tuple[str, ...],
    begins: bytes,
    tmp_path: Path,
    nine: dict[str, HandClass],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(odds, "classes", lambda *_, **__: list(nine.values())[::100])
    assert main(["odds", "--table", "-o", str(tmp_path / name), *given]) == 0
    assert (tmp_path / name).read_bytes().startswith(begins)
