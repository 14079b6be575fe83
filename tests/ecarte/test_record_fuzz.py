"""The reader and the replay given rubbish: `RecordError` is the only error there may be."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from casino.ecarte import read_record, replay, write_record
from casino.errors import RecordError
from tests.naive.generate import random_record
from tests.strategies import JSON

GOLDEN = Path(__file__).parent.parent / "golden" / "deals.egr.jsonl"
GOOD = [line.encode() for line in GOLDEN.read_text("utf-8").splitlines()]
GOOD += [json.dumps(random_record(random.Random(seed))).encode() for seed in range(40)]
PIECES = [
    b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"0", b"-1", b"1e999", b"NaN", b"null",
    b"true", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\\ud83d", b"\x00", b"\n", b" ", b"K", b"KS",
    b"XKS", b"V", b"L7S", b"E8H", b"X??", b"??", b'"deals":', b'"laws":', b'{"a":' * 2000,
    b"9" * 5000,
]  # fmt: skip
PIECE = st.sampled_from(PIECES) | st.binary(max_size=3)
EDITS = st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 6), PIECE), min_size=1, max_size=4)
many = settings(max_examples=300)


def refusal(line: str | bytes) -> RecordError | None:
    try:
        record = read_record(line)
        found = replay(record)
    except RecordError as error:
        return error
    assert len(found.deals) == len(record.deals)
    assert read_record(write_record(record).encode()) == record
    return None


def survives(line: str | bytes) -> None:
    """A line is good or a `RecordError`, whose text is one short line."""
    error = refusal(line)
    if error is not None:
        assert error.text and "\n" not in error.text and len(error.text) < 300
        assert error.token is None or error.deal is not None


@many
@given(st.sampled_from(GOOD), EDITS)
def test_a_good_line_spoilt_byte_by_byte(line: bytes, edits: list[tuple[int, int, bytes]]) -> None:
    for at, cut, piece in edits:
        place = at % (len(line) + 1)
        line = line[:place] + piece + line[place + cut :]
    survives(line)
    survives(line.decode("utf-8", "surrogateescape"))


def places(value: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in inner:
        found.append((value, key))
        if isinstance(one, dict | list):
            found += places(one)
    return found


@many
@given(
    st.sampled_from(GOOD), st.lists(st.tuples(st.integers(0, 999), JSON), min_size=1, max_size=3)
)
def test_a_good_record_with_other_values(line: bytes, edits: list[tuple[int, Any]]) -> None:
    record = json.loads(line)
    for at, value in edits:
        found = places(record)
        where, key = found[at % len(found)]
        where[key] = value
    survives(json.dumps(record))


@many
@given(st.binary(max_size=200) | st.text(max_size=200))
@example(b"")
@example("\ud800")
@example(b"\xef\xbb\xbf{}")
@example("\ufeff{}")
@example('{"egr": 1, "laws": {}, "first_dealer": "house", "deals": [], "x": "\ud800"}')
@example('{"egr": 1, "laws": {}, "first_dealer": "house", "deals": [], "x": 1e999}')
@example('{"egr": 1, "laws": {}, "first_dealer": "house", "deals": [], "\\ud800": 1}')
def test_any_bytes_and_any_text(line: str | bytes) -> None:
    survives(line)


@many
@given(JSON)
def test_any_json(value: Any) -> None:
    survives(json.dumps(value))
    survives(json.dumps({"egr": 1, "laws": {}, "first_dealer": "house", "deals": value}))
    survives(json.dumps({"egr": 1, "laws": value, "first_dealer": "house", "deals": []}))
