"""The operator's interface: a Unix socket next to the casino's file, with mode 600.

A request is one line of JSON, `{"order": NAME, …}`, and so is its response. Orders that affect a
game are submitted as commands, as players' moves are, so they are logged and audited: a voided game
is a `game_void` leaf with the operator's reason. A pause is not logged, because it only keeps new
games from starting.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
from gevent import socket
from gevent.server import StreamServer

from casino.config import BOT_NAMES, NO_BOT
from casino.errors import CasinoError, InputError
from casino.table.domain.commands import Stands, VoidGame
from casino.table.public.feed import TableFeed
from casino.table.runtime.simulated_bettors import STAR
from casino.web.backend.interface import Announcement
from casino.web.backend.local import LocalBackend
from casino.web.schemas.requests import ChangeTable, OpenTable, parse

MAX_PATH_LENGTH: Final = 100  # bytes; some systems limit socket paths to 104
MAX_LINE_LENGTH: Final = 8192  # JSON may need 12 bytes for a character of a text
MAX_TEXT_LENGTH: Final = 500
TEXT_RULE: Final = f"a text must have 1 to {MAX_TEXT_LENGTH} printable characters: change it"
PASSWORD_CHARACTERS: Final = 16

log = logging.getLogger(__name__)


class AdminCommands:
    """Executes the operator's orders; `lines` returns the number of open connections."""

    def __init__(self, backend: LocalBackend, lines: Callable[[], int]) -> None:
        self._backend = backend
        self._lines = lines
        self._orders: Mapping[str, Callable[..., dict[str, Any]]] = {
            "pause": partial(self._stand, "paused"),
            "resume": partial(self._stand, "open"),
            "close": partial(self._stand, "closed"),
            "void": self._void,
            "suspend": partial(self._suspend, True),
            "readmit": partial(self._suspend, False),
            "reset-password": self._reset_password,
            "announce": self._announce,
            "open-table": self._open_table,
            "change-table": self._change_table,
            "close-table": partial(self._backend.close_table, None),
            "list-tables": lambda: {"tables": [*map(self._summary, self._backend.feeds.values())]},
        }

    def handle(self, line: bytes) -> dict[str, Any]:
        """Execute an order (a line of JSON), log any change it makes, and return the response."""
        try:
            if len(line) == MAX_LINE_LENGTH:  # the rest of the line was not read
                raise InputError(TEXT_RULE)
            asked = msgspec.json.decode(line, type=dict[str, str])
            order = asked.pop("order", "")
            if order not in self._orders:
                raise TypeError
            if (table := asked.get("table", "")) and table not in self._backend.feeds:
                those = ", ".join(self._backend.feeds)
                raise InputError(f"there is no table {table[:40]}: choose one of {those}")
            answer = self._orders[order](**asked)
        except (TypeError, msgspec.MsgspecError):
            known = ", ".join(self._orders)
            return {"ok": False, "message": f"unknown order: give one of {known}"}
        except CasinoError as error:
            return {"ok": False, "message": str(error)}
        if order != "list-tables":
            log.warning("the operator's order: %s %s", order, " ".join(asked.values()))
        return {"ok": True, **answer}

    def _stand(self, how: Stands, table: str) -> dict[str, Any]:
        self._backend.house.set_table_state(table, how)
        running = self._backend.feeds[table].table.running
        return {"table": table, "stands": how, "running": running.id if running else ""}

    def _summary(self, feed: TableFeed) -> dict[str, Any]:
        states = {runner.table: runner.stands for runner in self._backend.house.croupiers}
        bot, state = feed.table.rules.challenger or NO_BOT, states.get(feed.name, "closed")
        hosted = feed.table.rules.hosted
        audience = "public" if hosted is None else hosted.audience
        return {"challenger": bot, **feed.summary(), "state": state, "audience": audience}

    def _open_table(self, settings: str) -> dict[str, Any]:
        asked = parse(OpenTable, settings.encode())
        return self._backend.open_table(None, asked.table_id, asked.order())

    def _change_table(self, table: str, settings: str) -> dict[str, Any]:
        asked = parse(ChangeTable, settings.encode())
        return self._backend.change_table(None, table, asked.order())

    def _void(self, game: str, reason: str) -> dict[str, Any]:
        running = {
            feed.table.running.id: feed.name
            for feed in self._backend.feeds.values()
            if feed.table.running is not None
        }
        if game in running:
            self._backend.submit(VoidGame(running[game], game, _text(reason)))
            return {"game": game}
        those = ", ".join(running) or "none"
        raise InputError(f"the game {game[:40]} is not running: choose one of {those}")

    def _suspend(self, is_suspended: bool, name: str) -> dict[str, Any]:
        self._known(name)
        self._backend.people.suspend(name, is_suspended=is_suspended)
        return {"name": name}

    def _reset_password(self, name: str) -> dict[str, Any]:
        self._known(name)
        password = self._backend.chance().hex()[:PASSWORD_CHARACTERS]
        self._backend.people.reset_password(name, password)
        return {"name": name, "password": password}

    def _known(self, name: str) -> None:
        is_bot = name in BOT_NAMES and not self._backend.people.is_entered(name)
        if is_bot or name.endswith(STAR):
            raise InputError(f"{name} is a bot: change [table] or [spectators] in the settings")
        if not self._backend.people.has(name):
            raise InputError(f"there is no account {name[:40]}: write the name exactly")

    def _announce(self, text: str) -> dict[str, Any]:
        self._backend.publish(Announcement(_text(text)))
        return {"told": self._lines()}


def _text(text: str) -> str:
    if not 0 < len(text) <= MAX_TEXT_LENGTH or not text.isprintable():
        raise InputError(TEXT_RULE)
    return text


def socket_path(db: Path) -> Path:
    """Return the path of the admin socket: the casino's file with `.admin` appended."""
    return db.with_name(db.name + ".admin")


@contextmanager
def admin_socket(admin: AdminCommands, db: Path) -> Iterator[None]:
    """Serve the admin socket next to `db`, the casino's file, until the context exits."""
    path = socket_path(db)
    if len(bytes(path.absolute())) > MAX_PATH_LENGTH:
        log.warning("the path %s is too long for a socket: casino admin is not available", path)
        yield
        return
    path.unlink(missing_ok=True)  # a crash may have left it
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    path.chmod(0o600)  # before `listen`, so that no one else can connect
    listener.listen(4)
    server = StreamServer(listener, partial(_serve, admin))
    server.start()
    try:
        yield
    finally:
        server.stop()
        path.unlink(missing_ok=True)


def _serve(admin: AdminCommands, connection: Any, _: object) -> None:
    with connection, connection.makefile("rb") as file:
        line = file.readline(MAX_LINE_LENGTH)
        connection.sendall(msgspec.json.encode(admin.handle(line)) + b"\n")
