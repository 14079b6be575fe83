"""Leaves read back: bytes become an event of the class that their type names.

>>> leaf = read(b'{"at":5,"game":"t1-000001","player":"ann","seal":"x","type":"cut"}')
>>> leaf.game, leaf.player
('t1-000001', 'ann')
>>> read(b'{"at":5,"game":"t1-000001","player":7,"seal":"x","type":"cut"}')
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

KINDS: Final[Mapping[str, type[Event]]] = {
    kind.__struct_config__.tag: kind for kind in get_args(Event)
}
"""The class of each type of leaf."""

_decoder: Final = msgspec.json.Decoder(Event)
_encoder: Final = msgspec.json.Encoder(order="sorted")

read_any: Final[Callable[[bytes], Event]] = _decoder.decode


def read_canonical(bodies: Sequence[bytes]) -> list[Event] | None:
    """The events that leaves hold; nothing if the bytes of any are not those it would have.

    Lines are read in half the time that leaves take one by one. No canonical leaf has a line's
    end in it, so that as many lines, with the same bytes, are the same leaves.
    """
    text = b"\n".join(bodies)
    try:
        events = _decoder.decode_lines(text)
    except BROKEN:
        return None
    is_same = len(events) == len(bodies) and _encoder.encode_lines(events) == text + b"\n"
    return events if is_same else None


def read(body: bytes) -> Event:
    """The event that some bytes hold; what is wrong with them is said."""
    try:
        return read_any(body)
    except BROKEN as error:
        raise FileError(str(error)) from None


def read_if_sound(body: bytes) -> Event | None:
    """The event that some bytes hold; nothing if they are broken, and no reason."""
    try:
        return read_any(body)
    except BROKEN:
        return None
