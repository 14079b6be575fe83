"""A real browser before a real casino: the program in a process of its own, people with pages."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Response,
    expect,
    sync_playwright,
)

from tests.web.processes import write_settings

T = TypeVar("T")
Told = dict[str, Any]

PATIENCE = 60.0
ROOT = Path(__file__).parent.parent.parent
PICTURES = ROOT / "build" / "browser"
AXE = Path(__file__).parent / "lib" / "axe.js"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
DESK = (1280, 800)
PHONE = (360, 740)
expect.set_options(timeout=PATIENCE * 1000)

STOOD_UP = """() => {
    const leave = document.getElementById("leave-seat");
    if (!leave || leave.hidden) return true;
    // Who leaves between two games gives none up, and is not asked.
    (document.querySelector("dialog[open] #leave-yes") ?? leave).click();
    return false;
}"""

# Quick, but so that a busy machine's browser can bet, open its text, and show what it came to.
QUICK = {
    "betting_ms": 3_000, "reveal_ms": 10_000, "pace_ms": 15, "deal_ms": 30, "game_ms": 2_000,
}  # fmt: skip
TABLES: dict[str, Told] = {
    "bets": {**QUICK, "betting_ms": 5_000, "pace_ms": 50, "game_ms": 12_000},
    "lively": {"betting_ms": 4_000, "pace_ms": 150, "deal_ms": 400, "game_ms": 5_000},
    "quick": QUICK,
    "open": {"betting_ms": 3_600_000, "number": 0},
    "seat": {
        **QUICK, "betting_ms": 200, "reveal_ms": 4_000, "game_ms": 300, "turn_ms": 3_600_000,
        "challenger": "nobody", "number": 0,
    },
}  # fmt: skip


# A table's page has drawn what the house has told of the table, and hears what goes on.
SHOWN = """() => Boolean(globalThis.casino?.connected() && casino.state().house)"""


class Casino(NamedTuple):
    """A casino in a process of its own."""

    url: str
    db: Path


@contextmanager
def casino(folder: Path, tables: dict[str, Told], *more: str) -> Iterator[Casino]:
    """`casino run` with some tables, on a free port and a new file, until it is not needed."""
    settings = write_settings(folder, tables, web={"openings_a_day": 1_000})
    db = folder / "casino.db"
    command = [sys.executable, "-m", "casino", "run", "--config", str(settings)]
    with subprocess.Popen(
        [*command, "--port", "0", "--db", str(db), *more],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("CASINO_")},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            found = re.search(r"http://\S+", said)
            assert found, f"the casino does not open: {said}"
            yield Casino(found[0], db)
        finally:
            process.terminate()
            assert process.wait(PATIENCE) == 0


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser of this machine."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


@contextmanager
def loading() -> Iterator[None]:
    """Bear that a page is just being loaded anew."""
    try:
        yield
    except Error as error:
        if "navigation" not in error.message:
            raise


class Person:
    """Somebody with a browser of his own: one context, in it a page, and what went wrong there."""

    def __init__(self, browser: Browser, url: str, size: tuple[int, int] = DESK, **how: Any):
        self.url = url
        width, height = size
        how.setdefault("locale", "en-GB")
        self.context: BrowserContext = browser.new_context(
            viewport={"width": width, "height": height}, **how
        )
        self.context.set_default_timeout(PATIENCE * 1000)
        self.faults: list[str] = []
        self.bears: tuple[str, ...] = ()
        """Words of what has to go wrong where a test breaks something."""
        self.name = ""
        self.page = self.tab()

    def tab(self) -> Page:
        """One more tab."""
        page = self.context.new_page()
        page.on("pageerror", lambda error: self._note(f"{page.url}: {error}"))
        page.on("console", self._said)
        page.on("response", self._answered)
        return page

    def _said(self, said: ConsoleMessage) -> None:
        """Note what the console complains of."""
        if said.type in ("error", "warning"):
            self._note(f"{said.location.get('url')}: {said.text}")

    def _answered(self, answer: Response) -> None:
        """Note a refusal."""
        if answer.status >= 400:
            self._note(f"{answer.status} {answer.url}")

    def _note(self, fault: str) -> None:
        """Note what went wrong, however late it is told, unless it was to be expected."""
        if not any(words in fault for words in self.bears):
            self.faults.append(fault)

    def go(self, path: str, page: Page | None = None) -> Page:
        """Open a page of the casino and wait until it has settled down."""
        page = page or self.page
        page.goto(self.url + path)
        if path.startswith("/table/"):
            self.until(lambda: page.evaluate(SHOWN), page)
        else:
            page.wait_for_load_state("networkidle")
        return page

    def enter(self, name: str, table: str) -> None:
        """Enter by the form at a table."""
        self.name = name
        self.go(f"/table/{table}")
        self.page.fill("#enter-name", name)
        self.page.click("#enter-form button.primary")
        self.page.wait_for_selector("#purse:not([hidden])")
        self.until(lambda: self.page.evaluate(SHOWN) and self.state("you.name") == name)

    def stand_up(self) -> None:
        """Leave the seat, or the queue before it, if the page shows that this person has it."""
        self.until(lambda: self.page.evaluate(STOOD_UP))

    def state(self, look: str, page: Page | None = None) -> Any:
        """A part of what the page shows, such as `game.phase`; None where there is none."""
        return (page or self.page).evaluate(f"globalThis.casino?.state()?.{look} ?? null")

    def until(
        self, look: Callable[[], T], page: Page | None = None, patience: float = PATIENCE
    ) -> T:
        """What a look finds, as soon as it finds something."""
        end = time.monotonic() + patience
        while True:
            with loading():
                found = look()
                if found:
                    return found
            assert time.monotonic() < end, f"waited in vain at {(page or self.page).url}"
            (page or self.page).wait_for_timeout(20)

    def comes_to(self, look: Callable[[], T], wanted: T) -> None:
        """Wait until a look finds just what is wanted; what else it found at last is told."""
        found: list[T] = []

        def fits() -> bool:
            found[:] = [look()]
            return found == [wanted]

        with suppress(AssertionError):
            self.until(fits)
        assert found == [wanted]

    def picture(self, name: str, page: Page | None = None) -> None:
        """Keep what is seen, for who looks at the pictures of a run."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        (page or self.page).screenshot(path=PICTURES / f"{name}.png")

    def api(self, path: str) -> Any:
        """What the casino answers this browser."""
        return self.context.request.get(self.url + path).json()

    def balance(self) -> int:
        """The chips in sight, in cents."""
        whole, _, part = self.page.inner_text("#balance").replace(",", "").partition(".")
        return int(whole) * 100 + int(part or 0)


class Cable:
    """A line to the casino that can be made deaf to its answers, cut, and mended."""

    def __init__(self, url: str) -> None:
        self._far = ("127.0.0.1", int(url.rpartition(":")[2]))
        self._door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._door.getsockname()[1]}"
        self.deaf = False
        self._whole = True
        self._ends: list[socket.socket] = []
        threading.Thread(target=self._answer, daemon=True).start()

    def __enter__(self) -> Cable:
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()
        self._door.close()

    def cut(self) -> None:
        """Break all that goes through, and let nothing new through."""
        self._whole = False
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        """Be whole again."""
        self.deaf = False
        self._whole = True

    def _answer(self) -> None:
        """Take whoever calls."""
        with suppress(OSError):
            while True:
                near, _ = self._door.accept()
                if not self._whole:
                    near.close()
                    continue
                far = socket.create_connection(self._far)
                self._ends += [near, far]
                for pair in ((near, far, False), (far, near, True)):
                    threading.Thread(target=self._carry, args=pair, daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket, back: bool) -> None:
        """Carry what one end says to the other."""
        with suppress(OSError), source, target:
            while piece := source.recv(65_536):
                if not (back and self.deaf):
                    target.sendall(piece)
            target.shutdown(socket.SHUT_RDWR)
