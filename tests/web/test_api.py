"""The JSON API and messages match their models, refusals have a status, forged posts fail."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any, Literal

import pytest
from openapi_spec_validator import validate
from pydantic import TypeAdapter

from casino.client.client import CasinoClient
from casino.errors import Refused
from casino.ledger.tlog.note import PublicKey, open_checkpoint, verify_receipt
from casino.solver.evaluation.review import review_line
from casino.web.routes.api import ROUTES
from casino.web.schemas.messages import EVENTS, Event, You
from tests.web.server import JsonObject, Server, Visit, Visitor, cookie_of, fetch
from tools.message_types import FILE, types


@pytest.fixture(scope="session")
def known(server: Server) -> Visitor:
    """A player with a bet on a finished game that a checkpoint covers."""
    visitor = server.visitor("known")
    visitor.join("fast")
    game = visitor.bet("fast", "known")["bet"]["game"]
    settled = visitor.wait_for("settled", game=game)
    visitor.wait_for("checkpoint", settled["version"])
    visitor.close()
    return visitor


def test_openapi_description_is_valid_and_lists_every_route(server: Server) -> None:
    served = fetch(server.url, "/api/openapi.json").json
    validate(served)
    rules = {
        (re.sub("<(?:.*?:)?(.*?)>", r"{\1}", rule.rule), method.lower())
        for rule in server.site.app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith("/api/") and rule.rule != "/api/openapi.json"
    }
    assert rules == {(path, method) for path, by in served["paths"].items() for method in by}


def test_every_response_matches_its_model(known: Visitor) -> None:
    game = known.get("/api/games?limit=1")["games"][0]["game"]
    bodies: dict[str, JsonObject] = {
        "/api/enter": {"name": "known"},
        "/api/limits": {"key": "day_loss_cents", "value": 10_000_000},
        "/api/password": {"new_password": "long enough"},
        "/api/leave": {},
        "/api/tables/fast/practice": {"number": "0" * 32, "actions": []},
        "/api/tables/fast/practice/hint": {"number": "0" * 32, "actions": []},
    }
    for address in sorted(ROUTES, key=lambda one: one.path == "/api/leave"):
        if address.path == "/api/refill" or "/hosted" in address.path:
            # Only without chips or as a host: see test_refills and test_hosting.
            continue
        path = address.path.format(table="fast", game=game, bet="known", player="known")
        path += "?hand=7HKCQCJC7S&turn_up=8H" if path == "/api/chart" else ""
        answer = known.get(path) if address.body is None else known.post(path, bodies[path])
        address.answer.model_validate_json(json.dumps(answer))


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/api/me", None, 401, "not_entered"),
        ("GET", "/api/statement", None, 401, "not_entered"),
        ("GET", "/api/tables/nowhere", None, 404, "unknown_table"),
        ("GET", "/api/games/fast-999999", None, 404, "unknown_game"),
        ("GET", "/api/games?before=nothing", None, 404, "unknown_game"),
        ("GET", "/api/games?limit=0", None, 400, "bad_request"),
        ("GET", "/api/log?after=-2", None, 400, "bad_request"),
        ("GET", "/api/log?limit=1001", None, 400, "bad_request"),
        ("GET", "/api/receipts/none?player=ann", None, 404, "unknown_bet"),
        ("GET", "/api/receipts/none", None, 401, "not_entered"),
        ("GET", "/api/nothing", None, 404, "unknown_address"),
        ("POST", "/api/enter", {}, 400, "bad_request"),
        ("POST", "/api/enter", {"name": "a", "more": 1}, 400, "bad_request"),
        ("POST", "/api/enter", {"name": "Maître Hubert"}, 409, "name_taken"),
        ("POST", "/api/enter", {"name": "x" * 40_000}, 413, "bad_request"),
        ("POST", "/api/limits", {"key": "day_loss_cents", "value": 1}, 401, "not_entered"),
        ("POST", "/api/tables", {}, 405, "bad_request"),
        ("GET", "/nothing", None, 404, "unknown_address"),
    ],
)
def test_refusals_have_a_code_and_a_matching_status(
    server: Server, method: str, path: str, body: Any, status: int, code: str
) -> None:
    reply = fetch(server.url, path, body, method)
    assert (reply.status, reply.json["ok"], reply.json["code"]) == (status, False, code)
    assert reply.json["message"]


@pytest.mark.parametrize("path", ["/nothing", "/table/nowhere", "/overlay/nowhere", "/game/no-1"])
def test_missing_pages_get_a_translated_html_404(server: Server, path: str) -> None:
    reply = fetch(server.url, path, Accept="text/html", Accept_Language="fr")
    assert (reply.status, reply.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert 'lang="fr"' in reply.text and "<h1>" in reply.text
    assert ('class="button" href="/games"' in reply.text) == path.startswith("/game/")


def test_every_response_has_security_headers(server: Server) -> None:
    for path in ("/table/open", "/api/tables", "/nothing", "/healthz"):
        headers = fetch(server.url, path).headers
        policy = headers["Content-Security-Policy"]
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Content_Type": "text/plain"},
        {"Content_Type": "application/x-www-form-urlencoded"},
    ],
)
def test_forged_posts_are_refused(server: Server, headers: dict[str, str]) -> None:
    reply = fetch(server.url, "/api/enter", {"name": "forged"}, **headers)
    assert (reply.status, reply.json["code"]) == (400, "bad_request")


def test_player_names_are_escaped_in_html(server: Server) -> None:
    name = "<img src=x>&'\""
    client = CasinoClient(server.url)
    client.enter(name)
    html = fetch(server.url, "/table/open", Cookie=cookie_of(client)).text
    assert "<img" not in html
    assert "&lt;img src=x&gt;" in html


def test_log_leaves_match_checkpoint_and_receipt(known: Visitor) -> None:
    signed = known.get("/api/checkpoint")
    key = PublicKey.parse(signed["key"])
    assert open_checkpoint(signed["checkpoint"], key).size == signed["size"]
    first = known.get("/api/log?limit=2")
    assert [leaf["n"] for leaf in first["leaves"]] == [0, 1]
    assert json.loads(base64.b64decode(first["leaves"][0]["leaf"]))["type"] == "log_opened"
    assert known.get("/api/log?after=0&limit=1")["leaves"][0] == first["leaves"][1]
    text = known.get("/api/receipts/known?player=known")["receipt"]
    receipt, _ = verify_receipt(text, key)
    leaf = known.get(f"/api/log?after={receipt.leaf_index - 1}&limit=1")["leaves"][0]
    assert base64.b64decode(leaf["leaf"]) == receipt.leaf


def test_finished_games_are_paged_from_the_newest(known: Visitor) -> None:
    newest = [game["game"] for game in known.get("/api/games?limit=3")["games"]]
    before = known.get(f"/api/games?before={newest[0]}&limit=2")["games"]
    assert [game["game"] for game in before] == newest[1:]
    mine = known.get("/api/games?limit=2&table=fast")["games"]
    assert len(mine) == 2 and {game["table"] for game in mine} == {"fast"}
    newer, older = (game["game"] for game in mine)
    rest = known.get(f"/api/games?limit=1&table=fast&before={newer}")["games"]
    assert [game["game"] for game in rest] == [older]
    with pytest.raises(Refused):
        known.get(f"/api/games?table=open&before={older}")
    assert known.get("/api/games?table=none&before=")["games"] == []


def test_games_download_matches_single_game_responses(known: Visitor) -> None:
    known.until(lambda: known.get("/api/games?table=fast")["games"])
    lines = known.read("/games/fast.jsonl").splitlines()
    games = [json.loads(line) for line in lines]
    assert [game["game"] for game in games] == [f"fast-{n:06}" for n in range(1, len(games) + 1)]
    assert {"ok": True, **games[0]} == known.get(f"/api/games/{games[0]['game']}")
    results = known.get("/api/statistics?table=fast")
    assert results["games"] + results["void"] >= len(games) > 0
    assert known.read("/games/none.jsonl") == b""


def test_hashed_static_files_are_cached_and_compressed(server: Server) -> None:
    (address,) = re.findall(
        r"/static/css/base\+cards[+\w]*-[0-9A-Z]{8}\.css", fetch(server.url, "/table/open").text
    )
    plain = fetch(server.url, address)
    assert "immutable" in plain.headers["Cache-Control"]
    squeezed = fetch(server.url, address, Accept_Encoding="gzip")
    assert squeezed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(squeezed.body) == plain.body
    part = fetch(server.url, address, Range="bytes=10-19")
    assert (part.status, part.body) == (206, plain.body[10:20])
    assert fetch(server.url, address, If_None_Match=plain.headers["ETag"]).status == 304
    assert fetch(server.url, "/static/../manifest.json").status == 404
    assert fetch(server.url, "/static/js/tour.js").status == 404
    old = fetch(server.url, "/static/js/tour-Xy_0-2aB.js")
    assert old.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert b"location.reload()" in old.body


def test_game_review_matches_its_record(server: Server, visit: Visit) -> None:
    visitor = visit()
    server.play("fast")
    game = visitor.get("/api/games?limit=1")["games"][0]["game"]
    told = visitor.get(f"/api/games/{game}/review")
    assert told == visitor.get(f"/api/games/{game}/review")
    record = visitor.get(f"/api/games/{game}")["record"]
    expected = review_line(json.dumps(record), 64)
    assert {key: told[key] for key in expected} == expected
    assert told["decisions"] and told["game"] == game


ROOT = Path(__file__).parent.parent.parent
BROADCASTER = "casino/web/broadcast/broadcaster.py"
KIND = re.compile(r'"type": "(\w+)"')


def test_messages_validate_against_their_models(visit: Visit) -> None:
    visitor = visit("reader")
    visitor.join("fast")
    visitor.wait_for("settled")
    visitor.wait_for("deal_over", since=visitor.events[-1]["version"])
    visitor.join("seat")
    visitor.request("take_seat", table="seat")
    visitor.wait_for("dealt", table="seat")
    visitor.request("leave_seat", table="seat")
    for table in ("open", "fast", "slow", "seat"):
        visitor.join(table)  # which checks the snapshot
    heard: dict[Any, list[JsonObject]] = {
        Event: list(visitor.events),
        You: [you for you in visitor.yous if "table" in you],
    }
    assert len(heard[Event]) >= 20 and len(heard[You]) >= 2
    for model, messages in heard.items():
        for message in messages:
            TypeAdapter(model).validate_json(json.dumps(message))


def test_event_models_match_the_message_types_in_use() -> None:
    makers = [*sorted((ROOT / "casino" / "table").rglob("*.py")), ROOT / BROADCASTER]
    made = {kind for path in makers for kind in KIND.findall(path.read_text("utf-8"))}
    assert {event.model_fields["type"].annotation for event in EVENTS} == {Literal[m] for m in made}


def test_script_types_are_generated_from_the_models() -> None:
    assert FILE.read_text("utf-8") == types(), "run python -m tools.message_types"
