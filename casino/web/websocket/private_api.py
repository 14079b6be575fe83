"""All private names of python-engineio and gevent that the transport relies on.

Neither library has a public way to replace the parts of a WebSocket connection. A new version may
rename anything here: `pyproject.toml` therefore limits the versions, and a test lists the names
that have disappeared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import gevent

WEBSOCKET: Final = "websocket"  # key of `engineio.Server._async`
PING_TASK: Final = "_send_ping"  # the method of Engine.IO's socket that pings a client


def replace_transport(engine: Any, connection: Callable[..., Any]) -> None:
    """Have an Engine.IO server accept WebSockets with `connection`, which also pings clients."""
    engine._async = {**engine._async, WEBSOCKET: connection}

    def start_task(target: Callable[..., Any], *arguments: Any) -> Any:
        return None if target.__name__ == PING_TASK else gevent.spawn(target, *arguments)

    engine.start_background_task = start_task


def raw_socket(sock: Any) -> Any:
    """Return the operating system's socket that gevent's wraps; its methods do not block."""
    return sock._sock
