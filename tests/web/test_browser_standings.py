"""Leader boards, a player's page and the statistics in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.web.browser import AXE, DESK, PHONE, Casino, Person
from tests.web.test_browser_table import bet

Somebody = Callable[..., Person]


@pytest.fixture(scope="module")
def backer(chromium: Browser, program: Casino) -> Iterator[Person]:
    """Somebody who has bet on a game that is over."""
    person = Person(chromium, program.url, reduced_motion="reduce")
    person.enter("Backer", "quick")
    bet(person, "house", 2)
    person.until(lambda: person.api("/api/players/Backer")["ok"])
    yield person
    person.context.close()


def test_the_board_leads_to_a_player_and_his_games(backer: Person) -> None:
    """From the gallery's board to the page of who stands there, and on to a game."""
    page = backer.go("/leaders")
    page.locator("#backers a", has_text="Backer").click()
    page.wait_for_url("**/player/Backer")
    page.wait_for_selector("#last tr")
    told = backer.api("/api/players/Backer")
    assert page.locator("#last tr").count() == len(told["last"])
    assert page.locator("#record").is_hidden()
    words = page.inner_text("#tiles")
    assert f"{told['backed']['won']} of 1" in words
    page.locator("#last a").first.click()
    page.wait_for_selector("#deals a")
    assert page.locator("#settled a", has_text="Backer").count() == 1


def test_the_statistics_draw_every_pairing_and_score(backer: Person) -> None:
    """A line for each pairing, a row for each loser's points, a curve over all games."""
    page = backer.go("/stats")
    page.wait_for_selector("#told:not([hidden])")
    assert page.locator("#pairs .span").count() >= 1
    assert page.locator("#scores tbody tr").count() >= 1
    assert page.locator("#stakes li").count() == 3
    assert page.locator("#course polyline").count() == 1


def test_a_player_nobody_knows_is_said_to_be_unknown(somebody: Somebody) -> None:
    """The page says so in words."""
    person = somebody()
    page = person.go("/player/Nemo")
    person.until(lambda: "Nemo" in page.inner_text("#complaint"))
    person.faults.clear()


def test_a_simulated_spectator_is_called_one(somebody: Somebody) -> None:
    """By the name without its star; nothing is asked of the house, which counts none of them."""
    person = somebody()
    page = person.go("/player/Odette*2")
    assert page.inner_text("h1") == "Odette"
    assert page.inner_text("#made-up").startswith("A simulated spectator")
    assert page.title() == "Odette · Écarté"
    assert page.is_hidden("#over") and page.is_hidden("#told")
    assert person.faults == []


@pytest.mark.parametrize(("size", "light"), [(DESK, "light"), (PHONE, "dark")])
@pytest.mark.parametrize("path", ["/player/Backer", "/leaders", "/stats"])
def test_axe_finds_nothing(backer: Person, path: str, size: Any, light: Any) -> None:
    """Nor does a page run out at the side."""
    backer.page.set_viewport_size({"width": size[0], "height": size[1]})
    backer.page.emulate_media(color_scheme=light, reduced_motion="reduce")
    page = backer.go(path)
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    backer.picture(f"{path.strip('/').replace('/', '-')}-{light}")
    told = [
        (one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found["violations"]
    ]
    assert told == []
    assert page.evaluate("document.documentElement.scrollWidth") == size[0]
