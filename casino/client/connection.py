"""Socket.IO connection of the terminal client. Slow to import, so only a connecting client does."""

from __future__ import annotations

from typing import Any, Final

import engineio
import socketio
from socketio.exceptions import ConnectionError as NoConnection
from socketio.exceptions import SocketIOError
from websocket import WebSocket, WebSocketConnectionClosedException

from casino.client import SECONDS
from casino.errors import RefusalReason, Refused, no_casino

NO_ANSWER: Final = RefusalReason("casino_silent", "unavailable", "{url} does not respond: retry")

MAX_PAUSE_SECONDS: Final = 3  # between two attempts to reconnect


class _ClosingWebSocket(WebSocket):
    """WebSocket that closes its socket after the last packet; Engine.IO would leave it open."""

    _is_left = False

    def recv(self) -> str | bytes:
        try:
            packet = super().recv()
            # An empty packet means that the casino is closing the connection.
            if not packet:
                raise WebSocketConnectionClosedException
        except Exception:
            # `close` goes on reading until the peer answers, and then shuts the socket down.
            if not self._is_left:
                self.shutdown()  # type: ignore[no-untyped-call]
            raise
        return packet

    def close(self, *arguments: Any, **how: Any) -> None:
        self._is_left = True
        super().close(*arguments, **how)
        self.shutdown()  # type: ignore[no-untyped-call]


class _InOrderDispatcher(engineio.Client):  # type: ignore[misc]
    """Engine.IO client that handles events one after another, instead of each in its own thread."""

    def _trigger_event(self, event: str, *arguments: Any, **how: Any) -> Any:
        return super()._trigger_event(event, *arguments, **{**how, "run_async": False})


class OrderedSocketClient(socketio.Client):  # type: ignore[misc]
    """Socket.IO client that handles events in order of arrival."""

    def __init__(self) -> None:
        super().__init__(
            request_timeout=SECONDS,
            websocket_extra_options={"class_": _ClosingWebSocket},
            reconnection_delay_max=MAX_PAUSE_SECONDS,
        )

    def open(self, url: str, headers: dict[str, str]) -> None:
        """Connect for the first time; raise `UnreachableError` if that fails."""
        try:
            self.connect(url, headers=headers, transports=["websocket"])
        except NoConnection:
            raise no_casino(url) from None

    def connect(self, *arguments: Any, **how: Any) -> None:
        """Connect with a timeout of `SECONDS`, also for reconnections (default: one second)."""
        super().connect(*arguments, **{"wait_timeout": SECONDS, **how})

    def call(self, *arguments: Any, **how: Any) -> Any:
        """Send an event and return its acknowledgement; raise `Refused` if none comes."""
        try:
            return super().call(*arguments, **how)
        except SocketIOError:
            raise Refused(NO_ANSWER, url=self.connection_url) from None

    def _engineio_client_class(self) -> type[engineio.Client]:
        return _InOrderDispatcher

    def _handle_eio_disconnect(self, reason: str) -> None:
        """Fail all pending calls, so that their callers can retry."""
        # The library's table also holds the counter of call ids, which is not callable.
        kept = [tell for waiting in self.callbacks.values() for tell in waiting.values()]
        super()._handle_eio_disconnect(reason)
        for tell in filter(callable, kept):
            tell({"ok": False, **Refused(NO_ANSWER, url=self.connection_url).json()})
