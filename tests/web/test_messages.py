"""What the house really says, held against the models that the scripts' types are made from."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import TypeAdapter

from casino.web.schemas.messages import EVENTS, Event, Snapshot, You
from tests.web.doors import Doors, Visitor
from tools.message_types import FILE, types

ROOT = Path(__file__).parent.parent.parent
BROADCASTER = "casino/web/broadcast/broadcaster.py"
KIND = re.compile(r'"type": "(\w+)"')

Told = dict[str, Any]


@pytest.fixture(scope="session")
def heard(doors: Doors) -> dict[type, list[Told]]:
    """Everything that one visitor of a fast table and a seat is told, by its model."""
    visitor = doors.visitor("reader")
    try:
        return {
            Event: _events(visitor),
            Snapshot: [
                visitor.join(table)["snapshot"] for table in ("open", "fast", "slow", "seat")
            ],
            You: [one for one in visitor.yous if "table" in one],
        }
    finally:
        visitor.close()


def _events(visitor: Visitor) -> list[Told]:
    """The events of a whole game or more, and of a seat taken."""
    visitor.join("fast")
    visitor.wait_for("settled")
    visitor.wait_for("deal_over", since=visitor.events[-1]["version"])
    visitor.join("seat")
    visitor.request("take_seat", table="seat")
    visitor.until(lambda: ("seat", "dealt") in {(e["table"], e["type"]) for e in visitor.events})
    visitor.request("leave_seat", table="seat")
    return list(visitor.events)


@pytest.mark.parametrize("kind", [Event, Snapshot, You])
def test_what_the_house_says_has_the_form_of_its_model(
    heard: dict[type, list[Told]], kind: type
) -> None:
    told = heard[kind]
    assert len(told) >= (20 if kind is Event else 2)
    for message in told:
        TypeAdapter(kind).validate_json(json.dumps(message))


def test_the_models_name_just_the_messages_that_are_made() -> None:
    makers = [*sorted((ROOT / "casino" / "table").rglob("*.py")), ROOT / BROADCASTER]
    made = {kind for path in makers for kind in KIND.findall(path.read_text("utf-8"))}
    assert {event.model_fields["type"].annotation for event in EVENTS} == {Literal[m] for m in made}


def test_the_types_of_the_scripts_are_those_of_the_models() -> None:
    assert FILE.read_text("utf-8") == types(), "run python -m tools.message_types"
