"""Every kind of leaf has a rule: for each kind, a forgery that the audit must find.

A new kind of leaf needs a forgery here, and a rule that finds it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson
import pytest

from casino.audit import ExportSource, Finding, audit
from casino.events.types import KINDS, LimitSet, OwnLimits, SeatChanged
from casino.ledger.side_files import CasinoFiles
from casino.reports.export import export
from tests.audit.forgeries import _numbered, _signed_export
from tests.ledger.game_simulator import GameSimulator, open_ledger, wait
from tests.table.casino_harness import log_of

Leaf = dict[str, Any]


class Forgery(NamedTuple):
    """A change to a leaf of a kind, the check that must find it, and words of the finding."""

    kind: str
    change: Callable[[Leaf], object]
    check: str
    words: str
    nth: int = 0


def stating(**fields: object) -> Callable[[Leaf], object]:
    return lambda leaf: leaf.update(fields)


def pay_another(leaf: Leaf) -> None:
    leaf["postings"][0][1] += 1
    leaf["postings"][-1][1] -= 1


def pay_stranger(leaf: Leaf) -> None:
    leaf["postings"][-1][0] = "wallet/zed"


def swap_exchanges(leaf: Leaf) -> None:
    leaf["exchanges"][:2] = leaf["exchanges"][1::-1]


def change_sides(leaf: Leaf) -> None:
    leaf["side"] = "house" if leaf["side"] == "challenger" else "challenger"


def remove_signature(leaf: Leaf) -> None:
    leaf["new_signature"] = leaf["old_signature"]


NONE: Final = "0" * 64
FORGERIES: Final = [
    Forgery("log_opened", stating(version=9), "rules", "log version 9 is unknown"),
    Forgery(
        "run_started", stating(type="run_stopped"), "rules", "while the casino was not running", 1
    ),
    Forgery("run_stopped", stating(at=0), "leaves", "time goes back"),
    Forgery("key_rotated", remove_signature, "key", "does not name the log's key"),
    Forgery("answers", stating(hash="none"), "rules", "hash of the answers is invalid"),
    Forgery("entry", pay_another, "settlement", "gets -119.03, not -119.04", 11),
    Forgery("entry", pay_stranger, "settlement", "wallet/zed gets", 11),
    Forgery("terms", stating(from_game=9), "terms", "apply from game 9, not 1"),
    Forgery("terms", lambda leaf: leaf["laws"].update(target=7), "games", "the game is not over"),
    Forgery(
        "terms", lambda leaf: leaf["gallery"].update(commission_bp=1), "settlement", "settle: "
    ),
    Forgery("grant_terms", stating(opening_cents=1), "grants", "opening chips are 1 cent"),
    Forgery("seed_chain", stating(anchor=NONE), "chains", "does not follow the chain of seeds"),
    Forgery("game_opened", stating(number=3), "chains", "not the next one"),
    Forgery("bet", stating(unit_cents=101), "games", "t1.p0 gets -142.86, not -3.03"),
    Forgery("bet", stating(order=9), "games", "order is 9"),
    Forgery("bet", change_sides, "sums", "cents are matched on house"),
    Forgery("bet", stating(seal=NONE), "cuts", "does not match the seal of t1.p0"),
    Forgery("cut", stating(seal=NONE), "cuts", "does not match the seal of ann"),
    Forgery("book_locked", stating(seals=99), "games", "seals is 99"),
    Forgery("book_locked", stating(bets=99), "games", "bets is 99"),
    Forgery("cut_opened", stating(text="0" * 32), "cuts", "does not match the seal"),
    Forgery("betting_closed", stating(cut=NONE), "games", "cut is 0000"),
    Forgery("betting_closed", stating(matched_cents=1), "games", "matched_cents is 1"),
    Forgery("betting_closed", stating(withheld=[99]), "games", "withheld is (99,)"),
    Forgery("dealt", stating(deal=7), "games", "deal is 7, not 1"),
    Forgery("turned_up", stating(card="KS"), "games", "card is KS"),
    Forgery("action", stating(action="V"), "games", "nothing to claim"),
    Forgery("hands", stating(house="AS"), "games", "house is AS"),
    Forgery("game_over", stating(stake=9), "games", "stake is 9"),
    Forgery("game_over", stating(winner="challenger"), "games", "winner is challenger"),
    Forgery("game_over", stating(score={"challenger": 5, "house": 5}), "games", "score is"),
    Forgery("game_over", stating(exchanges=["7S"]), "games", "7♠ is not in the hand"),
    Forgery("game_over", swap_exchanges, "games", "is not in the hand"),
    Forgery("game_void", stating(reason="rain"), "games", "is the challenger has left, not rain"),
    Forgery("cut_late", stating(text="0" * 32), "cuts", "late text does not match the seal"),
    Forgery("seat", stating(what="danced"), "rules", "is not an event of a seat"),
    Forgery("limit", stating(**{"from": 0}), "limits", "applies from 0"),
]
"""At least one forgery for each kind of leaf; the words show which rule found it."""


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kinds") / "casino.db"
    bank = open_ledger(path)
    night = GameSimulator(bank, bettors=3)
    while not {"hands", "cut_late"} <= {leaf.kind for leaf in bank.reader().leaves()}:
        night.play_game()
    night.play_game("void")

    def work(tx: Any) -> dict[str, Any]:
        tx.log(SeatChanged(player="ben", table="t1", what="queued"))
        tx.log(LimitSet(from_ms=tx.now, limits=OwnLimits(day_stake_cents=10**9), player="t1.p0"))
        return {}

    wait(bank.submit(work, "extra", b""))
    bank.close()
    open_ledger(path).rotate_key()
    open_ledger(path).close()
    return path


@pytest.fixture
def leaves(every: Path) -> list[Leaf]:
    return list(map(orjson.loads, log_of(every)))


def audit_signed(log: Path, leaves: list[Leaf], folder: Path) -> list[Finding]:
    """Return the findings in an export of these leaves, signed by the log's key."""
    head = orjson.loads(next(export(log, "jsonl")))
    bodies = [orjson.dumps(leaf, option=orjson.OPT_SORT_KEYS) for leaf in leaves]
    lines = _signed_export([head, *_numbered(bodies)], CasinoFiles(log).load_key())
    file = folder / "export.jsonl"
    file.write_bytes(b"\n".join(map(orjson.dumps, lines)) + b"\n")
    return audit(ExportSource(file), workers=1).findings


