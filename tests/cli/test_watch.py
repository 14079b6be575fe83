"""`casino watch`: a game in the terminal from its opening to its end, over the same line."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from casino.cli.play.watch import TableWatcher
from casino.client.client import CasinoClient
from casino.client.narration import describe
from tests.web.doors import BETTING_FOR_EVER, FAST, Doors, Visitor, open_doors

PATIENCE = 240


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    tables = {"fast": {**FAST, "number": 3}, "open": BETTING_FOR_EVER}
    with open_doors(tmp_path_factory.mktemp("watch") / "casino.db", tables) as doors:
        yield doors


def watch(*arguments: str) -> subprocess.Popen[str]:
    line = [sys.executable, "-m", "casino", "watch", *arguments]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def told_until(process: subprocess.Popen[str], pattern: str) -> list[str]:
    assert process.stdout is not None
    said: list[str] = []
    for line in process.stdout:
        said.append(line.rstrip())
        if re.search(pattern, line):
            return said
    raise AssertionError(said[-9:])


def test_a_game_is_told_from_its_opening_to_its_end(doors: Doors) -> None:
    process = watch(doors.url, "--table", "fast")
    try:
        told_until(process, r"^fast-\d+: .* against .*; commitment [0-9a-f]{64}")
        game = told_until(process, r"wins, (single|double|triple), \d–\d; seed [0-9a-f]{64}")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 130
    text = "\n".join(game)
    for pattern in (
        r"bets \d+\.\d\d on the (house|challenger)",
        r"no more bets; [\d.]+ a side; no bettor cut the pack",
        r"deal 1, (house|challenger) deals", r"turned up (10|[KQJA987])[♠♥♦♣]",
        r"(house|challenger) (proposes|stands)", r"(house|challenger) plays (10|[KQJA987])[♠♥♦♣]",
        r"takes the trick, \d–\d", r"score \d–\d",
    ):  # fmt: skip
        assert re.search(pattern, text), pattern


def test_every_event_is_a_line_of_json(doors: Doors) -> None:
    process = watch(doors.url, "--table", "fast", "--json")
    try:
        said = [json.loads(line) for line in told_until(process, '"type": "game_over"')]
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE)
    assert said[0]["type"] == "snapshot"
    first = said[0]["version"]
    assert [one["version"] for one in said] == list(range(first, first + len(said)))


def test_a_broken_line_is_taken_up_where_it_broke(doors: Doors) -> None:
    client = CasinoClient(doors.url)
    spectator = TableWatcher("fast")
    client.connect(event=spectator.on_event, connect=spectator.on_connect)
    other = Visitor(doors.url, None)
    try:
        assert [one["type"] for one in spectator.next_messages(client)] == ["snapshot"]
        assert spectator.version is not None
        other.join("fast")
        other.wait_for("deal_over", spectator.version)
        before = spectator.version
        spectator.on_connect()
        missed = spectator.next_messages(client)
        assert any("plays" in describe(event) for event in missed)
        assert spectator.version > before
        spectator.on_disconnect()
        while not (news := spectator.next_messages(client)) or news[-1]["type"] != "broken":
            continue
        assert "broken" in describe(news[-1])
        spectator.request_snapshot()
        assert [one["type"] for one in spectator.next_messages(client)] == ["snapshot"]
    finally:
        client.close()
        other.close()
