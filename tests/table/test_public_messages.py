"""What leaves the house: messages that say what happened, and nobody's hidden card."""

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
from tests.table.following import NOTICES, Ear, told_of
from tests.table.nights import Evening, plan

CLAIMS = Laws(enforcement="claims", first_dealer="house")


def play(path: Path, games: int = 2, **rules: Any) -> list[CommittedEvent]:
    evening, ear = Evening(path, [plan(spectators=3, **rules)]), Ear()
    evening.house.service.listeners.append(ear)
    while evening.state.number <= games:
        evening.go()
    evening.house.close()
    return ear.heard


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


def test_every_message_after_which_somebody_acts_says_who(heard: list[CommittedEvent]) -> None:
    turns = [m["turn"] for _, told in told_of(heard) for m in told if m["type"] == "turned_up"]
    assert {"house", "challenger"} <= set(turns)
    for one, (_, told) in zip(heard, told_of(heard), strict=True):
        for message in told:
            if message["type"] in ("turned_up", "action"):
                deal = one.after.running and one.after.running.deal
                assert deal is not None
                turn = None if deal.turn < 0 else ("house", "challenger")[deal.turn]
                assert message["turn"] == turn


def test_no_secret_is_told_before_the_end(heard: list[CommittedEvent]) -> None:
    for one, (_, told) in zip(heard, told_of(heard), strict=True):
        running = one.before.running or one.after.running
        if isinstance(one.event, SeedChain):
            continue
        assert running is not None
        for message in told:
            secret = running.server_seed.hex().encode() in orjson.dumps(message)
            assert secret == (message["type"] == "game_over")


def test_r8_5_a_claim_tells_the_board_that_play_goes_back_to(tmp_path: Path) -> None:
    evening, ear, random = Evening(tmp_path / "a.db", [plan(laws=CLAIMS)]), Ear(), Random(4)
    evening.chips("ann")
    clerk = evening.house.service
    clerk.listeners.append(ear)
    clerk.submit(TakeSeat("t1", "ann")).result()
    while evening.state.number <= 6:
        legal = [said for said in hand_message(evening.state, CHALLENGER)["legal"] if said != "C"]
        if not legal or random.randrange(4) == 0:
            evening.go()
            continue
        what = parse_token(legal[random.randrange(len(legal))])
        with suppress(Refused):
            clerk.submit(PlayAction("t1", evening.state.turn, "ann", what)).result()
            clerk.submit(PlayAction("t1", evening.state.turn, "ann", TAKE_BACK)).result()
    evening.house.close()
    back = [
        (told, table)
        for (event, told), table in zip(told_of(ear.heard), tables(ear.heard), strict=True)
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
