"""What everyone may see of a table: states, messages and replays, without a hidden card."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest

from casino.ecarte import CHALLENGER, TAKE_BACK, Laws, cards, cards_in, format_cards, parse_token
from casino.errors import Refused
from casino.events.game_record import finished_game
from casino.events.types import ActionTaken, SeedChain, decode
from casino.ledger.log_reader import LogReader
from casino.table.domain.commands import LeaveSeat, PlaceBet, PlayAction, TakeSeat, VoidGame
from casino.table.domain.state import Transition, current_deal, running_game
from casino.table.public.feed import EventBatcher, TableFeed, TableTransfer
from casino.table.public.messages import snapshot
from casino.table.public.private_view import hand_message
from casino.table.public.state import Message, PublicTable, apply_event
from casino.table.runtime.recovery import load_transfer
from casino.web.backend.queries import game_replay
from tests.table.casino_harness import PACE, CasinoHarness, log_of, plan
from tests.table.naive_client import Client, told_of, without_clock
from tests.table.test_table_runner import (
    advance_to_anns_turn,
    end_game,
    first_legal,
    harness_on_anns_turn,
)


def plain(told: Any) -> Any:
    return orjson.loads(orjson.dumps(told))


def test_client_without_rules_matches_snapshots(tmp_path: Path) -> None:
    harness = CasinoHarness(tmp_path / "casino.db", [plan(spectators=3, slip_permille=300)])
    recorder, published = harness.record(), list[Message]()
    board = TableFeed(TableTransfer(PublicTable(harness.state.rules)))
    grouping = EventBatcher("t1")
    client = Client(board.snapshot(0))
    while harness.state.running is None:
        harness.advance()
    for number, player in enumerate(("ann", "ben", "cy", "dee", "eve")):
        harness.chips(player)
        seal = f"{number:064x}"
        harness.submit(PlaceBet("t1", harness.state.running.id, "b", player, number % 2, 500, seal))
    while harness.state.number < 4:
        harness.advance()
    harness.house.close()
    for one in recorder.heard:
        for group in grouping.add(one.event, one.after.turn, one.event.at):
            for message in board.publish(group):
                client.hear(plain(message))
                published.append(message)
        assert plain(client.known) == plain(without_clock(board.snapshot(0)))
    assert len(recorder.heard) > 100
    batched = [bet for one in published if one["type"] == "book" for bet in one.get("new_bets", ())]
    assert [bet["seal_number"] for bet in batched if bet["seal_number"]] == [2, 3, 4, 5]


def test_table_read_from_log_equals_followed_table(tmp_path: Path) -> None:
    harness = CasinoHarness(tmp_path / "casino.db", [plan(spectators=3, slip_permille=300)])
    harness.chips("ann")
    random, compared = Random(1), 0
    table, read_so_far = PublicTable(harness.state.rules), 0
    while harness.state.number < 4:
        harness.advance()
        leaves = log_of(harness.path)
        for body in leaves[read_so_far:]:
            table = apply_event(table, decode(body))
        read_so_far = len(leaves)
        if random.randrange(6) == 0:
            log = harness.house.service.ledger.reader()
            assert TableFeed(load_transfer(log, harness.state.rules, 0)).table == table
            compared += 1
    assert compared > 20


CLAIMS = Laws(enforcement="claims", first_dealer="house")


@pytest.fixture(scope="module")
def heard(tmp_path_factory: pytest.TempPathFactory) -> list[Transition]:
    rules = plan(spectators=3, slip_permille=300, laws=Laws(enforcement="claims"))
    harness = CasinoHarness(tmp_path_factory.mktemp("told") / "casino.db", [rules])
    recorder = harness.record()
    while harness.state.number <= 3:
        harness.advance()
    harness.house.close()
    return recorder.heard


def test_messages_name_the_side_to_act(heard: list[Transition]) -> None:
    turns = [m["turn"] for _, told, _ in told_of(heard) for m in told if m["type"] == "turned_up"]
    assert {"house", "challenger"} <= set(turns)
    for one, (_, told, _) in zip(heard, told_of(heard), strict=True):
        for message in told:
            if message["type"] in ("turned_up", "action"):
                deal = current_deal(one.after)
                turn = None if deal.turn < 0 else ("house", "challenger")[deal.turn]
                assert message["turn"] == turn


def test_server_seed_is_published_only_at_game_end(heard: list[Transition]) -> None:
    running = None
    for one, (_, told, _) in zip(heard, told_of(heard), strict=True):
        running = one.after.running or running
        if isinstance(one.event, SeedChain):
            continue
        assert running is not None
        for message in told:
            secret = running.server_seed.hex().encode() in orjson.dumps(message)
            assert secret == (message["type"] == "game_over")


def test_r8_5_claim_message_restores_the_earlier_deal(tmp_path: Path) -> None:
    harness, random = CasinoHarness(tmp_path / "a.db", [plan(laws=CLAIMS)]), Random(4)
    recorder = harness.record()
    harness.chips("ann")
    harness.submit(TakeSeat("t1", "ann"))
    while harness.state.number <= 6:
        legal = [said for said in hand_message(harness.state, CHALLENGER)["legal"] if said != "C"]
        if not legal or random.randrange(4) == 0:
            harness.advance()
            continue
        what = parse_token(legal[random.randrange(len(legal))])
        with suppress(Refused):
            harness.submit(PlayAction("t1", harness.state.turn, "ann", what))
            harness.submit(PlayAction("t1", harness.state.turn, "ann", TAKE_BACK))
    back = [
        (told, table)
        for event, told, table in told_of(recorder.heard)
        if isinstance(event, ActionTaken) and event.action in ("V", "W")
    ]
    assert {told[0]["action"] for told, _ in back} == {"V", "W"}
    for (action, *points), table in back:
        assert action["deal"] == snapshot(table)["deal"]
        assert action["deal"]["led"] is None
        if action["action"] == "V":
            assert action["revoked"] == ["challenger"]
            assert action["deal"]["tricks"] == {"house": 0, "challenger": 0}
            assert action["deal"]["sizes"] == {"house": 5, "challenger": 5}
            assert [message["type"] for message in points] in ([], ["points"])


ENDED = ("t1-000001", "t1-000002", "t1-000003")
"""The second game is void in the middle of a deal; a fourth is running."""


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LogReader]:
    folder = tmp_path_factory.mktemp("replay")
    harness = CasinoHarness(folder / "casino.db", [plan(spectators=3, slip_permille=300)])
    running = None
    while harness.state.number < 4 or running is None or running.deal is None:
        harness.advance()
        running = harness.state.running
        if running is not None and running.deal is not None and running.id == ENDED[1]:
            harness.submit(VoidGame("t1", running.id, "a fault"))
    reader = harness.house.service.ledger.reader()
    yield reader
    harness.house.close()


@pytest.fixture(scope="module")
def games(log: LogReader) -> dict[str, Message]:
    return {game: game_replay(log, game) for game in ENDED}


def test_client_without_rules_follows_replay_to_the_end(games: dict[str, Message]) -> None:
    assert games.keys() == set(ENDED)
    for name, replay in games.items():
        client = Client(replay["snapshot"])
        for step in plain(replay["steps"]):
            client.hear(step["message"])
            assert "?" not in step["message"].get("action", "")
        assert client.known["road"][-1]["game"] == name
        assert replay["steps"][0]["message"]["type"] == "game_opened"


def test_replayed_hands_match_cards_played(games: dict[str, Message]) -> None:
    played = 0
    for replay in games.values():
        before: set[int] = set()
        for step in replay["steps"]:
            house, challenger = (
                set(cards(step["hands"].get(s, ""))) for s in ("house", "challenger")
            )
            assert not house & challenger
            message = step["message"]
            if message["type"] == "action" and len(message["action"]) == 2:
                (card,) = cards(message["action"])
                assert card in before - house - challenger
                played += 1
            before = house | challenger
    assert played > 50


def test_unfinished_game_has_no_replay(log: LogReader) -> None:
    with pytest.raises(Refused, match="t1-000004 is not a finished game"):
        game_replay(log, "t1-000004")


# Turns that ann takes for her first action, and until she leaves.
@pytest.mark.parametrize(("first", "stays"), [(0, 0), (0, 1), (0, None), (1, None)])
def test_replay_ends_with_the_last_real_card(tmp_path: Path, first: int, stays: int | None) -> None:
    harness, late = harness_on_anns_turn(tmp_path), stays is None
    harness.clock.now += first * PACE.turn_ms
    harness.runner.step(harness.clock.now)
    harness.submit(first_legal(harness))
    advance_to_anns_turn(harness)
    running, deal = running_game(harness.state), current_deal(harness.state)
    if stays is not None:
        harness.clock.now += stays * PACE.turn_ms
        harness.submit(LeaveSeat("t1", "ann"))
    end_game(harness)
    steps = game_replay(harness.house.service.ledger.reader(), running.id)["steps"]
    harness.house.close()
    events = [decode(body) for body in log_of(harness.path)]
    finished = finished_game((one for one in events if one.subject == running.id), events)
    assert finished is not None and finished.actions == len(deal.history)
    told = [step["message"] for step in steps]
    assert [message["late"] for message in told if message.get("what") == "defaulted"] == [late]
    assert sum(message["type"] == "action" for message in told) == len(deal.history)
    assert [message["type"] for message in told][-3:] == ["seat", "game_over", "settled"]
    last = format_cards(cards_in(deal.hands[CHALLENGER]))
    assert steps[-1]["hands"]["challenger"] == last
