"""A purse that is empty, the last result beside the next book, a name from right to left."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Route, expect

from tests.web.browser import DESK, DRAWN, PHONE, Person
from tests.web.test_browser_table import bet

Somebody = Callable[..., Person]
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


def settled(person: Person) -> bool:
    """Whether the page shows what the game that is over came to."""
    return bool(person.state("game.settled")) and person.page.is_visible("#settlement")


def test_the_result_stays_beside_the_next_book(somebody: Somebody) -> None:
    """With all it offers, and nothing of the book lies below it, at a desk or on a phone.

    It goes with the next bet, when it is closed, or when the next book is locked: who has no name
    sees it as long as all others.
    """
    keeper, closer, watcher = (somebody(**STILL) for _ in range(3))
    keeper.enter("Keeper", "bets")
    for person in (closer, watcher):
        person.go("/table/bets")
    page = keeper.page
    game = bet(keeper, "house", 2)
    keeper.play_until(lambda: all(map(settled, (keeper, closer, watcher))))
    result = page.inner_text("#settlement-result")
    keeper.play_until(lambda: page.evaluate(IN_REACH))
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
    keeper.play_until(lambda: keeper.state("game.phase") == "playing")
    expect(watcher.page.locator("#settlement")).to_be_hidden()


def test_a_name_from_right_to_left_is_read_from_its_beginning(somebody: Somebody) -> None:
    """In the gallery, as long as it is: only its end may be cut."""
    writer, reader = somebody(**STILL), somebody(**STILL)
    # Whoever reads is there before the bet, which goes with its game.
    page = reader.go("/table/lively")
    writer.enter(LONG, "lively")
    bet(writer, "house", 3)
    assert reader.until(lambda: page.evaluate(WRITTEN, LONG)) == ["rtl", True]
