"""At a table: names, phrases, the time to act, and the notification of a free seat."""

from __future__ import annotations

from playwright.sync_api import Route, expect

from casino.ecarte.rules import SEATS
from tests.web.browser import DESK, PHONE, NewPerson
from tests.web.test_browser_table import game_matching

# Phrases disappear after a moment, so they are recorded as they come.
RECORD_SPEECH = """() => {
    globalThis.heard = [];
    new MutationObserver((changes) => {
        for (const { addedNodes } of changes) for (const one of addedNodes) {
            const [who, words] = ["b", "span:not(.face-of)"].map((part) => one.querySelector(part));
            globalThis.heard.push([who?.innerText, words?.innerText]);
        }
    }).observe(document.getElementById("said"), { childList: true });
}"""
# The device's calls are noted. A window of the test is never hidden: the page learns that it is.
RECORD_NOTIFICATIONS = """() => {
    globalThis.called = [];
    globalThis.Notification = class {
        static permission = "default";
        static async requestPermission() { Notification.permission = "granted"; }
        constructor(words) { globalThis.called.push(words); }
    };
}"""
HIDDEN = "Object.defineProperty(document, 'hidden', { get: () => true })"


def test_phrase_is_shown_in_the_language_of_each_reader(new_person: NewPerson) -> None:
    speaker = new_person()
    french = new_person(locale="fr-FR")
    russian = new_person(locale="ru-RU", size=PHONE)
    for guest in (french, russian):
        guest.go("/table/open")
        guest.page.evaluate(RECORD_SPEECH)
    page = speaker.page
    page.clock.install()
    speaker.enter("Gaston", "open")
    page.click("#phrases summary")
    page.click("#phrase-list [data-phrase=well_played]")
    assert not page.locator("#phrases[open]").count()
    heard = [guest.until(lambda g=guest: g.page.evaluate("heard")) for guest in (french, russian)]  # type: ignore[misc]
    assert heard == [[["Gaston", "Bien joué\u00a0!"]], [["Gaston", "Хорошо сыграно!"]]]
    assert not french.page.is_visible("#phrases"), "spectators who are not signed in can only read"
    # Three at once are allowed, then one every few seconds; clicking by hand might be too slow.
    page.evaluate("""() => {
        const applause = document.querySelector("#phrase-list [data-phrase=applause]");
        for (let n = 0; n < 5; n += 1) applause.click();
    }""")
    page.wait_for_selector("#said li.bad")
    page.clock.fast_forward(10_000)
    page.wait_for_selector("#said li", state="detached")


def test_player_can_get_more_time_or_leave_and_forfeit(new_person: NewPerson) -> None:
    person = new_person()
    person.enter("Leaver", "seat")
    page = person.page
    title = page.title()
    person.until(lambda: page.is_visible("#phrases") and page.is_visible("#bet-wait"))
    assert page.is_hidden(".quick"), "no one is there to applaud"
    person.take_seat()
    person.play_until(lambda: person.state("you.legal.length"))
    assert page.is_hidden(".quick") and page.is_visible("#phrases")
    expect(page.locator("#desk")).to_have_accessible_name("Your game")
    button = page.locator("#controls .more-time")
    assert "more time" in (button.get_attribute("aria-label") or "").lower()
    room = button.evaluate("(one) => Number.parseFloat(getComputedStyle(one).paddingLeft)")
    assert room >= 4, "the text does not touch the border"
    for key in ("", "t"):
        before = person.state("endsAt")
        page.keyboard.press(key) if key else button.click()
        person.until(lambda before=before: person.state("endsAt") > before + 3_000_000)  # type: ignore[misc]
    person.until(lambda: page.title() == f"● Your turn. {title}")
    page.click("#leave-seat")
    # A king that is turned up is a point at the first question.
    price = "20.00" if person.state("game.score.challenger") else "30.00"
    words = f"every trick still to play goes to your opponent. You lose at most {price}. Your clock"
    expect(page.locator("#leave-dialog")).to_contain_text(words, use_inner_text=True)
    page.keyboard.press("Enter")
    expect(page.locator("#leave-dialog")).to_be_hidden()
    assert person.state("game.forfeit") is None
    person.leave_seat()
    expect(page.locator("#caption-title")).to_have_text("You left the game.")
    person.until(lambda: page.title() == title)
    person.play_until(lambda: person.state("game.settled"))
    page.wait_for_selector("#settlement-title:text('You left the game.')")
    assert page.inner_text("#settlement-result") == f"−{price}"
    expect(page.locator("#again")).to_be_focused()
    page.click("[data-opens=about]")
    page.keyboard.press("Escape")
    expect(page.locator("[data-opens=about]").first).to_be_focused()
    page.reload()
    page.wait_for_selector("#settlement-close")
    assert page.inner_text("#settlement-title").startswith("You left the game.")
    page = person.go(f"/game/{person.api('/api/games?limit=1&table=seat')['games'][0]['game']}")
    expect(page.locator("#deals small")).to_contain_text("opponent left")
    assert page.inner_text("#deals small").count("opponent left") == 1
    page.keyboard.press("End")
    expect(page.locator("#caption-title")).to_have_text("Leaver left the game.")
    page.click("#review-start")
    page.wait_for_selector("#review-told:not([hidden])")
    page.check("#review-challenger")
    expect(page.locator("#review-list li[data-step]")).to_have_count(0)


