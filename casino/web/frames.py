"""WebSocket frames (RFC 6455): made once for whoever gets them, read while they arrive.

Nothing is deflated, and nothing is kept of a peer but the frame that has not come whole yet. The
limit of a message holds from its head on, so that a huge one costs nothing.
"""

from __future__ import annotations

import base64
import hashlib
import re
import struct
from collections.abc import Iterator, Mapping
from typing import Final

GREATEST_MESSAGE: Final = 16 * 1024

TEXT: Final = 1
BINARY: Final = 2
CLOSE: Final = 8
PING: Final = 9
PONG: Final = 10

GOOD_BYE: Final = 1000
BROKEN: Final = 1002
NO_TEXT: Final = 1007
TOO_BIG: Final = 1009
"""Why a line is closed, as its peer is told."""

_MORE: Final = 0
_LAST: Final = 0x80
_RESERVED: Final = 0x70
_KIND: Final = 0x0F
_MASKED: Final = 0x80
_TWO_BYTES: Final = 126
_EIGHT_BYTES: Final = 1 << 16
_WIDTHS: Final = {_TWO_BYTES: (2, _TWO_BYTES), _TWO_BYTES + 1: (8, _EIGHT_BYTES)}
"""How many bytes tell a size, and the least size that is told in so many."""

_MASK_BYTES: Final = 4
_SALT: Final = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_IS_KEY: Final = re.compile(r"[A-Za-z0-9+/]{22}==")
_ACCEPTED: Final = (
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Accept: {proof}\r\n\r\n"
)


class Reader:
    """Puts a client's frames together; a `fault` is why its line must be closed."""

    __slots__ = ("_kind", "_message", "_rest", "fault")

    def __init__(self) -> None:
        self.fault = 0
        self._rest = b""
        self._kind = _MORE
        self._message = b""

    def read(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """The messages, and the signs between them, that are whole now; none after a fault."""
        self._rest += data
        while (found := self._next()) is not None:
            end, first, payload = found
            self._rest = self._rest[end:]
            kind = first & _KIND
            if kind >= CLOSE:
                yield kind, payload
                continue
            self._kind = kind or self._kind
            self._message += payload
            if first & _LAST:
                whole = self._kind, self._message
                self._kind, self._message = _MORE, b""
                yield whole

    def _next(self) -> tuple[int, int, bytes] | None:
        """The next frame, if it has come whole: where it ends, its first byte, its payload."""
        rest, begin = self._rest, 2
        if self.fault or len(rest) < begin:
            return None
        first, size = rest[0], rest[1] & ~_MASKED
        if first & _RESERVED or not rest[1] & _MASKED:
            self.fault = BROKEN
            return None
        width, least = _WIDTHS.get(size, (0, 0))
        if len(rest) < begin + width:
            return None
        if width:
            size = int.from_bytes(rest[begin : begin + width], "big")
            begin += width
        self.fault = BROKEN if size < least else self._fault_of(first, size)
        end = begin + _MASK_BYTES + size
        if self.fault or len(rest) < end:
            return None
        mask = rest[begin : begin + _MASK_BYTES]
        return end, first, unmasked(mask, rest[begin + _MASK_BYTES : end])

    def _fault_of(self, first: int, size: int) -> int:
        """What is wrong with a frame as its head tells it."""
        kind = first & _KIND
        if kind >= CLOSE:
            is_sign = kind <= PONG and first & _LAST and size < _TWO_BYTES
            return 0 if is_sign else BROKEN
        if kind > BINARY or (kind == _MORE) != (self._kind != _MORE):
            return BROKEN
        return TOO_BIG if len(self._message) + size > GREATEST_MESSAGE else 0


def unmasked(mask: bytes, payload: bytes) -> bytes:
    """What a client has masked.

    >>> unmasked(bytes((1, 2, 3, 4)), bytes((105, 103, 111, 104, 110)))
    b'hello'
    """
    size = len(payload)
    key = (mask * (size // _MASK_BYTES + 1))[:size]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(size, "big")


def framed(packet: str) -> bytes:
    """A packet as the bytes of one frame, the same for whoever gets it."""
    payload = packet.encode()
    size, first = len(payload), _LAST | TEXT
    if size < _TWO_BYTES:
        return bytes((first, size)) + payload
    if size < _EIGHT_BYTES:
        return struct.pack("!BBH", first, _TWO_BYTES, size) + payload
    return struct.pack("!BBQ", first, _TWO_BYTES + 1, size) + payload


def sign(kind: int, payload: bytes) -> bytes:
    """A sign between messages, as short as it came."""
    return bytes((_LAST | kind, len(payload))) + payload


def closing(why: int) -> bytes:
    """The last frame of a line.

    >>> closing(GOOD_BYE).hex()
    '880203e8'
    """
    return sign(CLOSE, why.to_bytes(2, "big"))


def accepted(environ: Mapping[str, str]) -> bytes:
    """The answer to a request for a WebSocket; nothing if it does not ask for one as it should."""
    key = environ.get("HTTP_SEC_WEBSOCKET_KEY", "")
    if environ.get("HTTP_SEC_WEBSOCKET_VERSION") != "13" or not _IS_KEY.fullmatch(key):
        return b""
    proof = hashlib.sha1((key + _SALT).encode(), usedforsecurity=False).digest()
    return _ACCEPTED.format(proof=base64.b64encode(proof).decode()).encode()
