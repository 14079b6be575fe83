"""Socket handlers: replies in order with events, one account in many tabs, invalid messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from socket import socketpair
from types import SimpleNamespace
from typing import Any

import gevent
import pytest
from gevent.socket import wait_read
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casino.client.client import CasinoClient
from casino.fairness import commitment_to, make_contribution
from casino.web.broadcast import broadcaster
from casino.web.sockets.handlers import MESSAGE_RATE
from tests.table.naive_client import NOTICES
from tests.web.raw_socket import RawSocket
from tests.web.server import (
    FAST,
    LONG_BETTING,
    TIMEOUT_SECONDS,
    JsonObject,
    Recorder,
    Server,
    Visit,
    Visitor,
    cookie_of,
    now_ms,
    open_server,
    same_session,
)


def versions(raw: RawSocket) -> list[int]:
    told = [json.loads(text[2:])[1] for text in raw.frames if text.startswith('42["event"')]
    return [event["version"] for event in told if event["type"] not in NOTICES]


def test_a_reply_never_overtakes_an_event(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server.site.broadcaster.flush_queue, "at_once", 1)
    slowly = SimpleNamespace(**{**vars(gevent), "sleep": lambda _: gevent.sleep(0.002)})
    monkeypatch.setattr(broadcaster, "gevent", slowly)
    with ExitStack() as stack:
        crowd = [stack.enter_context(RawSocket(server.url)) for _ in range(12)]
        start = [raw.ask("join", {"table": "fast"})["version"] for raw in crowd]
        while len(versions(crowd[0])) < 60:
            for raw, since in zip(crowd, start, strict=True):
                server.step("fast")
                answer = raw.ask("join", {"table": "fast", "since": since})
                assert answer["version"] == max([since, *versions(raw)])
        for raw, since in zip(crowd, start, strict=True):
            heard = versions(raw)
            assert heard == list(range(since + 1, since + 1 + len(heard)))


def test_incoming_data_is_handled_during_a_broadcast(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.site.broadcaster.flush_queue, "at_once", 1)
    spoken, heard = socketpair()
    still_untold: Future[int] = Future()

    def listen() -> None:
        wait_read(heard.fileno())
        still_untold.set_result(len(server.site.broadcaster.flush_queue.waiting))

    def tell() -> None:
        gevent.spawn(listen)
        gevent.sleep(0)
        spoken.send(b"!")
        server.site.broadcaster.send("open", "said", {})

    with ExitStack() as stack, spoken, heard:
        for raw in [stack.enter_context(RawSocket(server.url)) for _ in range(12)]:
            raw.ask("join", {"table": "open"})
        server.casino.backend.bridge.post(gevent.spawn, tell)
        assert still_untold.result(TIMEOUT_SECONDS) > 0


@pytest.mark.parametrize("table", ["open", "dear"])
def test_two_tabs_share_one_account(visit: Visit, table: str) -> None:
    first = visit("tabs")
    second = same_session(first, first.url)
    second.join(table)
    bet = first.bet("open", "tab-bet")
    told = second.until(lambda: [y for y in second.yous if y["balance_cents"] is not None])
    assert (told[-1]["table"], told[-1]["balance_cents"]) == (table, bet["balance_cents"])
    assert [one["unit_cents"] for one in second.get("/api/me")["bets"]] == [500]
    again = second.bet("open", "tab-bet")
    assert again["bet"] == bet["bet"]
    second.close()


def test_a_player_whose_last_tab_closes_is_absent_until_they_return(
    server: Server, visit: Visit
) -> None:
    leaver, lost_at = visit("leaver"), server.house.runner("open")._lost_at
    second = same_session(leaver, leaver.url)
    leaver.close()
    assert second.get("/api/me")["name"] == leaver.name not in lost_at
    second.close()
    observer = visit()
    observer.until(lambda: leaver.name in lost_at)
    third = same_session(leaver, leaver.url)
    observer.until(lambda: leaver.name not in lost_at)
    third.close()


def test_signing_in_updates_all_open_tabs(visit: Visit) -> None:
    first = visit("early")
    tab = same_session(first, first.url)
    assert tab.join("open")["you"]["name"] == first.name
    first.enter(f"{first.name}.later")
    assert tab.until(lambda: tab.join("open")["you"]["name"] == f"{first.name}.later")
    tab.close()


def test_a_client_cannot_act_for_another_player(visit: Visit) -> None:
    one, other = visit("one"), visit("other")
    one.join("open")
    other.join("open")
    one.bet("open", f"{one.name}-bet")
    one.until(lambda: one.yous)
    assert not other.yous
    for field in ("name", "player"):
        assert other.refused("place_bet", **BET, **{field: one.name}) == "bad_request"
    assert other.get("/api/me")["bets"] == []


def test_a_cookie_with_a_false_signature_is_ignored(visit: Visit) -> None:
    honest = visit("honest")
    forger = visit()
    (cookie,) = [one for one in honest._jar if one.name == "casino"]
    forger._jar.set_cookie(cookie)
    assert forger.get("/api/me")["name"] == honest.name
    body, _, signature = str(cookie.value).rpartition(".")
    cookie.value = f"{body}.{signature[::-1]}"
    forger.close()
    forger.connect()
    assert forger.refused("take_seat", table="seat") == "not_entered"


BET: JsonObject = {
    "table": "open", "game": "open-000001", "bet_id": "b", "side": "house", "unit_cents": 500,
}  # fmt: skip
WRONG: list[tuple[str, Any, str]] = [
    ("join", {}, "bad_request"),
    ("join", {"table": 7}, "bad_request"),
    ("join", {"table": "open", "since": -1}, "bad_request"),
    ("join", {"table": "open", "since": True}, "bad_request"),
    ("join", {"table": "open", "more": 1}, "bad_request"),
    ("join", ["open"], "bad_request"),
    ("join", None, "bad_request"),
    ("leave", "open", "bad_request"),
    ("place_bet", {"table": "open"}, "bad_request"),
    ("place_bet", {**BET, "side": "bank"}, "bad_request"),
    ("place_bet", {**BET, "bet_id": ""}, "bad_request"),
    ("place_bet", {**BET, "bet_id": "enter/ann"}, "bad_request"),
    ("place_bet", {**BET, "unit_cents": 5.5}, "bad_request"),
    ("place_bet", {**BET, "table": "nowhere"}, "unknown_table"),
    ("place_bet", {**BET, "game": "open-999999", "bet_id": "c"}, "unknown_game"),
    ("cut", {"table": "open", "game": "g", "seal": 5}, "bad_request"),
    ("take_seat", {"table": "open", "cover_cents": 0.5}, "bad_request"),
    ("act", {"table": "open", "version": "1", "action": "P"}, "bad_request"),
    ("act", {"table": "open", "version": 1, "action": "ZZ"}, "illegal_action"),
    ("say", {"table": "open", "phrase": "your mother"}, "bad_request"),
    ("say", {"table": "open", "phrase": "thanks", "text": "and more"}, "bad_request"),
    ("say", {"table": "nowhere", "phrase": "thanks"}, "unknown_table"),
]


def test_invalid_messages_are_refused(visit: Visit) -> None:
    visitor = visit("careless")
    for message, payload, code in WRONG:
        answer = visitor.line.call(message, payload, timeout=TIMEOUT_SECONDS)
        assert (answer["ok"], answer["code"]) == (False, code), (message, payload)
        assert answer["message"]


def test_anonymous_visitors_can_only_watch(visit: Visit) -> None:
    stranger = visit()
    bet = {**BET, "game": stranger.game("open")}
    for message, payload in (
        ("place_bet", bet),
        ("cut", {"table": "open", "game": bet["game"], "seal": "0" * 64}),
        ("take_seat", {"table": "open"}),
        ("leave_seat", {"table": "open"}),
        ("act", {"table": "open", "version": 1, "action": "P"}),
        ("say", {"table": "open", "phrase": "applause"}),
    ):
        assert stranger.refused(message, **payload) == "not_entered", message


def test_too_many_messages_are_rate_limited(tmp_path: Path) -> None:
    now = [now_ms()]
    with open_server(tmp_path / "a.db", {"open": LONG_BETTING}, lambda: now[0]) as server:
        visitor = server.visitor("flood")
        codes = [visitor.refused("leave", table="open") for _ in range(MESSAGE_RATE.most + 2)]
        assert codes == ["ok"] * MESSAGE_RATE.most + ["rate_limited"] * 2
        now[0] += 1_000
        assert visitor.refused("leave", table="open") == "ok"


def test_a_phrase_reaches_the_watchers_of_its_table_only(visit: Visit) -> None:
    speaker, guest, elsewhere = visit("speaker"), visit(), visit()
    near, far = Recorder(guest, "said"), Recorder(elsewhere, "said")
    speaker.join("open")
    guest.join("open")
    elsewhere.join("slow")
    size = guest.get("/api/log?limit=1")["size"]
    version = guest.get("/api/tables/open")["version"]
    speaker.request("say", table="open", phrase="well_played")
    heard = near.until(1)
    assert heard == [{"table": "open", "player": speaker.name, "phrase": "well_played"}]
    speaker.request("say", table="slow", phrase="applause")
    assert far.until(1)[0]["phrase"] == "applause"
    assert len(near.heard) == 1
    assert guest.get("/api/tables/open")["version"] == version
    leaves = guest.get(f"/api/log?limit=1000&after={size - 1}")["leaves"]
    assert not any("well_played" in str(leaf) for leaf in leaves)


def text_of(visitor: Visitor) -> str:
    return make_contribution("♠ ", str(visitor.name).encode().ljust(16, b"\0")[:16])


def bet_sealed(visitor: Visitor, game: str, side: str) -> None:
    seal = commitment_to(game, str(visitor.name), text_of(visitor))
    bet: dict[str, Any] = {"bet_id": f"{game}.b", "side": side, "unit_cents": 500, "seal": seal}
    visitor.request("place_bet", table="slow", game=game, **bet)


def wait_for_event(visitor: Visitor, kind: str, game: str) -> None:
    """Step the table until an event of a type in a game."""

    def events() -> list[Any]:
        return [e for e in visitor.events if (e["type"], e.get("game")) == (kind, game)]

    visitor.play_until("slow", events)


def test_each_bettor_learns_whether_their_text_counted(server: Server, visit: Visit) -> None:
    visitors = fay, gus, hal = visit("nina"), visit("otis"), visit("hugo")
    for visitor in visitors:
        visitor.join("slow")
    server.new_book("slow")
    game = server.game_at("slow")
    bet_sealed(fay, game, "house")
    bet_sealed(gus, game, "challenger")
    wait_for_event(fay, "book_locked", game)

    def words(visitor: Visitor) -> list[str]:
        return [y["text"] for y in visitor.yous if y.get("game") == game and y["text"]]

    fay.request("open_cut", table="slow", game=game, text=text_of(fay))
    fay.until(lambda: "opened" in words(fay))
    wait_for_event(fay, "betting_closed", game)
    fay.until(lambda: "counted" in words(fay))
    gus.until(lambda: "missed" in words(gus))
    assert list(dict.fromkeys(words(fay))) == ["sealed", "opened", "counted"]
    assert list(dict.fromkeys(words(gus))) == ["sealed", "missed"]
    assert words(hal) == []
    assert gus.join("slow")["you"]["text"] in ("missed", "")


# --- fuzzed messages: each one is answered, and none causes a server error

FUZZED_TABLES = {"open": LONG_BETTING, "fast": {**FAST, "number": 2}}
CODES = {
    "bad_request", "unknown_table", "unknown_game", "betting_closed", "own_game", "below_minimum",
    "over_limit", "insufficient_chips", "id_reused", "stale_version", "not_your_turn",
    "illegal_action", "seat_taken", "already_sealed", "wrong_text", "not_locked", "cuts_full",
    "wrong_side",
}  # fmt: skip
FUZZED_MESSAGES = (
    "join", "leave", "cut", "open_cut", "place_bet", "start", "take_seat", "leave_seat",
    "act", "message", "constructor", "__init__", "",
)  # fmt: skip
FUZZED_FIELDS: dict[str, list[Any]] = {
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
    {}, optional={name: st.sampled_from(values) | JSON for name, values in FUZZED_FIELDS.items()}
)


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawSocket]:
    """A visitor's connection to a casino whose clock runs fast, so that no rate limit applies."""
    ticks = count(now_ms(), 1_000)
    path = tmp_path_factory.mktemp("fuzz") / "a.db"
    with open_server(path, FUZZED_TABLES, lambda: next(ticks)) as server:
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
@given(message=st.sampled_from(FUZZED_MESSAGES), payload=KNOWN | JSON)
def test_every_fuzzed_message_gets_a_valid_reply(
    line: RawSocket, message: str, payload: Any
) -> None:
    answer = line.ask(message, payload)
    assert answer["ok"] is True or answer["code"] in CODES, answer
    line.frames.clear()
