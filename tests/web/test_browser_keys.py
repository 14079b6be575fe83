"""A whole game by keyboard, guided by nothing but what is spoken and what has the focus."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.web.browser import Person
from tests.web.test_browser_table import game_that

Somebody = Callable[..., Person]
FOCUSED = """() => {
    const here = document.activeElement;
    const name = here?.getAttribute("aria-label") || here?.textContent || "";
    return [here?.dataset.action ?? "", here?.matches(".piece[role=button]") ?? false, name.trim()];
}"""


def focused(person: Person) -> tuple[str, bool, str]:
    """The action of the thing that has the focus, whether it is a card, and its name."""
    action, card, name = person.page.evaluate(FOCUSED)
    return str(action), bool(card), str(name)


def tab_to(person: Person, place: str) -> None:
    """Press Tab until something has the focus."""
    for _ in range(90):
        if person.page.evaluate(f"document.activeElement?.matches('{place}')"):
            return
        person.page.keyboard.press("Tab")
    raise AssertionError(f"{place} cannot be reached by Tab")


def answer(person: Person) -> None:
    """Do what is asked: exchange the first card, or take the first choice."""
    person.until(lambda: any(focused(person)[:2]))
    _, card, name = focused(person)
    assert name, "what has the focus has a name"
    legal = person.state("you.legal") or []
    person.page.keyboard.press("Enter")
    if card and any(len(one) > 2 and one[0] == "X" for one in legal):
        tab_to(person, "[data-action=X]")
        person.page.keyboard.press("Enter")
    person.until(lambda: person.state("you.legal") != legal)


def test_a_whole_game_is_played_by_keyboard_and_ear(somebody: Somebody) -> None:
    """The turn, the hand and the choices are spoken; the focus goes to the choices by itself."""
    person = somebody(reduced_motion="reduce")
    page = person.go("/table/seat")
    tab_to(person, "#enter-name")
    page.keyboard.type("Blind")
    page.keyboard.press("Enter")
    person.until(lambda: person.state("you.name") == "Blind")
    person.until(lambda: page.is_visible("#take-seat"))
    tab_to(person, "#take-seat")
    page.keyboard.press("Enter")
    tab_to(person, "#seat-yes")
    page.keyboard.press("Enter")
    spoken: list[str] = []

    def played() -> bool:
        if person.state("you.legal"):
            person.until(lambda: "Your hand: " in page.inner_text("#urgent"))
            spoken.append(page.inner_text("#urgent"))
            answer(person)
        return bool(game_that(person, lambda game: game["settled"]))

    person.until(played, patience=240)
    assert len(spoken) >= 5
    assert any(re.match(r"Your turn: the \w+ of \w+ was led[,.]", said) for said in spoken)
    person.until(lambda: page.inner_text("#live"))
