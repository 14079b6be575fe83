"""What a person chooses for a device: French courts and sounds, kept from page to page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.web.browser import DRAWN, Person
from tests.web.test_browser_table import act

NewPerson = Callable[..., Person]
STILL = {"reduced_motion": "reduce"}
LETTERS = """() => {
    const seen = (text) => getComputedStyle(text).display !== "none";
    const isDrawn = (use) => use.getBoundingClientRect().width > 0;
    const faces = [...document.querySelectorAll(".face")];
    const courts = faces.filter((one) => one.querySelector(".own"));
    const named = (use) => document.querySelector(use.getAttribute("href"));
    return courts.map((one) => [
        ...[...one.querySelectorAll("text")].filter(seen),
        ...[...one.querySelectorAll("[href^='#name-']")].filter(isDrawn).map(named),
    ].map((text) => text.textContent));
}"""
# Each sound that is played opens strokes on the device: they are counted.
COUNTED = """() => { globalThis.strokes = 0;
    const start = AudioScheduledSourceNode.prototype.start;
    AudioScheduledSourceNode.prototype.start = function (...given) {
        globalThis.strokes += 1;
        return start.apply(this, given);
    };
}"""


def test_french_courts_have_their_letters_and_their_names(new_person: NewPerson) -> None:
    person = new_person(**STILL)
    page = person.go("/rules")
    page.wait_for_selector(".face")
    before = page.evaluate(LETTERS)
    assert before and all(set(texts) <= {"K", "Q", "J"} for texts in before)
    page.click("#menu summary")
    page.check("input[name=courts]")
    for _ in range(2):
        found = page.evaluate(LETTERS)
        letters = {text for texts in found for text in texts if len(text) == 1}
        named = {text for texts in found for text in texts if len(text) > 1}
        assert letters and letters <= {"R", "D", "V"}
        assert named and all(len(set(texts)) == 2 for texts in found)
        page.reload()
        page.wait_for_selector(".face")


def test_sounds_are_silent_until_one_click(new_person: NewPerson) -> None:
    person = new_person(**STILL)
    page = person.page
    page.add_init_script(f"({COUNTED})()")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    person.go("/table/quick")
    speaker = page.locator("#speaker")
    assert speaker.get_attribute("aria-pressed") == "false"
    dealt = person.state("version")
    person.play_until(lambda: person.state("version") > dealt + 10)
    assert page.evaluate("globalThis.strokes") == 0
    assert not any("/common/sound.js" in url for url in asked)
    speaker.click()
    assert speaker.get_attribute("aria-pressed") == "true"
    person.play_until(lambda: page.evaluate("globalThis.strokes") > 0, pause_ms=80)
    speaker.click()
    assert speaker.get_attribute("aria-pressed") == "false"


# What is played from now on, and the moment when one card is left and it is the turn to play it.
PLAYED = """() => {
    globalThis.played = [];
    const { line } = casino;
    const ask = line.request.bind(line);
    line.request = (what, said) => {
        if (what === "act") played.push(said);
        return ask(what, said);
    };
}"""
LAST = """() => {
    const { legal, hand, version } = casino.state().you;
    return hand.length === 1 && legal.includes(hand[0]) ? [hand[0], version] : null;
}"""


def test_a_last_card_is_played_by_itself_for_whoever_wants_that(new_person: NewPerson) -> None:
    person = new_person(**STILL)
    page = person.page
    page.clock.install()
    person.enter("Lastly", "seat")
    page.evaluate(PLAYED)
    page.click("#take-seat")
    page.click("#seat-yes")
    done: set[str] = set()

    def last() -> Any:
        """The last card of a hand, when it is the turn to play it; until then cards are played.

        With one card left nothing is clicked here: it may just have become the turn to play it.
        """
        found = page.evaluate(LAST)
        if not found and len(person.state("you.hand") or []) > 1:
            act(person, done)
        return found

    card, version = person.play_until(last)
    page.clock.fast_forward(60_000)
    page.evaluate(DRAWN)
    assert page.evaluate(LAST) == [card, version] and not page.evaluate("played").count(
        {"table": "seat", "version": version, "action": card}
    )
    act(person, done)
    page.click("#menu summary")
    page.check("input[name=last]")
    page.click("#menu summary")
    card, version = person.play_until(last)
    own = {"table": "seat", "version": version, "action": card}

    def is_played() -> bool:
        page.clock.fast_forward(1_000)
        return bool(page.evaluate("played").count(own))

    person.until(is_played)
    person.until(lambda: person.state("you.version") != version)
    assert page.evaluate("played").count(own) == 1
