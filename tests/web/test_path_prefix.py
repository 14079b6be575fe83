"""A casino under a path prefix, behind a proxy that strips it and sends X-Forwarded-Prefix."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.request import Request, urlopen

from tests.web.server import LONG_BETTING, open_server

PREFIX = "/casino"
PAGES = (
    "/",
    "/games",
    "/account",
    "/rules",
    "/chart",
    "/stats",
    "/audit",
    "/table/open",
    "/game/g1",
)
ADDRESS = re.compile(r'(?:href|src|action)="([^"#?][^"]*)"')


def test_page_links_stay_below_the_path_prefix(tmp_path: Path) -> None:
    web = {"trusted_proxies": ["127.0.0.1"]}
    with open_server(tmp_path / "a.db", {"open": LONG_BETTING}, web=web) as server:

        def read(path: str) -> bytes:
            request = Request(server.url + path, headers={"X-Forwarded-Prefix": PREFIX})
            with urlopen(request) as response:
                body: bytes = response.read()
            return body

        addresses: set[str] = set()
        for page in PAGES:
            text = read(page).decode()
            assert f'<meta name="casino-root" content="{PREFIX}">' in text
            addresses |= set(ADDRESS.findall(text))
        assert len(addresses) > 25
        assert [one for one in addresses if not one.startswith(f"{PREFIX}/")] == []
        for address in addresses:
            read(address.removeprefix(PREFIX))
