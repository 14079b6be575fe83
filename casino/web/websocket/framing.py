"""WebSocket framing: encode once for many peers, decode incrementally.

Messages are not compressed. The decoder buffers only the current message of a peer, and refuses one
that is too long before all of it has arrived.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec
from wsproto.frame_protocol import CloseReason, FrameProtocol, Opcode, ParseFailed
from wsproto.utilities import generate_accept_token

MAX_MESSAGE_BYTES: Final = 16 * 1024

_ENCODER: Final = FrameProtocol(client=False, extensions=[])
_EVENT: Final = "42"
_IS_KEY: Final = re.compile(r"[A-Za-z0-9+/]{22}==")
_ACCEPTED: Final = (
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Accept: {proof}\r\n\r\n"
)


class FrameReader:
    """Decodes a client's frames; `frames` also encodes control frames."""

    def __init__(self) -> None:
        self.frames = FrameProtocol(client=False, extensions=[])
        self._text = ""

    def read(self, data: bytes) -> Iterator[tuple[Opcode, str | bytes]]:
        """Yield complete messages and control frames; raise `ParseFailed` with a close code."""
        self.frames.receive_bytes(data)
        for frame in self.frames.received_frames():
            if not isinstance(frame.payload, str):
                yield frame.opcode, frame.payload if isinstance(frame.payload, bytes) else b""
                continue
            self._text += frame.payload
            if len(self._text.encode()) > MAX_MESSAGE_BYTES:
                raise ParseFailed("too much", CloseReason.MESSAGE_TOO_BIG)
            if frame.message_finished:
                whole, self._text = self._text, ""
                yield frame.opcode, whole


def event_frame(name: str, payload: object) -> bytes:
    """Return a Socket.IO event as one text frame."""
    return text_frame(_EVENT + msgspec.json.encode((name, payload)).decode())


def text_frame(text: str) -> bytes:
    """Return a text as one unmasked frame."""
    return bytes(_ENCODER.send_data(text))


def handshake_response(environ: Mapping[str, str]) -> bytes:
    """Return the response to a WebSocket handshake, or b"" if the request is invalid."""
    key = environ.get("HTTP_SEC_WEBSOCKET_KEY", "")
    if environ.get("HTTP_SEC_WEBSOCKET_VERSION") != "13" or not _IS_KEY.fullmatch(key):
        return b""
    proof = generate_accept_token(key.encode()).decode()
    return _ACCEPTED.format(proof=proof).encode()
