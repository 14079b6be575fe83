"""Chat at a table: fixed phrases for its watchers, and requests for more time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from casino.table.runtime.table_runner import MAX_EXTENSIONS
from tests.web.server import Recorder, Server, Visitor

JsonObject = dict[str, Any]
Visit = Callable[..., Visitor]


def test_a_phrase_reaches_the_watchers_of_its_table_only(visit: Visit) -> None:
    speaker, guest, elsewhere = visit("speaker"), visit(), visit()
    near, far = Recorder(guest, "said"), Recorder(elsewhere, "said")
    speaker.join("open")
    guest.join("open")
    elsewhere.join("slow")
    size = guest.get("/api/log?limit=1")["size"]
    version = guest.get("/api/tables/open")["version"]
    speaker.request("say", table="open", phrase="well_played")
    heard = near.until(1)
    assert heard == [{"table": "open", "player": speaker.name, "phrase": "well_played"}]
    speaker.request("say", table="slow", phrase="applause")
    assert far.until(1)[0]["phrase"] == "applause"
    assert len(near.heard) == 1
    assert guest.get("/api/tables/open")["version"] == version
    leaves = guest.get(f"/api/log?limit=1000&after={size - 1}")["leaves"]
    assert not any("well_played" in str(leaf) for leaf in leaves)


@pytest.mark.parametrize(
    ("name", "said", "code"),
    [
        (None, {"table": "open", "phrase": "applause"}, "not_entered"),
        ("rude", {"table": "open", "phrase": "your mother"}, "bad_request"),
        ("lost", {"table": "nowhere", "phrase": "thanks"}, "unknown_table"),
        ("wordy", {"table": "open", "phrase": "thanks", "text": "and more"}, "bad_request"),
    ],
)
def test_invalid_chat_messages_are_refused(
    visit: Visit, name: str | None, said: JsonObject, code: str
) -> None:
    assert visit(name).refused("say", **said) == code


def test_only_the_player_on_turn_gets_more_time(server: Server, visit: Visit) -> None:
    player, other = visit("thinker"), visit("onlooker")
    player.join("seat")
    player.request("take_seat", table="seat")
    player.until(lambda: player.yous and player.yous[-1].get("legal"))
    assert other.refused("more_time", table="seat") == "not_your_turn"
    before = player.join("seat")["you"]["seconds"]
    answer = player.request("more_time", table="seat")
    turn = server.house.service.durable_state("seat").rules.pace.turn_ms / 1000
    assert before + turn - 5 < answer["seconds"] <= before + turn
    assert player.join("seat")["you"]["seconds"] > before
    again = [player.refused("more_time", table="seat") for _ in range(MAX_EXTENSIONS)]
    assert again == ["ok"] * (MAX_EXTENSIONS - 1) + ["over_limit"]
    player.request("leave_seat", table="seat")
