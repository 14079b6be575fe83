"""The admin socket: each order's effect on tables and players, and a log that audits clean."""

from __future__ import annotations

import json
import re
import socket
import stat
from collections.abc import Iterator
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
from tests.web.server import FAST, LONG_BETTING, Server, Visit, open_server

TABLES: dict[str, dict[str, Any]] = {
    "open": LONG_BETTING,
    "fast": {**FAST, "number": 3},
    "seat": {**FAST, "betting_ms": 3_000, "challenger": "nobody", "number": 0},
}


class AdminConsole:
    """A running casino with its admin socket."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.path = server.path
        self._listener = admin_socket(
            AdminCommands(server.casino.backend, server.casino.connection_count), server.path
        )
        self.in_loop(self._listener.__enter__)

    def in_loop(self, work: Any) -> None:
        over = Event()

        def run() -> None:
            work()
            over.set()

        self.server.casino.backend.bridge.post(gevent.spawn, run)
        assert over.wait(30)

    def close(self) -> None:
        self.in_loop(lambda: self._listener.__exit__(None, None, None))

    def order(self, order: str, **what: str) -> dict[str, Any]:
        answer = send_order(self.path, {"order": order, **what})
        assert answer["ok"], answer
        return answer

    def refusal(self, order: str, **what: str) -> str:
        return str(send_order(self.path, {"order": order, **what}).get("message", "ok"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running casino, whose log must audit clean."""
    path = tmp_path_factory.mktemp("admin") / "casino.db"
    with open_server(path, TABLES) as server:
        yield server
    assert main(["audit", "--db", str(path), "--bots"]) == 0


@pytest.fixture(scope="module")
def console(server: Server) -> Iterator[AdminConsole]:
    console = AdminConsole(server)
    yield console
    console.close()


def test_socket_is_accessible_to_its_owner_only(console: AdminConsole) -> None:
    mode = socket_path(console.path).stat().st_mode
    assert stat.S_ISSOCK(mode)
    assert stat.S_IMODE(mode) == 0o600


def test_a_paused_table_starts_no_game_until_resumed(console: AdminConsole, visit: Visit) -> None:
    watcher = visit("ann")
    watcher.join("fast")
    said = console.order("pause", table="fast")
    assert said["stands"] == "paused"
    board = console.server.site.shared.feeds["fast"]
    watcher.until(lambda: board.table.running is None)
    watcher.until(lambda: console.server.house.service.ledger.queue_length() == 0)
    # Another thread updates the feed: wait until it has handled the end of the game.
    console.in_loop(lambda: None)
    finished, version = console.server.house.finished, board.version
    console.order("pause", table="fast")
    assert (board.version, console.server.house.finished) == (version, finished)
    assert console.order("resume", table="fast")["stands"] == "open"
    watcher.wait_for("game_opened", since=version)