POULES: Final = {"poule_opened", "poule_over", "poule_void"}
"""Kinds whose forgeries are in `test_poules`."""


def test_every_kind_of_leaf_has_a_forgery() -> None:
    kinds = {lie.kind for lie in FORGERIES} | POULES
    assert kinds == KINDS.keys(), "add a rule to casino/audit, and a lie to FORGERIES"


def test_unforged_log_is_clean(every: Path, leaves: list[Leaf], tmp_path: Path) -> None:
    assert audit_signed(every, leaves, tmp_path) == []
    assert {leaf["type"] for leaf in leaves} == KINDS.keys() - POULES


@pytest.mark.parametrize("lie", FORGERIES, ids=lambda lie: f"{lie.kind} {lie.words}")
def test_l18_forged_leaf_of_any_kind_is_found_by_its_rule(
    every: Path, leaves: list[Leaf], tmp_path: Path, lie: Forgery
) -> None:
    lied = [leaf for leaf in leaves if leaf["type"] == lie.kind][lie.nth]
    before = orjson.dumps(lied)
    lie.change(lied)
    assert orjson.dumps(lied) != before
    findings = audit_signed(every, leaves, tmp_path)
    errors = [one for one in findings if one.severity == "error"]
    assert any(one.check == lie.check and lie.words in one.text for one in errors), errors[:5]
