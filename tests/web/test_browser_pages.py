"""Every page in a real browser: readable by all, in three languages, on a phone, light to load."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import count, product
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, expect

from tests.web.browser import DESK, DRAWN, PHONE, Person, casino
from tests.web.doors import Doors
from tests.web.test_browser_table import bet

Somebody = Callable[..., Person]
FIRST = "bets"
"""The table whose felt the lobby shows whole."""
PAGES = {
    **dict.fromkeys(("", "table", "games", "audit", "rules", "chart", "stats", "leaders"), "main"),
    "account": "#changes tr",
    "game": "#deals a",
    "player": "#last tr",
    "overlay": "#cloth",
}
"""Each page, and what it shows once it is there."""
NUMBERS = count(1)
SIZES = (PHONE, (740, 360), DESK, (2560, 1440))
WORDS = {
    "en": ("Tables", "Your bet", "Trust", "The rules of Écarté"),
    "fr": ("Tables", "Votre pari", "Confiance", "Les règles de l’écarté"),
    "ru": ("Столы", "Ваша ставка", "Доверие", "Правила экарте"),
}


def address(person: Person, page: str) -> str:
    """Where a page is: a table and a finished game stand for all."""
    if page in ("table", "overlay"):
        return f"/{page}/quick"
    if page == "game":
        return f"/game/{person.past_game()}"
    return f"/player/{person.name}" if page == "player" else f"/{page}"


@pytest.fixture(scope="module")
def reader(chromium: Browser, program: Doors) -> Iterator[Person]:
    """Somebody who has entered and has bet once."""
    person = Person(chromium, program, reduced_motion="reduce")
    person.enter(f"Reader{next(NUMBERS)}", "quick")
    person.skip_to_settlement(bet(person, "challenger", 2))
    yield person
    person.context.close()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_well_made(reader: Person, page: str) -> None:
    """axe-core, all its rules, finds no violation, in light and in dark; the console is quiet.

    No page scrolls sideways, on a phone of 360 pixels as on a wall. A replay shows its review.
    """
    person = reader
    person.page.emulate_media(color_scheme="light", reduced_motion="reduce")
    person.go(address(person, page)).wait_for_selector(PAGES[page])
    if page == "game":
        person.page.click("#review-start")
        person.page.wait_for_selector("#review-told:not([hidden])")
    lights: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for light, (width, height) in product(lights, (DESK, PHONE)):
        person.page.emulate_media(color_scheme=light, reduced_motion="reduce")
        person.page.set_viewport_size({"width": width, "height": height})
        person.page.evaluate(DRAWN)
        assert person.violations() == [], (light, width)
    for width, height in SIZES:
        person.page.set_viewport_size({"width": width, "height": height})
        # What is drawn on a canvas takes its new size a frame later.
        person.comes_to(
            lambda: person.page.evaluate("[innerWidth, document.documentElement.scrollWidth]"),
            [width, width],
        )
    assert person.faults == []


def test_nothing_is_called_sealed_before_a_game_is_known(somebody: Somebody) -> None:
    """Until the house has told of a game, the cloth has no button without a name."""
    person = somebody()
    person.bears = ("net::ERR_FAILED",)
    person.page.route("**/*.js", lambda script: script.abort())
    person.page.goto(person.url + "/table/open")
    assert not person.page.is_visible("#sealed") and person.page.locator("#trust[hidden]").count()


# What the lobby shows of a small table and of the first one, each seen in one look.
SMALL = """() => {
    const part = (name) => document.querySelector(`#tables [data-table=lively] ${name}`);
    const [ring, trick] = [part(".mini-ring"), part(".mini-trick")];
    return ring?.checkVisibility() ? [Number(ring.innerText), trick.checkVisibility()] : null;
}"""
COUNTS = """() => {
    const ring = document.getElementById("ring");
    return ring.checkVisibility() && Number(document.getElementById("ring-seconds").innerText);
}"""
WEIGHED = """() => {
    const [scale, share] = ["scale", "win-house"].map((id) => document.getElementById(id));
    return document.querySelector("#cloth.playing.weighed") &&
        [scale.getAttribute("role"), share.innerText];
}"""


def test_the_lobby_counts_down_and_weighs(somebody: Somebody) -> None:
    """Its first felt has a ring while bets are taken, then both chances; so have small tables."""
    person = somebody()
    page = person.go("/")
    for table in ("lively", FIRST):
        person.casino.new_book(table)
    seconds, has_trick = person.until(lambda: page.evaluate(SMALL))
    assert 0 < seconds <= 20 and not has_trick
    trick = page.locator("#tables [data-table=lively] .mini-trick")
    person.play_until(trick.is_visible, "lively")
    assert 0 < person.until(lambda: page.evaluate(COUNTS)) <= 20
    role, share = person.play_until(lambda: page.evaluate(WEIGHED), FIRST)
    assert role == "meter" and "%" in share
    assert person.faults == []


def test_the_lobby_shows_every_table_in_small(somebody: Somebody) -> None:
    """Score and trick move there as they are played, told in words; the first has a whole felt."""
    person = somebody()
    page = person.go("/")
    tables = [one["table"] for one in person.api("/api/tables")["tables"]]
    expect(page.locator("#tables .mini")).to_have_count(len(tables) - 1)
    quick = page.locator("#tables [data-table=quick]")
    cloth = quick.locator(".mini")
    trick = cloth.locator(".mini-trick .show-card")
    person.play_until(lambda: trick.count() == 2, "quick")
    words = re.compile(r": \d of 5 points\. .*: \d of 5 points\. .* On the table: ")
    person.until(lambda: words.search(cloth.get_attribute("aria-label") or ""))
    expect(cloth.locator(".counter")).to_have_count(10)
    person.play_until(lambda: cloth.locator(".counter.moved").count() > 0, "quick")
    person.play_until(lambda: page.locator("#cloth .piece.hand").count() > 0, FIRST)
    free = page.locator("#tables [data-table=seat]")
    person.comes_to(
        lambda: (
            free.locator(".hint").all_inner_texts()[:1] + free.locator(".name").all_inner_texts()
        ),
        ["The seat is free", "Maître Hubert", "your seat?"],
    )
    quick.locator("h3 a").click()
    page.wait_for_url("**/table/quick")


# Words of the lobby's felts that lie on other words, or beyond the felt's edge.
CROWDED = """() => {
    const wrong = [];
    // Letters fill the middle of their line.
    const inked = ({ left, right, top, bottom, height }) =>
        ({ left, right, top: top + height / 5, bottom: bottom - height / 5 });
    for (const felt of document.querySelectorAll("#cloth, .mini")) {
        const edge = felt.getBoundingClientRect();
        const texts = document.createTreeWalker(felt, NodeFilter.SHOW_TEXT);
        const range = document.createRange();
        const seen = [];
        for (let text = texts.nextNode(); text; text = texts.nextNode()) {
            range.selectNodeContents(text);
            const box = inked(range.getBoundingClientRect());
            const { parentElement: holder, data } = text;
            if (!data.trim() || !holder.checkVisibility({ visibilityProperty: true })) continue;
            if (holder.closest(".visually-hidden, svg, .bubble, .piece, .headline")) continue;
            seen.push({ data, box });
        }
        for (const counters of felt.querySelectorAll(".counters"))
            seen.push({ data: "counters", box: counters.getBoundingClientRect() });
        const round = Math.min(
            parseFloat(getComputedStyle(felt).borderRadius), edge.width / 2, edge.height / 2);
        for (const [n, { data, box }] of seen.entries()) {
            for (const x of [box.left, box.right]) for (const y of [box.top, box.bottom]) {
                const dx = Math.max(edge.left + round - x, x - edge.right + round, 0);
                const dy = Math.max(edge.top + round - y, y - edge.bottom + round, 0);
                if (Math.hypot(dx, dy) > round) wrong.push(`${data} is beyond the edge`);
            }
            for (const other of seen.slice(n + 1)) {
                const { left, right, top, bottom } = other.box;
                if (box.left < right - 1 && left < box.right - 1
                    && box.top < bottom - 1 && top < box.bottom - 1)
                    wrong.push(`${data} lies on ${other.data}`);
            }
        }
    }
    return [...new Set(wrong)];
}"""


LOBBY_SIZES = (
    *((820, 1180), (844, 390), (1024, 768), (1280, 720), (1366, 657), (1440, 900), (1920, 1080)),
    *(PHONE, (3840, 2160)),
)
# The width of the ring around what has the focus, and the lobby's share of air at its sides.
FOCUS = """() => parseFloat(getComputedStyle(document.activeElement).outlineWidth)"""
MARGINS = """() => {
    const { left, right } = document.querySelector(".salons").getBoundingClientRect();
    return Math.min(left / innerWidth, 1 - right / innerWidth);
}"""
# How far down lie every table of a new casino, which has three, and what one can do there.
LOW = """() => {
    document.querySelectorAll("#tables > li:nth-child(n + 3)").forEach((li) => li.remove());
    return [...document.querySelectorAll(".salons .button, .three li > b")]
        .map((one) => one.getBoundingClientRect().bottom);
}"""


def test_the_lobby_fits_every_window_in_every_language(somebody: Somebody) -> None:
    """While bets are taken and in play: no words on others, air at the sides, a focus that is seen.

    The ring grows with the letters: on a wall three pixels are a hair. A laptop shows every table
    with its way in, and what one can do there, without scrolling.
    """
    person = somebody(reduced_motion="reduce")
    page = person.page
    found = {}

    def look(moment: str, shown: str) -> None:
        for language in WORDS:
            person.go(f"/?lang={language}")
            person.until(lambda: page.evaluate(shown))
            page.keyboard.press("Tab")
            for size in LOBBY_SIZES:
                page.set_viewport_size({"width": size[0], "height": size[1]})
                page.evaluate(DRAWN)
                found[moment, language, size] = page.evaluate(CROWDED)
                assert page.evaluate(FOCUS) >= (7 if size[0] == 3840 else 3), size
                assert size[0] < 1280 or page.evaluate(MARGINS) >= 0.04, size
            page.set_viewport_size({"width": 1280, "height": 720})
            page.evaluate(DRAWN)
            low = page.evaluate(LOW)
            assert len(low) == 6 and max(low) <= 720, language

    person.casino.new_book(FIRST)
    look("betting", COUNTS)
    person.go("/")
    person.play_until(lambda: page.evaluate(WEIGHED), FIRST)
    look("playing", WEIGHED)
    assert {where: words for where, words in found.items() if words} == {}


HEAD = """() => {
    const head = document.querySelector(".head").getBoundingClientRect();
    const links = [...document.querySelectorAll(".head > nav a")].map(
        (link) => link.getBoundingClientRect());
    const bar = document.querySelector(".head > nav").getBoundingClientRect();
    const end = document.querySelector(".head-end").getBoundingClientRect();
    return [head.height < 60, end.height < 60 && end.right <= innerWidth, bar.right <= end.left,
        links.every(({ height }) => height < 40),
        links.filter(({ bottom }) => bottom <= bar.bottom + 1).length];
}"""


def test_the_head_of_a_table_is_one_line(somebody: Somebody) -> None:
    """In French too, with a name, spectators and a purse: pages without room are in the menu."""
    person = somebody(locale="fr", reduced_motion="reduce")
    person.enter("Mademoiselle Lespinasse", "open")
    page = person.page
    page.evaluate("document.getElementById('company').textContent = '4 spectateurs'")
    for size, most in (((1280, 720), 7), ((1024, 768), 5), ((910, 700), 4)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.evaluate(DRAWN)
        *fits, shown = page.evaluate(HEAD)
        assert fits == [True] * 4, size
        assert 1 <= shown <= most, size


def test_the_pages_speak(somebody: Somebody) -> None:
    """As the browser asks, then as the menu is told, which keeps the address and its part."""
    person = somebody(locale="ru")
    page = person.go("/table/quick")
    for language, (tables, book, trust, rules) in reversed(WORDS.items()):
        assert page.get_attribute("html", "lang") == language
        assert page.inner_text(".head nav a >> nth=0") == tables
        assert page.inner_text("#desk-title") == book
        assert page.inner_text(".head nav a >> nth=2") == trust
        person.go("/rules?from=table#r2-4")
        assert page.inner_text("h1") == rules
        if language != "en":
            other = "fr" if language == "ru" else "en"
            page.click("#menu summary")
            page.click(f".choice[lang={other}]")
            page.wait_for_url(f"**/rules?from=table&lang={other}#r2-4")
            person.go("/table/quick")


def test_a_casino_just_opened_shows_every_page(chromium: Browser, tmp_path: Any) -> None:
    """Before the first game is over, and before anything is signed, no page complains."""
    with casino(tmp_path, {"new": {"betting_ms": 3_600_000, "number": 0}}) as fresh:
        person = Person(chromium, fresh)
        for page in PAGES:
            if page not in ("game", "player", "overlay"):
                person.go("/table/new" if page == "table" else f"/{page}")
        expect(person.go("/audit").locator("#checkpoint-said")).not_to_be_empty()
        person.context.close()
        assert person.faults == []


def test_a_game_is_verified_and_replayed(reader: Person) -> None:
    """The trust page verifies the newest game; its replay steps through every card."""
    game = address(reader, "game").removeprefix("/game/")
    page = reader.go(f"/audit?game={game}")
    reader.page.wait_for_selector("#verdict-line.good")
    assert page.locator("#findings .bad").count() == 0
    assert page.locator("#findings .good").count() >= 6
    page = reader.go(f"/game/{game}")
    page.wait_for_selector("#deals a")
    table, _, number = game.rpartition("-")
    assert page.inner_text("h1").startswith(f"Table {table} {int(number)} ")
    steps = int(page.get_attribute("#steps", "max") or 0)
    page.focus("#on")
    for _ in range(steps):
        page.keyboard.press("Enter")
    assert page.locator(".plate .kind").all_inner_texts() == ["bot", "bot"]
    assert page.is_disabled("#on") and page.input_value("#steps") == str(steps)
    page.click("#deals a >> nth=0")
    page.wait_for_url("**#deal-1")
    assert reader.faults == []


def test_the_receipt_of_a_bet_is_verified(reader: Person) -> None:
    """A receipt shown on the account's page is found good on the trust page, a changed one bad."""
    bet_id = list(json.loads(reader.page.evaluate("localStorage['casino.bets']")).values())[-1]
    reader.until(lambda: reader.api(f"/api/receipts/{bet_id}")["ok"])
    page = reader.go("/account")
    page.click("#bets button >> nth=-1")
    page.wait_for_selector("#receipt-dialog[open]")
    receipt = page.inner_text("#receipt")
    page = reader.go("/audit")
    for text, mark in ((receipt, "✓"), (receipt.replace("A", "B"), "✗")):
        page.fill("#receipt-text", text)
        page.click("#receipt-form button")
        reader.until(lambda mark=mark: page.inner_text("#receipt-said").startswith(mark))  # type: ignore[misc]
