"""The poule: rotation, and live poules of bots and of a person."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import orjson
import pytest

from casino.config import BOT_NAMES, Config
from casino.config_tables import TableOrder, changed_table, hosted_table
from casino.errors import Refused
from casino.events.types import (
    SECRETS_LOST,
    GameOver,
    GameVoid,
    HostedTable,
    PouleOpened,
    PouleTerms,
    Score,
)
from casino.reports.house_statement import HouseStatement
from casino.table.domain.commands import (
    CloseTable,
    LeaveSeat,
    OpenTable,
    TakeSeat,
    VoidGame,
    VoidPoule,
)
from casino.table.domain.handlers.game import after_game
from casino.table.domain.poule import PouleState
from casino.table.domain.settings import TableSettings
from casino.table.domain.state import Decision, running_game
from casino.table.public.feed import EventBatch, TableFeed, TableTransfer
from casino.table.public.state import PublicTable
from casino.table.runtime.recovery import load_transfer
from casino.web.backend.queries import TableResults
from tests.table.casino_harness import CasinoHarness, ask, audited, leaves_of
from tests.table.naive_client import Client, without_clock
from tests.table.test_hosting import FAST, opened, play, play_until_over, state

ENTRY = 500


def test_winner_stays_and_loser_goes_to_the_end_of_the_line() -> None:
    poule = PouleState("h1-p000001", ("a", "b", "c", "d"), 0, (1, 2, 3, 4)).after_win(1)
    assert (poule.line, poule.wins) == ((1, 3, 4, 2), 1)
    assert poule.after_win(1)[3:] == ((1, 4, 2, 3), 2)
    assert poule.after_win(3)[3:] == ((3, 4, 2, 1), 1)
    assert poule.without(2)[3:] == ((1, 3, 4), 1)
    assert poule.without(1)[3:] == ((3, 4, 2), 0)


def test_person_is_challenger_and_staying_bot_is_house() -> None:
    def seats(*line: int) -> tuple[int, int]:
        return PouleState("h1-p000001", ("regle", "ann", "novice"), 2, line).seats

    assert (seats(2, 1, 3), seats(1, 2, 3), seats(3, 1, 2)) == ((1, 2), (1, 2), (3, 1))


def settings(wins: int = 2, **rules: Any) -> TableSettings:
    poule = PouleTerms(entry_cents=ENTRY, others=("novice",), wins=wins)
    hosted = HostedTable(audience="public", games=0, host="ann", poule=poule, spectators=2)
    usual = {"challenger": "regle", "stake_cents": 0, "pace": FAST, "hosted": hosted}
    return TableSettings("", **{**usual, **rules})


def open_poule_table(harness: CasinoHarness, **rules: Any) -> str:
    return opened(harness, OpenTable("a", settings(**rules), 2, 5))


def play_until(harness: CasinoHarness, condition: Callable[[], object]) -> None:
    while not condition():
        play(harness)


def cents(harness: CasinoHarness, account: str) -> int:
    with closing(harness.house.service.ledger.reader()) as log:
        return sum(log.balances(account).values())


def with_person(harness: CasinoHarness, **rules: Any) -> str:
    """Open a table whose poule begins once ann enters, and let it begin."""
    table = open_poule_table(harness, **{"challenger": "", **rules})
    play(harness, steps=3)
    assert state(harness, table).poule is None, "no poule begins without a person"
    assert ask(harness, TakeSeat(table, "ann")) == ""
    play_until(harness, lambda: state(harness, table).running)
    return table


def test_bot_poule_survives_restarts_and_clients_can_follow_it(harness: CasinoHarness) -> None:
    table = open_poule_table(harness)
    recorder = harness.record()
    while len(leaves_of(harness.path, "poule_over")) < 2:
        play_until(harness, lambda: state(harness, table).running is None)
        play_until(harness, lambda: state(harness, table).running)
        before = state(harness, table).poule
        assert before is not None
        assert cents(harness, f"escrow/{before.id}/") == 3 * ENTRY
        harness.restart()
        harness.house.service.listeners.append(recorder)
        assert state(harness, table).poule == before
    play_until(harness, lambda: state(harness, table).running is None)
    heard = [event for event in recorder.heard if event.after.rules.name == table]
    feed = TableFeed(TableTransfer(PublicTable(heard[0].after.rules)))
    client = Client(feed.snapshot(0))
    for happening in heard:
        for message in feed.publish(EventBatch(table, (happening.event,), 0, 0)):
            client.hear(orjson.loads(orjson.dumps(message)))
    assert client.known == orjson.loads(orjson.dumps(without_clock(feed.snapshot(0))))
    log = harness.house.service.ledger.reader()
    assert load_transfer(log, feed.table.rules, 0).before_game.poule == feed.table.poule
    log.close()
    assert ask(harness, CloseTable(table, "host")) == ""
    play_until_over(harness, table)
    assert cents(harness, "escrow/h") == 0
    harness.house.close()
    for over in leaves_of(harness.path, "poule_over"):
        games = [leaf for leaf in leaves_of(harness.path, "game_over") if leaf["at"] == over["at"]]
        assert games, "a poule ends in the transaction of its last game"
    assert audited(harness.path).findings == []


def test_person_voids_bot_poule_and_forfeits_entry_on_leaving(harness: CasinoHarness) -> None:
    table = open_poule_table(harness)
    play_until(harness, lambda: state(harness, table).running)
    before = cents(harness, "wallet/ann")
    assert ask(harness, TakeSeat(table, "ann")) == ""
    play_until(harness, lambda: state(harness, table).holder == "ann")
    play_until(harness, lambda: state(harness, table).running)
    assert [leaf["reason"] for leaf in leaves_of(harness.path, "poule_void")] == ["person_enters"]
    poule = state(harness, table).poule
    assert poule is not None and poule.entrants[poule.person - 1] == "ann"
    assert cents(harness, "wallet/ann") == before - ENTRY
    assert ask(harness, TakeSeat(table, "ann")) == "seat_taken"
    assert ask(harness, VoidPoule(table, "person_enters")) == "unknown_game"
    assert ask(harness, LeaveSeat(table, "ann")) == ""
    play_until(harness, lambda: state(harness, table).holder == "")
    harness.restart()
    rotation = state(harness, table).poule
    assert rotation is not None and poule.person not in rotation.line
    play_until(harness, lambda: state(harness, table).poule is None)
    assert cents(harness, f"escrow/{poule.id}/") == 0
    assert cents(harness, "wallet/ann") == before - ENTRY
    assert ask(harness, CloseTable(table, "operator")) == ""
    play_until_over(harness, table)
    assert harness.audit().findings == []


def test_a_host_closes_a_table_once_its_persons_poule_is_played(harness: CasinoHarness) -> None:
    table = with_person(harness, wins=3)
    poule = state(harness, table).poule
    assert poule is not None and poule.person
    assert ask(harness, CloseTable(table, "host")) == ""
    assert ask(harness, TakeSeat(table, "ben")) == "unavailable"
    assert ask(harness, VoidPoule(table, "closed")) == "unknown_game"
    harness.restart()
    play_until(harness, lambda: state(harness, table).running is None)
    assert ask(harness, VoidPoule(table, "closed")) == "unknown_game"
    play_until_over(harness, table)
    assert [leaf["game"] for leaf in leaves_of(harness.path, "poule_over")] == [poule.id]
    assert (leaves_of(harness.path, "poule_void"), cents(harness, "escrow/h")) == ([], 0)
    assert harness.audit().findings == []


def test_person_out_of_time_loses_game_and_leaves_poule(harness: CasinoHarness) -> None:
    # With three wins in a row, the first of her games cannot end the poule.
    table = with_person(harness, wins=3)
    play_until(harness, lambda: state(harness, table).holder == "")
    defaulted, left = (leaf for leaf in leaves_of(harness.path, "seat") if leaf["what"] in OUT)
    games = leaves_of(harness.path, "game_over")
    lost = next(leaf for leaf in games if leaf["game"] == defaulted["game"])
    assert (lost["winner"], left["player"]) == ("house", "ann")
    assert state(harness, table).poule is not None, "the bots play on for the pool"
    log, results = harness.house.service.ledger.reader(), TableResults(table)
    assert results.statistics(log)["statement"]["challengers_cents"] == 0, "the poule is not over"
    play_until(harness, lambda: state(harness, table).poule is None)
    statement = results.statistics(log)["statement"]
    log.close()
    assert (statement["poules"], statement["pools_cents"]) == (1, 3 * ENTRY)
    assert (statement["people_pools_cents"], statement["challengers_cents"]) == (0, -ENTRY)
    assert sum(statement[f"{who}_cents"] for who in WINNERS) == 0
    assert harness.audit().findings == []


OUT = ("defaulted", "left")
WINNERS = ("house", "challengers", "bettors", "commission")


def after(harness: CasinoHarness, table: str, wins: int, event: GameOver | GameVoid) -> list[Any]:
    """Return the events that follow a game that ann plays as the first in the line."""
    now = state(harness, table)
    poule = PouleState(f"{table}-p000001", ("ann", "regle", "novice"), 1, (1, 2, 3), wins)
    running = running_game(now)._replace(abandoned=False)
    decision = Decision(now._replace(poule=poule))
    decision.add(event)
    after_game(decision, running, void_reason=getattr(event, "reason", ""))
    return [step.event for step in decision.steps[1:]]


def test_final_win_pays_whole_pool_and_frees_seat(harness: CasinoHarness) -> None:
    table = with_person(harness)

    def over(winner: Any) -> GameOver:
        score = Score(challenger=5, house=0)
        return GameOver(game="", score=score, server_seed="", stake=1, winner=winner)

    assert after(harness, table, 0, over("challenger")) == []
    assert after(harness, table, 1, over("house")) == []
    ended, paid, left = after(harness, table, 1, over("challenger"))
    assert (ended.kind, ended.winner) == ("poule_over", 1)
    assert (paid.game, paid.move) == ("h1-p000001", "settle")
    assert paid.postings == (
        ("escrow/h1-p000001/ann", -ENTRY),
        ("escrow/h1-p000001/house", -2 * ENTRY),
        ("wallet/ann", 3 * ENTRY),
    )
    assert (left.player, left.what) == ("ann", "left")
    statement = HouseStatement()
    entrants = ("ann", "regle", "novice")
    statement.add([PouleOpened(entrants=entrants, game="", player="ann", table=""), ended, paid])
    assert (statement.pools_cents, statement.people_pools_cents) == (3 * ENTRY, 3 * ENTRY)
    assert after(harness, table, 1, GameVoid(game="", reason="rain")) == []
    voided, back, _ = after(harness, table, 1, GameVoid(game="", reason=SECRETS_LOST))
    assert (voided.reason, dict(back.postings)["wallet/ann"]) == (SECRETS_LOST, ENTRY)


def test_void_game_is_replayed_by_same_pair(harness: CasinoHarness) -> None:
    table = open_poule_table(harness)
    play_until(harness, lambda: state(harness, table).number == 2)
    before = state(harness, table)
    assert ask(harness, VoidGame(table, f"{table}-000002", "rain")) == ""
    assert state(harness, table).poule == before.poule
    play_until(harness, lambda: state(harness, table).number == 3)
    again, first = running_game(state(harness, table)), running_game(before)
    assert again.opened.players == first.opened.players
    assert ask(harness, CloseTable(table, "idle")) == ""
    play_until_over(harness, table)
    assert harness.audit().findings == []


def test_closing_or_lost_secrets_refund_all_entries(harness: CasinoHarness) -> None:
    before = cents(harness, "wallet/ann")
    first = with_person(harness)
    assert ask(harness, CloseTable(first, "operator")) == ""
    play_until_over(harness, first)
    second = opened(harness, OpenTable("b", settings(challenger=""), 2, 5))
    assert ask(harness, TakeSeat(second, "ann")) == ""
    play_until(harness, lambda: state(harness, second).running)
    assert cents(harness, "wallet/ann") == before - ENTRY
    harness.seed = 2  # another master secret
    harness.restart()
    play_until(harness, lambda: state(harness, second).running is None)
    assert state(harness, second).poule is None
    reasons = [leaf["reason"] for leaf in leaves_of(harness.path, "poule_void")]
    assert reasons == ["closed", SECRETS_LOST]
    assert cents(harness, "wallet/ann") == before
    assert cents(harness, "escrow/h") == 0


def test_poule_order_fills_places_with_different_bots_of_similar_strength() -> None:
    order = TableOrder(house="regle", challenger="novice", poule=5, entry_cents=300)
    rules = hosted_table(Config(), "ann", order)
    assert rules.challengers == ("regle", "anatole", "blanche", "clement", "novice")
    assert rules.poule == PouleTerms(entry_cents=300, others=rules.challengers[1:4], wins=4)
    assert (rules.stake_cents, rules.abandon) == (0, "concede")
    people = hosted_table(Config(), "ann", TableOrder(challenger="nobody", poule=3, wins=3))
    assert people.poule == PouleTerms(entry_cents=200, others=("eugenie",), wins=3)
    for entrants, bots, spectators in ((3, ["eugenie", "expert", "regle"], 8), (8, BOT_NAMES, 0)):
        usual = hosted_table(Config(), "ann", TableOrder(poule=entrants))
        assert sorted(usual.challengers) == sorted(bots)
        assert usual.hosted is not None and usual.hosted.spectators == spectators
    assert changed_table(Config(), rules, TableOrder(target=7)).stake_cents == 0
    with pytest.raises(Refused, match="only target, laws, bets and pace can change"):
        changed_table(Config(), rules, TableOrder(house="regle"))
    with pytest.raises(Refused, match="leave them out"):
        hosted_table(Config(), "ann", order._replace(games=3))
    with pytest.raises(Refused, match="say how many enter"):
        hosted_table(Config(), "ann", TableOrder(wins=2))
    with pytest.raises(Refused, match=r"stakes here are 0.01 to 50.00"):
        hosted_table(Config(), "ann", order._replace(entry_cents=0))
