"""The casino below a path of a site, behind a proxy that takes the path away and names it."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from tests.web.doors import BETTING_FOR_EVER, Doors, open_doors

ROOT = "/casino"
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


class Proxy:
    """A small proxy: what lies below ROOT is asked of the casino, all else is not there."""

    def __init__(self, doors: Doors) -> None:
        self._casino = urlsplit(doors.url)
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}{ROOT}"
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        """Serve nobody any more."""
        self._server.close()

    def _listen(self) -> None:
        """Serve each visitor in a thread."""
        with suppress(OSError):
            while True:
                visitor, _ = self._server.accept()
                threading.Thread(target=self._serve, args=(visitor,), daemon=True).start()

    def _serve(self, visitor: socket.socket) -> None:
        """Pass one request on, and whatever follows it on the same line."""
        with visitor, suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head:
                piece = visitor.recv(65_536)
                if not piece:
                    return
                head += piece
            method, path, rest = head.split(b" ", 2)
            if not path.startswith(f"{ROOT}/".encode()):
                visitor.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                return
            named = f"HTTP/1.1\r\nX-Forwarded-Prefix: {ROOT}\r\n".encode()
            if b"pgrade: websocket" not in head:
                named += b"Connection: close\r\n"
                rest = re.sub(rb"\r\nConnection: [^\r]*", b"", rest)
            rest = rest.replace(b"HTTP/1.1\r\n", named, 1)
            address = (self._casino.hostname, self._casino.port)
            with socket.create_connection(address) as casino:
                casino.sendall(b" ".join([method, path.removeprefix(ROOT.encode()), rest]))
                threading.Thread(target=_pipe, args=(visitor, casino), daemon=True).start()
                _pipe(casino, visitor)


def _pipe(source: socket.socket, target: socket.socket) -> None:
    """Pass on what comes until nothing comes any more."""
    with suppress(OSError):
        while piece := source.recv(65_536):
            target.sendall(piece)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@pytest.fixture(scope="module")
def below(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = tmp_path_factory.mktemp("below") / "casino.db"
    with open_doors(
        path, {"open": BETTING_FOR_EVER}, web={"trusted_proxies": ["127.0.0.1"]}
    ) as doors:
        proxy = Proxy(doors)
        yield proxy.url
        proxy.close()


def test_every_address_of_a_page_lies_below_the_path(below: str) -> None:
    """Links, styles, scripts and what is loaded ahead: each is there, none at the site's top."""
    asked = set()
    for page in PAGES:
        with urlopen(below + page) as response:
            text = response.read().decode()
        assert f'<meta name="casino-root" content="{ROOT}">' in text
        asked |= set(ADDRESS.findall(text))
    assert len(asked) > 25
    assert [address for address in asked if not address.startswith(f"{ROOT}/")] == []
    site = below.removesuffix(ROOT)
    for address in asked:
        with urlopen(site + address) as response:
            assert response.status == 200


def test_a_browser_enters_and_bets_below_the_path(below: str, somebody: Callable[..., Any]) -> None:
    """Scripts, JSON and the live line find each other: the table is live and knows the person."""
    person = somebody(url=below)
    person.enter("below", "open")
    person.until(lambda: person.state("you.balance_cents") == 100_000)
    person.go("/account")
    person.until(lambda: person.page.inner_text("#at-hand") != "")
