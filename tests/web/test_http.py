"""Hostile HTTP requests are refused, and never cause a server error."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from casino.client.client import CasinoClient
from casino.web.assets import templates_folder
from tests.web.server import LONG_BETTING, Server, cookie_of, fetch, now_ms, open_server

TABLES = {"open": LONG_BETTING}
ODD_BODIES = [
    b"",
    b"null",
    b"[]",
    b'"ann"',
    b"5",
    b"{",
    b'{"name": "ann"',
    b'{"name": "ann"} more',
    b'{"name": NaN}',
    b'{"name": Infinity}',
    b'{"name": ann}',
    b'{"name": "\\ud800"}',
    b'{"name": "\xff"}',
    b'{"name": "a\x00"}',
    b'{"name": "a\\u0000b"}',
    '{"name": "ann"}'.encode("utf-16"),
    b'\xef\xbb\xbf{"name": "ann"}',
    b'{"name": {"name": {"name": "ann"}}}',
    b'{"name": ["ann"]}',
    b'{"name": true}',
    b'{"name": 1e400}',
    b'{"name": ' + b"9" * 5_000 + b"}",
    b'{"name": ' + b"[" * 8_000 + b"]" * 8_000 + b"}",
    b'{"a":' * 2_700 + b"1" + b"}" * 2_700,
    b"[" * 16_000,
]


def test_invalid_json_bodies_are_bad_requests(server: Server) -> None:
    for body in ODD_BODIES:
        reply = fetch(server.url, "/api/enter", body)
        said = reply.status, reply.json["ok"], reply.json["code"]
        assert said == (400, False, "bad_request"), body[:24]
    for path in ("/api/leave", "/api/limits", "/api/password"):
        assert fetch(server.url, path, ODD_BODIES[-1]).status == 400


@pytest.mark.parametrize(
    "query",
    [
        "limit=1_0", "limit=%EF%BC%91%EF%BC%90", "limit=%D9%A1", "limit=%201", "limit=1%20",
        "limit=%2B1", "limit=1.0", "limit=1e1", "limit=0x1", "limit=", "limit=-",
        "limit=" + "9" * 5_000, "after=1_0", "after=--1",
    ],
)  # fmt: skip
def test_query_numbers_must_be_plain_digits(server: Server, query: str) -> None:
    assert fetch(server.url, f"/api/log?{query}").status == 400


@pytest.mark.parametrize("method", ["TRACE", "PUT", "DELETE", "PATCH", "PROPFIND", "NONSENSE"])
@pytest.mark.parametrize("path", ["/", "/api/tables", "/api/enter", "/healthz", "/api/log"])
def test_unsupported_methods_get_405_with_an_allow_header(
    server: Server, path: str, method: str
) -> None:
    reply = fetch(server.url, path, method=method)
    assert reply.status == 405
    assert ("POST" if path == "/api/enter" else "GET") in reply.headers["Allow"]


def allowed(server: Server, path: str) -> set[str]:
    return set(fetch(server.url, path, method="OPTIONS").headers["Allow"].split(", "))


def test_head_and_options_match_the_route(server: Server) -> None:
    for path in ("/", "/api/tables", "/healthz", "/readyz"):
        reply = fetch(server.url, path, method="HEAD")
        assert (reply.status, reply.body) == (200, b"")
        assert int(reply.headers.get("Content-Length", 0)) > 0
        assert allowed(server, path) == {"GET", "HEAD", "OPTIONS"}
    assert allowed(server, "/api/enter") == {"POST", "OPTIONS"}
    assert fetch(server.url, "/api/tables/nowhere", method="HEAD").status == 404


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://["},
        {"Origin": "http://[::1"},
        {"Content_Type": "application/json; charset=nonsense"},
        {"Cookie": "casino=" + "." * 4_000},
        {"Cookie": "casino=eyJrZXkiOjV9.aaaaaa.bbbbbb"},
        {"Accept_Language": "*;q=nonsense," * 50},
        {"Accept": "/" * 500},
        {"X_Forwarded_For": "nonsense, 5"},
        {"Host": "elsewhere"},
        {"If_Modified_Since": "yesterday"},
        {"Range": "bytes=9-1"},
    ],
    ids=str,
)
def test_odd_headers_cause_no_server_error(server: Server, headers: dict[str, str]) -> None:
    assert fetch(server.url, "/api/leave", b"{}", **headers).status in (200, 400)
    assert fetch(server.url, "/account", **headers).status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/api/receipts/%00?player=%00",
        "/api/receipts/" + "x" * 3_000 + "?player=" + "y" * 3_000,
        "/api/receipts/%ED%A0%80?player=a%2Fb",
        "/api/tables/%ED%A0%80",
        "/api/games/%00",
        "/api/games?before=%ED%A0%80",
        "/api/games?before=%00",
        "/static/x/..%2f..%2fconfig.toml",
        "/table/%00",
    ],
)
def test_unknown_resources_are_404(server: Server, path: str) -> None:
    assert fetch(server.url, path).status == 404


def test_every_route_is_rate_limited_by_address(tmp_path: Path) -> None:
    now = [now_ms()]
    few = {"address_per_second": 1, "trusted_proxies": ["127.0.0.1"]}
    paths = ("/", "/api/tables", "/nothing", "/static/x/icon.svg", "/healthz")
    with open_server(tmp_path / "a.db", TABLES, lambda: now[0], web=few) as server:
        for number, path in enumerate(paths):
            own = {"X_Forwarded_For": f"192.0.2.{number}"}
            found = [fetch(server.url, path, **own).status for _ in range(12)]
            assert found[10:] == [429, 429] and 429 not in found[:10]
            assert fetch(server.url, path, **own).json["code"] == "rate_limited"
            reply = fetch(server.url, path, **own, Accept="text/html")
            kind = "application/json" if path.startswith("/api/") else "text/html"
            assert (reply.status, reply.headers["Retry-After"]) == (429, "1")
            assert reply.headers["Content-Type"].startswith(kind)
            now[0] += 1_000
            assert fetch(server.url, path, **own).status != 429


def test_rate_limit_is_shared_by_a_players_browsers(tmp_path: Path) -> None:
    now = [now_ms()]
    few = {"person_per_second": 1}
    with open_server(tmp_path / "a.db", TABLES, lambda: now[0], web=few) as server:
        both = CasinoClient(server.url), CasinoClient(server.url)
        for browser in both:
            browser.enter("ann", "correct horse")
        cookies = [cookie_of(browser) for browser in both] * 6
        found = [fetch(server.url, "/api/me", Cookie=cookie).status for cookie in cookies]
        assert found == [200] * 10 + [429] * 2
        assert fetch(server.url, "/api/me").status == 401


def test_password_forms_use_post_and_every_dialog_has_a_name() -> None:
    for template in templates_folder().glob("*.html"):
        text = template.read_text("utf-8")
        for dialog in re.findall("<dialog.*?>", text):
            assert " aria-label" in dialog, (template, dialog)
        for form in re.findall("<form.*?</form>", text, re.DOTALL):
            head = form.partition(">")[0]
            assert 'type="password"' not in form or 'method="post"' in head, (template, head)


def test_game_link_preview_shows_the_result(server: Server) -> None:
    server.play("fast")
    game = fetch(server.url, "/api/games?limit=1").json["games"][0]
    described = re.compile('property="og:description" content="([^"]*)"')
    (about,) = described.findall(unescape(fetch(server.url, f"/game/{game['game']}").text))
    assert f" {game['score']['house']} : {game['score']['challenger']} " in about
    assert not set(about.split()) & {*game["players"].values()}, "bots have their names"
    assert not described.findall(fetch(server.url, "/game/t1-999999").text)
