"""All private names of python-engineio and gevent that the transport relies on.

Neither library has a public way to replace the parts of a WebSocket connection. A new version may
rename anything here: `pyproject.toml` therefore limits the versions, and a test lists the names
that have disappeared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import gevent

ENGINE_PARTS: Final = ("websocket", "queue", "thread")  # keys of `engineio.Server._async`
PING_TASK: Final = "_send_ping"  # the method of Engine.IO's socket that pings a client


def replace_parts(engine: Any, *parts: Callable[..., Any]) -> None:
    """Replace an Engine.IO server's classes for connections, packet queues and tasks."""
    engine._async = {**engine._async, **dict(zip(ENGINE_PARTS, parts, strict=True))}


def raw_socket(sock: Any) -> Any:
    """Return the operating system's socket that gevent's wraps; its methods do not block."""
    return sock._sock


class ServerTask:
    """Background task of Engine.IO, which skips ping tasks because `WebSocketConnection` pings."""

    def __init__(self, target: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self._work = target, args, kwargs

    def start(self) -> None:
        """Run the task in a greenlet, unless it is a ping task."""
        target, args, kwargs = self._work
        if target.__name__ != PING_TASK:
            gevent.spawn(target, *args, **kwargs)
