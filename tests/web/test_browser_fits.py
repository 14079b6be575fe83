"""Whatever a game may bring fits a small phone, in every language; no game is played for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from casino.web.i18n import LANGUAGES
from tests.web.browser import DRAWN, Person

NewPerson = Callable[..., Person]
FORCED = (Path(__file__).parent / "scripts" / "forced.js").read_text("utf-8")
SMALL, TALL, SIDE = (360, 640), (390, 844), (844, 390)
ZOOMED = (640, 360)
"""A window of 1280×720 at a zoom of 200 %."""
STILL = {"reduced_motion": "reduce"}
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


def test_all_that_may_be_asked_and_said_fits_a_phone(new_person: NewPerson) -> None:
    """Each pair of choices with its price, an exchange named card by card, a phrase, a word.

    A single card that may be played is a button that names it; where there is a choice, or a hand
    to lay down, no card is named.
    """
    person = new_person(size=SMALL, **STILL)
    page = person.page
    page.add_init_script(FORCED)
    found: dict[tuple[Any, ...], list[str]] = {}
    for language in reversed(LANGUAGES):
        person.go(f"/table/open?lang={language}")
        for size in (SIDE, TALL, SMALL):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            person.until(lambda size=size: page.evaluate("innerWidth") == size[0])  # type: ignore[misc]
            page.evaluate("hear()")
            page.evaluate(DRAWN)
            found[language, size, "watching"] = page.evaluate("covered()")
        names = {}
        for legal, chosen in CHOICES:
            led = "TC" if legal[0] == "QH" else ""
            asked = {"legal": legal, "chosen": chosen, "trick": "C" in legal, "led": led}
            page.evaluate("force", asked)
            wrong = page.evaluate("[...cut(), ...covered()]")
            found[language, tuple(legal), len(chosen)] = wrong
            names["".join(legal)] = page.locator("#controls .act b").all_inner_texts()
    assert {what: wrong for what, wrong in found.items() if wrong} == {}
    assert names["QHC"] == ["Play Q♥"]
    assert names["QHKC"] == ["The king!", "Play Q♥"]
    assert names["".join([*HAND, "C"])] == []
    # What is written on the button of an exchange before a card is chosen has contrast in the dark.
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    page.evaluate("force", {"legal": EXCHANGES})
    dark = page.evaluate("""() => {
        const [soft, small] = ["#desk .ask, #controls b", "#controls .act.gold:disabled small"]
            .map((one) => getComputedStyle(document.querySelector(one)).color);
        return Math.max(...small.match(/\\d+/g).map(Number)) < 128 && [soft, small];
    }""")
    assert not dark


def test_nothing_is_lost_at_a_zoom_of_200_percent(new_person: NewPerson) -> None:
    person = new_person(size=ZOOMED, **STILL)
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


def test_nothing_runs_out_at_the_side_with_doubled_letters(new_person: NewPerson) -> None:
    person = new_person(size=TALL, **STILL)
    page = person.page
    person.enter("Doubled", "open")
    for path in ("/table/open", f"/game/{person.past_game()}", "/practice/open", *PAGES):
        person.go(f"{path}?lang=ru")
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        person.until(lambda: page.evaluate(FITS))


SHIFTS = """() => { globalThis.shifted = 0;
    new PerformanceObserver((list) => {
        for (const one of list.getEntries()) shifted += one.value;
    }).observe({ type: "layout-shift", buffered: true });
}"""
CAME = "document.querySelectorAll('.medal svg').length > 1 && document.fonts.status === 'loaded'"


def test_nothing_moves_while_a_page_comes(new_person: NewPerson) -> None:
    person = new_person(size=TALL, **STILL)
    page = person.page
    page.add_init_script(f"({SHIFTS})()")
    for path in (f"/game/{person.past_game()}", "/table/open", "/"):
        person.go(path)
        person.until(lambda: page.evaluate(CAME))
        if path == "/":
            page.wait_for_selector(".preview .hint")
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        assert page.evaluate("shifted") <= 0.02, path
