"""WebSocket transport for Socket.IO; `create_socketio` is the only entry point.

The libraries' own WebSocket transport takes four greenlets and 75 KiB per client, and one write per
message. This one takes 14 KiB, and sends each client all its pending messages in one write.
Flask-SocketIO and the libraries under it still handle the protocol: handshake, dispatch of events,
acknowledgements. The transport relies on the names in `private_api`, and on Engine.IO calling the
replaced parts in the same way as its own.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from flask import Flask
from flask_socketio import SocketIO

from casino.web.websocket.connection import PING_SECONDS, DisconnectQueue, WebSocketConnection
from casino.web.websocket.framing import MAX_MESSAGE_BYTES, text_frame
from casino.web.websocket.private_api import ServerTask, replace_parts

LINE: Final = "socket.io"


def create_socketio(app: Flask) -> tuple[SocketIO, DisconnectQueue]:
    """Add Socket.IO to an application, with this transport only; return both."""
    socketio = SocketIO(
        app,
        async_mode="gevent",
        async_handlers=False,
        transports=["websocket"],
        manage_session=False,
        max_http_buffer_size=MAX_MESSAGE_BYTES,
        ping_interval=PING_SECONDS,
        ping_timeout=PING_SECONDS,
        serve_client=False,
        path=LINE,
    )
    # Flask-SocketIO handles each message in a request context with this path. Without a route,
    # Flask would keep a routing error, and with it the stack, until the next full collection.
    app.add_url_rule(f"/{LINE}/", "line", lambda: "", websocket=True)  # never called
    disconnects = DisconnectQueue()
    connection = partial(WebSocketConnection, disconnects)
    replace_parts(socketio.server.eio, connection, PacketQueue, ServerTask)
    return socketio, disconnects


class PacketQueue:
    """Replacement for Engine.IO's packet queue that sends packets at once, in order."""

    def __init__(self) -> None:
        self._early: list[Any] = []
        self._connection: WebSocketConnection | None = None

    def open(self, connection: WebSocketConnection) -> None:
        """Attach the connection, and send the packets that were queued before it opened."""
        self._connection = connection
        early, self._early = self._early, []
        for packet in early:
            self.put(packet)

    def put(self, packet: Any) -> None:
        """Send a packet, or close the connection if the packet is None."""
        if self._connection is None:
            self._early.append(packet)
        elif packet is None:
            self._connection.close()
            self._connection = None
        else:
            self._connection.send(text_frame(packet.encode()))

    def join(self) -> None:
        """Do nothing, because there is no queue to wait for."""
