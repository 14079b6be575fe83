"""Forged poules: false players, winners and payments are found by their rules."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import pytest

from casino.audit import FileSource, Finding
from casino.table.domain.commands import CloseTable, OpenTable, TakeSeat
from tests.audit.test_leaf_kinds import audit_signed
from tests.audit.test_tampering import audited_both_ways
from tests.audit.test_whole_runs import resumed
from tests.table.casino_harness import CasinoHarness, ask, log_of, plan
from tests.table.test_hosting import opened, play_until_over, state
from tests.table.test_poule import play_until, settings
from tests.web.test_verify_file import checked

Leaf = dict[str, Any]
Leaves = list[Leaf]


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Log of four poules: one won by a bot, one voided for ann, ann's, one ended by closing."""
    harness = CasinoHarness(tmp_path_factory.mktemp("poules") / "a.db", [plan()])
    harness.chips("ann")
    table = opened(harness, OpenTable("a", settings(wins=3), 2, 5))
    play_until(harness, lambda: state(harness, table).running)
    play_until(harness, lambda: state(harness, table).poule is None)
    play_until(harness, lambda: state(harness, table).running)
    assert ask(harness, TakeSeat(table, "ann")) == ""
    play_until(harness, lambda: state(harness, table).holder == "ann")
    play_until(harness, lambda: state(harness, table).poule is None)
    play_until(harness, lambda: state(harness, table).running)
    assert ask(harness, CloseTable(table, "idle")) == ""
    play_until_over(harness, table)
    harness.house.close()
    return harness.path


def kind(log: Leaves, name: str, nth: int = 0) -> Leaf:
    return [leaf for leaf in log if leaf["type"] == name][nth]


def of_poule(log: Leaves, move: str, nth: int = 0) -> Leaf:
    entries = [leaf for leaf in log if "-p" in leaf.get("game", "") and leaf["type"] == "entry"]
    return [entry for entry in entries if entry["move"] == move][nth]


def stating(name: str, nth: int = 0, **fields: object) -> Callable[[Leaves], object]:
    return lambda log: kind(log, name, nth).update(fields)


def draw_another_order(log: Leaves) -> None:
    poule = kind(log, "poule_opened", 2)
    poule["entrants"] = poule["entrants"][1:] + poule["entrants"][:1]


def let_another_enter(log: Leaves) -> None:
    entrants = kind(log, "poule_opened")["entrants"]
    entrants[entrants.index("regle")] = "expert"


def enter_no_person(log: Leaves) -> None:
    poule = kind(log, "poule_opened", 2)
    del poule["player"]
    poule["entrants"][poule["entrants"].index("ann")] = "regle"


def begin_without_poule(log: Leaves) -> None:
    log.remove(kind(log, "poule_opened"))
    log.remove(of_poule(log, "hold"))


def begin_before_the_end(log: Leaves) -> None:
    log.remove(kind(log, "poule_void"))
    log.remove(of_poule(log, "void"))


def let_others_play(log: Leaves) -> None:
    game = next(leaf for leaf in log if leaf.get("game") == "h1-000002")
    game["players"] = {"house": "regle", "challenger": "expert"}


def declare_winner_early(log: Leaves) -> None:
    over, paid = kind(log, "poule_over"), of_poule(log, "settle")
    log.remove(over)
    log.remove(paid)
    first = next(n for n, leaf in enumerate(log) if leaf.get("game") == "h1-000002")
    log[first:first] = [{**over, "at": log[first]["at"]}, {**paid, "at": log[first]["at"]}]


def pay_ann(log: Leaves) -> None:
    postings = of_poule(log, "settle")["postings"]
    postings[-1][0] = "wallet/ann"


def pay_less(log: Leaves) -> None:
    postings = of_poule(log, "settle")["postings"]
    postings[0][1] += 1
    postings[-1][1] -= 1


def pay_twice(log: Leaves) -> None:
    paid = of_poule(log, "settle")
    log.insert(log.index(paid) + 1, {**paid})


def pay_nothing(log: Leaves) -> None:
    log.remove(of_poule(log, "settle"))


def end_log_unpaid(log: Leaves) -> None:
    del log[log.index(kind(log, "poule_over")) :]


def omit_anns_entry(log: Leaves) -> None:
    hold = of_poule(log, "hold", 2)
    hold["postings"] = [["escrow/" + hold["game"] + "/house", 1500], ["house/bank", -1500]]


