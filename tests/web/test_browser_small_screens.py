"""Pages on small screens, zoomed and with large text; game states are forced, not played."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from casino.web.i18n import LANGUAGES
from tests.web.browser import NEXT_FRAME, NewPerson

FORCED = (Path(__file__).parent / "scripts" / "forced.js").read_text("utf-8")
SMALL, TALL, SIDE = (360, 640), (390, 844), (844, 390)
ZOOMED = (640, 360)
"""A window of 1280×720 at a zoom of 200 %."""
NO_SIDEWAYS_SCROLL = f"document.scrollingElement.scrollWidth <= {TALL[0]}"
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
"""Legal actions and chosen cards; in the last two a ten of clubs was led."""


def test_every_question_and_phrase_fits_a_phone(new_person: NewPerson) -> None:
    person = new_person(size=SMALL)
    page = person.page
    page.add_init_script(FORCED)
    found: dict[tuple[Any, ...], list[str]] = {}
    for language in reversed(LANGUAGES):
        person.go(f"/table/open?lang={language}")
        for size in (SIDE, TALL, SMALL):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            person.until(lambda size=size: page.evaluate("innerWidth") == size[0])  # type: ignore[misc]
            page.evaluate("hear()")
            page.evaluate(NEXT_FRAME)
            found[language, size, "watching"] = page.evaluate("covered()")
        names = {}
        for legal, chosen in CHOICES:
            led = "TC" if legal[0] == "QH" else ""
            asked = {"legal": legal, "chosen": chosen, "trick": "C" in legal, "led": led}
            page.evaluate("force", asked)
            found[language, tuple(legal), len(chosen)] = page.evaluate("[...cut(), ...covered()]")
            names["".join(legal)] = page.locator("#controls .act:not(.quiet) b").all_inner_texts()
            if "K" in legal:
                page.evaluate("choices.choose('QH'); choices.renderControls()")
                found[language, tuple(legal), "silent"] = page.evaluate("cut()")
    assert {what: wrong for what, wrong in found.items() if wrong} == {}
    assert names["QHC"] == ["Play Q♥"]
    assert names["QHKC"] == ["The king!", "Play Q♥"]
    assert names["".join([*HAND, "C"])] == []
    # With an empty stock a card says why it stays, and the only answer is given without a question.
    page.evaluate("() => { globalThis.later = []; setTimeout = (step) => later.push(step); }")
    page.evaluate("force", {"legal": ["X"]})
    page.evaluate("for (const step of later) step()")
    assert page.evaluate("choices.seat.sent") == ["X"]
    page.evaluate("choices.choose('QD')")
    assert page.evaluate("choices.seat.message") == "The stock is empty: you keep your cards."
    # Another card than the king of trumps asks first; the king itself is announced, then played.
    page.evaluate("force", {"legal": ["QD", "KH", "K"]})
    page.evaluate("choices.choose('QD'); choices.renderControls()")
    assert page.inner_text("#controls .ask").startswith("Announce the king first (+1 point)?")
    page.evaluate("""() => {
        choices.choose("KH");
        for (const legal of [[], ["QD", "KH"]])
            choices.render({ ...choices.state, you: { ...choices.state.you, legal } });
        choices.choose("QD");
    }""")
    assert page.evaluate("choices.seat.sent") == ["K", "KH", "QD"]
    # The text of the disabled exchange button has contrast in dark mode.
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    page.evaluate("force", {"legal": EXCHANGES})
    dark = page.evaluate("""() => {
        const [soft, small] = ["#desk .ask, #controls b", "#controls .act.gold:disabled small"]
            .map((one) => getComputedStyle(document.querySelector(one)).color);
        return Math.max(...small.match(/\\d+/g).map(Number)) < 128 && [soft, small];
    }""")
    assert not dark


def test_no_content_is_lost_at_200_percent_zoom(new_person: NewPerson) -> None:
    person = new_person(size=ZOOMED)
    page = person.page
    page.add_init_script(FORCED)
    person.enter("Zoomed", "open")
    person.until(lambda: page.is_visible("#phrases"))
    found = {"watching": page.evaluate("lost()")}
    page.evaluate("force", {"legal": ["P", "S"], "trick": True})
    found["seated"] = page.evaluate("[...cut(), ...covered()]") + page.evaluate("lost()")
    replay = f"/game/{person.finished_game()}"
    for path in ("/", "/account", "/practice/open"):
        found[path] = person.go(path).evaluate("lost()")
    person.go(replay).wait_for_selector("#deals a")
    found["replay"] = page.evaluate("lost()")
    found["felt of the replay"] = page.evaluate(WHOLE)
    assert {where: lost for where, lost in found.items() if lost} == {}


def test_pages_do_not_scroll_sideways_with_200_percent_text(new_person: NewPerson) -> None:
    person = new_person(size=TALL)
    page = person.page
    person.enter("Doubled", "open")
    for path in ("/table/open", f"/game/{person.finished_game()}", "/practice/open", *PAGES):
        person.go(f"{path}?lang=ru")
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        person.until(lambda: page.evaluate(NO_SIDEWAYS_SCROLL))


SHIFTS = """() => { globalThis.shifted = 0;
    new PerformanceObserver((list) => {
        for (const one of list.getEntries()) shifted += one.value;
    }).observe({ type: "layout-shift", buffered: true });
}"""
LOADED = "document.querySelectorAll('.medal svg').length > 1 && document.fonts.status === 'loaded'"


def test_pages_load_without_layout_shift(new_person: NewPerson) -> None:
    person = new_person(size=TALL)
    page = person.page
    page.add_init_script(f"({SHIFTS})()")
    for path in (f"/game/{person.finished_game()}", "/table/open", "/"):
        person.go(path)
        person.until(lambda: page.evaluate(LOADED))
        if path == "/":
            page.wait_for_selector(".preview .hint")
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        assert page.evaluate("shifted") <= 0.02, path
