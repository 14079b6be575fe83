"""Phrases, the clock and the call to the seat, in a real browser."""

from __future__ import annotations

from collections.abc import Callable

from tests.web.browser import DESK, PHONE, Person

Somebody = Callable[..., Person]
STILL = {"reduced_motion": "reduce"}
# A window of the test is never hidden: the page is told that it is. The device's calls are noted.
CALLED = """() => {
    Object.defineProperty(document, 'hidden', { get: () => true });
    globalThis.called = [];
    globalThis.Notification = class {
        static permission = "default";
        static async requestPermission() { Notification.permission = "granted"; }
        constructor(words) { globalThis.called.push(words); }
    };
}"""


def test_a_phrase_is_read_in_the_language_of_each_page(somebody: Somebody) -> None:
    """What an English page says a French and a Russian one show in their own words."""
    speaker = somebody(**STILL)
    french = somebody(locale="fr-FR", **STILL)
    russian = somebody(locale="ru-RU", size=PHONE, **STILL)
    for guest in (french, russian):
        guest.go("/table/open")
    speaker.enter("Gaston", "open")
    page = speaker.page
    page.click("#phrases summary")
    page.click("[data-phrase=well_played]")
    assert not page.locator("#phrases[open]").count()
    french.page.wait_for_selector("#said li")
    assert french.page.inner_text("#said li span:not(.face-of)") == "Bien joué !"
    russian.page.wait_for_selector("#said li")
    assert russian.page.inner_text("#said li span:not(.face-of)") == "Хорошо сыграно!"
    assert "Gaston" in russian.page.inner_text("#said li")
    assert not french.page.is_visible("#phrases"), "whoever has not entered may only listen"
    for _ in range(5):
        page.click("#phrases summary")
        page.click("[data-phrase=applause]")
    page.wait_for_selector("#said li.bad")
    page.wait_for_selector("#said li", state="detached")


def test_more_time_is_a_button_a_key_and_a_word(somebody: Somebody) -> None:
    """In the own turn the clock has a button for more time; the key does the same."""
    person = somebody(**STILL)
    person.enter("Muser", "seat")
    page = person.page
    page.click("#take-seat")
    page.click("#seat-yes")
    button = page.locator("#controls .more-time")
    button.wait_for(timeout=60_000)
    assert "more time" in (button.get_attribute("aria-label") or "").lower()
    room = button.evaluate("(one) => Number.parseFloat(getComputedStyle(one).paddingLeft)")
    assert room >= 4, "the words do not touch the rim"
    before = person.state("endsAt")
    button.click()
    person.until(lambda: person.state("endsAt") > before + 3_000_000)
    later = person.state("endsAt")
    page.keyboard.press("t")
    person.until(lambda: person.state("endsAt") > later + 3_000_000)
    page.click("#leave-seat")
    page.click("#leave-yes")


def test_whoever_waited_is_called_in_another_tab(somebody: Somebody) -> None:
    """When the seat is free the title says so, and the device to whoever has allowed it."""
    first, second = somebody(**STILL), somebody(**STILL)
    first.enter("Holder", "seat")
    first.page.click("#take-seat")
    first.page.click("#seat-yes")
    first.until(lambda: first.state("you.legal"))
    second.enter("Waiter", "seat")
    page = second.page
    page.click("#take-seat")
    page.click("#seat-yes")
    second.until(lambda: "Waiter" in (second.state("queue") or []))
    page.wait_for_selector("#call-me:not([hidden])")
    seat = page.evaluate("document.querySelector('.seat').getBoundingClientRect().bottom")
    assert seat <= DESK[1], "both buttons of whoever waits are in sight"
    page.evaluate(CALLED)
    page.click("#call-me")
    page.wait_for_selector("#call-me", state="hidden")
    first.page.click("#leave-seat")
    first.page.click("#leave-yes")
    second.until(lambda: "seat is yours" in page.title(), patience=120)
    assert page.evaluate("globalThis.called") == ["The seat is yours: your game begins."]
