"""Public messages: they say what happened and reveal no hidden card."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, get_args

import orjson
import pytest

from casino.ecarte import CHALLENGER, TAKE_BACK, Laws, parse_token
from casino.errors import Refused
from casino.events.types import ActionTaken, SeedChain
from casino.table.domain.commands import PlayAction, TakeSeat
from casino.table.public.messages import snapshot
from casino.table.public.private_view import hand_message
from casino.table.public.state import PublicTable, apply_event
from casino.table.runtime.service import CommittedEvent
from casino.web.schemas.messages import EVENTS
from tests.table.casino_harness import CasinoHarness, plan
from tests.table.naive_client import NOTICES, Recorder, told_of

CLAIMS = Laws(enforcement="claims", first_dealer="house")


def play(path: Path, games: int = 2, **rules: Any) -> list[CommittedEvent]:
    harness, recorder = CasinoHarness(path, [plan(spectators=3, **rules)]), Recorder()
    harness.house.service.listeners.append(recorder)
    while harness.state.number <= games:
        harness.advance()
    harness.house.close()
    return recorder.heard


@pytest.fixture(scope="module")
def heard(tmp_path_factory: pytest.TempPathFactory) -> list[CommittedEvent]:
    path = tmp_path_factory.mktemp("told") / "casino.db"
    return play(path, 3, slip_permille=300, laws=Laws(enforcement="claims"))


def tables(heard: list[CommittedEvent]) -> list[PublicTable]:
    found = [PublicTable(heard[0].before.rules)]
    for one in heard:
        found.append(apply_event(found[-1], one.event))
    return found[1:]


def test_every_type_of_message_is_sent(heard: list[CommittedEvent]) -> None:
    types = {get_args(event.model_fields["type"].annotation)[0] for event in EVENTS}
    sent = {message["type"] for _, told in told_of(heard) for message in told}
    others = {"book", "cut", "cuts_opened", "game_void", "poule", "seat", *NOTICES}
    assert "action" in sent and not sent & others and sent | others == types


def test_messages_name_the_side_to_act(heard: list[CommittedEvent]) -> None:
    turns = [m["turn"] for _, told in told_of(heard) for m in told if m["type"] == "turned_up"]
    assert {"house", "challenger"} <= set(turns)
    for one, (_, told) in zip(heard, told_of(heard), strict=True):
        for message in told:
            if message["type"] in ("turned_up", "action"):
                deal = one.after.running and one.after.running.deal
                assert deal is not None
                turn = None if deal.turn < 0 else ("house", "challenger")[deal.turn]
                assert message["turn"] == turn


def test_server_seed_is_published_only_at_game_end(heard: list[CommittedEvent]) -> None:
    for one, (_, told) in zip(heard, told_of(heard), strict=True):
        running = one.before.running or one.after.running
        if isinstance(one.event, SeedChain):
            continue
        assert running is not None
        for message in told:
            secret = running.server_seed.hex().encode() in orjson.dumps(message)
            assert secret == (message["type"] == "game_over")


def test_r8_5_claim_message_restores_the_earlier_deal(tmp_path: Path) -> None:
    harness, recorder, random = (
        CasinoHarness(tmp_path / "a.db", [plan(laws=CLAIMS)]),
        Recorder(),
        Random(4),
    )
    harness.chips("ann")
    service = harness.house.service
    service.listeners.append(recorder)
    service.submit(TakeSeat("t1", "ann")).result()
    while harness.state.number <= 6:
        legal = [said for said in hand_message(harness.state, CHALLENGER)["legal"] if said != "C"]
        if not legal or random.randrange(4) == 0:
            harness.advance()
            continue
        what = parse_token(legal[random.randrange(len(legal))])
        with suppress(Refused):
            service.submit(PlayAction("t1", harness.state.turn, "ann", what)).result()
            service.submit(PlayAction("t1", harness.state.turn, "ann", TAKE_BACK)).result()
    harness.house.close()
    back = [
        (told, table)
        for (event, told), table in zip(
            told_of(recorder.heard), tables(recorder.heard), strict=True
        )
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
