"""Frames: made as the library makes them, read as it sends them, refused where the RFC says so."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wsproto import WSConnection
from wsproto.connection import Connection, ConnectionType
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Event,
    Message,
    Ping,
    Request,
    TextMessage,
)

from casino.web.frames import (
    BINARY,
    BROKEN,
    CLOSE,
    GOOD_BYE,
    GREATEST_MESSAGE,
    PING,
    TEXT,
    TOO_BIG,
    Reader,
    accepted,
    closing,
    framed,
    sign,
)

MASK = b"\1\2\3\4"
Said = tuple[int, bytes]


def frame(first: int, size: int, payload: bytes = b"") -> bytes:
    """A client's frame by its first byte, the size it tells, and what follows."""
    return bytes((first, 0x80 | size)) + payload


def read_all(data: bytes, *ends: int) -> tuple[list[Said], int]:
    """What comes of bytes that arrive in pieces, and what is wrong with them."""
    reader, begin = Reader(), 0
    found: list[Said] = []
    for end in (*sorted(ends), len(data)):
        found += reader.read(data[begin:end])
        begin = end
    return found, reader.fault


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
def test_a_frame_is_what_the_library_makes_of_it(size: int) -> None:
    """Its size in one byte, two or eight; letters of any language in UTF-8."""
    text = "é" * (size // 2) + "e" * (size % 2)
    assert framed(text) == Connection(ConnectionType.SERVER).send(TextMessage(data=text))


def pieces_of(data: bytes, kind: type[Message[Any]]) -> list[Event]:
    """A message in up to three pieces, a ping between the first two."""
    third = len(data) // 3
    if third == 0:
        return [kind(data=data.decode() if kind is TextMessage else data)]
    parts = [data[:third], data[third : 2 * third], data[2 * third :]]
    said = [part.decode() if kind is TextMessage else part for part in parts]
    messages = [kind(data=one, message_finished=one is said[2]) for one in said]
    return [messages[0], Ping(payload=b"there?"), *messages[1:]]


def heard(events: list[Event]) -> list[Said]:
    """What the other side should make of them."""
    found: list[Said] = []
    message = b""
    for event in events:
        if isinstance(event, Ping):
            found.append((PING, bytes(event.payload)))
        elif isinstance(event, Message):
            data = event.data
            message += data.encode() if isinstance(data, str) else bytes(data)
            if event.message_finished:
                found.append((TEXT if isinstance(event, TextMessage) else BINARY, message))
                message = b""
    return found


@given(
    st.lists(st.tuples(st.binary(max_size=2000), st.booleans()), max_size=5),
    st.lists(st.integers(0, 9000), max_size=20),
)
def test_what_a_client_sends_is_read(said: list[tuple[bytes, bool]], ends: list[int]) -> None:
    """However it is cut into frames, and they into what arrives together."""
    events: list[Event] = []
    for data, is_text in said:
        data = data.hex().encode() if is_text else data
        events += pieces_of(data, TextMessage if is_text else BytesMessage)
    client = Connection(ConnectionType.CLIENT)
    sent = b"".join(client.send(event) for event in events)
    assert read_all(sent, *(end for end in ends if end < len(sent))) == (heard(events), 0)


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
def test_what_breaks_the_protocol_is_a_fault(sent: bytes) -> None:
    """As soon as its head is there, and nothing is read after it."""
    assert read_all(sent + frame(0x81, 1, MASK + b"x")) == ([], BROKEN)


def test_what_came_before_a_fault_is_read() -> None:
    """It is no worse for what follows."""
    good = frame(0x81, 1, MASK + b"y")
    assert read_all(good + BAD["unmasked"] + good) == ([(TEXT, bytes([ord("y") ^ 1]))], BROKEN)


@pytest.mark.parametrize("size", [GREATEST_MESSAGE + 1, 1 << 26, 1 << 63])
def test_a_message_that_is_too_big_is_refused_by_its_head(size: int) -> None:
    """Not one byte of it is waited for."""
    short = size < 1 << 16
    head = struct.pack("!H", size) if short else struct.pack("!Q", size)
    assert read_all(frame(0x82, 126 if short else 127, head)) == ([], TOO_BIG)


def test_the_greatest_message_is_taken_and_one_byte_more_in_pieces_is_not() -> None:
    """The limit is of the message, whatever its frames."""
    head = struct.pack("!H", GREATEST_MESSAGE)
    whole = frame(0x82, 126, head + MASK + bytes(GREATEST_MESSAGE))
    (found,), fault = read_all(whole)
    assert (found[0], len(found[1]), fault) == (BINARY, GREATEST_MESSAGE, 0)
    begun = frame(0x02, 126, head + MASK + bytes(GREATEST_MESSAGE))
    assert read_all(begun + frame(0x80, 1)) == ([], TOO_BIG)


def test_nothing_is_kept_between_messages() -> None:
    """A reader that waits for nothing holds no bytes."""
    reader = Reader()
    assert list(reader.read(frame(0x81, 2, MASK + b"ab") + frame(0x89, 0, MASK)))
    assert (reader._rest, reader._message) == (b"", b"")


def test_a_client_believes_the_answer_to_its_request() -> None:
    """The library, as a client, finds its key proved."""
    client = WSConnection(ConnectionType.CLIENT)
    asked = client.send(Request(host="here", target="/")).decode().split("\r\n")
    heads = dict(line.split(": ", 1) for line in asked[1:] if line)
    environ = {f"HTTP_{name.upper().replace('-', '_')}": text for name, text in heads.items()}
    client.receive_data(accepted(environ))
    assert [type(event) for event in client.events()] == [AcceptConnection]
    client.receive_data(sign(PING, b"there?") + closing(GOOD_BYE))
    ping, end = client.events()
    assert ping == Ping(payload=b"there?")
    assert isinstance(end, CloseConnection) and end.code == GOOD_BYE


@pytest.mark.parametrize(
    ("version", "key"), [("13", ""), ("13", "short=="), ("8", "A" * 22 + "=="), ("", "A" * 24)]
)
def test_what_asks_for_no_websocket_gets_none(version: str, key: str) -> None:
    """Another version, or no key of sixteen bytes."""
    environ = {"HTTP_SEC_WEBSOCKET_VERSION": version, "HTTP_SEC_WEBSOCKET_KEY": key}
    assert accepted(environ) == b""


def test_a_clients_good_bye_is_read() -> None:
    """With why, or without."""
    assert read_all(frame(0x88, 0, MASK)) == ([(CLOSE, b"")], 0)
