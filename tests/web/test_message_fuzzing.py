"""Fuzzed socket messages: each one is answered, and none causes a server error."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casino.client.client import CasinoClient
from tests.web.raw_socket import RawSocket
from tests.web.server import FAST, LONG_BETTING, cookie_of, now_ms, open_server

TABLES = {"open": LONG_BETTING, "fast": {**FAST, "number": 2}}
CODES = {
    "bad_request", "unknown_table", "unknown_game", "betting_closed", "own_game", "below_minimum",
    "over_limit", "insufficient_chips", "id_reused", "stale_version", "not_your_turn",
    "illegal_action", "seat_taken", "already_sealed", "wrong_text", "not_locked", "cuts_full",
    "wrong_side",
}  # fmt: skip
MESSAGES = (
    "join", "leave", "cut", "open_cut", "place_bet", "start", "take_seat", "leave_seat",
    "act", "message", "constructor", "__init__", "",
)  # fmt: skip
FIELDS: dict[str, list[Any]] = {
    "table": ["open", "fast", "nowhere", "", "\ud800", "\u0000", "x" * 5_000, None, 5],
    "game": ["open-000001", "fast-000002", "\ud800", "", None],
    "since": [0, -1, 2**53, 2**53 + 1, 10**40, 1.0, 0.5, "0", True, None],
    "version": [0, 1, -1, 10**40, 1e300, "1", None],
    "bet_id": ["b1", "", "a/b", "\ud800", "é", "x" * 65, None],
    "side": ["house", "challenger", "HOUSE", "", 0, None],
    "unit_cents": [100, 500, 0, -100, 10**13, 10**40, 100.0, "100", True, None],
    "cover_cents": [0, -1, 10**40, None],
    "action": ["P", "S", "AH", "10H", "\ud800", "", "x" * 17, None],
    "text": ["cut", "", "\ud800", "\u0000", "x" * 201, None],
    "seal": ["00" * 32, "", "zz", "\ud800", None],
}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
KNOWN = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(values) | JSON for name, values in FIELDS.items()}
)


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawSocket]:
    """A visitor's connection to a casino whose clock runs fast, so that no rate limit applies."""
    ticks = count(now_ms(), 1_000)
    path = tmp_path_factory.mktemp("fuzz") / "a.db"
    with open_server(path, TABLES, lambda: next(ticks)) as server:
        client = CasinoClient(server.url)
        client.enter("ann")
        with RawSocket(server.url, cookie=cookie_of(client)) as raw:
            yield raw


# Threads of the server may use the module `random` while an example is drawn.
@pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")
@settings(
    max_examples=2 * settings().max_examples,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(message=st.sampled_from(MESSAGES), payload=KNOWN | JSON)
def test_every_fuzzed_message_gets_a_valid_reply(
    line: RawSocket, message: str, payload: Any
) -> None:
    answer = line.ask(message, payload)
    assert answer["ok"] is True or answer["code"] in CODES, answer
    line.frames.clear()
