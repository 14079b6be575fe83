"""Practice games in a real browser, with hints and undo."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import TimeoutError, expect  # noqa: A004

from tests.web.browser import DESK, NEXT_FRAME, PHONE, NewPerson, Person
from tests.web.test_browser_layout import HEADLINE

CLICK_TIMEOUT_MS = 5000
SIZES = [(360, 640), (390, 844), (844, 390), (1280, 720), (1920, 1080), (3840, 2160)]
OUTSIDE = """() => {
    const things = document.querySelectorAll(`.piece[role=button], #controls button, #helps button,
        #hint .option, #deal, #opponent, .plate .points`);
    const page = document.documentElement;
    const scrolls = page.scrollHeight > innerHeight || page.scrollWidth > innerWidth;
    const wrong = scrolls ? ["scrolls"] : [];
    for (const one of things) {
        if (!one.checkVisibility()) continue;
        const { left, top, right, bottom } = one.getBoundingClientRect();
        if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight)
            wrong.push(`${one.id || one.className}: ${[left, top, right, bottom].map(Math.round)}`);
    }
    return wrong;
}"""


def legal_or_result(person: Person) -> Any:
    found = person.until(lambda: person.state("you.legal") or person.state("game?.result"))
    person.page.evaluate(NEXT_FRAME)
    return found


def act(person: Person) -> None:
    """Act by mouse, as soon as the page offers a choice."""
    version = person.state("you.version")
    # The page draws once a frame: until then the cloth still offers the cards of the last question.
    person.page.evaluate(NEXT_FRAME)
    person.until(lambda: try_choice(person) or person.state("you.version") != version)
    person.until(lambda: person.state("you.version") != version)


def try_choice(person: Person) -> bool:
    """Click the first choice; return whether that was possible."""
    page, legal = person.page, person.state("you.legal") or []
    exchanges = any(one.startswith("X") and len(one) > 1 for one in legal)
    try:
        if exchanges:
            page.locator(".piece[role=button]").first.click(timeout=CLICK_TIMEOUT_MS)
            page.click("#controls [data-action=X]", timeout=CLICK_TIMEOUT_MS)
        elif page.locator("#controls .act").count():
            page.locator("#controls .act").first.click(timeout=CLICK_TIMEOUT_MS)
        else:
            page.locator(".piece.legal[role=button]").first.click(timeout=CLICK_TIMEOUT_MS)
    except TimeoutError:
        return False
    return True


def test_practice_gives_hints_and_undoes_a_move(new_person: NewPerson) -> None:
    person = new_person(size=PHONE)
    page = person.go("/table/open")
    page.click(".icon[data-opens=about]")
    page.click(".seat a[href*=practice]")
    page.wait_for_selector("#begin")
    # The page is visible before its script has run, and cannot deal yet.
    person.until(lambda: page.evaluate("Boolean(globalThis.casino)"))
    assert "Maître Hubert" in page.inner_text("#opponent")
    page.select_option("#opponent", "novice")
    page.click("#deal")
    assert legal_or_result(person)
    assert page.is_disabled("#undo")
    # The cards depend on the house's secret, and a hint needs a choice.
    while len(set(legal_or_result(person)) - {"C"}) < 2:
        act(person)
    person.until(lambda: page.is_enabled("#ask-hint"))
    page.keyboard.press("h")
    page.wait_for_selector("#hint b.option")
    assert page.locator("#hint").get_attribute("role") == "status"
    assert "%" in page.inner_text("#hint b.option")
    before = person.state("you.legal")
    act(person)
    person.until(lambda: page.inner_text("#hint") == "")
    assert legal_or_result(person)
    page.click("#undo:not([disabled])")
    person.until(lambda: person.state("you.legal") == before)


def kind_of_question(legal: list[str]) -> str:
    if any(one.startswith("X") and len(one) > 1 for one in legal):
        return "exchange"
    return "words" if {"P", "A"} & set(legal) else "cards"


def test_practice_fits_every_size_and_passes_axe(new_person: NewPerson, quick_run: bool) -> None:
    person = new_person()
    page = person.go("/practice/open")
    looked: set[str] = set()

    def look(what: str) -> None:
        looked.add(what)
        for width, height in SIZES[: 4 if quick_run and what != "over" else None]:
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate(NEXT_FRAME)
            assert page.evaluate(OUTSIDE) == [], (what, width, height)
        page.set_viewport_size({"width": DESK[0], "height": DESK[1]})
        page.evaluate(NEXT_FRAME)
        assert person.violations() == [], what

    look("begin")
    page.click("#deal")
    while isinstance(legal_or_result(person), list):
        legal = person.state("you.legal")
        stage = kind_of_question(legal)
        if stage not in looked and (stage != "cards" or len(legal) > 2):
            page.click("#ask-hint")
            page.wait_for_selector("#hint:not(:empty)")
            look(stage)
        if "C" in legal and looked >= {"words", "cards"}:
            version = person.state("you.version")
            page.click("#controls .quiet")
            page.click("#concede-yes")
            person.until(lambda version=version: person.state("you.version") != version)  # type: ignore[misc]
        else:
            act(person)
    page.wait_for_selector("#cloth.ended")
    look("over")
    assert looked >= {"words", "cards"}
    assert page.locator(".piece.hand").count() > 0
    for size in ((1280, 720), (1280, 800), (1920, 1080), (844, 390)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.evaluate(NEXT_FRAME)
        assert page.evaluate(HEADLINE) == [], size
    expect(page.locator("#begin-words")).to_have_text(re.compile("^You "))
    page.click("#deal")
    person.until(lambda: not person.state("game?.result") and person.state("you.legal"))
