"""What the live pages weigh on the way to a browser, squeezed, everything counted once."""

from __future__ import annotations

import re
from urllib.parse import urljoin
from urllib.request import Request, urlopen

import pytest

from casino.web.i18n import LANGUAGES
from tests.web.doors import Doors

SCRIPTS_KIB, PAGE_KIB = 34, 120
MIN_SCRIPTS_KIB = 15
LATER = "socket.io"
"""What a live page's script loads once it runs; the same file for every page."""


def squeezed(url: str) -> tuple[int, str]:
    """How many bytes come over the line for an address, and what they say."""
    with urlopen(Request(url, headers={"Accept-Encoding": "gzip"})) as response:
        size = len(response.read())
    with urlopen(url) as response:
        return size, response.read().decode()


def wanted(url: str, text: str) -> set[str]:
    """What a page or a script asks for at once."""
    if url.endswith(".js"):
        names = re.findall(r'(?:from|import) ?["\']([./]\S+?)["\']', text)
        names += re.findall(rf'import\("([^"]*{re.escape(LATER)}[^"]*)"\)', text)
        return {urljoin(url, name) for name in names}
    return {urljoin(url, name) for name in re.findall(r'(?:src|href)="(/static/[^"]+)"', text)}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", ["table/open", ""])
def test_the_live_pages_are_light_in_every_language(doors: Doors, path: str, language: str) -> None:
    page = f"{doors.url}/{path}?lang={language}"
    weights: dict[str, int] = {}
    waiting = {page}
    named: set[str] = set()
    while waiting:
        url = waiting.pop()
        weights[url], text = squeezed(url)
        asked = wanted(url, text)
        named |= asked if url == page else set()
        waiting |= asked - weights.keys()
    later = {url for url in weights if LATER in url}
    scripts = {
        url: weights[url] for url in weights.keys() - later if url.endswith((".js", ".json"))
    }
    assert MIN_SCRIPTS_KIB << 10 <= sum(scripts.values()) <= SCRIPTS_KIB << 10
    assert sum(weights.values()) <= PAGE_KIB << 10
    assert set(scripts) <= named and len(later) == 1
