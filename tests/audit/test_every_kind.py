"""Every kind of leaf is held to a rule: for each one lie that an audit must find, by its check.

Whoever adds a kind of leaf adds a lie here, and the rule that finds it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson
import pytest

from casino.audit import ExportSource, audit
from casino.events import factories
from casino.events.codec import KINDS
from casino.events.types import SeatChanged
from casino.ledger import accounts
from casino.ledger.side_files import CasinoFiles
from casino.reports.export import export
from tests.audit.forgeries import _numbered, _signed_export
from tests.ledger.issues import REFILL
from tests.ledger.night import Night, open_bank
from tests.ledger.sealing import wait

Leaf = dict[str, Any]


class Lie(NamedTuple):
    """What is done to a leaf, the check that must find it, and in what words."""

    change: Callable[[Leaf], object]
    check: str
    words: str
    nth: int = 0


def said(**fields: object) -> Callable[[Leaf], object]:
    return lambda leaf: leaf.update(fields)


def pay_one_cent_more(leaf: Leaf) -> None:
    leaf["postings"][-1][1] += 1


def unsign(leaf: Leaf) -> None:
    leaf["new_signature"] = leaf["old_signature"]


LIES: Final[dict[str, Lie]] = {
    "log_opened": Lie(said(version=9), "rules", "version 9 of the log is not known"),
    "run_started": Lie(said(type="run_stopped"), "rules", "while no program ran the casino", 1),
    "run_stopped": Lie(said(at=0), "leaves", "time goes back"),
    "key_rotated": Lie(unsign, "key", "does not say whose log this is"),
    "answers": Lie(said(hash="none"), "rules", "bound by no hash"),
    "entry": Lie(pay_one_cent_more, "entries", "does not sum to 0"),
    "terms": Lie(said(from_game=9), "terms", "hold from game 9, not from 1"),
    "grant_terms": Lie(said(opening_cents=1), "grants", "opening chips are 1 cents"),
    "seed_chain": Lie(said(anchor="0" * 64), "chains", "does not follow the chain of seeds"),
    "game_opened": Lie(said(number=3), "chains", "not the next one"),
    "bet": Lie(said(unit_cents=101), "games", "postings that differ"),
    "cut": Lie(said(seal="0" * 64), "cuts", "does not fit the seal of ann"),
    "book_locked": Lie(said(seals=99), "games", "seals is 99"),
    "cut_opened": Lie(said(text="0" * 32), "cuts", "does not fit the seal"),
    "betting_closed": Lie(said(cut="0" * 64), "games", "cut is 0000"),
    "dealt": Lie(said(deal=7), "games", "deal is 7, not 1"),
    "turned_up": Lie(said(card="KS"), "games", "card is KS"),
    "action": Lie(said(action="V"), "games", "there is none to claim"),
    "hands": Lie(said(house="AS"), "games", "house is AS"),
    "game_over": Lie(said(stake=9), "games", "stake is 9"),
    "game_void": Lie(said(reason="rain"), "games", "void is due"),
    "cut_late": Lie(said(text="0" * 32), "cuts", "late text does not fit the seal"),
    "seat": Lie(said(what="danced"), "rules", "nothing that happens to a seat"),
    "limit": Lie(said(**{"from": 0}), "limits", "holds from 0"),
}
"""One lie for each kind of leaf. What is found in words shows which rule found it."""


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kinds") / "casino.db"
    bank = open_bank(path)
    night = Night(bank, bettors=3)
    while not {"hands", "cut_late"} <= {leaf.kind for leaf in bank.reader().leaves()}:
        night.play_game()
    night.play_game("void")

    def work(tx: Any) -> dict[str, Any]:
        tx.log(SeatChanged(player="ben", table="t1", what="queued"))
        tx.log(factories.limit_set("t1.p0", {"day_stake_cents": 10**9}, tx.now))
        tx.post(accounts.grant("zed", 500, REFILL))
        return {}

    wait(bank.submit(work, "extra", b""))
    bank.close()
    open_bank(path).rotate_key()
    open_bank(path).close()
    return path


@pytest.fixture(scope="module")
def lines(every: Path) -> list[Leaf]:
    return [orjson.loads(line) for line in "".join(export(every, "jsonl")).splitlines()]


def test_every_kind_of_leaf_has_its_lie() -> None:
    assert KINDS.keys() - LIES.keys() == set(), "add a rule to casino/audit, and a lie to LIES"
    assert LIES.keys() == KINDS.keys()


def test_the_night_itself_is_clean(every: Path, lines: list[Leaf], tmp_path: Path) -> None:
    file = tmp_path / "export.jsonl"
    file.write_bytes(b"\n".join(map(orjson.dumps, lines)) + b"\n")
    assert audit(ExportSource(file), workers=1).findings == []
    kinds = {orjson.loads(line["leaf"])["type"] for line in lines if "leaf" in line}
    assert kinds == KINDS.keys()
    assert every.exists()


@pytest.mark.parametrize("kind", LIES)
def test_l18_a_lie_of_any_kind_of_leaf_is_found_by_its_rule(
    every: Path, lines: list[Leaf], tmp_path: Path, kind: str
) -> None:
    lie = LIES[kind]
    leaves = [orjson.loads(line["leaf"]) for line in lines if "leaf" in line]
    lied = [leaf for leaf in leaves if leaf["type"] == kind][lie.nth]
    before = orjson.dumps(lied)
    lie.change(lied)
    assert orjson.dumps(lied) != before
    bodies = [orjson.dumps(leaf, option=orjson.OPT_SORT_KEYS) for leaf in leaves]
    made_anew = [lines[0], *_numbered(bodies)]
    key = CasinoFiles(every).load_key()
    file = tmp_path / "export.jsonl"
    told = _signed_export(made_anew, key)
    file.write_bytes(b"\n".join(map(orjson.dumps, told)) + b"\n")
    findings = audit(ExportSource(file), workers=1).findings
    errors = [one for one in findings if one.severity == "error"]
    assert any(one.check == lie.check and lie.words in one.text for one in errors), errors[:5]
