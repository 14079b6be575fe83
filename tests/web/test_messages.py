"""The server's messages against the models from which the scripts' types are generated."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from casino.web.schemas.messages import EVENTS, Event, You
from tests.web.server import JsonObject, Visit
from tools.message_types import FILE, types

ROOT = Path(__file__).parent.parent.parent
BROADCASTER = "casino/web/broadcast/broadcaster.py"
KIND = re.compile(r'"type": "(\w+)"')


def test_messages_validate_against_their_models(visit: Visit) -> None:
    visitor = visit("reader")
    visitor.join("fast")
    visitor.wait_for("settled")
    visitor.wait_for("deal_over", since=visitor.events[-1]["version"])
    visitor.join("seat")
    visitor.request("take_seat", table="seat")
    visitor.wait_for("dealt", table="seat")
    visitor.request("leave_seat", table="seat")
    for table in ("open", "fast", "slow", "seat"):
        visitor.join(table)  # which checks the snapshot
    heard: dict[Any, list[JsonObject]] = {
        Event: list(visitor.events),
        You: [you for you in visitor.yous if "table" in you],
    }
    assert len(heard[Event]) >= 20 and len(heard[You]) >= 2
    for model, messages in heard.items():
        for message in messages:
            TypeAdapter(model).validate_json(json.dumps(message))


def test_event_models_match_the_message_types_in_use() -> None:
    makers = [*sorted((ROOT / "casino" / "table").rglob("*.py")), ROOT / BROADCASTER]
    made = {kind for path in makers for kind in KIND.findall(path.read_text("utf-8"))}
    assert {event.model_fields["type"].annotation for event in EVENTS} == {Literal[m] for m in made}


def test_script_types_are_generated_from_the_models() -> None:
    assert FILE.read_text("utf-8") == types(), "run python -m tools.message_types"
