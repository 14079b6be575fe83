"""What single people meet at a table, in a real browser: a newcomer, a regular, a challenger."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.web.browser import PHONE, Person
from tests.web.test_browser_table import bet, game_that

Somebody = Callable[..., Person]
# Whether the place that a stop of the tour speaks of is in sight, and its edge not below the words.
TOURED = """() => {
    const { left, top, width } = document.querySelector(".toured").getBoundingClientRect();
    const there = document.elementFromPoint(left + width / 2, Math.max(top, 0) + 4);
    return top > -5 && top < innerHeight && !there?.closest("#tour");
}"""
# What the desk says, each time with the stage of the game in which it says so.
LISTEN = """() => {
    globalThis.said = [];
    const message = document.getElementById("bet-message");
    new MutationObserver(() => {
        globalThis.said.push([message.innerText, globalThis.casino.state().game.phase]);
    }).observe(message, { childList: true, characterData: true, subtree: true });
}"""
TOO_WIDE = """() => { const box = document.querySelector(".settlement-table");
    return box.scrollWidth - box.clientWidth; }"""


def test_the_tour_shows_what_it_speaks_of_on_a_phone(somebody: Somebody) -> None:
    """Each stop brings its place into sight, above the words."""
    person = somebody(size=PHONE, reduced_motion="reduce")
    page = person.go("/table/open")
    page.click(".icon[data-opens=about]")
    page.click("#tour-start")
    page.wait_for_selector("#tour", state="visible")
    stops = 0
    while page.is_visible("#tour"):
        assert page.evaluate(TOURED), page.inner_text("#tour-title")
        page.click("#tour-next")
        stops += 1
    assert stops > 5


def test_a_bet_and_its_settlement_are_read_on_a_phone(somebody: Somebody) -> None:
    """The bet stands while the book is open; nobody has to scroll sideways to see who paid whom."""
    person = somebody(size=PHONE, reduced_motion="reduce", locale="fr-FR")
    person.enter("Phoebe", "bets")
    page = person.page
    page.evaluate(LISTEN)
    game = bet(person, "challenger", 2)

    def closed(told: Any) -> bool:
        return bool(told["phase"] != "betting")

    person.play_until(lambda: game_that(person, closed))
    # What is said is noted a moment after it is shown.
    said = person.until(lambda: page.evaluate("said.at(-1)?.[0] === '' ? said : null"))
    assert [words for words, _ in said if words][-1] == "Votre pari est pris."
    person.skip_to_settlement(game)
    page.click("#settlement:not([hidden]) [data-opens=paid]")
    assert page.evaluate(TOO_WIDE) == 0


TOO_OFTEN = {
    "ok": False,
    "code": "rate_limited",
    "message": "too many requests: wait 3 seconds",
    "reason": "too_many_requests",
    "values": {"n": 3},
}


def test_a_page_that_is_refused_what_it_shows_says_so(somebody: Somebody) -> None:
    """In the language of the page, and until the house gives an answer again."""
    person = somebody(locale="ru-RU")
    page = person.page
    person.enter("Stepan", "open")
    page.route("**/api/**", lambda route: route.fulfill(json=TOO_OFTEN))
    for path in ("/games", "/stats", "/account", "/audit", "/"):
        page.goto(person.url + path)
        page.wait_for_selector("#complaint:not([hidden])")
        assert page.inner_text("#complaint") == "Слишком много запросов: подождите 3 секунды.", path
        assert not page.locator("#none:visible").count(), path
    page.unroute("**/api/**")
    page.wait_for_selector("#complaint", state="hidden")
    assert page.inner_text("#tables")


def test_a_chip_dropped_on_the_other_side_is_not_bet(somebody: Somebody) -> None:
    person = somebody(reduced_motion="reduce", locale="fr-FR")
    person.enter("Dragan", "open")
    page = person.page
    bet(person, "house", 2)
    page.drag_and_drop("#rail button:nth-child(2)", "#gallery-challenger")
    no = "Vous avez parié de l’autre côté\u00a0: ajoutez à ce pari-là."
    person.until(lambda: page.inner_text("#bet-message") == no)
    assert page.is_disabled("#place")
    page.drag_and_drop("#rail button:nth-child(2)", "#gallery-house")
    expect(page.locator("#place")).to_have_text("Parier 5 sur Maître Hubertretient 15")
    page.goto(f"{page.url}?lang=ru")
    person.until(lambda: page.is_visible("#bet-form") and page.is_enabled("#spot-house"))
    page.click("#spot-house")
    words = "Поставить 5: Мэтр Юбер\nудержим 15"
    person.until(lambda: page.inner_text("#place") == words)


def test_the_result_does_not_take_the_name_from_under_the_fingers(somebody: Somebody) -> None:
    """The form stays while somebody writes in it, and makes room for the next result after that."""
    person = somebody(size=PHONE, reduced_motion="reduce")
    page = person.go("/table/quick")
    page.fill("#enter-name", "Scribe")
    person.skip_to_settlement(person.state("game.id"))
    assert page.is_visible("#enter-form")
    page.evaluate("document.activeElement.blur()")
    person.play_until(lambda: not page.is_visible("#enter-form"))


def test_why_the_seat_is_refused_is_said_until_something_happens_there(somebody: Somebody) -> None:
    """Who has too few chips left is told the price; the words go when somebody else sits down."""
    poor, rich = somebody(locale="fr-FR", reduced_motion="reduce"), somebody()
    poor.enter("Pauvre", "open")
    poor.page.fill("#unit", "330")
    poor.page.click("#spot-house")
    poor.page.click("#place")
    poor.until(lambda: poor.page.inner_text("#balance") == "10")
    poor.page.click("#take-seat")
    poor.page.click("#seat-yes")
    dear = (
        "Pour prendre place il faut 30 jetons et vous en avez 10\u00a0: "
        "cherchez une table à l’enjeu plus petit."
    )
    poor.until(lambda: poor.page.inner_text("#seat-message") == dear)
    rich.enter("Riche", "open")
    rich.page.click("#take-seat")
    rich.page.click("#seat-yes")
    rich.page.wait_for_selector("#leave-seat:not([hidden])")
    poor.until(lambda: poor.page.inner_text("#seat-message") == "")
    rich.page.click("#leave-seat")


def test_a_challenger_with_a_phone_and_a_long_name_finds_his_cards(somebody: Somebody) -> None:
    """From the lobby to the seat; the plates are alike, and the cards are in sight."""
    person = somebody(size=PHONE, reduced_motion="reduce")
    person.name = "Maximilienne-Alexandrine"
    page = person.go("/")
    page.click(".doors [href$='#play']")
    page.fill("#enter-name", person.name)
    page.keyboard.press("Enter")
    page.click("#seat-yes")
    person.play_until(lambda: page.is_visible("#ready"))
    page.click("#ready")
    person.play_until(lambda: person.state("you.legal.length"))
    # What the seat is asked is fetched with the first question.
    person.until(page.locator(".piece.hand[role=button]").count)
    assert page.is_hidden("#take-seat"), "the panel of the table has closed over the cards"
    high = "seat => document.getElementById(`plate-${seat}`).offsetHeight"
    assert page.evaluate(high, "challenger") == page.evaluate(high, "house")
    for card in page.locator(".piece.hand[role=button]").all():
        box = card.bounding_box()
        assert box and box["y"] >= 0 and box["y"] + box["height"] <= PHONE[1]
    page.click(".icon[data-opens=about]")
    page.click("#leave-seat")
    page.click("#leave-yes")
    person.play_until(lambda: game_that(person, lambda told: told["phase"] == "over"))


# What a newcomer reads of felt and strip on the way to a bet: sentences, and what is pressed.
READ = """() => ["#caption-title", "#caption-words", ".invite", "#offer", "#place"]
    .flatMap((place) => [...document.querySelectorAll(place)])
    .filter((one) => one.checkVisibility() && one.innerText).map((one) => one.innerText)"""
MAX_WORDS, MAX_ACTIONS = 40, 3


def test_a_newcomer_bets_knowingly_after_three_actions_and_forty_words(somebody: Somebody) -> None:
    """Each sentence is counted once, names and numbers not; what may be lost has been said."""
    for language, times in (("en", "three times"), ("fr", "trois fois"), ("ru", "втрое")):
        person = somebody(locale=language, reduced_motion="reduce")
        page = person.page
        person.enter(f"Fresh {language}", "open")
        page.wait_for_selector("#bet-form:not([hidden])")
        read: dict[str, None] = {}
        actions = ("#rail button:nth-child(2)", "#spot-house", "#place")
        assert len(actions) <= MAX_ACTIONS
        for place in actions:
            page.wait_for_selector("#offer:not(:empty)")
            read |= dict.fromkeys(page.evaluate(READ))
            page.click(place)
        expect(page.locator("#my-bets li")).to_have_count(1)
        said = " ".join(read).replace("Maître Hubert", "").replace("Мэтр Юбер", "")
        assert times in said
        words = re.findall(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*", said)
        assert len(words) <= MAX_WORDS, read
