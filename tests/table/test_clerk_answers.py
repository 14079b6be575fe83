"""What the clerk answers, what he tells, and which seed he takes."""

from __future__ import annotations

from pathlib import Path

from casino.errors import Refused
from casino.ledger.tlog.note import open_checkpoint
from casino.table.domain.commands import CloseBetting, DealCards, OpenGame
from tests.table.clerks import GAME, Hears, ask, bet, evening, seal_of
from tests.table.nights import Evening, log_of, plan

__all__ = ["evening"]


def test_a_bet_is_answered_with_all_that_its_bettor_needs(evening: Evening) -> None:
    first = evening.house.service.submit(bet("b1", seal=seal_of("ann"))).result(30)
    second = evening.house.service.submit(bet("b2", "ben", 700, seal=seal_of("ben"))).result(30)
    third = evening.house.service.submit(bet("b3", "ann", 300)).result(30)
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
    leaves = log_of(evening.path)
    for answer, player in ((first, b"ann"), (second, b"ben"), (third, b"ann")):
        leaf = leaves[answer["bet"]["leaf"]]
        assert b'"type":"bet"' in leaf
        assert player in leaf
    evening.house.close()


def test_l5_a_bet_sent_again_has_its_first_answer_also_after_a_restart(evening: Evening) -> None:
    first = evening.house.service.submit(bet("b1")).result(30)
    assert evening.house.service.submit(bet("b1")).result(30) == first
    assert ask(evening, bet("b1", cents=600)) == "id_reused"
    assert ask(evening, bet("b1")._replace(side=1)) == "id_reused"
    assert ask(evening, bet("b1", "ben")) == ""
    evening.again()
    assert evening.house.service.submit(bet("b1")).result(30) == first
    assert ask(evening, bet("b1", cents=600)) == "id_reused"
    assert evening.state.running is not None
    assert len(evening.state.running.book.bets) == 2
    evening.house.close()


def test_l5_a_refused_bet_stays_refused(evening: Evening) -> None:
    poor = bet("b1", "cy", 500)
    assert ask(evening, poor) == "insufficient_chips"
    evening.chips("cy")
    assert ask(evening, poor) == "insufficient_chips"
    assert ask(evening, poor._replace(bet_id="b2")) == ""
    evening.house.close()


def test_commands_of_one_table_stand_or_fall_together(evening: Evening) -> None:
    before, leaves = evening.state, len(log_of(evening.path))
    heard = Hears(evening)
    future = evening.house.service.submit_all([CloseBetting("t1", GAME), DealCards("t1", -5)])
    refusal = future.exception(30)
    assert isinstance(refusal, Refused)
    assert refusal.code == "stale_version"
    assert evening.state is before
    assert len(log_of(evening.path)) == leaves
    assert heard.events == []
    evening.house.close()


def test_l15_a_lock_that_texts_wait_for_has_a_checkpoint_of_its_own(evening: Evening) -> None:
    evening.house.service.submit(bet("b1", seal=seal_of("ann"))).result(30)
    heard = Hears(evening)
    evening.house.service.submit(CloseBetting("t1", GAME)).result(30)
    evening.house.service.ledger.submit(lambda _: {}).result(30)
    log = evening.house.service.ledger.reader()
    lock = next(leaf for leaf in log.of_subject(GAME) if leaf.kind == "book_locked")
    assert [open_checkpoint(note, None).size > lock.n for note in heard.notes] == [True]
    assert log.receipt(lock.n) is not None
    log.close()
    evening.house.close()


def test_g16_only_the_next_seed_of_the_chain_opens_a_game(tmp_path: Path) -> None:
    evening = Evening(tmp_path / "a.db", [plan()])
    clerk = evening.house.service
    begin = clerk.seeds.chain_to_begin(evening.state)
    assert begin is not None
    clerk.submit(begin).result(30)
    right = clerk.seeds.next_seed(evening.state)
    after = clerk.seeds.next_seed(evening.state._replace(number=1))
    leaves = len(log_of(evening.path))
    for wrong in (after, bytes(32), b""):
        assert ask(evening, OpenGame("t1", wrong)) == "stale_version"
    assert len(log_of(evening.path)) == leaves
    assert ask(evening, OpenGame("t1", right)) == ""
    assert ask(evening, OpenGame("t1", after)) == "seat_taken"
    evening.house.close()
