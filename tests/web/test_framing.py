"""WebSocket framing against wsproto and python-socketio, and violations of the RFC."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from engineio.packet import MESSAGE
from engineio.packet import Packet as EnginePacket
from hypothesis import given
from hypothesis import strategies as st
from socketio.packet import EVENT, Packet
from wsproto import WSConnection
from wsproto.connection import Connection, ConnectionType
from wsproto.events import AcceptConnection, Event, Ping, Request, TextMessage
from wsproto.frame_protocol import CloseReason, Opcode, ParseFailed

from casino.web.websocket.framing import (
    MAX_MESSAGE_BYTES,
    FrameReader,
    event_frame,
    handshake_response,
)

# Threads of the server may use the module `random` while an example is drawn.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")
MASK = b"\1\2\3\4"
Message = tuple[Opcode, str | bytes]


def frame(first: int, size: int, payload: bytes = b"") -> bytes:
    return bytes((first, 0x80 | size)) + payload


def read_all(data: bytes, *ends: int) -> tuple[list[Message], CloseReason | None]:
    """Read bytes in chunks; return the messages, and the violation if there is one."""
    reader, begin = FrameReader(), 0
    found: list[Message] = []
    try:
        for end in (*sorted(ends), len(data)):
            for message in reader.read(data[begin:end]):
                found.append(message)
            begin = end
    except ParseFailed as error:
        return found, error.code
    return found, None


@given(st.dictionaries(st.text(), st.none() | st.booleans() | st.integers(0, 2**53) | st.text()))
def test_event_frames_match_python_socketio(told: dict[str, Any]) -> None:
    theirs = EnginePacket(MESSAGE, Packet(EVENT, ["said", told], "/").encode()).encode()
    client = Connection(ConnectionType.CLIENT)
    client.receive_data(event_frame("said", told))
    [ours] = client.events()
    assert isinstance(ours, TextMessage)
    assert ours.data[:2] == theirs[:2]
    assert json.loads(ours.data[2:]) == json.loads(theirs[2:])


def pieces_of(text: str) -> list[Event]:
    """Split a message into up to three fragments, with a ping between the first two."""
    third = len(text) // 3
    if third == 0:
        return [TextMessage(data=text)]
    first, second, last = text[:third], text[third : 2 * third], text[2 * third :]
    return [
        TextMessage(data=first, message_finished=False),
        Ping(payload=b"there?"),
        TextMessage(data=second, message_finished=False),
        TextMessage(data=last),
    ]


@given(st.lists(st.text(max_size=1000), max_size=5), st.lists(st.integers(0, 9000), max_size=20))
def test_client_messages_are_read_in_arbitrary_chunks(said: list[str], ends: list[int]) -> None:
    client = Connection(ConnectionType.CLIENT)
    sent, due = b"", list[Message]()
    for text in said:
        pieces = pieces_of(text)
        sent += b"".join(client.send(event) for event in pieces)
        due += [(Opcode.PING, b"there?")] * (len(pieces) > 1) + [(Opcode.TEXT, text)]
    assert read_all(sent, *(end for end in ends if end < len(sent))) == (due, None)


BAD = {
    "unmasked": bytes((0x81, 1)) + b"x",
    "reserved bits": frame(0xC1, 1, MASK + b"x"),
    "an unknown kind": frame(0x83, 1, MASK + b"x"),
    "an unknown sign": frame(0x8B, 0, MASK),
    "the rest of nothing": frame(0x80, 1, MASK + b"x"),
    "a message within another": frame(0x01, 1, MASK + b"x") + frame(0x81, 1, MASK + b"x"),
    "a ping in pieces": frame(0x09, 0, MASK),
    "a long ping": frame(0x89, 126, struct.pack("!H", 126)),
    "two bytes for a small size": frame(0x81, 126, struct.pack("!H", 125)),
    "eight bytes for a small size": frame(0x81, 127, struct.pack("!Q", 65_535)),
}


@pytest.mark.parametrize("sent", BAD.values(), ids=BAD)
def test_protocol_violations_are_reported(sent: bytes) -> None:
    good = frame(0x81, 1, MASK + b"x")
    assert read_all(sent + good) == ([], CloseReason.PROTOCOL_ERROR)
    assert read_all(sent + good, len(sent)) == ([], CloseReason.PROTOCOL_ERROR)


GOOD = frame(0x81, 1, MASK + b"y")
Y = b"y"[0] ^ 1
READ: dict[str, tuple[bytes, list[Message], CloseReason | None]] = {
    "before a violation": (
        GOOD + BAD["unmasked"] + GOOD,
        [(Opcode.TEXT, chr(Y))],
        CloseReason.PROTOCOL_ERROR,
    ),
    "no UTF-8": (frame(0x81, 1, MASK + b"\xfe"), [], CloseReason.INVALID_FRAME_PAYLOAD_DATA),
    "bytes": (frame(0x82, 1, MASK + b"y"), [(Opcode.BINARY, bytes((Y,)))], None),
    "a close": (frame(0x88, 0, MASK) + GOOD, [(Opcode.CLOSE, b"")], None),
    "a close with a code": (
        frame(0x88, 2, bytes(4) + b"\x03\xe8") + GOOD,
        [(Opcode.CLOSE, b"")],
        None,
    ),
}


@pytest.mark.parametrize(("sent", "messages", "fault"), READ.values(), ids=READ)
def test_frames_are_read_up_to_their_end(
    sent: bytes, messages: list[Message], fault: CloseReason | None
) -> None:
    assert read_all(sent) == (messages, fault)


@pytest.mark.parametrize("size", [MAX_MESSAGE_BYTES + 1, 1 << 26, 1 << 62])
def test_an_oversized_message_is_refused_while_it_arrives(size: int) -> None:
    short = size < 1 << 16
    head = struct.pack("!H", size) if short else struct.pack("!Q", size)
    begun = frame(0x81, 126 if short else 127, head + MASK) + bytes(MAX_MESSAGE_BYTES)
    assert read_all(begun) == ([], None)
    assert read_all(begun + b"x") == ([], CloseReason.MESSAGE_TOO_BIG)


def test_the_size_limit_is_exact_and_counts_fragments() -> None:
    masked = frame(0x81, 126, struct.pack("!H", MAX_MESSAGE_BYTES) + bytes(4))
    ((_, text),), fault = read_all(masked + "é".encode() * (MAX_MESSAGE_BYTES // 2))
    assert (text, fault) == ("é" * (MAX_MESSAGE_BYTES // 2), None)
    begun = frame(0x01, 126, struct.pack("!H", MAX_MESSAGE_BYTES) + MASK + bytes(MAX_MESSAGE_BYTES))
    assert read_all(begun + frame(0x80, 1, MASK + b"x")) == ([], CloseReason.MESSAGE_TOO_BIG)


def test_handshake_response_is_accepted_by_wsproto() -> None:
    client = WSConnection(ConnectionType.CLIENT)
    asked = client.send(Request(host="here", target="/")).decode().split("\r\n")
    heads = dict(line.split(": ", 1) for line in asked[1:] if line)
    environ = {f"HTTP_{name.upper().replace('-', '_')}": text for name, text in heads.items()}
    client.receive_data(handshake_response(environ))
    assert [type(event) for event in client.events()] == [AcceptConnection]


@pytest.mark.parametrize(
    ("version", "key"), [("13", ""), ("13", "short=="), ("8", "A" * 22 + "=="), ("", "A" * 24)]
)
def test_invalid_handshakes_get_no_response(version: str, key: str) -> None:
    environ = {"HTTP_SEC_WEBSOCKET_VERSION": version, "HTTP_SEC_WEBSOCKET_KEY": key}
    assert handshake_response(environ) == b""
