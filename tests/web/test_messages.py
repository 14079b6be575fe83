"""What the house really says, held against the types by which the scripts read it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.web.doors import Doors, Visitor

ROOT = Path(__file__).parent.parent.parent
TYPES = ROOT / "static" / "js" / "state" / "messages.d.ts"
TSC = ROOT / "node_modules" / ".bin" / "tsc"

KIND = re.compile(r'"type": "(\w+)"')

Told = dict[str, Any]


@pytest.fixture(scope="session")
def heard(doors: Doors) -> dict[str, list[Told]]:
    """Everything that one visitor of a fast table and a seat is told, by the name of its type."""
    visitor = doors.visitor("reader")
    try:
        return {
            "Event": _events(visitor),
            "Snapshot": [
                visitor.join(table)["snapshot"] for table in ("open", "fast", "slow", "seat")
            ],
            "You": [one for one in visitor.yous if "table" in one],
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


def complaints(folder: Path, kind: str, told: list[Told]) -> str:
    """What tsc has to say of messages that are to be of a type."""
    if shutil.which("node") is None or not TSC.exists():
        pytest.skip("node or tsc is not installed: apt-get install nodejs, then make test")
    shutil.copy2(TYPES, folder / "messages.d.ts")
    lines = [f'/** @import {{ {kind} }} from "./messages" */', f"/** @type {{{kind}[]}} */"]
    text = "\n".join([*lines, f"export const told = {json.dumps(told, indent=1)};"])
    (folder / "told.js").write_text(text, "utf-8")
    options = ["--strict", "--checkJs", "--noEmit", "--module", "esnext", "--target", "es2023"]
    line = [str(TSC), *options, "--moduleResolution", "bundler", "told.js"]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("kind", ["Event", "Snapshot", "You"])
def test_what_the_house_says_is_what_the_types_say(
    heard: dict[str, list[Told]], kind: str, tmp_path: Path
) -> None:
    told = heard[kind]
    assert len(told) >= (20 if kind == "Event" else 2)
    assert complaints(tmp_path, kind, told) == ""


def test_the_types_name_just_the_messages_that_are_made() -> None:
    union = TYPES.read_text("utf-8").partition("export type Event =")[2].partition("\n);")[0]
    makers = [
        *sorted((ROOT / "casino" / "table").rglob("*.py")),
        ROOT / "casino/web/broadcast/broadcaster.py",
    ]
    made = {kind for path in makers for kind in KIND.findall(path.read_text("utf-8"))}
    assert "trick" in made
    assert set(re.findall(r'\btype: "(\w+)"', union)) == made


def test_the_events_of_a_game_are_all_heard(heard: dict[str, list[Told]]) -> None:
    kinds = {event["type"] for event in heard["Event"]}
    assert {"game_opened", "book", "betting_closed", "dealt", "action", "trick"} <= kinds
    assert {"turned_up", "points", "deal_over", "game_over", "settled", "seat"} <= kinds


Spoil = Callable[[Told], Told]
SPOILS: list[Spoil] = [
    lambda told: {**told, "secret": "KH"},
    lambda told: {**told, "type": "eclipse"},
    lambda told: {**told, "version": "1"},
    lambda told: {key: value for key, value in told.items() if key != "table"},
]


@pytest.mark.parametrize("spoil", SPOILS)
def test_a_message_of_another_form_is_seen(
    heard: dict[str, list[Told]], spoil: Spoil, tmp_path: Path
) -> None:
    assert complaints(tmp_path, "Event", [spoil(heard["Event"][0])]) != ""
