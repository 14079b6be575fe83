"""An operator's orders: what each does to play and people, and that the log tells the truth."""

from __future__ import annotations

import json
import re
import socket
import stat
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

import gevent
import pytest

from casino.cli import main
from casino.cli.host.admin import send_order
from casino.client.client import CasinoClient
from casino.errors import InputError, Refused
from casino.events.types import PouleTerms
from casino.web.admin_socket import MAX_PATH_LENGTH, AdminCommands, admin_socket, socket_path
from tests.web.doors import BETTING_FOR_EVER, FAST, Doors, Visitor, open_doors

NUMBERS = count(1)
TABLES: dict[str, dict[str, Any]] = {
    "open": BETTING_FOR_EVER,
    "fast": {**FAST, "number": 3},
    "seat": {**FAST, "betting_ms": 3_000, "challenger": "nobody", "number": 0},
}


class Office:
    """A casino with its operator's door."""

    def __init__(self, doors: Doors) -> None:
        self.doors = doors
        self.path = doors.path
        self._door = admin_socket(
            AdminCommands(doors.casino.backend, lambda: len(doors.site.registry)), doors.path
        )
        self.in_loop(self._door.__enter__)

    def in_loop(self, work: Any) -> None:
        over = Event()

        def run() -> None:
            work()
            over.set()

        self.doors.casino.backend.bridge.post(gevent.spawn, run)
        assert over.wait(30)

    def close(self) -> None:
        self.in_loop(lambda: self._door.__exit__(None, None, None))

    def order(self, order: str, **what: str) -> dict[str, Any]:
        answer = send_order(self.path, {"order": order, **what})
        assert answer["ok"], answer
        return answer

    def refusal(self, order: str, **what: str) -> str:
        return str(send_order(self.path, {"order": order, **what}).get("message", "ok"))

    def visitor(self, name: str) -> Visitor:
        """A person with a page open, under a name of their own."""
        return self.doors.visitor(f"{name}{next(NUMBERS)}")


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    """An open casino, and the operator's door to it."""
    path = tmp_path_factory.mktemp("admin") / "casino.db"
    with open_doors(path, TABLES) as doors:
        office = Office(doors)
        yield office
        office.close()
    assert main(["audit", "--db", str(path), "--bots"]) == 0


def test_only_its_owner_opens_the_door(office: Office) -> None:
    mode = socket_path(office.path).stat().st_mode
    assert stat.S_ISSOCK(mode)
    assert stat.S_IMODE(mode) == 0o600


def test_a_paused_table_begins_no_game_until_it_is_resumed(office: Office) -> None:
    watcher = office.visitor("ann")
    watcher.join("fast")
    said = office.order("pause", table="fast")
    assert said["stands"] == "paused"
    board = office.doors.site.shared.feed("fast")
    watcher.until(lambda: board.table.running is None)
    watcher.until(lambda: office.doors.house.service.ledger.queue_length == 0)
    # The board is another thread's, which may be in the midst of telling how the game ended.
    office.in_loop(lambda: None)
    finished, version = office.doors.house.finished, board.version
    office.order("pause", table="fast")
    assert (board.version, office.doors.house.finished) == (version, finished)
    assert office.order("resume", table="fast")["stands"] == "open"
    watcher.wait_for("game_opened", since=version)
    watcher.close()