def test_operator_and_player_manage_tables_from_the_terminal(
    console: AdminConsole,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    url, where = console.server.url, ["--db", str(console.path)]
    assert main(["table", "open", "--preset", "salon", "--stake", "5.00", *where]) == 0
    assert re.search("^table h1 is open: /table/h1$", capsys.readouterr().out, re.M)
    mine = ["--name", "zoe", "--url", url]
    assert main(["table", "open", "--private", "--id", "one", *mine]) == 0
    assert re.search("/table/h2[?]link=[0-9a-f]{32}$", capsys.readouterr().out, re.M)
    assert main(["table", "list", *mine]) == 0
    assert re.search(
        "^h2 +regle +(regle +(opening|betting|playing) +[0-9]-[0-9]|- +no game +-) +zoe$",
        capsys.readouterr().out,
        re.M,
    )
    assert main(["table", "list", "--url", url]) == 0
    assert "h2" not in capsys.readouterr().out
    console.order("pause", table="h1")
    assert main(["table", "list", *where]) == 0
    listed = capsys.readouterr().out
    assert re.search("^table +house +challenger +state +score +host\n(.*\n)+", listed)
    assert re.search("\nh1 +expert +expert +paused +([0-9]-[0-9]|-)\n", listed)
    states = "(no game|opening|betting|playing), private +([0-9]-[0-9]|-)"
    assert re.search(f"\nh2 +regle +regle +{states} +zoe\n", listed)
    change = ["--target", "7", "--max-bet", "50", "--min-bet", "0.5"]
    assert main(["table", "change", "h2", *change, *mine]) == 0
    assert re.search("^table h2 changes from game 1[0-9]$", capsys.readouterr().out, re.M)
    assert main(["table", "open", "--url", url]) == 2
    assert "--url needs --name: add it" in capsys.readouterr().err
    assert main(["table", "change", "h1", "--stake", "5.00", *where]) == 0
    assert capsys.readouterr().out == "table h1 has these settings already\n"
    assert main(["table", "close", "h1", *mine]) == 1
    assert "h1 has another host" in capsys.readouterr().err
    poule = ["--poule", "4", "--entry", "3.00", "--wins", "2", "--spectators", "0"]
    assert main(["table", "open", *poule, *where]) == 0
    hosted = console.server.house.service.durable_state("h3").rules.hosted
    assert hosted is not None and hosted.spectators == 0
    assert hosted.poule == PouleTerms(entry_cents=300, others=("expert", "delphine"), wins=2)
    for table in ("h1", "h2", "h3"):
        assert main(["table", "close", table, *where]) == 0
    assert re.search("^table h1 closes( after h1-00000[0-9])?$", capsys.readouterr().out, re.M)
    assert main(["table", "close", *where]) == 2
    assert main(["table", "change", "h2", "--games", "3", *where]) == 2
    assert main(["table", "close", "open", *where]) == 1


def test_closing_a_table_empties_its_queue_and_seat(console: AdminConsole, visit: Visit) -> None:
    console.order("pause", table="seat")
    ann, ben = visit("ann"), visit("ben")
    for visitor in (ann, ben):
        visitor.join("seat")
        visitor.request("take_seat", table="seat")
    board = console.server.site.shared.feeds["seat"]
    assert len(board.table.queue) + bool(board.table.holder) >= 1
    console.order("close", table="seat")
    ann.until(lambda: not board.table.queue and not board.table.holder)
    console.order("resume", table="seat")
    ann.request("take_seat", table="seat")
    ann.wait_for("game_opened")


def test_voiding_a_game_refunds_its_bets(console: AdminConsole, visit: Visit) -> None:
    ann = visit("ann")
    version = ann.join("open")["version"]
    before = ann.get("/api/me")["balance_cents"]
    bet = ann.bet("open", "void-me")["bet"]
    assert ann.get("/api/me")["balance_cents"] < before
    assert re.fullmatch(
        f"the game open-999999 is not running: choose one of (.*, )?{bet['game']}(, .*)?",
        console.refusal("void", game="open-999999", reason="x"),
    )
    assert "printable characters" in console.refusal("void", game=bet["game"], reason="")
    assert console.order("void", game=bet["game"], reason="the lights went out")
    event = ann.wait_for("game_void", since=version)
    assert event["reason"] == "the lights went out"
    ann.until(lambda: ann.get("/api/me")["balance_cents"] == before)


def test_a_suspended_player_has_no_access_until_readmitted(
    console: AdminConsole, visit: Visit
) -> None:
    ann = visit("ann")
    name = str(ann.name)
    ann.join("open")
    console.order("suspend", name=name)
    ann.until(lambda: not ann.line.connected)
    with pytest.raises(Refused, match="not_entered|enter"):
        ann.get("/api/me")
    with pytest.raises(Refused, match="is suspended"):
        CasinoClient(console.server.url).enter(name)
    console.order("readmit", name=name)
    assert ann.get("/api/me")["name"] == name


def test_resetting_a_password_ends_all_sessions(console: AdminConsole, visit: Visit) -> None:
    ann = visit("ann")
    name = str(ann.name)
    password = console.order("reset-password", name=name)["password"]
    with pytest.raises(Refused):
        ann.get("/api/me")
    elsewhere = CasinoClient(console.server.url)
    with pytest.raises(Refused, match="wrong password"):
        elsewhere.enter(name, "a wrong password")
    elsewhere.enter(name, password)
    assert elsewhere.get("/api/me")["name"] == name


def test_an_announcement_is_sent_to_open_pages(console: AdminConsole, visit: Visit) -> None:
    ann, heard = visit("ann"), list[dict[str, str]]()
    ann.line.on("announcement", heard.append)
    assert console.order("announce", text="Back at nine — <b>à bientôt</b>")["told"] >= 1
    assert ann.until(lambda: heard) == [{"text": "Back at nine — <b>à bientôt</b>"}]
    assert "printable characters" in console.refusal("announce", text="")
    assert "printable characters" in console.refusal("announce", text="\x1b[2J")
    assert "printable characters" in console.refusal("announce", text="long" * 5000)


@pytest.mark.parametrize(
    ("order", "what", "reason"),
    [
        ("pause", {"table": "fats"}, "there is no table fats: choose one of open, fast, seat"),
        ("suspend", {"name": "nobody at all"}, "there is no account"),
        ("suspend", {"name": "regle"}, "regle is a bot: change [table] or [spectators]"),
        ("suspend", {"name": "Boris*"}, "Boris* is a bot"),
        ("reset-password", {"name": "treasury"}, "there is no account"),
        ("explode", {}, "unknown order: give one of pause, "),
        ("pause", {}, "unknown order: give one of pause, "),
        ("pause", {"table": "open", "also": "x"}, "unknown order: give one of pause, "),
        ("announce", {"text": 5}, "unknown order: give one of pause, "),
    ],
)
def test_invalid_orders_are_refused(
    console: AdminConsole, order: str, what: dict[str, Any], reason: str
) -> None:
    assert console.refusal(order, **what).startswith(reason)


@pytest.mark.parametrize("line", [b"", b"\n", b"[]\n", b"\xff\n", b"{" * 5000, b"{}\n"])
def test_malformed_requests_get_an_error_reply(console: AdminConsole, line: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(str(socket_path(console.path)))
        sock.sendall(line)
        sock.shutdown(socket.SHUT_WR)
        with sock.makefile("rb") as file:
            assert json.loads(file.readline())["ok"] is False


def test_orders_without_a_running_casino_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "casino.db"
    with pytest.raises(InputError, match="no running casino"):
        send_order(path, {"order": "pause", "table": "t1"})
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(socket_path(path)))
    assert main(["admin", "pause", "t1", "--db", str(path)]) == 2
    assert "start it" in capsys.readouterr().err


def test_admin_command_reports_the_result(
    console: AdminConsole, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--db", str(console.path)]
    assert main(["admin", "pause", "open", *where]) == 0
    assert capsys.readouterr().out.startswith("table open is paused")
    assert main(["admin", "resume", "open", *where]) == 0
    assert capsys.readouterr().out == "table open is open\n"
    assert main(["admin", "announce", "hello", *where]) == 0
    assert "the text was sent to" in capsys.readouterr().out
    assert main(["admin", "pause", "nowhere", *where]) == 1
    assert capsys.readouterr().err.startswith("casino: there is no table nowhere: choose one of")
    assert main(["admin", "resume", "open", "--json", *where]) == 0
    assert json.loads(capsys.readouterr().out)["stands"] == "open"


def test_no_socket_is_created_for_a_too_long_path(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / ("x" * MAX_PATH_LENGTH) / "casino.db"
    with admin_socket(None, path):  # type: ignore[arg-type]
        assert not socket_path(path).exists()
    assert "too long for a socket" in caplog.text
