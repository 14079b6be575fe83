"""JSON over HTTP: each address as described, each refusal with its status, nobody else's page."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from openapi_spec_validator import validate

from casino.client.client import CasinoClient
from casino.errors import Refused
from casino.ledger.ledger import open_log
from casino.ledger.tlog.note import PublicKey, open_checkpoint, verify_receipt
from casino.web.routes.api import ROUTES
from tests.web.doors import BETTING_FOR_EVER, PATIENCE, Doors, Visitor, open_doors

Visit = Callable[..., Visitor]
Told = dict[str, Any]

HTML = "text/html; charset=utf-8"


def asked(
    doors: Doors, method: str, path: str, body: Any = None, **headers: str
) -> tuple[HTTPResponse, bytes]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection = HTTPConnection(urlsplit(doors.url).netloc, timeout=PATIENCE)
    content = json.dumps(body) if body is not None else None
    if body is not None:
        named.setdefault("Content-Type", "application/json")
    connection.request(method, path, content, named)
    response = connection.getresponse()
    content_back = response.read()
    connection.close()
    return response, content_back


@pytest.fixture(scope="session")
def known(doors: Doors) -> Visitor:
    """A person with a bet on a game that is over and signed."""
    visitor = doors.visitor("known")
    visitor.join("fast")
    game = visitor.bet("fast", "known")["bet"]["game"]
    over = visitor.until(
        lambda: [e for e in visitor.events if e["type"] == "settled" and e["game"] == game]
    )
    visitor.wait_for("checkpoint", over[0]["version"])
    visitor.close()
    return visitor


def test_the_description_is_valid_and_complete(doors: Doors) -> None:
    served = json.loads(asked(doors, "GET", "/api/openapi.json")[1])
    validate(served)
    rules = {
        (re.sub("<(?:.*?:)?(.*?)>", r"{\1}", rule.rule), method.lower())
        for rule in doors.site.app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith("/api/") and rule.rule != "/api/openapi.json"
    }
    assert rules == {(path, method) for path, by in served["paths"].items() for method in by}


def test_every_answer_has_the_form_described(known: Visitor) -> None:
    game = known.get("/api/games?limit=1")["games"][0]["game"]
    bet = next(e for e in known.events if e["type"] == "bet_accepted" and e["player"] == "known")
    assert bet
    bodies: dict[str, Told] = {
        "/api/enter": {"name": "known"},
        "/api/limits": {"key": "day_loss_cents", "value": 10_000_000},
        "/api/password": {"new_password": "long enough"},
        "/api/leave": {},
        "/api/tables/fast/practice": {"number": "0" * 32, "actions": []},
        "/api/tables/fast/practice/hint": {"number": "0" * 32, "actions": []},
    }
    for address in sorted(ROUTES, key=lambda one: one.path == "/api/leave"):
        if address.path in ("/api/refill", "/api/open") or "/hosted" in address.path:
            # Only without chips, with a sealed text, or as a host: see test_refills, test_cutting
            # and test_hosting.
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
        ("GET", "/api/games?after=nothing", None, 404, "unknown_game"),
        ("GET", "/api/games?limit=0", None, 400, "bad_request"),
        ("GET", "/api/games?limit=many", None, 400, "bad_request"),
        ("GET", "/api/log?after=-2", None, 400, "bad_request"),
        ("GET", "/api/log?limit=1001", None, 400, "bad_request"),
        ("GET", "/api/receipts/none?player=ann", None, 404, "unknown_bet"),
        ("GET", "/api/receipts/none", None, 401, "not_entered"),
        ("GET", "/api/nothing", None, 404, "unknown_game"),
        ("POST", "/api/enter", {}, 400, "bad_request"),
        ("POST", "/api/enter", {"name": 5}, 400, "bad_request"),
        ("POST", "/api/enter", {"name": "a", "more": 1}, 400, "bad_request"),
        ("POST", "/api/enter", ["ann"], 400, "bad_request"),
        ("POST", "/api/enter", {"name": "novice"}, 409, "name_taken"),
        ("POST", "/api/enter", {"name": "x" * 40_000}, 413, "bad_request"),
        ("POST", "/api/limits", {"key": "day_loss_cents", "value": 1}, 401, "not_entered"),
        ("POST", "/api/tables", {}, 405, "bad_request"),
        ("GET", "/nothing", None, 404, "unknown_game"),
    ],
)
def test_a_refusal_has_a_code_and_a_fitting_status(
    doors: Doors, method: str, path: str, body: Any, status: int, code: str
) -> None:
    response, content = asked(doors, method, path, body)
    said = json.loads(content)
    assert (response.status, said["ok"], said["code"]) == (status, False, code)
    assert said["message"]


@pytest.mark.parametrize("path", ["/nothing", "/table/nowhere"])
def test_who_looks_for_a_page_that_is_not_there_is_shown_one(doors: Doors, path: str) -> None:
    response, content = asked(doors, "GET", path, Accept="text/html", Accept_Language="fr")
    assert (response.status, response.getheader("Content-Type")) == (404, HTML)
    assert 'lang="fr"' in content.decode()


def test_every_answer_is_guarded(doors: Doors) -> None:
    for path in ("/table/open", "/api/tables", "/nothing", "/healthz"):
        response, _ = asked(doors, "GET", path)
        policy = response.headers["Content-Security-Policy"]
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_a_window_is_kept_apart_where_the_browser_heeds_it(doors: Doors) -> None:
    for told, policy in (({}, None), ({"Sec_Fetch_Site": "none"}, "same-origin")):
        response, _ = asked(doors, "GET", "/", **told)
        assert response.headers["Cross-Origin-Opener-Policy"] == policy


def test_the_cookie_is_for_the_server_alone(doors: Doors) -> None:
    response, _ = asked(doors, "POST", "/api/enter", {"name": "cookie"})
    cookie = response.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Sec_Fetch_Site": "same-origin"},
        {"Content_Type": "text/plain"},
        {"Content_Type": "application/x-www-form-urlencoded"},
    ],
)
def test_another_sites_page_cannot_post(doors: Doors, headers: dict[str, str]) -> None:
    response, content = asked(doors, "POST", "/api/enter", {"name": "forged"}, **headers)
    assert response.status == 400
    assert json.loads(content)["code"] == "bad_request"


def test_a_page_posts_with_its_token(doors: Doors) -> None:
    page, html = asked(doors, "GET", "/table/open")
    cookie = page.headers["Set-Cookie"].partition(";")[0]
    found = re.search('name="csrf-token" content="([0-9a-f]+)"', html.decode())
    assert found
    headers = {"Origin": doors.url, "Sec_Fetch_Site": "same-origin", "Cookie": cookie}
    body = {"name": "paged"}
    response, _ = asked(doors, "POST", "/api/enter", body, **headers, X_CSRF_Token=found[1])
    assert response.status == 200
    response, _ = asked(doors, "POST", "/api/enter", body, **headers, X_CSRF_Token="0" * 64)
    assert response.status == 400


def test_names_are_escaped(doors: Doors) -> None:
    name = "<img src=x>&'\""
    client = CasinoClient(doors.url)
    client.enter(name)
    cookies = "; ".join(f"{one.name}={one.value}" for one in client._jar)
    _, html = asked(doors, "GET", "/table/open", Cookie=cookies)
    assert b"<img" not in html
    assert b"&lt;img src=x&gt;" in html


def test_a_password_opens_an_account_from_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with open_doors(path, {"open": BETTING_FOR_EVER}) as doors:
        CasinoClient(doors.url).enter("ann", "correct horse")
        assert CasinoClient(doors.url).enter("ann", "correct horse")["balance_cents"] == 100_000
        for wrong in (None, "battery staple"):
            with pytest.raises(Refused) as refusal:
                CasinoClient(doors.url).enter("ann", wrong)
            assert refusal.value.code == "name_taken"
    log = open_log(path)
    assert not any(b"argon2" in leaf.body for leaf in log.leaves())
    log.close()
    with open_doors(path, {"open": BETTING_FOR_EVER}) as doors:
        assert CasinoClient(doors.url).enter("ann", "correct horse")["name"] == "ann"


def test_opening_chips_are_granted_once(doors: Doors, visit: Visit) -> None:
    visitor = visit("again")
    visitor.bet("open", f"{visitor.name}-1")
    assert visitor.enter(str(visitor.name))["balance_cents"] == 98_500


def test_leaves_checkpoint_and_receipt_fit_together(known: Visitor) -> None:
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


def test_finished_games_are_listed_both_ways(known: Visitor) -> None:
    newest = [game["game"] for game in known.get("/api/games?limit=3")["games"]]
    last = newest[-1]
    after = [game["game"] for game in known.get(f"/api/games?after={last}&limit=2")["games"]]
    assert after == newest[-2::-1]
    before = known.get(f"/api/games?before={newest[0]}&limit=2")["games"]
    assert [game["game"] for game in before] == newest[1:]
    mine = known.get("/api/games?limit=2&table=fast")["games"]
    assert len(mine) == 2 and {game["table"] for game in mine} == {"fast"}
    newer, older = (game["game"] for game in mine)
    rest = known.get(f"/api/games?limit=1&table=fast&before={newer}")["games"]
    assert [game["game"] for game in rest] == [older]
    rest = known.get(f"/api/games?limit=1&table=fast&after={older}")["games"]
    assert [game["game"] for game in rest] == [newer]
    with pytest.raises(Refused):
        known.get(f"/api/games?table=open&after={older}")
    assert known.get("/api/games?table=none")["games"] == []


def test_the_file_of_a_tables_games_holds_each_as_its_own_address_does(known: Visitor) -> None:
    known.until(lambda: known.get("/api/games?table=fast")["games"])
    lines = known.read("/games/fast.jsonl").splitlines()
    games = [json.loads(line) for line in lines]
    assert [game["game"] for game in games] == [f"fast-{n:06}" for n in range(1, len(games) + 1)]
    assert {"ok": True, **games[0]} == known.get(f"/api/games/{games[0]['game']}")
    results = known.get("/api/statistics?table=fast")
    assert results["games"] + results["void"] >= len(games) > 0
    assert known.read("/games/none.jsonl") == b""


def test_files_are_kept_by_their_mark(doors: Doors) -> None:
    _, html = asked(doors, "GET", "/table/open")
    found = re.search(r"/static/css/base\+cards[+\w]*-[0-9A-Z]{8}\.css", html.decode())
    assert found
    plain, body = asked(doors, "GET", found[0])
    assert "immutable" in plain.headers["Cache-Control"]
    squeezed, small = asked(doors, "GET", found[0], Accept_Encoding="gzip")
    assert squeezed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(small) == body
    part, few = asked(doors, "GET", found[0], Range="bytes=10-19")
    assert (part.status, few) == (206, body[10:20])
    known = {"If_None_Match": plain.headers["ETag"]}
    assert asked(doors, "GET", found[0], **known)[0].status == 304
    assert asked(doors, "GET", "/static/../manifest.json")[0].status == 404
    assert asked(doors, "GET", "/static/js/tour.js")[0].status == 404
    old, script = asked(doors, "GET", "/static/js/tour-Xy_0-2aB.js")
    assert old.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert b"location.reload()" in script
