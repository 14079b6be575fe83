"""The libraries still have every private name that the transport and the client rely on."""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import engineio
import gevent
import pytest
import socketio
from engineio.socket import Socket
from gevent.socket import socket

from casino.web.websocket.private_api import PING_TASK, WEBSOCKET, replace_transport

CASINO = Path(__file__).parent.parent.parent / "casino"
SERVER = engineio.Server(async_mode="gevent")
NAMES = [
    ("python-engineio", SERVER, ("_async", "start_background_task", "sockets", "reason")),
    ("python-engineio", Socket, (PING_TASK, "receive", "close")),
    ("python-engineio", Socket(SERVER, "sid"), ("connected", "upgraded", "queue", "last_ping")),
    ("python-engineio", engineio.Client, ("_trigger_event",)),
    ("python-socketio", socketio.Client, ("_engineio_client_class", "_handle_eio_disconnect")),
    ("python-engineio", SimpleNamespace(**SERVER._async), (WEBSOCKET,)),
    ("gevent", socket, ("_sock",)),
]


@pytest.mark.parametrize(
    ("package", "owner", "name"),
    [(package, owner, name) for package, owner, names in NAMES for name in names],
)
def test_private_names_still_exist(package: str, owner: Any, name: str) -> None:
    kind = owner if isinstance(owner, type) else type(owner)
    assert hasattr(owner, name), (
        f"{package} {version(package)} has no {kind.__name__}.{name}: adapt casino/web/websocket "
        f"(or casino/client/connection.py), or limit the version in pyproject.toml"
    )


def test_private_names_are_used_in_one_module_only() -> None:
    private = re.compile(r"(?<!self)\._(?:sock|async)\b|_send_ping")
    users = {path.name for path in CASINO.rglob("*.py") if private.search(path.read_text("utf-8"))}
    assert users == {"private_api.py"}


def test_only_engineio_ping_tasks_are_suppressed() -> None:
    done: list[str] = []

    def _send_ping() -> None:
        done.append("ping")

    server = engineio.Server(async_mode="gevent")
    replace_transport(server, lambda *_: None)
    server.start_background_task(_send_ping)
    server.start_background_task(done.append, "task")
    gevent.sleep(0)
    assert done == ["task"]
