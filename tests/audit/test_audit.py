"""What the audit checks beyond tampering: bots, corrections, long logs, second ways."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import cast

import msgspec
import pytest

from casino.audit import FileSource, audit
from casino.audit.check import Game, GameLeaf
from casino.audit.pipeline import AuditPipeline, PipelineState
from casino.betting import BettingRules
from casino.cli.verify.audit import decide_again
from casino.ecarte import LEADING, Action, Laws, View, cards_in
from casino.errors import InputError
from casino.events.codec import decode
from casino.events.types import BotName
from casino.fairness import SeededRandom
from casino.ledger import accounts
from casino.ledger.storage.base import StoredLeaf
from casino.ledger.transaction import Answer, Transaction
from tests.ledger.issues import REFILL, give, issue
from tests.ledger.night import Night, SimulatedClock, open_bank
from tests.ledger.sealing import wait


def test_l_audit_4_bots_that_decide_from_their_view_pass(played: Path) -> None:
    """Every decision of the house's bot is made again and is the same."""
    report = audit(FileSource(played), decide=decide_again, workers=1)
    assert report.is_clean


def peeking(_: BotName, view: View, legal: Sequence[Action], draws: SeededRandom) -> Action:
    from casino.bots import get_bot

    if view.phase == LEADING:
        return cards_in(view.hand)[-1]
    return get_bot("novice").choose(view, legal, cast("Random", draws))


def test_l_audit_4_a_bot_that_decides_otherwise_is_found_out(played: Path) -> None:
    """A decision that does not follow from view and seed is named with its deal and token."""
    report = audit(FileSource(played), decide=peeking, workers=1)
    found = [finding for finding in report.findings if finding.check == "bots"]
    assert found
    assert "but decides" in found[0].text
    assert found[0].game is not None


def unknown(bot: BotName, _view: View, _legal: Sequence[Action], _draws: SeededRandom) -> Action:
    raise InputError(f"no bot {bot.name}")


def test_l_audit_4_a_bot_nobody_has_is_said_once_a_game(played: Path) -> None:
    """Decisions that cannot be recomputed are findings, not silence."""
    report = audit(FileSource(played), decide=unknown, workers=1)
    assert [f.game for f in report.findings if f.check == "bots"] == [
        f"t1-00000{number}" for number in range(1, 6)
    ]


@pytest.mark.parametrize(
    ("laws", "gallery"),
    [
        (Laws(target=7, play="ordinary"), BettingRules(matching="last_in_first_out")),
        (Laws(deal="house", vole_unexchanged=2), BettingRules(gallery_stakes="single")),
        (Laws(first_dealer="challenger", packets=(2, 3)), BettingRules(commission_base="gross")),
        (Laws(enforcement="claims"), BettingRules(commission_bp=0, principal_commission_bp=100)),
    ],
)
def test_games_by_other_laws_are_clean_as_well(
    tmp_path: Path, laws: Laws, gallery: BettingRules
) -> None:
    path = tmp_path / "casino.db"
    bank = open_bank(path)
    nights = [
        Night(bank, 3, "t1", laws, gallery),
        Night(bank, 4, "t2", laws, gallery, stake_cents=0, bettors=0),
    ]
    for _ in range(3):
        for night in nights:
            night.play_game()
    bank.close()
    report = audit(FileSource(path), workers=1)
    assert report.findings == []
    assert report.games == 6


def test_l3_a_correction_that_undoes_its_entry_is_clean_another_is_not(tmp_path: Path) -> None:
    for wrong in (False, True):
        path = tmp_path / f"{wrong}.db"
        bank = open_bank(path)
        issue(bank)
        wait(give(bank, "ann", 500, "a"))
        wait(give(bank, "ann", 700, "b"))
        undone = accounts.grant("ann", 300 if wrong else 500).postings

        def work(tx: Transaction, undone: tuple[tuple[str, int], ...] = undone) -> Answer:
            return {"entry": tx.post(accounts.correct(1, undone, "granted twice"))}

        wait(bank.submit(work, "undo", b""))
        bank.close()
        texts = [finding.text for finding in audit(FileSource(path), workers=1).findings]
        told = "entry 1 is undone by the house"
        assert texts == [told, *(["the correction does not undo entry 1"] if wrong else [])]


def test_an_audit_that_stops_at_any_leaf_and_resumes_finds_the_same(played: Path) -> None:
    """Each check goes on from its saved state, as a follower does that is restarted."""
    leaves = list(FileSource(played).rows())
    whole = AuditPipeline(decide_again)
    whole.feed(leaves)
    whole.finish()
    resumed = AuditPipeline(decide_again)
    for first in range(0, len(leaves), 7):
        resumed.feed(leaves[first : first + 7])
        resumed.drain()
        saved = msgspec.json.encode(resumed.state())
        resumed = AuditPipeline(decide_again)
        resumed.resume(msgspec.json.decode(saved, type=PipelineState))
    resumed.finish()
    assert sorted(map(str, resumed.findings)) == sorted(map(str, whole.findings))
    assert resumed.ledger.balances == whole.ledger.balances
    assert (resumed.games, resumed.running.unfinished()) == (whole.games, {"t1-000006"})


def test_l6_a_leaf_is_canonical_json() -> None:
    """One that is not spoils no other leaf that is read together with it."""
    bodies = [b'{"at":1,"type":"run_started"}', b'{"at":1, "type":"run_started"}', b"{}"]
    pipeline = AuditPipeline(None)
    pipeline.feed([StoredLeaf(n, body) for n, body in enumerate(bodies)])
    assert [(one.leaf, one.text[:12]) for one in pipeline.findings] == [
        (1, "the bytes ar"), (2, "the leaf's b"),
    ]  # fmt: skip


def test_two_processes_come_to_the_same_report(tmp_path: Path) -> None:
    path = tmp_path / "casino.db"
    bank = open_bank(path, SimulatedClock())

    def many(tx: Transaction) -> Answer:
        for number in range(40_000):
            tx.post(accounts.grant(f"p{number % 10}", 5, REFILL))
        return {}

    night = Night(bank, bettors=2)
    night.play_game()
    wait(bank.submit(many, "many", b""))
    night.play_game()
    wait(bank.submit(many, "more", b""))
    night.play_game()
    bank.close()
    one, two = (audit(FileSource(path), workers=workers) for workers in (1, 2))
    assert one == two
    assert one.findings == []
    assert one.leaves > 80_000


def test_a_game_is_the_same_in_another_process(played: Path) -> None:
    """Its leaves are sent by their bytes, and read again where they come."""
    source = FileSource(played)
    rows = [GameLeaf(n, decode(body), body) for n, body in source.rows("t1-000001")]
    terms = tuple(decode(leaf.body) for leaf in source.settings_leaves())
    game = Game("t1-000001", rows, terms)  # type: ignore[arg-type]
    there = pickle.loads(pickle.dumps(game))
    assert there == game
    assert {type(row) for row in there.rows} == {GameLeaf}
    broken = Game("t1-000001", [rows[0], rows[1]._replace(body=rows[1].body + b"\n")], ())
    assert pickle.loads(pickle.dumps(broken)) == broken
