"""A purse that is empty, the last result beside the next book, a name from right to left."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Route, expect

from tests.web.browser import DESK, DRAWN, PHONE, Person
from tests.web.test_browser_table import bet

NewPerson = Callable[..., Person]
STILL = {"reduced_motion": "reduce"}
# What can be clicked while the next book is open: of the result, of the felt, of the chips.
IN_REACH = """() => {
    if (casino.state().game?.phase !== "betting") return null;
    return [...document.querySelectorAll("#settlement :is(a, button), .spot, .chip, #place")]
        .filter((one) => {
            const { x, y, width, height } = one.getBoundingClientRect();
            return one.contains(document.elementFromPoint(x + width / 2, y + height / 3));
        })
        .map((one) => one.id || one.dataset.opens || one.className);
}"""
BOOK = ["spot-house", "spot-challenger", *["chip"] * 5, "place"]
RESULT = ["settlement-link", "share", "paid", "settlement-verify", "settlement-close"]


def test_whoever_has_too_few_chips_gets_more_on_the_spot(new_person: NewPerson) -> None:
    person = new_person(**STILL)
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


def test_the_result_stays_beside_the_next_book(new_person: NewPerson) -> None:
    """With all it offers, and nothing of the book lies below it, at a desk or on a phone.

    It goes with the next bet, when it is closed, or when the next book is locked: who has no name
    sees it as long as all others.
    """
    keeper, closer, watcher = (new_person(**STILL) for _ in range(3))
    keeper.enter("Keeper", "bets")
    for person in (closer, watcher):
        person.go("/table/bets")
    page = keeper.page
    game = bet(keeper, "house", 2)
    keeper.skip_to_settlement(game)
    for person in (keeper, closer, watcher):
        person.page.wait_for_selector("#settlement:not([hidden])")
    result = page.inner_text("#settlement-result")
    keeper.skip_to_book()
    for width, height in (PHONE, (844, 390), DESK):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(DRAWN)
        assert sorted(page.evaluate(IN_REACH)) == sorted(BOOK + RESULT), width
        assert page.inner_text("#settlement-result") == result
    assert game in str(page.get_attribute("#settlement-link", "href"))
    bet(keeper, "house", 1)
    expect(page.locator("#settlement")).to_be_hidden()
    kept = "#settlement.kept:not([hidden])"
    closer.page.wait_for_selector(kept)
    closer.page.click("#settlement-close")
    expect(closer.page.locator("#settlement")).to_be_hidden()
    watcher.page.wait_for_selector(kept)
    keeper.skip_to_play()
    expect(watcher.page.locator("#settlement")).to_be_hidden()
