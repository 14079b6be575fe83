"""Drive real browsers against a real casino."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Response,
    WebSocketRoute,
    expect,
)

from bench import _pages
from tests.web.server import JsonObject, Server, SkippingClock, open_server

T = TypeVar("T")
NewPerson = Callable[..., "Person"]

# Chromium without windows, if it is installed: a person's first page takes a third of the time.
CHROMIUM = shutil.which("chromium-headless-shell") or _pages.CHROMIUM
chromium = partial(_pages.chromium, CHROMIUM)

TIMEOUT_SECONDS = 60.0
ROOT = Path(__file__).parent.parent.parent
AXE = Path(__file__).parents[2] / "node_modules/axe-core/axe.min.js"
DESK = (1280, 800)
PHONE = (360, 740)
expect.set_options(timeout=TIMEOUT_SECONDS * 1000)

# Tables advance only when a test steps them; at a free seat a game begins when it is taken.
FREE_SEAT: JsonObject = {
    "betting_ms": 200,
    "turn_ms": 3_600_000,
    "challenger": "nobody",
    "number": 0,
}
TABLES: dict[str, JsonObject] = {
    "bets": {},
    "lively": {},
    "quick": {},
    "open": {"betting_ms": 3_600_000, "number": 0},
    "single": {"betting_ms": 3_600_000, "number": 0, "gallery_stakes": "single"},
    # A seat for each test of a module: a game that a test leaves stands still.
    **dict.fromkeys(("seat", "seat2", "seat3"), FREE_SEAT),
}
SEED = 1


NEXT_FRAME = "() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))"
# A table's page is connected and has drawn the table.
TABLE_READY = """() => Boolean(globalThis.casino?.connected() && casino.state().house)"""


@contextmanager
def casino(folder: Path, tables: dict[str, JsonObject], **settings: Any) -> Iterator[Server]:
    """Run a casino whose cards are always the same."""
    clock = SkippingClock()
    settings = {"seed": SEED, "web": {"openings_a_day": 1_000}, **settings}
    with open_server(folder / "casino.db", tables, clock, clock, **settings) as server:
        for name, table in tables.items():
            while "challenger" not in table and not server.book_is_open(name):
                server.step(name)
        yield server


@contextmanager
def ignore_navigation() -> Iterator[None]:
    """Ignore errors of a page that is being reloaded."""
    try:
        yield
    except Error as error:
        if "navigation" not in error.message:
            raise


# A browser's random numbers depend only on the seed and the number of page loads.
SEEDED_RANDOM = """
let state = 0;
try {
    localStorage.loads = Number(localStorage.loads ?? 0) + 1;
    for (const letter of SEED + localStorage.loads)
        state = Math.imul(state ^ letter.codePointAt(0), 0x9e3779b1);
} catch { /* about:blank has no storage and needs no random numbers. */ }
Crypto.prototype.getRandomValues = (array) => array.map(() => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), state | 1);
    return (mixed ^ (mixed >>> 14)) >>> 8;
});
"""
# A page shows all events up to a version, or was stopped; and the choices of its player.
SEEN = "(it) => casino.state().version >= it || !casino.connected() || globalThis.stopped === true"
CHOICES_SHOWN = """() => casino.state().you.legal.length > 0 && !!document.querySelector(
    "#controls [data-action], .piece[role=button]") || !casino.connected()"""


class Person:
    """A person with a browser: a context, its page, and the errors seen there."""

    there: ClassVar[list[Person]] = []

    def __init__(
        self,
        browser: Browser,
        casino: Server,
        size: tuple[int, int] = DESK,
        chance: str = "",
        **how: Any,
    ) -> None:
        self.casino = casino
        self.url = casino.url
        width, height = size
        how.setdefault("locale", "en-GB")
        self.context: BrowserContext = browser.new_context(
            viewport={"width": width, "height": height}, **how
        )
        self.context.set_default_timeout(TIMEOUT_SECONDS * 1000)
        self.there.append(self)
        self.context.on("close", lambda _: self.there.remove(self))
        self.context.add_init_script(SEEDED_RANDOM.replace("SEED", json.dumps(chance)))
        self.faults: list[str] = []
        self.expected_errors: tuple[str, ...] = ()
        """Parts of the errors that a test provokes."""
        self.name = ""
        self._pending = self._asked = 0
        self.page = self.tab()

    def tab(self) -> Page:
        page = self.context.new_page()
        page.on("pageerror", lambda error: self._note(f"{page.url}: {error}"))
        page.on("console", self._said)
        page.on("response", self._answered)
        page.on("request", lambda _: self._asks(1))
        page.on("requestfinished", lambda _: self._asks(-1))
        page.on("requestfailed", lambda _: self._asks(-1))
        return page

    def _asks(self, more: int) -> None:
        self._pending += more
        self._asked += more > 0

    def wait_until_idle(self, page: Page) -> None:
        """Wait until a page has no pending requests and has drawn their results."""

        def quiet() -> bool:
            before = self._asked
            page.evaluate(NEXT_FRAME)
            return not self._pending and self._asked == before

        self.until(quiet, page)

    def _said(self, said: ConsoleMessage) -> None:
        if said.type in ("error", "warning"):
            self._note(f"{said.location.get('url')}: {said.text}")

    def _answered(self, answer: Response) -> None:
        if answer.status >= 400:
            self._note(f"{answer.status} {answer.url}")

    def _note(self, fault: str) -> None:
        """Record an error unless it is expected."""
        if not any(words in fault for words in self.expected_errors):
            self.faults.append(fault)

    def go(self, path: str, page: Page | None = None) -> Page:
        """Open a page of the casino and wait until it is idle."""
        page = page or self.page
        page.goto(self.url + path)
        if path.startswith("/table/"):
            self.until(lambda: page.evaluate(TABLE_READY), page)
        else:
            self.wait_until_idle(page)
        return page

    def enter(self, name: str, table: str) -> None:
        self.name = name
        self.go(f"/table/{table}")
        self.page.fill("#enter-name", name)
        self.page.click("#enter-form button.primary")
        self.page.wait_for_selector("#purse:not([hidden])")
        self.until(lambda: self.page.evaluate(TABLE_READY) and self.state("you.name") == name)

    def take_seat(self) -> None:
        self.page.click("#take-seat")
        self.page.click("#seat-yes")

    def leave_seat(self) -> None:
        self.page.click("#leave-seat")
        self.page.click("#leave-yes")
        self.until(lambda: not self.state("you.legal.length"))

    def state(self, look: str, page: Page | None = None) -> Any:
        return (page or self.page).evaluate(f"globalThis.casino?.state()?.{look} ?? null")

    def until(
        self, look: Callable[[], T], page: Page | None = None, timeout: float = TIMEOUT_SECONDS
    ) -> T:
        """Wait until `look` returns something; return that."""
        end = time.monotonic() + timeout
        while True:
            with ignore_navigation():
                found = look()
                if found:
                    return found
            assert time.monotonic() < end, f"waited in vain at {(page or self.page).url}"
            (page or self.page).wait_for_timeout(20)

    def play_until(
        self, look: Callable[[], T], table: str = "", pause_ms: int = 0, most: int = 1_000
    ) -> T:
        """Step a table until `look` returns something; return that.

        Every page at the table shows an event before the next step. With `pause_ms` the next step
        follows after that time, even during animations.
        """
        table = table or self._table()
        for _ in range(most):
            if pause_ms:
                self.page.wait_for_timeout(pause_ms)
            else:
                self.wait_for_table(table)
            before = self.casino.turn(table)
            with ignore_navigation():
                found = look()
                if found:
                    return found
            # A player who has just acted may have to act again at once.
            if self.casino.turn(table) == before:
                self.casino.step(table)
        raise AssertionError(f"played in vain at {self.page.url}")

    def skip_until(self, reached: Callable[[], bool]) -> None:
        """Step this person's table until `reached`, then wait until the page shows it."""
        table = self._table()
        while not reached():
            self.casino.step(table)
        self.wait_for_table(table)

    def _table(self) -> str:
        return urlsplit(self.page.url).path.removeprefix("/table/")

    def skip_to_book(self) -> str:
        """Step to the next open book; return its game."""
        self.skip_until(lambda: self.casino.book_is_open(self._table()))
        return str(self.state("game.id"))

    def skip_to_play(self) -> None:
        self.skip_until(lambda: self.casino.is_played(self._table()))

    def skip_to_settlement(self, game: str) -> Any:
        """Step until a game is settled; return the page's state of it."""
        self.skip_until(lambda: self.casino.game_at(self._table()) != game)
        return self.until(lambda: self.state("game.settled") and self.state("game"))

    def wait_for_table(self, table: str) -> None:
        """Wait until all pages at a table show its events and choices."""
        version = self.casino.wait_for_broadcast(table)
        for person in self.there:
            if person.casino is self.casino and person._table() == table:
                person._wait_for_version(version, self.casino.waits_for(table) == person.name != "")

    def _wait_for_version(self, version: int, asked: bool) -> None:
        self.until(lambda: self.page.evaluate(SEEN, version))
        if self._pending:
            self.wait_until_idle(self.page)
        if asked:
            self.until(lambda: self.page.evaluate(CHOICES_SHOWN))

    def finished_game(self) -> str:
        """Return the newest finished game at a table with bettors."""
        if not self.casino.house.finished:
            self.casino.play("quick")
        games = self.until(lambda: self.api("/api/games?limit=100")["games"])
        names = [str(one["game"]) for one in games]
        return next(one for one in names if one.startswith(("quick-", "lively-", "bets-")))

    def violations(self) -> list[tuple[str, str]]:
        if not self.page.evaluate("'axe' in globalThis"):
            self.page.evaluate(AXE.read_text("utf-8"))
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [(one["id"], node["html"]) for one in found["violations"] for node in one["nodes"]]

    def api(self, path: str) -> Any:
        return self.context.request.get(self.url + path).json()

    def balance(self) -> int:
        whole, _, part = self.page.inner_text("#balance").replace(",", "").partition(".")
        return int(whole) * 100 + int(part or 0)


class Line:
    """The socket of a page's next load: it can lose answers, break, and be mended."""

    def __init__(self, page: Page) -> None:
        self.is_deaf = self._is_cut = False
        self._ends: list[WebSocketRoute] = []
        page.route_web_socket(re.compile("/socket.io/"), self._open)

    def _open(self, near: WebSocketRoute) -> None:
        if self._is_cut:
            near.close()
            return
        far = near.connect_to_server()
        far.on_message(lambda message: None if self.is_deaf else near.send(message))
        self._ends += [near, far]

    def cut(self) -> None:
        """Break the connection, and let no new one through."""
        self._is_cut = True
        for end in self._ends:
            end.close()
        self._ends.clear()

    def mend(self) -> None:
        self.is_deaf = self._is_cut = False
