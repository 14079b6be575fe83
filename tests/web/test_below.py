"""The casino below a path of a site, behind a proxy that takes the path away and names it."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.request import Request, urlopen

from tests.web.doors import BETTING_FOR_EVER, open_doors

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


def test_every_address_of_a_page_lies_below_the_path(tmp_path: Path) -> None:
    web = {"trusted_proxies": ["127.0.0.1"]}
    with open_doors(tmp_path / "a.db", {"open": BETTING_FOR_EVER}, web=web) as doors:

        def read(path: str) -> bytes:
            request = Request(doors.url + path, headers={"X-Forwarded-Prefix": PREFIX})
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