def test_the_operator_and_a_player_open_tables_from_the_terminal(
    office: Office,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    url, where = office.doors.url, ["--db", str(office.path)]
    assert main(["table", "open", "--preset", "salon", "--stake", "5.00", *where]) == 0
    assert re.search("table h1 is open: http://.*/table/h1$", capsys.readouterr().out, re.M)
    mine = ["--name", "zoe", "--url", url]
    assert main(["table", "open", "--private", "--id", "one", *mine]) == 0
    assert re.search("/table/h2[?]link=[0-9a-f]{32}$", capsys.readouterr().out, re.M)
    assert main(["table", "list", *mine]) == 0
    assert re.search("^h2  regle  zoe$", capsys.readouterr().out, re.M)
    assert main(["table", "list", "--url", url]) == 0
    assert "h2" not in capsys.readouterr().out
    change = ["--target", "7", "--max-bet", "50", "--min-bet", "0.5"]
    assert main(["table", "change", "h2", *change, *mine]) == 0
    assert re.search("^table h2 changes from game 1[0-9]$", capsys.readouterr().out, re.M)
    assert main(["table", "close", "h1", *mine]) == 1
    assert "h1 has another host" in capsys.readouterr().err
    poule = ["--poule", "4", "--entry", "3.00", "--wins", "2"]
    assert main(["table", "open", *poule, *where]) == 0
    terms = office.doors.house.service.durable_state("h3").rules.poule
    assert terms == PouleTerms(entry_cents=300, others=("regle", "regle"), wins=2)
    assert main(["table", "open", "--poule", "9", *where]) == 1
    for table in ("h1", "h2", "h3"):
        assert main(["table", "close", table, *where]) == 0
    assert re.search("^table h1 closes( after h1-00000[0-9])?$", capsys.readouterr().out, re.M)
    assert main(["table", "close", *where]) == 2
    assert main(["table", "change", "h2", "--games", "3", *where]) == 2
    assert main(["table", "close", "open", *where]) == 1


def test_a_closed_table_sends_away_who_waits(office: Office) -> None:
    office.order("pause", table="seat")
    ann, ben = office.visitor("ann"), office.visitor("ben")
    for visitor in (ann, ben):
        visitor.join("seat")
        visitor.request("take_seat", table="seat")
    board = office.doors.site.shared.feed("seat")
    assert len(board.table.queue) + bool(board.table.holder) >= 1
    office.order("close", table="seat")
    ann.until(lambda: not board.table.queue and not board.table.holder)
    office.order("resume", table="seat")
    ann.request("take_seat", table="seat")
    ann.wait_for("game_opened")
    for visitor in (ann, ben):
        visitor.close()


def test_a_void_game_gives_everything_back(office: Office) -> None:
    ann = office.visitor("ann")
    version = ann.join("open")["version"]
    before = ann.get("/api/me")["balance_cents"]
    bet = ann.bet("open", "void-me")["bet"]
    assert ann.get("/api/me")["balance_cents"] < before
    assert re.fullmatch(
        f"the game open-999999 is not running: those are (.*, )?{bet['game']}(, .*)?",
        office.refusal("void", game="open-999999", reason="x"),
    )
    assert "can be shown" in office.refusal("void", game=bet["game"], reason="")
    assert office.order("void", game=bet["game"], reason="the lights went out")
    event = ann.wait_for("game_void", since=version)
    assert event["reason"] == "the lights went out"
    ann.until(lambda: ann.get("/api/me")["balance_cents"] == before)
    ann.close()


def test_a_suspended_player_is_nobody_until_readmitted(office: Office) -> None:
    ann = office.visitor("ann")
    name = str(ann.name)
    ann.join("open")
    office.order("suspend", name=name)
    ann.until(lambda: not ann.line.connected)
    with pytest.raises(Refused, match="not_entered|enter"):
        ann.get("/api/me")
    with pytest.raises(Refused, match="is suspended"):
        CasinoClient(office.doors.url).enter(name)
    office.order("readmit", name=name)
    assert ann.get("/api/me")["name"] == name
    ann.close()


def test_a_new_password_ends_all_sessions(office: Office) -> None:
    ann = office.visitor("ann")
    name = str(ann.name)
    password = office.order("reset-password", name=name)["password"]
    with pytest.raises(Refused):
        ann.get("/api/me")
    elsewhere = CasinoClient(office.doors.url)
    with pytest.raises(Refused, match="taken"):
        elsewhere.enter(name, "a wrong password")
    elsewhere.enter(name, password)
    assert elsewhere.get("/api/me")["name"] == name
    ann.close()


def test_an_announcement_reaches_every_page(office: Office) -> None:
    ann, heard = office.visitor("ann"), list[dict[str, str]]()
    ann.line.on("announcement", heard.append)
    assert office.order("announce", text="Back at nine — <b>à bientôt</b>")["told"] >= 1
    assert ann.until(lambda: heard) == [{"text": "Back at nine — <b>à bientôt</b>"}]
    assert "can be shown" in office.refusal("announce", text="")
    assert "can be shown" in office.refusal("announce", text="\x1b[2J")
    ann.close()


@pytest.mark.parametrize(
    ("order", "what", "reason"),
    [
        ("pause", {"table": "nowhere"}, "there is no table nowhere"),
        ("suspend", {"name": "nobody at all"}, "there is no account"),
        ("suspend", {"name": "regle"}, "regle is no person: change [table] or [spectators]"),
        ("suspend", {"name": "Boris*"}, "Boris* is no person"),
        ("reset-password", {"name": "treasury"}, "there is no account"),
        ("explode", {}, "this is no order: give one of pause, "),
        ("pause", {}, "this is no order: give one of pause, "),
        ("pause", {"table": "open", "also": "x"}, "this is no order: give one of pause, "),
        ("announce", {"text": 5}, "this is no order: give one of pause, "),
    ],
)
def test_what_is_no_order_is_refused(
    office: Office, order: str, what: dict[str, Any], reason: str
) -> None:
    assert office.refusal(order, **what).startswith(reason)


@pytest.mark.parametrize("line", [b"", b"\n", b"[]\n", b"\xff\n", b"{" * 5000, b"{}\n"])
def test_what_is_no_request_is_answered(office: Office, line: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(str(socket_path(office.path)))
        sock.sendall(line)
        sock.shutdown(socket.SHUT_WR)
        with sock.makefile("rb") as file:
            assert json.loads(file.readline())["ok"] is False


def test_where_no_casino_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "casino.db"
    with pytest.raises(InputError, match="no casino that runs"):
        send_order(path, {"order": "pause", "table": "t1"})
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(socket_path(path)))
    assert main(["admin", "pause", "t1", "--db", str(path)]) == 2
    assert "start it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["dance", "t1"], "Invalid value"),
        (["pause"], "Missing argument"),
        (["pause", "t1", "--reason", "x"], "--reason goes with void only"),
    ],
)
def test_wrong_use(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["admin", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_the_commands_say_what_was_done(office: Office, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--db", str(office.path)]
    assert main(["admin", "pause", "open", *where]) == 0
    assert capsys.readouterr().out.startswith("table open is paused")
    assert main(["admin", "resume", "open", *where]) == 0
    assert capsys.readouterr().out == "table open is open\n"
    assert main(["admin", "announce", "hello", *where]) == 0
    assert "the text was sent to" in capsys.readouterr().out
    assert main(["admin", "pause", "nowhere", *where]) == 1
    assert "there is no table nowhere" in capsys.readouterr().err
    assert main(["admin", "resume", "open", "--json", *where]) == 0
    assert json.loads(capsys.readouterr().out)["stands"] == "open"


def test_too_long_a_path_has_no_door(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / ("x" * MAX_PATH_LENGTH) / "casino.db"
    with admin_socket(None, path):  # type: ignore[arg-type]
        assert not socket_path(path).exists()
    assert "too long a path" in caplog.text
