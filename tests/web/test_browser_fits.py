"""Whatever a game may bring fits a small phone, in every language; no game is played for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from casino.web.i18n import LANGUAGES
from tests.web.browser import DRAWN, Person

Somebody = Callable[..., Person]
FORCED = (Path(__file__).parent / "scripts" / "forced.js").read_text("utf-8")
SMALL, TALL, SIDE = (360, 640), (390, 844), (844, 390)
ZOOMED = (640, 360)
"""A window of 1280×720 at a zoom of 200 %."""
STILL = {"reduced_motion": "reduce"}
FONTS = "document.fonts.ready.then(() => {})"
"""The letters have come in which the page is measured."""
FITS = f"document.scrollingElement.scrollWidth <= {TALL[0]}"
PAGES = ("/", "/account", "/audit", "/chart", "/games", "/leaders", "/rules", "/stats")
WHOLE = """() => {
    const felt = document.getElementById("cloth").getBoundingClientRect();
    const tools = document.querySelector(".player").getBoundingClientRect();
    const apart = felt.right <= tools.left || felt.bottom <= tools.top;
    return apart && felt.bottom <= innerHeight ? [] : ["not in sight as a whole"];
}"""
HAND = ["QD", "KD", "TD", "JH", "QH"]
EXCHANGES = ["XQD", "XQDKDTDJHQH", "XQDKDTDJH"]
CHOICES: list[tuple[list[str], list[str]]] = [
    (["P", "S"], []),
    (["A", "R"], []),
    (["N", "O"], []),
    (["V", "W"], []),
    (["X"], []),
    (EXCHANGES, []),
    (EXCHANGES, HAND),
    ([*HAND, "C"], []),
    ([*HAND, "K", "C"], []),
    ([*HAND, "K", "V", "C"], []),
    (["QH", "C"], []),
    (["QH", "K", "C"], []),
]
"""What may be asked at once, and which cards are chosen; the last has to trump a ten of clubs."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_that_may_be_asked_and_said_fits_a_phone(somebody: Somebody, language: str) -> None:
    """Each pair of choices with its price, an exchange named card by card, a phrase, a word."""
    person = somebody(size=SMALL, **STILL)
    page = person.page
    page.add_init_script(FORCED)
    person.go(f"/table/open?lang={language}")
    found: dict[tuple[Any, ...], list[str]] = {}
    for size in (SIDE, TALL, SMALL):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        person.comes_to(lambda: page.evaluate("innerWidth"), size[0])
        page.evaluate("hear()")
        page.evaluate(DRAWN)
        found[size, "watching"] = page.evaluate("covered()")
    for legal, chosen in CHOICES:
        led = "TC" if legal[0] == "QH" else ""
        asked = {"legal": legal, "chosen": chosen, "trick": "C" in legal, "led": led}
        page.evaluate("force", asked)
        found[tuple(legal), len(chosen)] = page.evaluate("[...cut(), ...covered()]")
    assert {what: wrong for what, wrong in found.items() if wrong} == {}


def at_every_size(somebody: Somebody, path: str) -> Iterator[tuple[tuple[int, int], Page]]:
    """A table's page, loaded anew for each size, as a script stops it at the moment it makes."""
    person = somebody(**STILL)
    person.page.add_init_script(FORCED)
    for size in (SMALL, TALL, SIDE, (1280, 720)):
        person.page.set_viewport_size({"width": size[0], "height": size[1]})
        yield size, person.go(path)


def test_nothing_lies_on_the_words_or_under_the_ring(somebody: Somebody) -> None:
    """Words beside the trick, seen from the seat; and all piles while bets are taken."""
    found = {}
    for size, page in at_every_size(somebody, "/table/open"):
        for side in ("house", "challenger"):
            page.evaluate("heap", side)
            found[size, side] = page.evaluate("misplaced", side) + page.evaluate("covered()")
        page.evaluate("force", {"legal": [*HAND, "C"], "trick": True})
        found[size, "trick"] = page.evaluate("[...cut(), ...covered()]")
    assert {where: wrong for where, wrong in found.items() if wrong} == {}


def test_a_single_card_that_may_be_played_is_a_button(somebody: Somebody) -> None:
    """It names the card; where there is a choice, or a hand to lay down, no card is named."""
    person = somebody(size=SIDE, **STILL)
    page = person.page
    page.add_init_script(FORCED)
    person.go("/table/open")
    names = []
    for legal in (["QH", "C"], ["QH", "K", "C"], [*HAND, "C"]):
        page.evaluate("force", {"legal": legal, "trick": True, "led": "TC"})
        names.append(page.locator("#controls .act b").all_inner_texts())
    assert names == [["Play Q♥"], ["The king!", "Play Q♥"], []]


def test_a_choice_that_is_not_yet_open_is_read_in_the_dark(somebody: Somebody) -> None:
    """What is written on the button of an exchange before a card is chosen has contrast."""
    person = somebody(size=SMALL, color_scheme="dark", **STILL)
    page = person.page
    page.add_init_script(FORCED)
    person.go("/table/open")
    page.evaluate("force", {"legal": EXCHANGES})
    dark = page.evaluate("""() => {
        const [soft, small] = ["#desk .ask, #controls b", "#controls .act.gold:disabled small"]
            .map((one) => getComputedStyle(document.querySelector(one)).color);
        return Math.max(...small.match(/\\d+/g).map(Number)) < 128 && [soft, small];
    }""")
    assert not dark


