"""Game records: round trips, and refusals that name the place of the fault."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from casino import ecarte
from casino.ecarte import HOUSE, DealRecord, Laws, Record
from casino.ecarte.records.record import MAX_LINE_BYTES
from casino.errors import RecordError
from tests.ecarte.deal_helpers import begun
from tests.naive.generate import random_record
from tests.strategies import JSON, records

DECK = ecarte.format_cards(ecarte.PACK)
DEAL = {"dealer": "house", "deck": DECK, "actions": "S C"}
GOOD: dict[str, Any] = {"egr": 1, "laws": {}, "first_dealer": "house", "deals": [DEAL]}


def line(**changed: Any) -> str:
    return json.dumps({**GOOD, **changed})


def deal(**changed: Any) -> str:
    return line(deals=[{**DEAL, **changed}])


def refusal(given_line: str | bytes) -> RecordError:
    with pytest.raises(RecordError) as caught:
        ecarte.read_record(given_line)
    return caught.value


@given(records())
def test_record_round_trips(record: Record) -> None:
    written = ecarte.write_record(record)
    assert "\n" not in written
    assert ecarte.read_record(written) == record
    assert ecarte.write_record(ecarte.read_record(written)) == written
    assert ecarte.write_record(ecarte.read_record(written.encode())).encode() == written.encode()


def test_unknown_keys_are_kept() -> None:
    others = {"source": "a book", "note": [1, None, {"é": "☂"}]}
    record = ecarte.read_record(json.dumps({**GOOD, **others, "deals": [{**DEAL, "seen": True}]}))
    assert record.others == others
    assert record.deals[0].others == {"seen": True}
    assert ecarte.read_record(ecarte.write_record(record)) == record


def test_longest_line_is_read() -> None:
    assert ecarte.read_record(line().ljust(MAX_LINE_BYTES)).laws == Laws()


def test_unfinished_deal_is_recorded_so_far() -> None:
    assert ecarte.deal_record(begun("P A XTSQS X9S S")).actions == "P A XQSTS X9S S"
    assert ecarte.deal_record(begun("")).actions == ""


# What is wrong, the line, the error's code, a part of its text.
BAD: list[tuple[str, str | bytes, str, str]] = [
    ("nothing", "", "bad_json", "column 1"),
    ("no JSON", "{'egr': 1}", "bad_json", "column 2"),
    ("cut off", line()[:-5], "bad_json", "column"),
    ("two values", line() + line(), "bad_json", "Extra data"),
    ("a tail", line() + "x", "bad_json", "Extra data"),
    ("a list", "[]", "bad_record", "a record is a JSON object"),
    ("a number", "1", "bad_record", "a record is a JSON object"),
    ("null", "null", "bad_record", "a record is a JSON object"),
    ("a text", '"egr"', "bad_record", "a record is a JSON object"),
    ("too long", line().ljust(MAX_LINE_BYTES + 1), "bad_json", "longer than"),
    ("not UTF-8", b'{"egr": 1, "game": "\xff"}', "bad_json", "byte 21 is not UTF-8"),
    ("latin-1", '{"game": "é"}'.encode("latin-1"), "bad_json", "is not UTF-8"),
    ("lone surrogate", '{"egr": 1, "game": "\\ud800"}', "bad_json", "a lone surrogate"),
    ("nested lists", "[" * 100_000, "bad_json", "nested too deeply"),
    ("nested objects", '{"a":' * 100_000, "bad_json", "nested too deeply"),
    ("nested unknown lists", line(x=1)[:-2] + "[" * 300 + "]" * 300 + "}", "bad_json", "nested"),
    ("nested unknown objects", line(x=1)[:-2] + '{"a":' * 300 + "1" + "}" * 301, "bad_json",
     "nested"),
    ("nested unknown key", line(x=1)[:-2] + "[" * 5000 + "]" * 5000 + "}", "bad_json", "nested"),
    ("a key twice", '{"note": 1, "egr": 1, "egr": 1}', "bad_json", '"egr" is repeated'),
    ("a deep key twice", line(note=0)[:-2] + '{"a": 1, "a": 2}}', "bad_json", '"a" is repeated'),
    ("NaN", '{"egr": NaN}', "bad_json", "NaN is not a JSON number"),
    ("infinity", '{"egr": -Infinity}', "bad_json", "-Infinity is not a JSON number"),
    ("a raw lone surrogate", '{"game": "\ud800"}', "bad_json", "a lone surrogate"),
    ("a great number", line(x=0)[:-2] + "1e999}", "bad_json", "the number 1e999 is too large"),
    ("a long number", line(x=0)[:-2] + "9" * 400 + ".0}", "bad_json", "is too large"),
    ("a huge number", '{"egr": ' + "9" * 5000 + "}", "bad_json", "too many digits"),
    ("no version", "{}", "bad_record", "egr is missing"),
    ("version 2", line(egr=2), "bad_record", "egr is 2"),
    ("version 1.0", line(egr=1.0), "bad_record", "egr is 1.0"),
    ("version true", line(egr=True), "bad_record", "egr is true"),
    ("a long version", line(egr="1" * 40), "bad_record", "1" * 39 + "…"),
    ("no laws", '{"egr": 1, "deals": []}', "bad_record", "laws is missing|first_dealer is missing"),
    ("laws a list", line(laws=[]), "bad_record", "laws must be an object"),
    ("an unknown law", line(laws={"targets": 5}), "bad_laws", "law targets is unknown"),
    ("a bad law", line(laws={"target": 6}), "bad_laws", "law target: 6 is not one of 5, 7, 11"),
    ("a law of another type", line(laws={"packets": "32"}), "bad_laws", "law packets"),
    ("no first dealer", line(first_dealer=None), "bad_record", "first_dealer must be a text"),
    ("a strange dealer", line(first_dealer="elder"), "bad_record", "house or challenger"),
    ("deals an object", line(deals={}), "bad_record", "deals must be a list"),
    ("a deal a text", line(deals=["S"]), "bad_record", "deal 1 must be an object"),
    ("second deal null", line(deals=[DEAL, None]), "bad_record", "deal 2 must be an object"),
    ("no deck", line(deals=[{"dealer": "house"}]), "bad_record", "deal 1, deck is missing"),
    ("no dealer", deal(dealer=0), "bad_record", "deal 1, dealer must be a text"),
    ("a deck of numbers", deal(deck=[1]), "bad_record", "deal 1, deck must be a text"),
    ("no actions", deal(actions=None), "bad_record", "deal 1, actions must be a text"),
    ("a short deck", deal(deck=DECK[:-2]), "bad_deck", "62 characters"),
    ("a long deck", deal(deck=DECK + "KS"), "bad_deck", "66 characters"),
    ("a card twice", deal(deck="QS" + DECK[2:]), "bad_deck", "QS is repeated"),
    ("a strange card", deal(deck="6S" + DECK[2:]), "bad_deck", "'6S' is not a card"),
    ("small letters", deal(deck=DECK.lower()), "bad_deck", "is not a card"),
    ("a deck with spaces", deal(deck="KS  " + DECK[4:]), "bad_deck", "'  ' is not a card"),
    ("a game that is a number", line(game=7), "bad_record", "game must be a text"),
    ("players a list", line(players=[]), "bad_record", "players must be an object"),
    ("a player a number", line(players={"house": 1}), "bad_record", "players.house"),
    ("a result a list", line(result=[]), "bad_record", "result must be an object"),
    ("fairness a text", line(fairness="fair"), "bad_record", "fairness must be an object"),
]  # fmt: skip


@pytest.mark.parametrize(("bad", "code", "said"), [case[1:] for case in BAD],
                         ids=[case[0] for case in BAD])  # fmt: skip
def test_invalid_line_is_refused_with_reason(bad: str | bytes, code: str, said: str) -> None:
    error = refusal(bad)
    assert error.code == code
    assert any(part in error.text for part in said.split("|"))
    assert (error.deal, error.token) == (None, None)
    assert len(error.text) < 200 and "\n" not in error.text


@pytest.mark.parametrize("x", ["[" * 299 + "0" + "]" * 299, '{"a":' * 299 + "0" + "}" * 299,
                               "[" + "[{}]," * 999 + "0]"],
                         ids=["lists", "objects", "many"])  # fmt: skip
def test_nesting_limit_does_not_depend_on_python_version(x: str) -> None:
    read = ecarte.read_record(line(x=0)[:-2] + x + "}")
    assert json.loads(ecarte.write_record(read))["x"] == json.loads(x)


def test_record_can_be_built_from_code() -> None:
    written = ecarte.write_record(
        Record(Laws(target=7), HOUSE, (DealRecord(HOUSE, ecarte.PACK, "S C"),), "g")
    )
    value = json.loads(written)
    assert list(value) == ["egr", "game", "laws", "first_dealer", "deals"]
    assert value["laws"]["target"] == 7 and len(value["laws"]) == 7
    assert value["deals"] == [{**DEAL, "deck": DECK}]


GOLDEN = Path(__file__).parent.parent / "golden" / "deals.egr.jsonl"
GOOD_LINES = [line.encode() for line in GOLDEN.read_text("utf-8").splitlines()]
GOOD_LINES += [json.dumps(random_record(random.Random(seed))).encode() for seed in range(40)]
PIECES = [
    b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"0", b"-1", b"1e999", b"NaN", b"null",
    b"true", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\\ud83d", b"\x00", b"\n", b" ", b"K", b"KS",
    b"XKS", b"V", b"L7S", b"E8H", b"X??", b"??", b'"deals":', b'"laws":', b'{"a":' * 2000,
    b"9" * 5000,
]  # fmt: skip
PIECE = st.sampled_from(PIECES) | st.binary(max_size=3)
EDITS = st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 6), PIECE), min_size=1, max_size=4)
many = settings(max_examples=300)


def fault_of(line: str | bytes) -> RecordError | None:
    try:
        record = ecarte.read_record(line)
        found = ecarte.replay(record)
    except RecordError as error:
        return error
    assert len(found.deals) == len(record.deals)
    assert ecarte.read_record(ecarte.write_record(record).encode()) == record
    return None


def check_line(line: str | bytes) -> None:
    """Check that a line is valid or raises a `RecordError` with one short line of text."""
    error = fault_of(line)
    if error is not None:
        assert error.text and "\n" not in error.text and len(error.text) < 300
        assert error.token is None or error.deal is not None


@many
@given(st.sampled_from(GOOD_LINES), EDITS)
def test_line_with_corrupted_bytes_is_handled(
    line: bytes, edits: list[tuple[int, int, bytes]]
) -> None:
    for at, cut, piece in edits:
        place = at % (len(line) + 1)
        line = line[:place] + piece + line[place + cut :]
    check_line(line)
    check_line(line.decode("utf-8", "surrogateescape"))


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
    st.sampled_from(GOOD_LINES),
    st.lists(st.tuples(st.integers(0, 999), JSON), min_size=1, max_size=3),
)
def test_record_with_replaced_values_is_handled(line: bytes, edits: list[tuple[int, Any]]) -> None:
    record = json.loads(line)
    for at, value in edits:
        found = places(record)
        where, key = found[at % len(found)]
        where[key] = value
    check_line(json.dumps(record))


@many
@given(st.binary(max_size=200) | st.text(max_size=200))
@example(b"")
@example("\ud800")
@example(b"\xef\xbb\xbf{}")
@example("\ufeff{}")
@example('{"egr": 1, "laws": {}, "first_dealer": "house", "deals": [], "x": "\ud800"}')
@example('{"egr": 1, "laws": {}, "first_dealer": "house", "deals": [], "x": 1e999}')
@example('{"egr": 1, "laws": {}, "first_dealer": "house", "deals": [], "\\ud800": 1}')
def test_arbitrary_bytes_and_text_are_handled(line: str | bytes) -> None:
    check_line(line)


@many
@given(JSON)
def test_arbitrary_json_is_handled(value: Any) -> None:
    check_line(json.dumps(value))
    check_line(json.dumps({"egr": 1, "laws": {}, "first_dealer": "house", "deals": value}))
    check_line(json.dumps({"egr": 1, "laws": value, "first_dealer": "house", "deals": []}))
