"""Hostile HTTP requests are refused, and never cause a server error."""

from __future__ import annotations

import json
import re
from html import unescape
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from casino.client.client import CasinoClient
from casino.web.assets import templates_folder
from tests.web.server import LONG_BETTING, Server, now_ms, open_server

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
    b'{"name": "ann", "name": "ben"}',
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


def send_request(
    server: Server, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, dict[str, str], Any]:
    """Send a request; return the response's status, headers and JSON."""
    connection = HTTPConnection(urlsplit(server.url).netloc, timeout=30)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if body is not None:
        named.setdefault("Content-Type", "application/json")
    connection.request(method, path, body, named)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    is_json = (response.headers["Content-Type"] or "").startswith("application/json")
    said = json.loads(content) if content and is_json else None
    return response.status, dict(response.headers), said


def test_invalid_json_bodies_are_bad_requests(server: Server) -> None:
    for body in ODD_BODIES:
        status, _, said = send_request(server, "POST", "/api/enter", body)
        assert (status, said["ok"], said["code"]) == (400, False, "bad_request"), body[:24]
    for path in ("/api/leave", "/api/limits", "/api/password"):
        assert send_request(server, "POST", path, ODD_BODIES[-1])[0] == 400


@pytest.mark.parametrize(
    "query",
    [
        "limit=1_0",
        "limit=%EF%BC%91%EF%BC%90",
        "limit=%D9%A1",
        "limit=%201",
        "limit=1%20",
        "limit=%2B1",
        "limit=1.0",
        "limit=1e1",
        "limit=0x1",
        "limit=",
        "limit=-",
        "limit=" + "9" * 5_000,
        "after=1_0",
        "after=--1",
    ],
)
def test_query_numbers_must_be_plain_digits(server: Server, query: str) -> None:
    assert send_request(server, "GET", f"/api/log?{query}")[0] == 400


@pytest.mark.parametrize("method", ["TRACE", "PUT", "DELETE", "PATCH", "PROPFIND", "NONSENSE"])
@pytest.mark.parametrize("path", ["/", "/api/tables", "/api/enter", "/healthz", "/api/log"])
def test_unsupported_methods_get_405_with_an_allow_header(
    server: Server, path: str, method: str
) -> None:
    status, headers, _ = send_request(server, method, path)
    assert status == 405
    assert ("POST" if path == "/api/enter" else "GET") in headers["Allow"].replace(" ", "")


def test_head_and_options_match_the_route(server: Server) -> None:
    for path in ("/", "/api/tables", "/healthz", "/readyz"):
        status, headers, said = send_request(server, "HEAD", path)
        assert (status, said) == (200, None)
        assert int(headers.get("Content-Length", 0)) > 0
        status, headers, _ = send_request(server, "OPTIONS", path)
        assert status == 200
        assert set(headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}
    assert set(send_request(server, "OPTIONS", "/api/enter")[1]["Allow"].split(", ")) == {
        "POST",
        "OPTIONS",
    }
    assert send_request(server, "HEAD", "/api/tables/nowhere")[0] == 404


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://["},
        {"Origin": "http://[::1"},
        {"Sec_Fetch_Site": "same-origin", "X_CSRF_Token": "é"},
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
    assert send_request(server, "POST", "/api/leave", b"{}", **headers)[0] in (200, 400)
    assert send_request(server, "GET", "/account", None, **headers)[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        "/api/receipts/none?player=ann",
        "/api/receipts/%00?player=%00",
        "/api/receipts/" + "x" * 3_000 + "?player=" + "y" * 3_000,
        "/api/receipts/%ED%A0%80?player=a%2Fb",
        "/api/tables/%ED%A0%80",
        "/api/games/%00",
        "/api/games?after=%ED%A0%80",
        "/api/games?before=%00",
        "/static/x/..%2f..%2fconfig.toml",
        "/table/%00",
    ],
)
def test_unknown_resources_are_404(server: Server, path: str) -> None:
    assert send_request(server, "GET", path)[0] == 404


def test_every_route_is_rate_limited_by_address(tmp_path: Path) -> None:
    now = [now_ms()]
    few = {"address_per_second": 1, "trusted_proxies": ["127.0.0.1"]}
    paths = ("/", "/api/tables", "/nothing", "/static/x/icon.svg", "/healthz")
    with open_server(tmp_path / "a.db", TABLES, lambda: now[0], web=few) as server:
        for number, path in enumerate(paths):
            own = {"X_Forwarded_For": f"192.0.2.{number}"}
            found = [send_request(server, "GET", path, None, **own)[0] for _ in range(12)]
            assert found[10:] == [429, 429] and 429 not in found[:10]
            status, headers, said = send_request(server, "GET", path, None, **own)
            assert (status, headers["Retry-After"], said["code"]) == (429, "1", "rate_limited")
            status, headers, _ = send_request(server, "GET", path, None, **own, Accept="text/html")
            kind = "application/json" if path.startswith("/api/") else "text/html"
            assert (status, headers["Retry-After"]) == (429, "1")
            assert headers["Content-Type"].startswith(kind)
            now[0] += 1_000
            assert send_request(server, "GET", path, None, **own)[0] != 429


def test_rate_limit_is_shared_by_a_players_browsers(tmp_path: Path) -> None:
    now = [now_ms()]
    few = {"person_per_second": 1}
    with open_server(tmp_path / "a.db", TABLES, lambda: now[0], web=few) as server:
        both = CasinoClient(server.url), CasinoClient(server.url)
        for browser in both:
            browser.enter("ann", "correct horse")
        cookies = ["; ".join(f"{c.name}={c.value}" for c in one._jar) for one in both]
        found = [
            send_request(server, "GET", "/api/me", Cookie=cookies[n % 2])[0] for n in range(12)
        ]
        assert found == [200] * 10 + [429] * 2
        assert send_request(server, "GET", "/api/me")[0] == 401


def test_password_forms_use_post() -> None:
    for template in templates_folder().glob("*.html"):
        for form in re.findall("<form.*?</form>", template.read_text("utf-8"), re.DOTALL):
            head = form.partition(">")[0]
            assert 'type="password"' not in form or 'method="post"' in head, (template, head)


def test_game_link_preview_shows_the_result(server: Server) -> None:
    server.play("fast")
    game = send_request(server, "GET", "/api/games?limit=1")[2]["games"][0]
    described = re.compile('property="og:description" content="([^"]*)"')
    with urlopen(f"{server.url}/game/{game['game']}") as response:
        (about,) = described.findall(unescape(response.read().decode()))
    assert f" {game['score']['house']} : {game['score']['challenger']} " in about
    assert not set(about.split()) & {*game["players"].values()}, "bots have their names"
    with urlopen(f"{server.url}/game/t1-999999") as response:
        assert not described.findall(response.read().decode())
