"""Client addresses behind proxies: headers count only as far as a trusted proxy added them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import websocket

from casino.web.server.proxy import ProxyMiddleware, TrustedProxies
from tests.web.raw_socket import address
from tests.web.server import LONG_BETTING, open_server

TRUSTED = TrustedProxies(["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"])
TABLES: dict[str, dict[str, Any]] = {"open": LONG_BETTING}


@pytest.mark.parametrize(
    ("peer", "chain", "visitor"),
    [
        ("127.0.0.1", "192.0.2.7", "192.0.2.7"),
        ("127.0.0.1", "6.6.6.6, 192.0.2.7", "192.0.2.7"),
        ("127.0.0.1", "6.6.6.6, 192.0.2.7, 10.1.2.3", "192.0.2.7"),
        ("127.0.0.1", "10.9.9.9, 10.1.2.3", "10.9.9.9"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("127.0.0.1", "192.0.2.7, unknown", "127.0.0.1"),
        ("127.0.0.1", "192.0.2.7, 10.0.0.1 10.0.0.2", "127.0.0.1"),
        ("192.0.2.1", "6.6.6.6", "192.0.2.1"),
        ("2001:db8::1", "2001:db9::7", "2001:db9::7"),
        ("::ffff:10.0.0.1", "192.0.2.7", "192.0.2.7"),
        ("", "192.0.2.7", ""),
    ],
)
def test_client_address_is_the_last_untrusted_hop(peer: str, chain: str, visitor: str) -> None:
    assert TRUSTED.client_address(peer, chain) == visitor


def forwarded_environ(peer: str, **headers: str) -> dict[str, str]:
    heard: dict[str, str] = {}
    environ = {"REMOTE_ADDR": peer, "HTTP_HOST": "inside:5000", "wsgi.url_scheme": "http"}
    environ |= {f"HTTP_X_FORWARDED_{name}": text for name, text in headers.items()}
    ProxyMiddleware(lambda environ, _: heard.update(environ), TRUSTED)(environ, None)
    return heard


def test_a_trusted_proxy_sets_scheme_host_and_path() -> None:
    heard = forwarded_environ(
        "127.0.0.1", PROTO="http, https", HOST="cards.example", PREFIX="/casino"
    )
    assert heard == {
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_HOST": "cards.example",
        "wsgi.url_scheme": "https",
        "SCRIPT_NAME": "/casino",
    }


@pytest.mark.parametrize(
    "headers",
    [
        {"PROTO": "gopher"},
        {"HOST": "cards.example/evil"},
        {"HOST": "a b"},
        {"HOST": ""},
        {"PREFIX": "casino"},
        {"PREFIX": "//evil.example"},
        {"PREFIX": "/<script>"},
    ],
)
def test_invalid_forwarded_headers_are_ignored(headers: dict[str, str]) -> None:
    plain = {"REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "inside:5000", "wsgi.url_scheme": "http"}
    assert forwarded_environ("127.0.0.1", **headers) == plain


def test_headers_from_untrusted_peers_are_ignored() -> None:
    headers = {"FOR": "6.6.6.6", "PROTO": "https", "HOST": "evil.example", "PREFIX": "/evil"}
    plain = {"REMOTE_ADDR": "192.0.2.1", "HTTP_HOST": "inside:5000", "wsgi.url_scheme": "http"}
    assert forwarded_environ("192.0.2.1", **headers) == plain


def status(url: str, **headers: str) -> int:
    try:
        with urlopen(Request(url, headers=headers)) as answer:
            return int(answer.status)
    except HTTPError as error:
        with error:
            return error.code


def test_rate_limits_apply_to_the_real_address(tmp_path: Path) -> None:
    web = {"trusted_proxies": ["127.0.0.1"], "address_per_second": 1}
    with open_server(tmp_path / "casino.db", TABLES, web=web) as server:
        lies = [f"6.6.6.{n}, 192.0.2.7" for n in range(30)]
        codes = [status(f"{server.url}/healthz", **{"X-Forwarded-For": lie}) for lie in lies]
        assert codes[:10] == [200] * 10
        assert 429 in codes
        other = {"X-Forwarded-For": "192.0.2.8"}
        assert status(f"{server.url}/healthz", **other) == 200
        lines = [
            websocket_status(server.url, "192.0.2.7"),
            websocket_status(server.url, "192.0.2.9"),
        ]
        assert lines == ["rejected", "open"]


def websocket_status(url: str, visitor: str) -> str:
    """Open connections from an address; return whether the last one is open or rejected."""
    for _ in range(12):
        opened = websocket.create_connection(
            address(url), header=[f"X-Forwarded-For: {visitor}"], timeout=30
        )
        opened.recv()
        opened.send("40")
        answer = opened.recv()
        opened.shutdown()  # type: ignore[no-untyped-call]
        if visitor.endswith("9"):
            break
    return "open" if str(answer).startswith("40") else "rejected"


def test_pages_of_the_public_host_pass_the_origin_check(tmp_path: Path) -> None:
    web = {"trusted_proxies": ["127.0.0.1"]}
    with open_server(tmp_path / "casino.db", TABLES, web=web) as server:
        said = json.dumps({"name": "ann"}).encode()
        headers = {
            "Content-Type": "application/json",
            "Origin": "https://cards.example",
            "X-Forwarded-Host": "cards.example",
        }
        asked = Request(f"{server.url}/api/enter", data=said, headers=headers)
        with pytest.raises(HTTPError) as refused:
            urlopen(asked)
        with refused.value as answer:
            assert json.loads(answer.read())["reason"] == "old_page"
        asked.add_header("X-forwarded-host", "elsewhere.example")
        with pytest.raises(HTTPError) as refused:
            urlopen(asked)
        with refused.value as answer:
            assert json.loads(answer.read())["reason"] == "other_site"
