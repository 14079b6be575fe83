"""Decode leaves into events of the class that their type names.

>>> leaf = decode(b'{"at":5,"game":"t1-000001","player":"ann","seal":"x","type":"cut"}')
>>> leaf.game, leaf.player
('t1-000001', 'ann')
>>> decode(b'{"at":5,"game":"t1-000001","player":7,"seal":"x","type":"cut"}')
Traceback (most recent call last):
    ...
casino.errors.FileError: Expected `str`, got `int` - at `$.player`
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, get_args

import msgspec

from casino.errors import FileError
from casino.events.types import Event
from casino.ledger.entries import BROKEN

# The class of each type of leaf.
KINDS: Final[Mapping[str, type[Event]]] = {
    kind.__struct_config__.tag: kind for kind in get_args(Event)
}

_decoder: Final = msgspec.json.Decoder(Event)
_encoder: Final = msgspec.json.Encoder(order="sorted")

read_any: Final[Callable[[bytes], Event]] = _decoder.decode


def decode_canonical(bodies: Sequence[bytes]) -> list[Event] | None:
    """Return the events of some leaves, or None if any leaf is not canonical.

    Decoding them as lines takes half the time of decoding one by one. No canonical leaf contains a
    newline, so the same number of lines with the same bytes are the same leaves.
    """
    text = b"\n".join(bodies)
    try:
        events = _decoder.decode_lines(text)
    except BROKEN:
        return None
    is_same = len(events) == len(bodies) and _encoder.encode_lines(events) == text + b"\n"
    return events if is_same else None


def decode(body: bytes) -> Event:
    """Return the event that some bytes encode; raise what is wrong with them."""
    try:
        return read_any(body)
    except BROKEN as error:
        raise FileError(str(error)) from None


def decode_or_none(body: bytes) -> Event | None:
    """Return the event that some bytes encode, or None if they are broken."""
    try:
        return read_any(body)
    except BROKEN:
        return None