def test_queued_player_is_notified_when_the_seat_is_free(new_person: NewPerson) -> None:
    first, second = new_person(), new_person()
    first.enter("Holder", "seat2")
    first.take_seat()
    first.play_until(lambda: first.state("you.legal.length"))
    second.enter("Waiter", "seat2")
    page = second.page
    second.take_seat()
    second.until(lambda: "Waiter" in (second.state("queue") or []))
    tab = second.tab()
    tab.goto(f"{second.url}/table/seat2#play")
    begins = "after the game that is being played. In the queue: Waiter."
    expect(tab.locator("#sheet-begins")).to_have_text(begins)
    expect(tab.locator("#seat-yes")).to_have_text("Join the queue")
    tab.close()
    page.wait_for_selector(".waits", state="attached")
    assert page.is_hidden("#call-me"), "this browser allows no notifications"
    page.add_init_script(f"({RECORD_NOTIFICATIONS})()")
    page.reload()
    page.wait_for_selector("#call-me:not([hidden])")
    seat = page.evaluate("document.querySelector('.seat').getBoundingClientRect().bottom")
    assert seat <= DESK[1], "both buttons of a queued player are visible"
    place = "You are next: your game follows this one."
    assert page.inner_text("#seat-words") == place
    assert page.is_hidden(".waits"), "a desktop shows it next to the strip"
    for size in ((360, 640), (844, 390)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        assert page.inner_text(".waits button") == place
    page.click(".waits button")
    assert page.is_visible("#leave-seat"), "the sheet in which the queue is left"
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": DESK[0], "height": DESK[1]})
    page.click("#call-me")
    page.wait_for_selector("#call-me", state="hidden")
    page.evaluate(HIDDEN)
    first.leave_seat()
    first.play_until(lambda: first.state("game.settled"))
    expect(first.page.locator("#settlement-next")).not_to_contain_text("yours")
    second.play_until(lambda: "seat is yours" in page.title())
    assert first.page.is_hidden("#again")
    assert page.evaluate("globalThis.called") == ["The seat is yours: your game begins."]


def test_name_entered_before_scripts_load_is_kept(new_person: NewPerson) -> None:
    person = new_person()
    page, held = person.page, list[Route]()
    page.route("**/table-*.js", lambda route: held.append(route))
    page.goto(f"{person.url}/table/open", wait_until="commit")
    page.fill("#enter-name", "Hasty")
    page.keyboard.press("Enter")
    person.until(lambda: held)[0].continue_()
    page.click("#enter-form button.primary")
    page.wait_for_selector("#purse:not([hidden])")


def test_name_form_stays_open_while_it_has_the_focus(new_person: NewPerson) -> None:
    person = new_person(size=PHONE)
    page = person.go("/table/quick")
    page.fill("#enter-name", "Scribe")
    person.skip_to_settlement(person.state("game.id"))
    assert page.is_visible("#enter-form")
    page.evaluate("document.activeElement.blur()")
    person.play_until(lambda: not page.is_visible("#enter-form"))


def test_challenger_with_a_long_name_sees_the_cards_on_a_phone(new_person: NewPerson) -> None:
    person = new_person(size=PHONE)
    person.name = "Maximilienne-Alexandrine"
    page = person.go("/")
    page.click(".doors [href$='#play']")
    page.fill("#enter-name", person.name)
    page.click("#enter-form button.primary")
    page.click("#seat-dialog [value=no]")
    page.click(".bottom-bar [data-sits]")
    page.click("#seat-yes")
    person.play_until(lambda: page.is_visible("#ready"))
    expect(page.locator("#ready")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#ready")).to_be_hidden()
    expect(page.locator("#desk")).to_be_focused()
    person.play_until(lambda: person.state("you.legal.length"))
    # The script for the choices is fetched with the first question.
    person.until(page.locator(".piece.hand[role=button]").count)
    assert page.is_hidden("#take-seat"), "the panel of the table has closed over the cards"
    high = "seat => document.getElementById(`plate-${seat}`).offsetHeight"
    assert page.evaluate(high, "challenger") == page.evaluate(high, "house")
    for card in page.locator(".piece.hand[role=button]").all():
        box = card.bounding_box()
        assert box and box["y"] >= 0 and box["y"] + box["height"] <= PHONE[1]
    suit = page.inner_text("#trump b")
    assert f"{suit} are trumps" in page.locator("#trump").aria_snapshot()
    roles = {page.locator(f"#plate-{seat} .role").aria_snapshot() for seat in SEATS}
    assert roles == {"- text: dealer", "- text: first to lead"}
    person.leave_seat()
    person.until(lambda: game_matching(person, lambda told: told.get("forfeit")))
    person.play_until(lambda: person.state("game.settled"))
    box = page.locator("#headline").bounding_box()
    assert box and abs(2 * box["x"] + box["width"] - PHONE[0]) < 4, "no trick lies beside it"
