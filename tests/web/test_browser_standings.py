"""Leader boards, a player's page and the statistics in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, expect

from casino.web.i18n import LANGUAGES
from tests.web.browser import PHONE, Person
from tests.web.doors import Doors
from tests.web.test_browser_table import bet

NewPerson = Callable[..., Person]


@pytest.fixture(scope="module")
def backer(chromium: Browser, program: Doors) -> Iterator[Person]:
    """A person who has won a bet: with these cards the house wins the first game."""
    person = Person(chromium, program, reduced_motion="reduce")
    person.enter("Backer", "quick")
    game = person.skip_to_settlement(bet(person, "house", 2))
    assert game["result"]["winner"] == "house"
    person.until(lambda: person.api(f"/api/players/{person.name}")["ok"])
    yield person
    person.context.close()


def test_the_board_leads_to_a_player_and_his_games(backer: Person) -> None:
    """From the gallery's board to the page of who stands there, and on to a game.

    The games are filtered by what the player did there, and by how it ended; on a phone they are
    read with side and result, and nobody has to scroll sideways.
    """
    page = backer.go("/leaders")
    page.locator("#backers a", has_text=backer.name).click()
    page.wait_for_url(f"**/player/{backer.name}")
    told = backer.api(f"/api/players/{backer.name}")
    rows = page.locator("#last tr:visible")
    expect(rows).to_have_count(len(told["last"]))
    assert page.locator("#record").is_hidden()
    words = page.inner_text("#tiles")
    won, lost = told["backed"]["won"], told["backed"]["lost"]
    assert f"{won} of {won + lost}" in words
    assert page.inner_text("#over").startswith(f"{won + lost} game")
    for part, value, count in (
        *(("#came", "won", won), ("#came", "lost", lost), ("#came", "", won + lost)),
        *(("#how", "played", 0), ("#how", "backed", won + lost)),
    ):
        page.select_option(part, value)
        expect(rows).to_have_count(count)
    page.locator("#last a").first.click()
    expect(page.locator("#settled a", has_text=backer.name)).to_have_count(1)
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    room = "document.querySelector('#last').closest('.scroll')"
    for language in LANGUAGES:
        backer.go(f"/player/{backer.name}?lang={language}").wait_for_selector("#last tr")
        assert page.evaluate(f"{room}.scrollWidth <= {room}.clientWidth"), language
        result = page.locator("#last tr").first.locator("td").last.bounding_box()
        assert result and result["x"] + result["width"] <= PHONE[0], language
    backer.go("/leaders?lang=en")


def test_the_statistics_draw_every_pairing_and_score(backer: Person) -> None:
    page = backer.page
    # Games go on: what the page was told is not what the house tells a moment later.
    with page.expect_response("**/api/statistics") as answer:
        backer.go("/stats")
    page.wait_for_selector("#told:not([hidden])")
    assert page.locator("#pairs .span").count() >= 1
    assert page.locator("#scores tbody tr").count() >= 1
    assert page.locator("#stakes li").count() == 3
    assert page.locator("#course polyline").count() == 1
    assert page.inner_text("#course small") == "50%"
    half, curve = (page.locator(f"#course {one}").bounding_box() for one in ("small", "svg"))
    assert half and curve and half["x"] + half["width"] <= curve["x"], "the curve hides no figure"
    told = answer.value.json()
    share = told["course"][-1][1] / told["games"]
    # A half is rounded up by the page, to what is even by Python.
    assert page.inner_text("#course b") == f"{int(100 * share + 0.5)}%"


def test_the_page_of_a_player_says_who_is_unknown_or_simulated(new_person: NewPerson) -> None:
    person = new_person()
    page = person.go("/player/Odette*2")
    page.wait_for_selector("#made-up:not([hidden])")
    assert page.inner_text("h1") == "Odette"
    assert page.inner_text("#made-up").startswith("A simulated spectator")
    assert page.title() == "Odette · Écarté"
    assert page.is_hidden("#over") and page.is_hidden("#told")
    assert person.faults == []
    person.bears = ("404",)
    person.go("/player/Nemo")
    expect(page.locator("#complaint")).to_contain_text("Nemo")
