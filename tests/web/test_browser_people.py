"""What single people meet at a table, in a real browser: a newcomer, a regular, a challenger."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Route, expect

from tests.web.browser import PHONE, Person
from tests.web.test_browser_table import bet, game_that

NewPerson = Callable[..., Person]
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


def test_the_tour_shows_what_it_speaks_of_on_a_phone(new_person: NewPerson) -> None:
    person = new_person(size=PHONE, reduced_motion="reduce")
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


def test_a_bet_and_its_settlement_are_read_on_a_phone(new_person: NewPerson) -> None:
    person = new_person(size=PHONE, reduced_motion="reduce", locale="fr-FR")
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


def test_a_page_that_is_refused_what_it_shows_says_so(new_person: NewPerson) -> None:
    person = new_person(locale="ru-RU")
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


def test_a_chip_dropped_on_the_other_side_is_not_bet(new_person: NewPerson) -> None:
    person = new_person(reduced_motion="reduce", locale="fr-FR")
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


def test_a_name_entered_before_the_page_has_its_script_is_kept(new_person: NewPerson) -> None:
    person = new_person()
    page, held = person.page, list[Route]()
    page.route("**/table-*.js", lambda route: held.append(route))
    page.goto(f"{person.url}/table/open", wait_until="commit")
    page.fill("#enter-name", "Hasty")
    page.keyboard.press("Enter")
    person.until(lambda: held)[0].continue_()
    page.click("#enter-form button.primary")
    page.wait_for_selector("#purse:not([hidden])")


def test_the_result_does_not_take_the_name_from_under_the_fingers(new_person: NewPerson) -> None:
    person = new_person(size=PHONE, reduced_motion="reduce")
    page = person.go("/table/quick")
    page.fill("#enter-name", "Scribe")
    person.skip_to_settlement(person.state("game.id"))
    assert page.is_visible("#enter-form")
    page.evaluate("document.activeElement.blur()")
    person.play_until(lambda: not page.is_visible("#enter-form"))


def test_a_challenger_with_a_phone_and_a_long_name_finds_his_cards(new_person: NewPerson) -> None:
    person = new_person(size=PHONE, reduced_motion="reduce")
    person.name = "Maximilienne-Alexandrine"
    page = person.go("/")
    page.click(".doors [href$='#play']")
    page.fill("#enter-name", person.name)
    page.click("#enter-form button.primary")
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
