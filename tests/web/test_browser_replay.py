"""The replay of a game in a real browser: its review, decision by decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from casino.web.languages import LANGUAGES
from tests.web.browser import AXE, DESK, PHONE, Person

Somebody = Callable[..., Person]
HEADS = {
    "en": ["Bettor", "Side", "Matched", "Result", "Fee"],
    "fr": ["Parieur", "Côté", "Tenu", "Résultat", "Commission"],
    "ru": ["Игрок", "Сторона", "В игре", "Итог", "Комиссия"],
}


def findings(person: Person) -> Any:
    """What axe-core finds on the page as it stands."""
    person.page.evaluate(AXE.read_text("utf-8"))
    found = person.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        (one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found["violations"]
    ]


def newest_game(person: Person) -> str:
    """The id of a game that is over."""
    games = person.until(lambda: person.api("/api/games?limit=1")["games"])
    return str(games[0]["game"])


def reviewed(person: Person, game: str) -> None:
    """Open a game's replay and have it reviewed."""
    person.go(f"/game/{game}").wait_for_selector("#deals a")
    person.page.click("#review-start")
    person.page.wait_for_selector("#review-told:not([hidden])")


def test_every_decision_is_judged_and_leads_to_its_card(somebody: Somebody) -> None:
    """Each of the challenger's is in the list, with a link to the step at which it was made."""
    person = somebody()
    game = newest_game(person)
    reviewed(person, game)
    page = person.page
    told = person.api(f"/api/games/{game}/review")
    for seat in ("challenger", "house"):
        page.check(f"input[name=reviewed][value={seat}]")
        mine = [one for one in told["decisions"] if one["seat"] == seat]
        rows = page.locator("#review-list li[data-step]")
        assert rows.count() == len(mine)
        assert rows.locator("small").count() == sum(one["cost"] >= 0.02 for one in mine)
    page.check("#review-challenger")
    link = page.locator("#review-list a").first
    address = str(link.get_attribute("href"))
    link.click()
    expect(page.locator("#steps")).to_have_value(address.removeprefix("#step-"))
    expect(page.locator("#review-list [data-here]")).to_have_count(1)
    first = next(one for one in told["decisions"] if one["seat"] == "challenger")
    assert page.locator("#review-choices li").count() == len(first["options"])
    assert page.locator("#review-choices .done").count() == 1
    assert page.locator("#review-list [data-here]").count() == 1


@pytest.mark.parametrize(("size", "light"), [(DESK, "light"), (PHONE, "dark")])
def test_axe_finds_nothing_in_a_review(somebody: Somebody, size: Any, light: Any) -> None:
    """Nor does the page run out at the side."""
    person = somebody(size=size, color_scheme=light, reduced_motion="reduce")
    reviewed(person, newest_game(person))
    assert findings(person) == []
    assert person.page.evaluate("document.documentElement.scrollWidth") == size[0]
    person.picture(f"review-{light}")


def test_a_new_speed_holds_at_once(somebody: Somebody) -> None:
    """Whoever is not patient with a running replay need not stop it first."""
    person = somebody(reduced_motion="reduce")
    page = person.go(f"/game/{newest_game(person)}")
    page.wait_for_selector("#deals a")
    page.select_option("#speed", "0.5")
    page.click("#run")
    page.select_option("#speed", "4")
    before = int(page.input_value("#steps"))
    # At half speed a step takes longer than this.
    page.wait_for_timeout(2_000)
    assert int(page.input_value("#steps")) >= before + 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_settlement_has_a_head_for_each_column(somebody: Somebody, language: str) -> None:
    """In the language of the page: who, which side, how much, what came of it, what it cost."""
    person = somebody(locale=language)
    page = person.go(f"/game/{newest_game(person)}")
    page.wait_for_selector("#settled tr")
    heads = page.locator("table:has(#settled) thead th[scope=col]")
    assert heads.all_inner_texts() == HEADS[language]
    assert page.locator("#settled tr >> nth=0").locator("th, td").count() == len(HEADS[language])
