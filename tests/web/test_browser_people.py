"""What single people meet at a table, in a real browser: a newcomer, a regular, a challenger."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.web.browser import PHONE, Person
from tests.web.test_browser_table import bet, game_that, wait_for_settlement

pytestmark = pytest.mark.xdist_group("browser")

Somebody = Callable[..., Person]
# Where the place that a stop of the tour speaks of begins, and the words below it.
TOURED = """() => [document.querySelector(".toured").getBoundingClientRect().top,
    document.getElementById("tour").getBoundingClientRect().top]"""
TOO_WIDE = """() => { const box = document.querySelector(".settlement-table");
    return box.scrollWidth - box.clientWidth; }"""


def test_the_tour_shows_what_it_speaks_of_on_a_phone(somebody: Somebody) -> None:
    """Each stop brings its place into sight, above the words."""
    person = somebody(size=PHONE, reduced_motion="reduce")
    page = person.go("/table/open")
    page.click("#tour-start")
    stops = 0
    while page.is_visible("#tour"):
        top, words = page.evaluate(TOURED)
        assert -1 <= top < words, page.inner_text("#tour-title")
        page.click("#tour-next")
        stops += 1
    assert stops > 5


def test_a_bet_and_its_settlement_are_read_on_a_phone(somebody: Somebody) -> None:
    """The bet stands while the book is open; nobody has to scroll sideways to see who paid whom."""
    person = somebody(size=PHONE, reduced_motion="reduce", locale="fr-FR")
    person.enter("Phoebe", "bets")
    page = person.page
    game = bet(person, "challenger", 2)
    assert page.inner_text("#bet-message") == "Votre pari est pris."

    def closed(told: Any) -> bool:
        return bool(told["phase"] != "betting")

    person.until(lambda: game_that(person, closed))
    assert page.inner_text("#bet-message") == ""
    wait_for_settlement(person, game)
    page.wait_for_selector("#settlement:not([hidden])")
    assert page.evaluate(TOO_WIDE) == 0
    person.picture("settlement-phone-french")
