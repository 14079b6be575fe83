"""Every page in a real browser: accessible, translated, usable on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, expect

from tests.web.browser import DESK, NEXT_FRAME, PHONE, NewPerson, Person, casino
from tests.web.server import Server
from tests.web.test_browser_table import bet, copied_receipt

FIRST = "bets"
"""The table that the lobby shows in full."""
PAGES = {
    **dict.fromkeys(("", "table", "games", "audit", "rules", "chart", "stats", "leaders"), "main"),
    "account": "#changes tr",
    "game": "#deals a",
    "player": "#last tr",
    "overlay": "#cloth",
}
"""Each page, and an element that it shows once loaded."""
WIDTHS = "[innerWidth, document.documentElement.scrollWidth]"
Look = tuple[Literal["light", "dark"], tuple[int, int]]
LOOKS: list[Look] = [("light", DESK), ("dark", PHONE), ("light", PHONE), ("dark", DESK)]
SIZES = (PHONE, (740, 360), DESK, (2560, 1440))


def address(person: Person, page: str) -> str:
    """Return the path of a page, for one table and one finished game."""
    if page in ("table", "overlay"):
        return f"/{page}/quick"
    if page == "game":
        return f"/game/{person.finished_game()}"
    return f"/player/{person.name}" if page == "player" else f"/{page}"


@pytest.fixture(scope="module")
def reader(chromium: Browser, program: Server) -> Iterator[Person]:
    """Open a browser, sign in and bet once."""
    person = Person(chromium, program, reduced_motion="reduce")
    person.enter("Reader", "quick")
    person.skip_to_settlement(bet(person, "challenger", 2))
    yield person
    person.context.close()


@pytest.mark.parametrize("page", PAGES)
def test_page_passes_axe_and_fits_the_width(reader: Person, page: str, quick_run: bool) -> None:
    person = reader
    person.page.emulate_media(color_scheme="light", reduced_motion="reduce")
    person.go(address(person, page)).wait_for_selector(PAGES[page])
    if page == "game":
        person.page.click("#review-start")
        person.page.wait_for_selector("#review-told:not([hidden])")
    # The room is dim at match point; a wider window draws it again.
    person.page.evaluate("document.querySelector('.table-page')?.classList.add('tense')")
    for light, (width, height) in LOOKS[: 2 if quick_run else 4]:
        person.page.emulate_media(color_scheme=light, reduced_motion="reduce")
        person.page.set_viewport_size({"width": width, "height": height})
        person.page.evaluate(NEXT_FRAME)
        assert person.violations() == [], (light, width)
    for width, height in SIZES:
        person.page.set_viewport_size({"width": width, "height": height})
        # What is drawn on a canvas takes its new size a frame later.
        person.until(lambda width=width: person.page.evaluate(WIDTHS) == [width, width])  # type: ignore[misc]
    assert person.faults == []


# What the lobby shows of a small table and of the first one, each read in one call.
SMALL = """() => {
    const part = (name) => document.querySelector(`#tables [data-table=lively] ${name}`);
    const [ring, trick] = [part(".mini-ring"), part(".mini-trick")];
    return ring?.checkVisibility() && !trick.checkVisibility() && Number(ring.innerText);
}"""
COUNTS = """() => {
    const ring = document.getElementById("ring");
    return ring.checkVisibility() && Number(document.getElementById("ring-seconds").innerText);
}"""
WIN_PROBABILITY = """() => {
    const [scale, share] = ["scale", "win-house"].map((id) => document.getElementById(id));
    return document.querySelector("#cloth.playing.weighed") &&
        [scale.ariaHidden, share.innerText];
}"""


def test_the_lobby_shows_every_table(new_person: NewPerson) -> None:
    person = new_person()
    page = person.go("/")
    tables = [one["table"] for one in person.api("/api/tables")["tables"]]
    expect(page.locator("#tables .mini")).to_have_count(len(tables) - 1)
    # The page counts down in real time: the books have 20 seconds.
    person.casino.new_book("lively")
    assert 0 < person.until(lambda: page.evaluate(SMALL)) <= 20
    person.casino.new_book(FIRST)
    assert 0 < person.until(lambda: page.evaluate(COUNTS)) <= 20
    trick = page.locator("#tables [data-table=lively] .mini-trick")
    person.play_until(trick.is_visible, "lively")
    hidden, share = person.play_until(lambda: page.evaluate(WIN_PROBABILITY), FIRST)
    assert hidden is None and "%" in share
    expect(page.locator("#cloth .piece.hand")).not_to_have_count(0)

    quick = page.locator("#tables [data-table=quick]")
    cloth = quick.locator(".mini")
    cards = cloth.locator(".mini-trick .show-card")
    words = re.compile(r": \d of 5 points\. .*: \d of 5 points\. .* On the table: ")
    person.play_until(
        lambda: cards.count() == 2 and words.search(cloth.get_attribute("aria-label") or ""),
        "quick",
    )
    expect(cloth.locator(".counter")).to_have_count(10)
    person.play_until(lambda: cloth.locator(".counter.moved").count() > 0, "quick")
    free = page.locator("#tables [data-table=seat]")
    expect(free.locator(".hint").first).to_have_text("The seat is free")
    expect(free.locator(".name")).to_have_text(["Maître Hubert", "your seat?"])
    quick.locator("h3 a").click()
    page.wait_for_url("**/table/quick")
    assert person.faults == []


def test_the_menu_changes_the_language_and_keeps_the_place(new_person: NewPerson) -> None:
    person = new_person(locale="ru")
    page = person.go("/rules?from=table#r2-4")
    assert page.inner_text("h1") == "Правила экарте"
    page.click("#menu summary")
    page.click(".choice[lang=fr]")
    page.wait_for_url("**/rules?from=table&lang=fr#r2-4")
    assert page.inner_text("h1") == "Les règles de l’écarté"
    person.go("/table/quick")
    assert page.inner_text("#desk-title") == "Votre pari"


def test_other_pages_call_a_player_back_to_the_game(new_person: NewPerson) -> None:
    person = new_person()
    person.enter("Wanderer", "seat")
    person.take_seat()
    person.play_until(lambda: person.state("game"), "seat")
    expect(person.go("/").locator("#tables [data-table=seat] .mini")).to_be_visible()
    page = person.go("/rules")
    strip = page.get_by_role("status")
    expect(strip.locator("a")).to_have_attribute("href", "/table/seat")
    # The game goes on without the player.
    person.casino.play("seat")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(strip).to_be_empty()


def test_pages_load_before_the_first_game(chromium: Browser, tmp_path: Any) -> None:
    with casino(tmp_path, {"new": {"betting_ms": 3_600_000, "number": 0}}) as fresh:
        person = Person(chromium, fresh)
        for page in PAGES:
            if page not in ("game", "player", "overlay"):
                person.go("/table/new" if page == "table" else f"/{page}")
        expect(person.go("/audit").locator("#checkpoint-said")).not_to_be_empty()
        person.context.close()
        assert person.faults == []


def test_without_scripts_no_page_shows_what_needs_them(program: Server, chromium: Browser) -> None:
    with chromium.new_page(java_script_enabled=False) as page:
        dead = page.locator("main :is(button, input, select, textarea, .doors, tbody:empty)")
        for path in ["", "games", "leaders", "account", "audit", "stats", "table/quick", "chart"]:
            page.goto(f"{program.url}/{path}")
            expect(page.locator("header + noscript a")).to_have_text(["Rules", "Chart", "Trust"])
            expect(dead.filter(visible=True)).to_have_count(0)
        expect(page.locator(".books")).to_be_visible()


def test_the_receipt_of_a_bet_is_verified(reader: Person) -> None:
    receipt = copied_receipt(reader)
    page = reader.go("/audit")
    for text, mark in ((receipt, "✓"), (receipt.replace("A", "B"), "✗")):
        page.fill("#receipt-text", text)
        page.click("#receipt-form button")
        reader.until(lambda mark=mark: page.inner_text("#receipt-said").startswith(mark))  # type: ignore[misc]
    assert reader.faults == []
