"""A purse that is empty, the last result beside the next game, a name from right to left."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Route, expect

from tests.web.browser import Person
from tests.web.test_browser_table import bet, wait_for_settlement

Somebody = Callable[..., Person]
STILL = {"reduced_motion": "reduce"}
# The last result at the side and the game that is on, in one look.
DOCKED = """() => {
    const docked = document.getElementById("docked");
    const { id, phase } = casino.state().game ?? {};
    return docked?.checkVisibility() && {
        game: id, phase, words: docked.innerText, href: docked.querySelector("a").href,
    };
}"""
# How a name in the gallery is written, and whether its beginning is in sight, once it is there.
WRITTEN = """(name) => {
    const all = [...document.querySelectorAll("#gallery-house .who")];
    const one = all.find((who) => who.textContent.includes(name));
    if (!one) return null;
    const { left, right } = one.getBoundingClientRect();
    const range = document.createRange();
    range.setStart(one.firstChild, 0);
    range.setEnd(one.firstChild, 3);
    const first = range.getBoundingClientRect();
    return [getComputedStyle(one).direction, first.left >= left && first.right <= right + 1];
}"""
LONG = "عبد الرحمن بن محمد"


def test_whoever_has_too_few_chips_gets_more_on_the_spot(somebody: Somebody) -> None:
    """Where a bet would be offered there is a button that asks the house; one click is enough."""
    person = somebody(**STILL)
    person.enter("Spent", "open")
    page = person.page
    asked: list[str] = []

    def give(route: Route) -> None:
        asked.append(route.request.method)
        route.fulfill(json={"ok": True, "granted_cents": 19_950, "balance_cents": 20_000})

    page.route("**/api/refill", give)

    def spent() -> bool:
        """Whether the page takes the purse for empty: what the house tells of it fills it again."""
        page.evaluate("casino.state().you.balance_cents = 50")
        page.fill("#unit", "1")
        return page.locator("#offer button").count() == 1

    person.until(spent)
    page.click("#offer button")
    expect(page.locator("#bet-message")).to_have_text("You have 200 chips again.")
    assert asked == ["POST"]


def test_whoever_has_bet_all_is_told_what_may_come_of_it(somebody: Somebody) -> None:
    """The house gives nothing while chips lie on the felt, so nothing is offered."""
    person = somebody(**STILL)
    person.enter("Daring", "open")
    page = person.page
    page.fill("#unit", "333")
    page.click("#spot-house")
    page.click("#place")
    person.until(lambda: person.balance() == 100)
    expect(page.locator("#my-bets li")).to_have_count(1)
    assert page.locator("#offer button").count() == 0


def test_the_last_result_stays_beside_the_table_until_the_next(somebody: Somebody) -> None:
    """It docks while the next bets are taken, says what it came to, and leads to the replay."""
    person = somebody(**STILL)
    person.enter("Docker", "bets")
    game = bet(person, "house", 2)
    wait_for_settlement(person, game)
    page = person.page
    page.wait_for_selector("#settlement-mine:not([hidden])", state="attached")
    result = page.text_content("#settlement-result")
    opened = person.play_until(lambda: page.evaluate(DOCKED))
    assert opened["game"] != game
    assert opened["phase"] == "betting"
    assert result in opened["words"]
    assert game in opened["href"]
    person.play_until(lambda: page.is_hidden("#docked"))


def test_a_name_from_right_to_left_is_read_from_its_beginning(somebody: Somebody) -> None:
    """In the gallery, as long as it is: only its end may be cut."""
    writer, reader = somebody(**STILL), somebody(**STILL)
    # Whoever reads is there before the bet, which goes with its game.
    page = reader.go("/table/bets")
    writer.enter(LONG, "bets")
    bet(writer, "house", 3)
    assert reader.until(lambda: page.evaluate(WRITTEN, LONG)) == ["rtl", True]
