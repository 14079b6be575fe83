"""Leaves read many at once are those read one by one, or none."""

from __future__ import annotations

import pytest

from casino.events.codec import decode, decode_canonical

ONE = b'{"at":5,"game":"t1-000001","player":"ann","seal":"x","type":"cut"}'
TWO = b'{"at":6,"hash":"y","type":"answers"}'


@pytest.mark.parametrize("bodies", [[ONE], [TWO, ONE], [ONE] * 700])
def test_canonical_leaves_are_read_together(bodies: list[bytes]) -> None:
    assert decode_canonical(bodies) == [decode(body) for body in bodies]


@pytest.mark.parametrize(
    "bodies",
    [
        [ONE, b"{}"],
        [ONE, b"", TWO],
        [b"   ", ONE],
        [ONE + b"\n"],
        [b"\n" + ONE, TWO],
        [ONE + b"\n" + TWO],
        [ONE + b"\n" + TWO, b""],
        [ONE + b"\n" + TWO, b"\n"],
        [b"\n", ONE + b"\n" + TWO],
        [ONE[:9], ONE[9:]],
        [ONE[:9] + b"\n" + ONE[9:], TWO],
        [ONE + b"," + TWO],
        [ONE.replace(b":5", b": 5")],
        [ONE.replace(b"ann", b"\\u0061nn")],
        [ONE.replace(b'"at":5,', b'"at":5,"at":5,')],
        [b'{"type":"cut",' + ONE[1:].replace(b',"type":"cut"', b"")],
        [TWO.replace(b"6", b"6.0")],
        [TWO.replace(b'"hash"', b'"extra":null,"hash"')],
        [ONE.replace(b"ann", b"\xff")],
        [TWO + b"\x00"],
        [b"[" * 10_000],
    ],
)
def test_any_other_bytes_are_not_read_together(bodies: list[bytes]) -> None:
    assert decode_canonical(bodies) is None
