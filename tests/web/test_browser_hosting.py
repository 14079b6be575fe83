"""A person opens a table of their own from the lobby, changes and closes it, or opens a poule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from casino.web.i18n import LANGUAGES
from tests.web import browser
from tests.web.server import Server
from tests.web.test_browser_small_screens import FORCED, SIDE, SMALL, TALL


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A casino where people may order 20 games, and open one table each."""
    folder, hosting = tmp_path_factory.mktemp("hosting"), {"games_ordered": 20, "tables_each": 1}
    with browser.casino(folder, {"t1": {"number": 0}}, hosting=hosting) as server:
        yield server


def test_new_player_opens_a_table_and_closes_it(new_person: Callable[..., Any]) -> None:
    person = new_person(size=browser.PHONE)
    page = person.go("/")
    page.locator("#host-open").click()
    page.locator("#host-name").fill("host")
    page.locator("#host-form button.primary").click()
    page.wait_for_url("**/table/h*")
    page.wait_for_function(browser.TABLE_READY)
    table = page.url.rpartition("/")[2]
    results = person.tab()
    results.goto(f"{person.url}/stats?table={table}")
    order = results.locator("#order button")
    expect(order).to_be_enabled()
    with results.expect_response("**/api/hosted/*/games"):
        order.press("Enter")
    house = person.casino.house
    while house.ordered_games(table):
        house.step(table)
    expect(results.locator("#progress span")).to_have_text("Done: 20 of 20 games played.")
    expect(results.locator("#sums td:not(:empty)")).to_have_count(4)
    expect(results.locator("#check")).to_be_enabled()
    results.locator("#check").press("Enter")
    verdict = results.locator("#verdict-line.good")
    expect(verdict).to_contain_text("games were dealt, played and paid by the rules.")
    for width, height in (browser.PHONE, browser.DESK):
        results.set_viewport_size({"width": width, "height": height})
        results.evaluate(browser.NEXT_FRAME)
        assert results.evaluate("document.documentElement.scrollWidth <= innerWidth")
    lobby = person.go("/", person.tab())
    lobby.locator(f"[data-table={table}] .host-close").click()
    lobby.locator("#close-yes").click()
    expect(lobby.locator(".host-said")).to_have_text("The table closes after this game.")
    expect(page.get_by_text("The host closes this table after this game.")).to_be_visible()
    while person.casino.book_is_open(table):
        house.step(table)
    expect(page.locator(".ends a:visible")).to_have_text("To the tables")
    while not house.service.durable_state(table).is_over:
        house.step(table)
    expect(lobby.locator(f"[data-table={table}]")).to_have_count(0)
    expect(page.locator("#closed")).to_be_visible()
    expect(page.locator("#take-seat")).to_be_hidden()


def test_host_and_guest_go_from_a_table_to_a_changed_one(new_person: Callable[..., Any]) -> None:
    person, guest = new_person(size=browser.PHONE), new_person(size=browser.PHONE)
    page = person.go("/")
    page.locator("#host-open").click()
    expect(page.locator("#host-house option").first).to_have_text("Odile wins 16 of 100")
    challenger = page.locator("#host-challenger :checked")
    expect(challenger).to_have_attribute("label", "Camille wins 50 of 100 (preset)")
    expect(page.locator("#host-target option")).to_have_text(["5 (preset)", "7", "11"])
    page.locator("#host-form summary").first.click()
    page.locator("#host-house").select_option("novice")
    expect(page.locator("#host-form [role=status] span")).to_be_visible()
    expect(page.locator("#host-spectators:disabled")).to_have_value("0")
    page.locator("#host-name").fill("hermit")
    page.locator("[name=me]").check()
    page.locator("#host-form button.primary").click()
    page.locator("#seat-dialog [value=no]").click()
    table = page.url.removesuffix("#play")
    guest.page.goto(table)
    expect(guest.page.locator(".invited")).to_have_text(
        "hermit invites you to bet or to play: a lost game costs 2 to 6 chips. The seat is free."
    )
    page.get_by_role("button", name="Copy invitation").click()
    expect(page.get_by_role("button", name="Copied.")).to_be_visible()
    page.locator("[data-opens=about]").first.click()
    page.get_by_role("button", name="Change the table").click()
    page.locator("#host-form button.primary").click()
    expect(page.locator("#host-form [role=alert]")).to_have_text("Nothing has changed.")
    page.locator("#host-stake").fill("3")
    person.casino.visitor("player").request("take_seat", table=table.rpartition("/")[2])
    person.casino.house.step(table.rpartition("/")[2])
    page.locator("#host-form button.primary").click()
    page.wait_for_url(lambda address: address != table)
    expect(page.locator("#seat-words")).to_have_text("stake 3.00; 9.00 held")
    expect(guest.page.locator(":is(#invite, #enter-form, .ends a):visible")).to_have_count(0)
    guest.page.get_by_role("link", name="go there now").click()
    guest.page.wait_for_url(page.url)


