"""The account statement in a real browser: by game, signed and filtered."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from playwright.sync_api import Route, expect

from tests.web.browser import Person
from tests.web.test_browser_table import bet

NewPerson = Callable[..., Person]
DAY = """(ms) => { const at = new Date(ms); const two = (n) => String(n).padStart(2, "0");
    return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`; }"""


def answer(told: Any, route: Route) -> None:
    """Answer a request of the page instead of the casino."""
    route.fulfill(json=told)


def test_statement_shows_one_signed_row_per_game(new_person: NewPerson) -> None:
    """A row has the sum of the game's entries; the single entries can be shown too.

    A player who missed the end of a game is shown it once. List and sum follow each filter.
    """
    person = new_person(reduced_motion="reduce")
    person.enter("Stella", "bets")
    game = bet(person, "challenger", 2)
    person.skip_to_play()
    person.go("/leaders")
    person.casino.play("bets")
    person.until(lambda: person.api("/api/statement")["bets"][0]["result"] != "open")
    told = person.api("/api/statement")
    page = person.go("/account")
    rows = page.locator("#changes tr")
    expect(rows).to_have_count(2)
    gain = sum(one["cents"] for one in told["changes"] if one["game"] == game)
    sign = "+" if gain > 0 else "−" if gain < 0 else "±"
    line = rows.first.inner_text()
    assert f"{sign}{abs(gain) / 100:.2f}" in line
    card = page.locator(".absence")
    expect(card).to_contain_text(f"1 game with your chips is over: {sign}{abs(gain) / 100:.2f}")
    card.locator("button").click()
    expect(card).to_have_count(0)
    person.go("/account")
    expect(card).to_have_count(0)
    words = {"+": "game won", "−": "game lost", "±": "game without gain or loss"}
    assert words[sign] in line and f"Table bets {int(game[-6:])}" in line
    page.check("input[name=statement-view][value=moves]")
    expect(rows).to_have_count(len(told["changes"]))
    assert f"{told['changes'][-1]['balance_cents'] / 100:,.2f}" in rows.first.inner_text()
    page.check("input[name=statement-view][value=games]")
    page.select_option("#statement-kind", "grant")
    expect(rows).to_have_count(1)
    assert "chips from the house" in rows.inner_text()
    assert page.inner_text("#statement-sum").startswith("1 line, together +")
    page.fill("#statement-game", game)
    expect(rows).to_have_count(0)
    expect(page.locator("#statement-list")).to_be_hidden()
    page.click("#statement-filters [type=reset]")
    expect(rows).to_have_count(2)
    page.fill("#statement-game", game[-4:])
    expect(rows).to_have_count(1)
    page.fill("#statement-game", "")
    # Midnight may have come between the grant and the game.
    days = [page.evaluate(DAY, told["changes"][n]["at_ms"]) for n in (0, -1)]
    page.fill("#statement-day", days[-1])
    expect(rows).to_have_count(days.count(days[-1]))
    page.fill("#statement-day", "2001-01-01")
    expect(rows).to_have_count(0)
    # More chips are offered only to those who have less than one, with those at risk.
    assert page.is_hidden("#refill")
    for cents, offered in ((99, True), (100, False)):
        purse = {**told, "balance_cents": cents - 60, "escrow_cents": 60}
        page.route("**/api/statement", partial(answer, purse))
        person.go("/account").wait_for_selector("#plot svg")
        person.until(lambda: page.inner_text("#at-risk") == "0.60")
        assert page.is_visible("#refill") == offered
        page.unroute("**/api/statement")