def agree_on(log: Leaves, **terms: int) -> None:
    """Change some terms of the poules, or remove all if there are none."""
    for leaf in log:
        if leaf["type"] == "terms" and leaf["table"] == "h1":
            leaf["hosted"]["poule"].update(terms)
            if not terms:
                del leaf["hosted"]["poule"]


def void_before_the_game_ends(log: Leaves) -> None:
    void = [kind(log, "poule_void"), of_poule(log, "void")]
    n = max(n for n in range(log.index(void[0])) if log[n]["type"] == "game_over")
    log[:] = [leaf for leaf in log if leaf not in void]
    log[n:n] = [leaf | {"at": log[n]["at"]} for leaf in void]


def close_while_ann_plays(log: Leaves, reason: str = "idle") -> None:
    closed = next(leaf for leaf in log if leaf.get("hosted", {}).get("closed"))
    log.remove(closed)
    opened = log.index(of_poule(log, "hold", 2))
    log.insert(
        opened + 1,
        closed | {"at": log[opened]["at"], "hosted": closed["hosted"] | {"closed": reason}},
    )


FORGERIES: list[tuple[Callable[[Leaves], object], str, str]] = [
    (draw_another_order, "poules", "were drawn, but the seed says"),
    (let_another_enter, "poules", "enter, but the terms name"),
    (enter_no_person, "seats", "no person enters, not ann"),
    (stating("poule_opened", player="ann"), "seats", "ann enters, not no person"),
    (stating("poule_opened", game="h1-p000002"), "poules", "it begins in place of h1-p000001"),
    (begin_without_poule, "poules", "belongs to no poule"),
    (begin_before_the_end, "poules", "is over"),
    (let_others_play, "poules", "play, but it is the turn of"),
    (declare_winner_early, "poules", "it is over after 1 wins in a row"),
    (stating("poule_over", winner=9), "poules", "this leaf names entrant 9 as winner"),
    (pay_ann, "poules", "settle of the pool, but settle"),
    (pay_less, "poules", "settle of the pool, but settle"),
    (pay_twice, "poules", "settle of the pool, but no entry is expected"),
    (pay_nothing, "poules", "the entry that must settle the pool is missing"),
    (pay_nothing, "escrow", "still holds 1,500 cents"),
    (end_log_unpaid, "poules", "the poule is won, but its pool is not paid"),
    (omit_anns_entry, "poules", "hold of the pool, but hold"),
    (partial(agree_on, wins=1), "poules", "it opens although h1-p000001 is won"),
    (partial(agree_on, wins=7), "poules", "but the terms require 7"),
    (agree_on, "poules", "the terms of its table do not provide for poules"),
    (void_before_the_game_ends, "poules", "it is void while its game runs"),
    (stating("poule_void", reason="closed"), "poules", "but it must be played"),
    (stating("poule_void", reason="secrets_lost"), "poules", "its last game is not lost"),
    (stating("poule_void", 1, reason="person_enters"), "poules", "no person is waiting"),
    (close_while_ann_plays, "poules", "it begins after h1 was closed"),
    (partial(close_while_ann_plays, reason="operator"), "poules", "it opens after h1 was closed"),
]


def forged(night: Path, tmp_path: Path, lie: Callable[[Leaves], object]) -> list[Finding]:
    log, honest = (list(map(orjson.loads, log_of(night))) for _ in range(2))
    lie(log)
    assert log != honest
    for number, entry in enumerate((leaf for leaf in log if leaf["type"] == "entry"), 1):
        entry["entry"] = number
    return audit_signed(night, log, tmp_path)


def test_poules_audit_clean_and_operator_void_is_reported(night: Path, tmp_path: Path) -> None:
    assert audited_both_ways(night).findings == []
    (in_browser,) = checked("", night.with_suffix(".jsonl"))
    assert (in_browser["wrong"], in_browser["faults"]) == ([], 0)
    findings = forged(night, tmp_path, stating("poule_void", reason="operator"))
    assert [(finding.severity, finding.check) for finding in findings] == [("warning", "poules")]


def test_audit_resumed_within_a_poule_finds_nothing(night: Path) -> None:
    assert resumed(list(FileSource(night).rows()), 1).findings == []


@pytest.mark.parametrize(("lie", "check", "words"), FORGERIES, ids=[lie[2] for lie in FORGERIES])
def test_l18_forged_poule_leaf_is_found(
    night: Path, tmp_path: Path, lie: Callable[[Leaves], object], check: str, words: str
) -> None:
    errors = [one for one in forged(night, tmp_path, lie) if one.severity == "error"]
    assert any(one.check == check and words in one.text for one in errors), errors[:5]
