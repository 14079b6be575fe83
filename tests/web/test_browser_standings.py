"""Leader boards, a player's page and the statistics in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from casino.web.i18n import LANGUAGES
from tests.web.browser import AXE, DESK, PHONE, Person
from tests.web.doors import Doors
from tests.web.test_browser_table import bet, wait_for_settlement

Somebody = Callable[..., Person]
NUMBERS = count(1)


def win(person: Person) -> None:
    """Bet on games until one is won, for only then does anybody stand on a board."""
    while not bet_is_won(person):
        pass


def bet_is_won(person: Person) -> bool:
    game = bet(person, "house", 2)
    won = wait_for_settlement(person, game)["result"]["winner"] == "house"
    person.until(lambda: person.api(f"/api/players/{person.name}")["ok"] or not won)
    return bool(won)


@pytest.fixture(scope="module")
def backer(chromium: Browser, program: Doors) -> Iterator[Person]:
    """Somebody who has bet on a game that is over."""
    person = Person(chromium, program, reduced_motion="reduce")
    person.enter(f"Backer{next(NUMBERS)}", "quick")
    win(person)
    yield person
    person.context.close()


def test_the_board_leads_to_a_player_and_his_games(backer: Person) -> None:
    """From the gallery's board to the page of who stands there, and on to a game."""
    page = backer.go("/leaders")
    page.locator("#backers a", has_text=backer.name).click()
    page.wait_for_url(f"**/player/{backer.name}")
    told = backer.api(f"/api/players/{backer.name}")
    expect(page.locator("#last tr")).to_have_count(len(told["last"]))
    assert page.locator("#record").is_hidden()
    words = page.inner_text("#tiles")
    backed = told["backed"]
    games = backed["won"] + backed["lost"]
    assert f"{backed['won']} of {games}" in words
    assert page.inner_text("#over").startswith(f"{games} game")
    page.locator("#last a").first.click()
    expect(page.locator("#settled a", has_text=backer.name)).to_have_count(1)


def test_the_last_games_are_filtered(backer: Person) -> None:
    """By what the player did there, and by how it ended."""
    page = backer.go(f"/player/{backer.name}")
    page.wait_for_selector("#last tr")
    rows = page.locator("#last tr:visible")
    backed = backer.api(f"/api/players/{backer.name}")["backed"]
    page.select_option("#came", "won")
    expect(rows).to_have_count(backed["won"])
    page.select_option("#came", "lost")
    expect(rows).to_have_count(backed["lost"])
    page.select_option("#came", "")
    page.select_option("#how", "played")
    expect(rows).to_have_count(0)
    page.select_option("#how", "backed")
    expect(rows).to_have_count(backed["won"] + backed["lost"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_last_games_are_read_on_a_phone(
    somebody: Somebody, backer: Person, language: str
) -> None:
    """With side and result, and nobody has to scroll sideways."""
    person = somebody(size=PHONE, locale=language, reduced_motion="reduce")
    page = person.go(f"/player/{backer.name}")
    page.wait_for_selector("#last tr")
    room = "document.querySelector('#last').closest('.scroll')"
    assert page.evaluate(f"{room}.scrollWidth <= {room}.clientWidth")
    result = page.locator("#last tr").first.locator("td").last.bounding_box()
    assert result and result["x"] + result["width"] <= PHONE[0]


def test_a_face_stands_before_every_name_of_the_board(somebody: Somebody) -> None:
    """Also before one that is written from right to left."""
    person = somebody(reduced_motion="reduce")
    person.enter("مريم", "quick")
    win(person)
    page = person.go("/leaders")
    name = page.locator("#backers .who", has_text="مريم")
    left = "(one) => one.getBoundingClientRect().left"
    assert name.locator(".medal").evaluate(left) < name.locator("bdi").evaluate(left)


def test_a_person_has_a_letter_for_a_face(somebody: Somebody) -> None:
    """Nobody who enters has said what they look like; simulated spectators have faces."""
    person = somebody(reduced_motion="reduce")
    person.enter("Ánna", "quick")
    win(person)
    page = person.go("/leaders")
    rows = page.locator("#backers .who")
    assert rows.filter(has_text="Ánna").locator(".medal text").text_content() == "Á"
    page = person.go("/table/quick")
    faces = page.locator(".person.sim .face-of use")
    person.play_until(faces.count)
    assert page.locator(".person.sim .face-of text").count() == 0


def test_nobody_leads_who_has_won_nothing(somebody: Somebody) -> None:
    """A first place is free as long as nobody has won."""
    person = somebody()
    page = person.page
    losers = [{"player": f"Loser {n}", "won": 0, "lost": n} for n in (1, 3)]
    told = {"ok": True, "games": 4, "more": False, "challengers": losers, "backers": losers}
    page.route("**/api/leaders", lambda route: route.fulfill(json=told))
    person.go("/leaders")
    for board in ("challengers", "backers"):
        expect(page.locator(f"#no-{board}")).to_be_visible()
    assert page.locator("td").count() == 0
    assert page.locator("thead:visible").count() == 0, "no head of a list without lines"


def test_the_statistics_draw_every_pairing_and_score(backer: Person) -> None:
    """A line for each pairing, a row for each loser's points, a curve over all games."""
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


def test_a_player_nobody_knows_is_said_to_be_unknown(somebody: Somebody) -> None:
    """The page says so in words."""
    person = somebody()
    person.bears = ("404",)
    page = person.go("/player/Nemo")
    expect(page.locator("#complaint")).to_contain_text("Nemo")


def test_a_simulated_spectator_is_called_one(somebody: Somebody) -> None:
    """By the name without its star; nothing is asked of the house, which counts none of them."""
    person = somebody()
    page = person.go("/player/Odette*2")
    page.wait_for_selector("#made-up:not([hidden])")
    assert page.inner_text("h1") == "Odette"
    assert page.inner_text("#made-up").startswith("A simulated spectator")
    assert page.title() == "Odette · Écarté"
    assert page.is_hidden("#over") and page.is_hidden("#told")
    assert person.faults == []


@pytest.mark.parametrize(("size", "light"), [(DESK, "light"), (PHONE, "dark")])
def test_axe_finds_nothing_on_a_players_page(backer: Person, size: Any, light: Any) -> None:
    """Nor does the page run out at the side."""
    backer.page.set_viewport_size({"width": size[0], "height": size[1]})
    backer.page.emulate_media(color_scheme=light, reduced_motion="reduce")
    page = backer.go(f"/player/{backer.name}")
    page.wait_for_selector("#last tr")
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    backer.picture(f"player-{light}")
    assert [one["id"] for one in found["violations"]] == []
    assert page.evaluate("document.documentElement.scrollWidth") == size[0]