def test_poule_host_joins_it_and_newcomer_plays_at_once(new_person: Callable[..., Any]) -> None:
    person, newcomer = new_person(size=browser.DESK), new_person(size=browser.PHONE)
    page = person.go("/")
    page.locator("#host-open").click()
    page.locator("#host-name").fill("poulette")
    page.locator("[value=poule]").check()
    page.locator("#host-players").select_option("4")
    expect(page.locator("#host-form [role=status] span")).to_be_visible()
    page.locator("[name=me]").check()
    expect(page.locator("#host-form [role=status] span")).to_be_hidden()
    page.locator("#host-form button.primary").click()
    page.locator("#seat-yes").click()
    person.play_until(lambda: page.locator("#poule li").count() == 4)
    expect(page.locator("#poule bdi", has_text="You")).to_have_count(1)
    # What the table says of the poule, and of the last game, is whole and covers nothing.
    guest, large = newcomer.tab(), [(1366, 768), (1920, 1080), (1024, 768), (683, 384)]
    guest.add_init_script(FORCED)
    for language in reversed(LANGUAGES):
        newcomer.go(f"/table/{page.url.rpartition('/')[2]}?lang={language}", guest)
        expect(guest.locator("#poule-line span")).not_to_have_count(0)
        for width, height in (*large, SIDE, TALL, SMALL):
            guest.set_viewport_size({"width": width, "height": height})
            guest.evaluate("keep()")
            assert guest.evaluate("covered()") == [], (language, width)
        guest.evaluate("document.body.classList.add('closing')")
        assert guest.evaluate("covered()") == [], (language, "closing")
    page.locator("#leave-seat").click()
    expect(page.locator("#leave-dialog")).to_contain_text("the pool. Leave", use_inner_text=True)
    page.keyboard.press("Enter")
    person.play_until(lambda: page.is_visible("#again:text('Enter the poule')"))
    lobby = person.go("/", person.tab())
    expect(lobby.locator("#play")).to_have_text("Play now")
    person.casino.visitor("sitter").request("take_seat", table="t1")
    expect(lobby.locator("#play")).to_have_text("Queue for a seat")
    newcomer.go("/").locator("#play:text('Play now')").click()
    newcomer.page.locator(".bottom-bar [data-sits]").click()
    expect(newcomer.page.locator("#enter-name")).to_be_focused()
    newcomer.page.locator("#enter-name").fill("newcomer")
    newcomer.page.locator("#enter-form button.primary").click()
    newcomer.page.wait_for_url("**/table/h*")
    person.casino.visitor("guest").join(newcomer.state("table"))
    newcomer.page.locator("#seat-yes:text('Take the seat')").click()
    newcomer.play_until(lambda: newcomer.state("game?.phase") == "betting")
    newcomer.until(lambda: newcomer.state("chance?.game"))
    assert newcomer.page.is_hidden("#ready"), "a guest may want to bet"
