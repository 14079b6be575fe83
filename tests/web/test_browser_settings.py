"""Settings kept on a device: French court cards, sounds, playing the last card."""

from __future__ import annotations

from typing import Any

from tests.web.browser import NEXT_FRAME, NewPerson
from tests.web.test_browser_table import act

CARD_TEXTS = """() => {
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
# Count the audio sources that are started.
COUNT_SOUNDS = """() => { globalThis.strokes = 0;
    const start = AudioScheduledSourceNode.prototype.start;
    AudioScheduledSourceNode.prototype.start = function (...given) {
        globalThis.strokes += 1;
        return start.apply(this, given);
    };
}"""


def test_french_court_cards_show_french_letters_and_names(new_person: NewPerson) -> None:
    person = new_person()
    page = person.go("/rules")
    page.wait_for_selector(".face")
    before = page.evaluate(CARD_TEXTS)
    assert before and all(set(texts) <= {"K", "Q", "J"} for texts in before)
    page.click("#menu summary")
    page.check("input[name=courts]")
    for _ in range(2):
        found = page.evaluate(CARD_TEXTS)
        letters = {text for texts in found for text in texts if len(text) == 1}
        named = {text for texts in found for text in texts if len(text) > 1}
        assert letters and letters <= {"R", "D", "V"}
        assert named and all(len(set(texts)) == 2 for texts in found)
        page.reload()
        page.wait_for_selector(".face")


def test_sound_is_off_until_switched_on(new_person: NewPerson) -> None:
    person = new_person()
    page = person.page
    page.add_init_script(f"({COUNT_SOUNDS})()")
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


# Record the actions sent; and return the last card of a hand once it can be played.
RECORD_ACTIONS = """() => {
    globalThis.played = [];
    const { line } = casino;
    const ask = line.request.bind(line);
    line.request = (what, said) => {
        if (what === "act") played.push(said);
        return ask(what, said);
    };
}"""
LAST_CARD = """() => {
    const { legal, hand, version } = casino.state().you;
    return hand.length === 1 && legal.includes(hand[0]) ? [hand[0], version] : null;
}"""


def test_last_card_is_played_automatically_only_if_enabled(new_person: NewPerson) -> None:
    person = new_person()
    page = person.page
    page.clock.install()
    person.enter("Lastly", "seat")
    page.evaluate(RECORD_ACTIONS)
    person.take_seat()
    done: set[str] = set()

    def last() -> Any:
        """Return the last card of a hand once it can be played; until then play cards.

        With one card left nothing is clicked: the player's turn may just have come.
        """
        found = page.evaluate(LAST_CARD)
        if not found and len(person.state("you.hand") or []) > 1:
            act(person, done)
        return found

    card, version = person.play_until(last)
    page.clock.fast_forward(60_000)
    page.evaluate(NEXT_FRAME)
    assert page.evaluate(LAST_CARD) == [card, version] and not page.evaluate("played").count(
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
