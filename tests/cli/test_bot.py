"""`casino bot`: a program elsewhere in the challenger's seat, over the network."""

from __future__ import annotations

import os
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
from casino.cli.verify.audit import decide_again
from casino.client.client import CasinoClient
from casino.events.codec import decode
from casino.events.types import GameOpened
from tests.table.nights import log_of
from tests.web.doors import Doors, SkippingClock, open_doors

FIRST = """
class First:
    def choose(self, view, legal_actions, rng):
        return legal_actions[rng.randrange(1)]
"""


class Wild:
    """A bot that does what it may not."""

    def choose(self, *_: Any) -> int:
        return 41


@pytest.fixture
def doors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Doors]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    clock = SkippingClock()
    tables = {"t1": {"challenger": "nobody", "number": 0}}
    with open_doors(tmp_path / "casino.db", tables, clock, clock, seed=1) as doors:
        yield doors


def play(doors: Doors, games: int, is_over: Callable[[], bool], at: str = "t1") -> None:
    """Step the table unless it waits for the bot, which leaves after `games` games."""
    while not is_over():
        state = doors.house.service.durable_state(at)
        if state.running is None:
            waits = not state.holder or doors.house.finished == games
        else:
            waits = not (state.running.locked or state.running.seals)
        if waits or doors.waits_for(at):
            time.sleep(0.002)
        else:
            doors.step(at)


def called(doors: Doors, *options: str, at: str = "t1") -> int:
    """Call the command here, and return its exit status."""
    over = Event()
    table = Thread(target=play, args=(doors, 1, over.is_set, at))
    table.start()
    try:
        return main(["bot", doors.url, "--table", at, *options])
    finally:
        over.set()
        table.join()


def holder(doors: Doors) -> str:
    return doors.house.service.durable_state("t1").holder


def test_it_plays_its_games_at_a_private_table_as_a_bot(
    doors: Doors, capsys: pytest.CaptureFixture[str]
) -> None:
    spectator = doors.visitor("eve")
    order = {"table_id": "a", "audience": "link", "challenger": "nobody"}
    opened = spectator.post("/api/hosted", order)
    spectator.join("h1")
    options = ["--bot", "regle", "--name", "ann", "--games", "1", "--link"]
    assert called(doors, *options, "0", at="h1") == 1
    assert "there is no table h1" in capsys.readouterr().err
    assert called(doors, *options, opened["link"], at="h1") == 0
    assert "wins, " in capsys.readouterr().out
    (game,) = (event for event in spectator.events if event["type"] == "game_opened")
    assert (game["bots"], game["holder"]) == ({"house": "regle", "challenger": "ann"}, "ann")
    spectator.close()


def test_a_process_leaves_at_ctrl_c_after_its_game(doors: Doors) -> None:
    folder, pressed = doors.path.parent, Event()
    (folder / "ours.py").write_text(FIRST)
    line = [sys.executable, "-m", "casino", "bot", doors.url, "--table", "t1"]
    process = subprocess.Popen(
        [*line, "--bot", "ours:First"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )

    def press() -> bool:
        if doors.house.finished == 1 and doors.is_played("t1") and not pressed.is_set():
            process.send_signal(signal.SIGINT)
            pressed.set()
        return process.poll() is not None

    play(doors, 2, press)
    out, err = process.communicate()
    assert (process.returncode, err) == (0, "Leaving after this game; Ctrl-C again gives it up.\n")
    first, counted, last, *more = out.splitlines()
    assert first.startswith("t1-000001: regle against First; commitment ")
    assert counted == "Your text counted: no one foresaw the cards of this game."
    assert "wins, " in last and len(more) == 3
    assert holder(doors) == ""
    opened = [e for e in map(decode, log_of(doors.path)) if isinstance(e, GameOpened)]
    assert [event.played_by for event in opened] == ["remote_bot", "remote_bot"]
    report = audit(FileSource(doors.path), workers=1, decide=decide_again)
    assert report.is_clean
    notes = [finding.text for finding in report.findings if finding.check == "bots"]
    assert notes == ["First plays by a program of its owner, whose decisions cannot be checked"] * 2


def test_an_illegal_choice_ends_it(doors: Doors, capsys: pytest.CaptureFixture[str]) -> None:
    assert called(doors, "--bot", f"{__name__}:Wild") == 2
    assert "Wild: it chose 41, which is no legal action: let it choose" in capsys.readouterr().err
    running = doors.house.service.durable_state("t1").running
    assert running is None or running.abandoned


def test_what_it_cannot_take_is_said(
    doors: Doors, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASINO_PASSWORD", "correct horse")
    assert main(["bot", doors.url, "--table", "t9", "--bot", "regle", "--name", "ben"]) == 1
    assert "there is no table t9" in capsys.readouterr().err
    ben = CasinoClient(doors.url)
    ben.enter("ben", "correct horse")
    ben.connect()
    ben.request("take_seat", table="t1")
    while not doors.game_at("t1"):
        doors.step("t1")
    assert called(doors, "--bot", "regle", "--name", "ben") == 1
    assert "you have the seat already" in capsys.readouterr().err
    assert holder(doors) == "ben"
    ben.close()
