"""Client addresses behind proxies: headers count only as far as a trusted proxy added them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from casino.web.server.wsgi import TrustedProxies
from tests.web.processes import until
from tests.web.raw_socket import RawSocket
from tests.web.server import FAST, LONG_BETTING, fetch, open_server

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
    environ = {"REMOTE_ADDR": peer, "HTTP_HOST": "inside:5000", "wsgi.url_scheme": "http"}
    environ |= {f"HTTP_X_FORWARDED_{name}": text for name, text in headers.items()}
    TRUSTED.apply(environ)
    return environ


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
    ("peer", "headers"),
    [
        ("127.0.0.1", {"PROTO": "gopher"}),
        ("127.0.0.1", {"HOST": "cards.example/evil"}),
        ("127.0.0.1", {"HOST": "a b"}),
        ("127.0.0.1", {"HOST": ""}),
        ("127.0.0.1", {"PREFIX": "casino"}),
        ("127.0.0.1", {"PREFIX": "//evil.example"}),
        ("127.0.0.1", {"PREFIX": "/<script>"}),
        ("192.0.2.1", {"FOR": "6.6.6.6", "PROTO": "https", "HOST": "b.example", "PREFIX": "/b"}),
    ],
)
def test_invalid_or_untrusted_headers_are_ignored(peer: str, headers: dict[str, str]) -> None:
    plain = {"REMOTE_ADDR": peer, "HTTP_HOST": "inside:5000", "wsgi.url_scheme": "http"}
    assert forwarded_environ(peer, **headers) == plain


def test_rate_limits_apply_to_the_real_address(tmp_path: Path) -> None:
    web = {"trusted_proxies": ["127.0.0.1"], "address_per_second": 1}
    with open_server(tmp_path / "casino.db", TABLES, web=web) as server:
        answers = []
        for visitor in (*(f"6.6.6.{n}, 192.0.2.7" for n in range(12)), "192.0.2.9"):
            with RawSocket(server.url, header=[f"X-Forwarded-For: {visitor}"]) as raw:
                answers.append(raw.frames[-1][:2])
        assert answers[-2:] == ["44", "40"]


PREFIX = "/casino"
NAMES = ("", "games", "account", "rules", "chart", "stats", "audit", "table/open")
ADDRESS = re.compile(r'(?:href|src|action)="([^"#?][^"]*)"')


def test_page_links_stay_below_the_path_prefix(tmp_path: Path) -> None:
    web = {"trusted_proxies": ["127.0.0.1"]}
    with open_server(tmp_path / "casino.db", {**TABLES, "fast": FAST}, web=web) as server:
        addresses: set[str] = set()
        games = until(lambda: fetch(server.url, "/api/games").json["games"])
        for name in (*NAMES, f"game/{games[0]['game']}"):
            text = fetch(server.url, f"/{name}", X_Forwarded_Prefix=PREFIX).text
            assert f'<meta name="casino-root" content="{PREFIX}">' in text
            addresses |= set(ADDRESS.findall(text))
        assert len(addresses) > 25
        assert [one for one in addresses if not one.startswith(f"{PREFIX}/")] == []
        for address in addresses:
            path = address.removeprefix(PREFIX).partition("#")[0]
            assert fetch(server.url, path, X_Forwarded_Prefix=PREFIX).status == 200, path
