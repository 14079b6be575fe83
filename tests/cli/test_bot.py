"""`casino bot`: a remote program in the challenger's seat, over the network."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from casino.audit import FileSource, audit
from casino.cli import main
from casino.cli.play.bot import BotPlayer
from casino.cli.verify.audit import decide_again
from casino.client.client import CasinoClient
from casino.ecarte import Laws, laws_json
from casino.events.types import GameOpened, decode
from tests.table.casino_harness import log_of
from tests.web.processes import until
from tests.web.server import Server, SkippingClock, open_server

FIRST = """
class First:
    def choose(self, view, legal_actions, rng):
        return legal_actions[rng.randrange(1)]
"""


class Wild:
    def choose(self, *_: Any) -> int:
        return 41


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    clock = SkippingClock()
    tables = {"t1": {"challenger": "nobody", "number": 0}}
    with open_server(tmp_path / "casino.db", tables, clock, clock, seed=1) as server:
        yield server


def play(server: Server, games: int, is_over: Callable[[], bool], at: str = "t1") -> None:
    """Step the table unless it waits for the bot, which leaves after `games` games."""
    while not is_over():
        state = server.house.service.durable_state(at)
        if state.running is None:
            waits = not state.holder or server.house.finished == games
        else:
            waits = not (state.running.locked or state.running.seals)
        if waits or server.waits_for(at):
            time.sleep(0.002)
        else:
            server.step(at)


def run_bot(server: Server, *options: str, at: str = "t1", link: str = "") -> int:
    """Run the command in this process, and return its exit status."""
    where = [f"{server.url}{link}"] if link else [server.url, "--table", at]
    over = Event()
    table = Thread(target=play, args=(server, 1, over.is_set, at))
    table.start()
    try:
        return main(["bot", *where, *options])
    finally:
        over.set()
        table.join()


def holder(server: Server) -> str:
    return server.house.service.durable_state("t1").holder


def test_a_bot_plays_at_a_private_table(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    spectator = server.visitor("eve")
    order = {"table_id": "a", "audience": "link", "challenger": "nobody"}
    opened = spectator.post("/api/hosted", order)
    spectator.join("h1")
    options = ["--bot", "regle", "--name", "ann", "--games", "1"]
    assert run_bot(server, *options, "--link", "0", at="h1") == 1
    assert "there is no table h1" in capsys.readouterr().err
    assert run_bot(server, *options, at="h1", link=f"/table/h1?link={opened['link']}") == 0
    result = r"wins, .*\nann (wins|loses) \d+\.00\. Balance \d+\.00\.\n$"
    assert re.search(result, capsys.readouterr().out)
    (game,) = (event for event in spectator.events if event["type"] == "game_opened")
    assert (game["bots"], game["holder"]) == ({"house": "regle", "challenger": "ann"}, "ann")
    spectator.close()


def test_ctrl_c_ends_the_bot_after_its_game(server: Server) -> None:
    folder, pressed = server.path.parent, Event()
    (folder / "ours.py").write_text(FIRST)
    line = [sys.executable, "-m", "casino", "bot", server.url, "--table", "t1"]
    process = subprocess.Popen(
        [*line, "--bot", "ours:First"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )

    def press() -> bool:
        if server.house.finished == 1 and server.is_played("t1") and not pressed.is_set():
            process.send_signal(signal.SIGINT)
            pressed.set()
        return process.poll() is not None

    play(server, 2, press)
    out, err = process.communicate()
    assert process.returncode == 0
    waiting, leaving = err.splitlines()
    assert waiting == "Waiting for the challenger's seat at t1."
    assert leaving == "Leaving after this game; press Ctrl-C again to give it up."
    first, counted, last, result, *more = out.splitlines()
    assert first.startswith("t1-000001: regle against First; commitment ")
    assert counted == "Your text counted: no one foresaw the cards of this game."
    assert "wins, " in last and result.startswith("First ") and len(more) == 4
    assert holder(server) == ""
    opened = [e for e in map(decode, log_of(server.path)) if isinstance(e, GameOpened)]
    assert [event.played_by for event in opened] == ["remote_bot", "remote_bot"]
    report = audit(FileSource(server.path), workers=1, decide=decide_again)
    assert report.is_clean
    notes = [finding.text for finding in report.findings if finding.check == "bots"]
    assert notes == ["a program played for First, and its decisions cannot be checked"] * 2


def test_a_lost_connection_and_a_missed_game_are_reported(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    player = BotPlayer(CasinoClient(server.url), "t1", "ann", "regle", 1)
    player.game = "t1-000001"
    table = {"holder": "ann", "queue": [], "laws": laws_json(Laws()), "version": 9}
    late = {"type": "seat", "player": "ann", "what": "defaulted", "late": True}
    for message in (late, {"type": "broken"}, {"type": "back"}, {**table, "type": "snapshot"}):
        player._hear(message)
    assert capsys.readouterr().err.splitlines() == [
        "ann ran out of time and has given up t1-000001.",
        "Connection lost: trying again.",
        "The casino is back.",
        "t1-000001 ended while the connection was lost.",
    ]
    assert player.is_leaving


def test_an_illegal_choice_ends_the_bot(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_bot(server, "--bot", f"{__name__}:Wild") == 2
    assert "Wild chose 41, which is not legal here: choose one of" in capsys.readouterr().err
    running = server.house.service.durable_state("t1").running
    assert running is None or running.abandoned


def test_an_unavailable_seat_is_reported(
    server: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASINO_PASSWORD", "correct horse")
    assert main(["bot", server.url, "--table", "t9", "--bot", "regle", "--name", "ben"]) == 1
    assert "there is no table t9" in capsys.readouterr().err
    assert main(["bot", server.url, "--table", "t1", "--bot", "regle"]) == 2
    assert "give a name with --name" in capsys.readouterr().err
    ben = CasinoClient(server.url)
    ben.enter("ben", "correct horse")
    ben.connect()
    ben.request("take_seat", table="t1")
    while not server.game_at("t1"):
        server.step("t1")
    assert run_bot(server, "--bot", "regle", "--name", "ben") == 1
    assert "you have the seat already" in capsys.readouterr().err
    assert holder(server) == "ben"
    for stop in (signal.SIGTERM, signal.SIGHUP):
        Thread(target=stop_when_queued, args=(server, stop)).start()
        assert run_bot(server, "--bot", "regle", "--name", "cy") == 0
        assert not server.house.service.durable_state("t1").queue
    ben.close()


def stop_when_queued(server: Server, stop: signal.Signals) -> None:
    """Send this process a signal as soon as a bot waits for the seat."""
    until(lambda: server.house.service.durable_state("t1").queue)
    os.kill(os.getpid(), stop)
