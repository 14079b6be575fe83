"""A game rebuilt from its leaves, compared with a naive reader and the payments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from casino import betting
from casino.betting import Cover
from casino.ecarte import record_json
from casino.ecarte.laws import ALLOWED, Laws
from casino.errors import FileError
from casino.events.game_record import (
    closing_of,
    finished_game,
    record_of,
    settings_of,
    settlement_of,
)
from casino.events.types import Event, GameOpened, GameOver, GameVoid, TermsSet, decode
from casino.fairness import verify
from casino.ledger.accounts import spending_account
from tests.ledger.game_simulator import GameSimulator, Play, open_ledger
from tests.naive import log as naive
from tests.table.casino_harness import log_of


def ended(events: list[Event]) -> list[str]:
    return [one.game for one in events if isinstance(one, GameOver | GameVoid)]


def of_game(events: list[Event], game: str) -> list[Event]:
    return [one for one in events if one.subject == game]


@pytest.fixture(scope="module")
def night(played: Path) -> list[bytes]:
    return log_of(played)


LAWS = [
    Laws(first_dealer=first, packets=packets, deal=deal, enforcement=enforcement)
    for first, packets, deal, enforcement in zip(
        ("house", "challenger", "cut", "cut"),
        (*ALLOWED["packets"], *ALLOWED["packets"]),
        (*ALLOWED["deal"], *ALLOWED["deal"]),
        (*ALLOWED["enforcement"], *ALLOWED["enforcement"]),
        strict=True,
    )
]


@pytest.mark.parametrize("laws", LAWS)
def test_naive_record_agrees_under_the_laws_of_the_terms(tmp_path: Path, laws: Laws) -> None:
    bank = open_ledger(tmp_path / "casino.db")
    table = GameSimulator(bank, seed=9, laws=laws, bettors=3)
    for end in ("over", "void", "over"):
        table.play_game(end)
    bank.close()
    bodies = log_of(tmp_path / "casino.db")
    events, plain = list(map(decode, bodies)), list(map(json.loads, bodies))
    for name in ended(events):
        game = finished_game(of_game(events, name), events)
        assert game is not None
        due, record = naive.record_of(plain, name), record_of(game)
        if laws.deal == "house":
            due["first_dealer"] = "house"
        assert record_json(record) == due
        verify(record)


def test_void_game_has_record_but_no_settlement(night: list[bytes]) -> None:
    events = list(map(decode, night))
    (void,) = (one.game for one in events if isinstance(one, GameVoid))
    game = finished_game(of_game(events, void), events)
    assert game is not None
    assert settlement_of(game) is None
    assert record_of(game).result is None
    assert record_of(game).deals


def test_game_with_lost_seed_has_no_deals(night: list[bytes]) -> None:
    events = list(map(decode, night))
    void = next(one for one in events if isinstance(one, GameVoid))
    leaves = [one for one in of_game(events, void.game) if one is not void]
    lost = GameVoid(game=void.game, reason="secrets_lost")
    game = finished_game([*leaves, lost], events)
    assert game is not None
    record = record_of(game)
    assert record.deals == ()
    assert "server_seed" not in (record.fairness or {})


def test_recomputed_closing_and_settlement_match_payments(night: list[bytes]) -> None:
    events = list(map(decode, night))
    for name in ended(events):
        mine = of_game(events, name)
        game, entries = finished_game(mine, events), [one for one in mine if one.kind == "entry"]
        assert game is not None
        closing, settlement = closing_of(game), settlement_of(game)
        assert closing is not None and game.closed is not None
        assert closing.matched_cents == game.closed.matched_cents
        assert [bet.order for bet in game.bets] == [bet.order for bet in game.book.bets]
        if settlement is None:
            continue
        due = dict[str, int]()
        for account, owner, cents in settlement.move.postings:
            kept = {"wallet": spending_account(owner)}
            kept |= {"escrow": f"escrow/{name}/{owner}", "commission": "house/commission"}
            due[kept[account]] = cents
        assert dict(entries[-1].postings) == due  # type: ignore[union-attr]


def test_unclosed_book_has_no_closing(tmp_path: Path) -> None:
    bank = open_ledger(tmp_path / "casino.db")
    table = GameSimulator(bank, cover=Cover(), bettors=2)
    play = Play(table, "t1-000001")
    play.open()
    play.bet("t1.p0", 0, 500)
    play.void("enough")
    bank.close()
    events = list(map(decode, log_of(tmp_path / "casino.db")))
    game = finished_game(of_game(events, "t1-000001"), events)
    assert game is not None
    assert closing_of(game) is None
    assert [stand.matched_cents for stand in betting.as_entered(game.book)] == [500]


def test_l19_game_follows_latest_terms_in_force(night: list[bytes]) -> None:
    plain = json.loads(next(one for one in night if b'"type":"terms"' in one))
    rows = [("t1", 1, 10), ("t2", 1, 20), ("t1", 11, 30), ("t1", 11, 40), ("t1", 21, 50)]
    laid_down = [
        decode(json.dumps({**plain, "table": t, "from_game": n, "stake_cents": stake}).encode())
        for t, n, stake in rows
    ]
    opened = next(one for one in map(decode, night) if isinstance(one, GameOpened))
    body = json.loads(next(one for one in night if b'"type":"game_opened"' in one))
    for number, stake in ((1, 10), (10, 10), (11, 40), (20, 40), (21, 50), (999, 50)):
        game = decode(json.dumps({**body, "game": f"t1-{number:06}"}).encode())
        assert isinstance(game, GameOpened)
        assert settings_of(laid_down, game).stake_cents == stake
    others = [one for one in laid_down if isinstance(one, TermsSet) and one.table == "t2"]
    with pytest.raises(FileError, match="no terms are set for t1-000001"):
        settings_of(others, opened)
