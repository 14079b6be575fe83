"""What a person chooses for a device: French courts and sounds, kept from page to page."""

from __future__ import annotations

from collections.abc import Callable

from tests.web.browser import Person

Somebody = Callable[..., Person]
STILL = {"reduced_motion": "reduce"}
LETTERS = """() => {
    const seen = (text) => getComputedStyle(text).display !== "none";
    const faces = [...document.querySelectorAll(".face")];
    const courts = faces.filter((one) => one.querySelector(".own"));
    return courts.map((one) => [...one.querySelectorAll("text")].filter(seen)
        .map((text) => text.textContent));
}"""
# Each sound that is played opens strokes on the device: they are counted.
COUNTED = """() => { globalThis.strokes = 0;
    const start = AudioScheduledSourceNode.prototype.start;
    AudioScheduledSourceNode.prototype.start = function (...given) {
        globalThis.strokes += 1;
        return start.apply(this, given);
    };
}"""


def test_french_courts_have_their_letters_and_their_names(somebody: Somebody) -> None:
    """R, D, V and David, Judith, Lancelot on the faces, also after the page is opened again."""
    person = somebody(**STILL)
    page = person.go("/rules")
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


def test_sounds_are_silent_until_one_click(somebody: Somebody) -> None:
    """Nothing is loaded or played before; one click turns them on, one more off."""
    person = somebody(**STILL)
    page = person.page
    page.add_init_script(f"({COUNTED})()")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    person.go("/table/quick")
    speaker = page.locator("#speaker")
    assert speaker.get_attribute("aria-pressed") == "false"
    dealt = person.state("version")
    person.until(lambda: person.state("version") > dealt + 10)
    assert page.evaluate("globalThis.strokes") == 0
    assert not any("/sound.js" in url for url in asked)
    speaker.click()
    assert speaker.get_attribute("aria-pressed") == "true"
    person.until(lambda: page.evaluate("globalThis.strokes") > 0)
    speaker.click()
    assert speaker.get_attribute("aria-pressed") == "false"