def test_nothing_is_lost_at_a_zoom_of_200_percent(somebody: Somebody) -> None:
    """The table, watched and from the seat, lobby, statement and practice: all can be reached."""
    person = somebody(size=ZOOMED, **STILL)
    page = person.page
    page.add_init_script(FORCED)
    person.enter("Zoomed", "open")
    person.until(lambda: page.is_visible("#phrases"))
    found = {"watching": page.evaluate("lost()")}
    page.evaluate("force", {"legal": ["P", "S"], "trick": True})
    found["seated"] = page.evaluate("[...cut(), ...covered()]") + page.evaluate("lost()")
    replay = f"/game/{person.past_game()}"
    for path in ("/", "/account", "/practice/open"):
        found[path] = person.go(path).evaluate("lost()")
    person.go(replay).wait_for_selector("#deals a")
    found["replay"] = page.evaluate("lost()")
    found["felt of the replay"] = page.evaluate(WHOLE)
    assert {where: lost for where, lost in found.items() if lost} == {}


def test_nothing_runs_out_at_the_side_with_doubled_letters(somebody: Somebody) -> None:
    """No page scrolls sideways on a phone whose letters are of double size; Russian is longest."""
    person = somebody(size=TALL, **STILL)
    page = person.page
    person.enter("Doubled", "open")
    for path in ("/table/open", f"/game/{person.past_game()}", "/practice/open", *PAGES):
        person.go(f"{path}?lang=ru")
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        # What is drawn on a canvas takes its new size a frame later.
        person.until(lambda: page.evaluate(FITS))


ANSWER = """() => {
    const card = document.querySelector("[data-answer]");
    const { content, fontSize, fontFamily } = getComputedStyle(card, "::before");
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `${fontSize} ${fontFamily}`;
    const words = content.replaceAll('"', "");
    const widest = Math.max(...words.split(" ").map((word) => pen.measureText(word).width));
    return [words, widest / card.clientWidth];
}"""


@pytest.mark.parametrize(
    ("language", "words"), [("en", "yours here"), ("fr", "votre carte ici"), ("ru", "ваша карта")]
)
def test_own_bets_cover_nothing_and_the_place_of_the_answer_says_whose_it_is(
    somebody: Somebody, language: str, words: str
) -> None:
    """Totals, the own stake, the stock and the cards lie apart at every size.

    The place is beside the card led, in words no wider than a card; and for nobody who watches.
    """
    found = {}
    for size, page in at_every_size(somebody, f"/table/open?lang={language}"):
        # A long amount, and one that makes a high pile.
        for bet in (123_450, 400):
            page.evaluate("force", {"legal": [], "trick": True, "bet": bet})
            found[size, bet] = page.evaluate("covered()")
        page.evaluate("force", {"legal": ["QH", "C"], "led": "TC"})
        said, width = page.evaluate(ANSWER)
        assert (said, width < 0.85) == (words, True), size
    assert {size: wrong for size, wrong in found.items() if wrong} == {}
    page.evaluate("document.getElementById('main').classList.remove('seated')")
    assert page.evaluate(ANSWER)[0] == "none"


ROWS = """() => [...document.querySelectorAll(".seat :is(a, button)")]
    .filter((one) => one.checkVisibility())
    .map((one) => { const { top, bottom } = one.getBoundingClientRect();
        return Math.round((top + bottom) / 2); })"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_seat_offers_stands_in_one_row(somebody: Somebody, language: str) -> None:
    """To practise and to take the seat, side by side in the corner of a desk."""
    person = somebody(**STILL)
    person.enter(f"Corner{language}", "open")
    page = person.go(f"/table/open?lang={language}")
    person.until(lambda: page.is_visible("#take-seat"))
    page.evaluate(FONTS)
    for width, height in ((1280, 720), (1366, 768), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        rows = page.evaluate(ROWS)
        assert len(rows) == 2 and len(set(rows)) == 1, width


SHIFTS = """() => { globalThis.shifted = 0;
    new PerformanceObserver((list) => {
        for (const one of list.getEntries()) shifted += one.value;
    }).observe({ type: "layout-shift", buffered: true });
}"""
CAME = "document.querySelectorAll('.medal svg').length > 1 && document.fonts.status === 'loaded'"


@pytest.mark.parametrize("path", ["/", "/table/open", "game"])
def test_nothing_moves_while_a_page_comes(somebody: Somebody, path: str) -> None:
    """At most 0.02 of layout shift on a phone: what is told later finds its room kept."""
    person = somebody(size=TALL, **STILL)
    page = person.page
    page.add_init_script(f"({SHIFTS})()")
    person.go(f"/game/{person.past_game()}" if path == "game" else path)
    person.until(lambda: page.evaluate(CAME))
    if path == "/":
        page.wait_for_selector(".preview .hint")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    assert page.evaluate("shifted") <= 0.02
