"""Transfer sizes of the live pages: compressed, each file counted once."""

from __future__ import annotations

import re
from urllib.parse import urljoin

import pytest

from casino.web.i18n import LANGUAGES
from tests.web.server import Server, fetch

SCRIPTS_KIB, PAGE_KIB = 34, 120
MIN_SCRIPTS_KIB = 15
LATER = "socket.io"
"""Loaded by a live page's script when it runs; the same file for every page."""


def linked_urls(url: str, text: str) -> set[str]:
    """Return the URLs that a page or script loads at once."""
    if url.endswith(".js"):
        names = re.findall(r'(?:from|import) ?["\']([./]\S+?)["\']', text)
        names += re.findall(rf'import\("([^"]*{re.escape(LATER)}[^"]*)"\)', text)
        return {urljoin(url, name) for name in names}
    return {urljoin(url, name) for name in re.findall(r'(?:src|href)="(/static/[^"]+)"', text)}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", ["table/open", ""])
def test_live_pages_stay_within_their_size_limits(server: Server, path: str, language: str) -> None:
    page = f"{server.url}/{path}?lang={language}"
    weights: dict[str, int] = {}
    waiting = {page}
    named: set[str] = set()
    while waiting:
        url = waiting.pop()
        path = url.removeprefix(server.url)
        weights[url] = len(fetch(server.url, path, Accept_Encoding="gzip").body)
        asked = linked_urls(url, fetch(server.url, path).text)
        named |= asked if url == page else set()
        waiting |= asked - weights.keys()
    later = {url for url in weights if LATER in url}
    scripts = {
        url: weights[url] for url in weights.keys() - later if url.endswith((".js", ".json"))
    }
    assert MIN_SCRIPTS_KIB << 10 <= sum(scripts.values()) <= SCRIPTS_KIB << 10
    assert sum(weights.values()) <= PAGE_KIB << 10
    assert set(scripts) <= named and len(later) == 1
