"""What the table service answers and publishes, and which seed it accepts."""

from __future__ import annotations

from pathlib import Path

from casino.errors import Refused
from casino.ledger.tlog.note import open_checkpoint
from casino.table.domain.commands import CloseBetting, DealCards, OpenGame
from tests.table.casino_harness import CasinoHarness, log_of, plan
from tests.table.service_helpers import GAME, RecordingListener, ask, bet, harness, seal_of

__all__ = ["harness"]


def test_bet_answer_has_order_seal_number_leaf_and_balance(harness: CasinoHarness) -> None:
    first = harness.house.service.submit(bet("b1", seal=seal_of("ann"))).result(30)
    second = harness.house.service.submit(bet("b2", "ben", 700, seal=seal_of("ben"))).result(30)
    third = harness.house.service.submit(bet("b3", "ann", 300)).result(30)
    assert first["bet"] | {"leaf": 0} == {
        "bet_id": "b1",
        "game": GAME,
        "order": 1,
        "side": "house",
        "unit_cents": 500,
        "leaf": 0,
        "seal_number": 1,
    }
    assert (second["bet"]["order"], second["bet"]["seal_number"]) == (2, 2)
    assert third["bet"]["order"] == 3
    assert "seal_number" not in third["bet"]
    assert first["balance_cents"] == 1_000_000 - 3 * 500
    assert third["balance_cents"] == 1_000_000 - 3 * 800
    leaves = log_of(harness.path)
    for answer, player in ((first, b"ann"), (second, b"ben"), (third, b"ann")):
        leaf = leaves[answer["bet"]["leaf"]]
        assert b'"type":"bet"' in leaf
        assert player in leaf
    harness.house.close()


def test_l5_resent_bet_gets_first_answer_even_after_restart(harness: CasinoHarness) -> None:
    first = harness.house.service.submit(bet("b1")).result(30)
    assert harness.house.service.submit(bet("b1")).result(30) == first
    assert ask(harness, bet("b1", cents=600)) == "id_reused"
    assert ask(harness, bet("b1")._replace(side=1)) == "id_reused"
    assert ask(harness, bet("b1", "ben")) == ""
    harness.restart()
    assert harness.house.service.submit(bet("b1")).result(30) == first
    assert ask(harness, bet("b1", cents=600)) == "id_reused"
    assert harness.state.running is not None
    assert len(harness.state.running.book.bets) == 2
    harness.house.close()


def test_l5_refused_bet_stays_refused(harness: CasinoHarness) -> None:
    poor = bet("b1", "cy", 500)
    assert ask(harness, poor) == "insufficient_chips"
    harness.chips("cy")
    assert ask(harness, poor) == "insufficient_chips"
    assert ask(harness, poor._replace(bet_id="b2")) == ""
    harness.house.close()


def test_batch_of_commands_is_atomic(harness: CasinoHarness) -> None:
    before, leaves = harness.state, len(log_of(harness.path))
    heard = RecordingListener(harness)
    future = harness.house.service.submit_all([CloseBetting("t1", GAME), DealCards("t1", -5)])
    refusal = future.exception(30)
    assert isinstance(refusal, Refused)
    assert refusal.code == "stale_version"
    assert harness.state is before
    assert len(log_of(harness.path)) == leaves
    assert heard.events == []
    harness.house.close()


def test_l15_lock_has_its_own_checkpoint_before_texts_are_revealed(harness: CasinoHarness) -> None:
    harness.house.service.submit(bet("b1", seal=seal_of("ann"))).result(30)
    heard = RecordingListener(harness)
    harness.house.service.submit(CloseBetting("t1", GAME)).result(30)
    harness.house.service.ledger.submit(lambda _: {}).result(30)
    log = harness.house.service.ledger.reader()
    lock = next(leaf for leaf in log.of_subject(GAME) if leaf.kind == "book_locked")
    assert [open_checkpoint(note, None).size > lock.n for note in heard.notes] == [True]
    assert log.receipt(lock.n) is not None
    log.close()
    harness.house.close()


def test_g16_game_opens_only_with_next_seed_of_chain(tmp_path: Path) -> None:
    harness = CasinoHarness(tmp_path / "a.db", [plan()])
    service = harness.house.service
    begin = service.seeds.chain_to_begin(harness.state)
    assert begin is not None
    service.submit(begin).result(30)
    right = service.seeds.next_seed(harness.state)
    after = service.seeds.next_seed(harness.state._replace(number=1))
    leaves = len(log_of(harness.path))
    for wrong in (after, bytes(32), b""):
        assert ask(harness, OpenGame("t1", wrong)) == "stale_version"
    assert len(log_of(harness.path)) == leaves
    assert ask(harness, OpenGame("t1", right)) == ""
    assert ask(harness, OpenGame("t1", after)) == "seat_taken"
    harness.house.close()
