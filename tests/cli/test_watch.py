"""`casino watch`: a game in the terminal from start to end, also across a reconnect."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing

import pytest

from casino.client.client import CasinoClient
from casino.client.table_view import describe
from casino.client.table_watcher import TableWatcher
from tests.web.server import FAST, LONG_BETTING, TIMEOUT_SECONDS, Server, Visitor, open_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    tables = {"fast": {**FAST, "number": 3}, "open": LONG_BETTING}
    with open_server(tmp_path_factory.mktemp("watch") / "casino.db", tables) as server:
        yield server


def watch(*arguments: str) -> subprocess.Popen[str]:
    line = [sys.executable, "-m", "casino", "watch", *arguments]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def read_until(process: subprocess.Popen[str], pattern: str) -> list[str]:
    assert process.stdout is not None
    said: list[str] = []
    for line in process.stdout:
        said.append(line.rstrip())
        if re.search(pattern, line):
            return said
    raise AssertionError(said[-9:])


def test_a_game_is_narrated_from_start_to_end(server: Server) -> None:
    process = watch(server.url, "--table", "fast")
    try:
        read_until(process, r"^fast-\d+: .* against .*; commitment [0-9a-f]{64}")
        read_until(process, r"wins, (single|double|triple), \d–\d; seed [0-9a-f]{64}")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=TIMEOUT_SECONDS)
    finally:
        process.kill()
    assert (process.returncode, err.strip()) == (130, "casino: interrupted")


def test_json_has_one_line_per_event(server: Server) -> None:
    process = watch(server.url, "--table", "fast", "--json")
    try:
        said = [json.loads(line) for line in read_until(process, '"type": "game_over"')]
    finally:
        process.kill()
        process.communicate(timeout=TIMEOUT_SECONDS)
    assert said[0]["type"] == "snapshot"
    first = said[0]["version"]
    assert [one["version"] for one in said] == list(range(first, first + len(said)))


def test_a_lost_connection_resumes_where_it_broke(server: Server) -> None:
    with closing(CasinoClient(server.url)) as client, closing(Visitor(server.url, None)) as other:
        spectator = TableWatcher(client, "fast")
        spectator.connect()
        assert [one["type"] for one in spectator.next_messages()] == ["snapshot"]
        assert spectator.version is not None
        other.join("fast")
        other.wait_for("deal_over", spectator.version)
        before = spectator.version
        client.line.handlers["/"]["connect"]()
        missed = spectator.next_messages()
        assert any("plays" in describe(event) for event in missed)
        assert spectator.version > before
        client.line.handlers["/"]["disconnect"]("gone")
        while not (news := spectator.next_messages()) or news[-1]["type"] != "broken":
            continue
        assert "connection lost" in describe(news[-1])
        spectator.request_snapshot()
        assert [one["type"] for one in spectator.next_messages()] == ["back", "snapshot"]
