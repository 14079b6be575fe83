"""The private names of python-engineio and gevent that the transport relies on, all of them.

Neither library has a public way to replace what a WebSocket connection is made of. A new version
may rename any of these names: `pyproject.toml` therefore limits the versions, and a test names each
one that is gone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import gevent

ENGINE_PARTS: Final = ("websocket", "queue", "thread")  # keys of `engineio.Server._async`
PING_TASK: Final = "_send_ping"  # the method of Engine.IO's socket that pings a client


def replace_parts(engine: Any, *parts: Callable[..., Any]) -> None:
    """Replace what an Engine.IO server makes connections, packet queues and tasks of."""
    engine._async = {**engine._async, **dict(zip(ENGINE_PARTS, parts, strict=True))}


def raw_socket(sock: Any) -> Any:
    """Return the operating system's socket in gevent's; its methods do not wait."""
    return sock._sock


class ServerTask:
    """A background task of Engine.IO, except for its ping tasks, which `Heartbeat` replaces."""

    def __init__(self, target: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self._work = target, args, kwargs

    def start(self) -> None:
        """Run the task in a greenlet; do nothing for a ping task, as the heartbeat pings."""
        target, args, kwargs = self._work
        if target.__name__ != PING_TASK:
            gevent.spawn(target, *args, **kwargs)
