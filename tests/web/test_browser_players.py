"""A newcomer, a bettor and a challenger at a table, on phones and with slow scripts."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Route

from tests.web.browser import PHONE, Person
from tests.web.test_browser_table import game_matching

NewPerson = Callable[..., Person]


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
    person = new_person(size=PHONE, reduced_motion="reduce")
    page = person.go("/table/quick")
    page.fill("#enter-name", "Scribe")
    person.skip_to_settlement(person.state("game.id"))
    assert page.is_visible("#enter-form")
    page.evaluate("document.activeElement.blur()")
    person.play_until(lambda: not page.is_visible("#enter-form"))


def test_challenger_with_a_long_name_sees_the_cards_on_a_phone(new_person: NewPerson) -> None:
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
    # The script for the choices is fetched with the first question.
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
    person.until(lambda: game_matching(person, lambda told: told.get("forfeit")))
