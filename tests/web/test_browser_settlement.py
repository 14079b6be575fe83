"""What a game pays those who bet on it, in a real browser: felt, result, account."""

from __future__ import annotations

import json
import re
from typing import Any

from click.testing import CliRunner
from playwright.sync_api import expect

from casino.cli.play.statement import command as casino_statement
from tests.web.browser import DESK, NEXT_FRAME, PHONE, NewPerson, Person
from tests.web.server import Server
from tests.web.test_browser_layout import LOOK
from tests.web.test_browser_table import OPENING_CENTS, bet, game_matching

COMMISSION_BP = 500
# From now on it is noted how far what a bet may come to is from the words that say when.
OUTLOOK = """() => {
    const end = (one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        return range.getBoundingClientRect();
    };
    globalThis.apart = [];
    const look = () => {
        const [when, much] = ["dt", "dd"].map((one) => document.querySelector(`#outlook ${one}`));
        if (when?.checkVisibility()) apart.push(end(much).left - end(when).right);
        const ends = document.getElementById("outlook").textContent;
        globalThis.impossible ||= ends.includes("5–\u20605");
        requestAnimationFrame(look);
    };
    look();
}"""
# Record each message of the bet form with the phase of the game.
RECORD_MESSAGES = """() => {
    globalThis.said = [];
    const message = document.getElementById("bet-message");
    new MutationObserver(() => {
        globalThis.said.push([message.innerText, globalThis.casino.state().game.phase]);
    }).observe(message, { childList: true, characterData: true, subtree: true });
}"""
OVERFLOW = """() => { const box = document.querySelector(".settlement-table");
    return box.scrollWidth - box.clientWidth; }"""


def test_two_bets_are_paid_to_the_cent(new_person: NewPerson, program: Server) -> None:
    ann, ben = new_person(), new_person(size=PHONE, locale="fr-FR")
    watcher = new_person().go("/table/bets")
    people = {"house": ann, "challenger": ben}
    ann.enter("Ann", "bets")
    ben.enter("Ben", "bets")
    ann.page.evaluate(OUTLOOK)
    ben.page.evaluate(RECORD_MESSAGES)
    game = bet(ann, "house", 3)
    assert bet(ben, "challenger", 3) == game
    ann.until(lambda: ann.page.locator("#gallery-challenger .person", has_text="Ben").count())
    ann.skip_to_play()
    # Unmatched stakes have been returned: the chips on the felt are in play.
    assert ann.page.inner_text("#total-house") == ann.page.inner_text("#total-challenger")
    assert "not matched" not in ann.page.inner_text("#cloth")
    assert "waits" not in ann.page.inner_text("#cloth")
    # A message is recorded a moment after it is shown.
    said = ben.until(lambda: ben.page.evaluate("said.at(-1)?.[0] === '' ? said : null"))
    assert [words for words, _ in said if words][-1] == "Pari pris\u00a0: 75,00 retenus."

    def ends() -> bool:
        running = program.house.service.durable_state("bets").running
        return bool(running and running.game and max(running.game.score) > 2)

    ann.skip_until(ends)
    ann.play_until(
        lambda: game_matching(ann, lambda told: told["phase"] == "over" and told["settled"])
    )
    assert not ann.page.evaluate("impossible"), "once a player has won, the other cannot"
    apart = ann.page.evaluate("apart")
    assert apart and 20 < min(apart) <= max(apart) < 200

    results = {}
    for side, person in people.items():
        page = person.page
        settled = person.until(lambda p=person: p.state("game.settled") and p.state("game"))  # type: ignore[misc]
        gain = results[side] = result_of(settled, person.name, side)
        page.wait_for_selector("#settlement-mine:not([hidden])")
        assert cents(page.inner_text("#settlement-result")) == gain
        fee = page.text_content("#settlement-rows .mine td:last-child") or ""
        assert cents(fee) < 0 if gain > 0 else fee == "–"
        # A winner without a password is shown how to keep the name.
        assert page.is_hidden("#settlement-keep") == (gain < 0)
        assert cents(page.inner_text(f"#stake-{side} .tag").split()[-1]) == gain
        assert page.locator(f"#piles-{side} .mine").count() == (2500 + gain > 0)
        loser = "challenger" if settled["result"]["winner"] == "house" else "house"
    assert re.fullmatch(r"[\d.,]+ matched( × [23])?", ann.page.inner_text(f"#matched-{loser}"))
    assert min(results.values()) < 0 < max(results.values())
    ben.page.click("#settlement:not([hidden]) [data-opens=paid]")
    assert ben.page.evaluate(OVERFLOW) == 0
    ben.page.keyboard.press("Escape")
    ann.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ann.page.click("#share")
    ann.page.wait_for_selector("#share.done")
    assert ann.page.evaluate("navigator.clipboard.readText()") == f"{ann.url}/game/{game}"

    page = ann.page
    result = page.inner_text("#settlement-result")
    ann.skip_to_book()
    for width, height in (PHONE, (844, 390), DESK):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(NEXT_FRAME)
        assert page.evaluate(LOOK)[1] == [], width
        for part in ("open", "close"):
            box = page.locator(f"#settlement-{part}").bounding_box()
            assert box and min(box["width"], box["height"]) >= 24, (width, part)
        page.click("#settlement-open")
        for part in ("title", "lines", "purse", "link", "close", "verify"):
            assert page.is_visible(f"#settlement-{part}"), (width, part)
        page.keyboard.press("Escape")
        expect(page.locator("#settlement-open")).to_be_focused()
        assert page.inner_text("#settlement-result") == result
    assert page.is_visible("#road a")
    assert game in str(page.get_attribute("#settlement-link", "href"))
    felt = page.locator("#cloth").bounding_box()
    ben.page.click("#repeat")
    assert ben.page.get_attribute("#spot-challenger", "aria-pressed") == "true"
    ben.page.click("#undo")
    second = bet(ann, "house", 1)
    assert bet(ben, "house", 1) == second
    assert page.is_hidden("#settlement-purse"), "the balance is another one now"
    assert page.locator("#cloth").bounding_box() == felt
    # The result is kept beside the new bet, and the felt stays where it is when the result goes.
    for one in (page, ben.page):
        felt = one.locator("#cloth").bounding_box()
        one.click("#settlement.kept #settlement-close")
        expect(one.locator("#settlement")).to_be_hidden()
        assert one.locator("#cloth").bounding_box() == felt
    watcher.wait_for_selector("#settlement.kept:not([hidden])")
    ann.skip_to_play()
    expect(watcher.locator("#settlement")).to_be_hidden()
    ann.skip_to_settlement(second)

    for side, person in people.items():
        gained, rows = statement(program, person.name)
        assert rows[-1] == results[side]
        assert account(person) == (OPENING_CENTS + gained, rows)
        assert person.balance() == OPENING_CENTS + gained


def result_of(game: Any, name: str, side: str) -> int:
    """Compute the result of a bettor's bets on a game by the rules."""
    mine = [one for one in game["settled"]["bets"] if one["player"] == name]
    assert {one["side"] for one in mine} == {side}
    much = [int(game["result"]["stake"] * one["matched_cents"]) for one in mine]
    assert all(much)
    won = game["result"]["winner"] == side
    return sum(one - one * COMMISSION_BP // 10_000 for one in much) if won else -sum(much)


def cents(text: str) -> int:
    """An amount below a thousand as an English or a French page shows it, in cents."""
    sign = -1 if text.startswith("−") else 1
    whole, _, part = text.lstrip("+−±").replace(",", ".").partition(".")
    return sign * (int(whole) * 100 + int(part.ljust(2, "0") if part else 0))


def statement(program: Server, name: str) -> tuple[int, list[int]]:
    """Return a player's total gain and results, newest first, from `casino statement`."""
    told = json.loads(
        CliRunner().invoke(casino_statement, [name, "--json", "--db", str(program.path)]).output
    )
    results = [one["gain_cents"] - one["commission_cents"] for one in reversed(told["bets"])]
    return sum(results), results


def account(person: Person) -> tuple[int, list[int]]:
    """Return the available balance and the results, newest first, from the account page."""
    page = person.go("/account?lang=en")
    page.wait_for_selector("#bets tr")
    page.wait_for_selector("#plot svg")
    rows = page.locator("#bets tr").all()
    return cents(page.inner_text("#at-hand").replace(",", "")), [
        cents(row.locator("td:nth-child(5)").inner_text()) for row in rows
    ]


def test_a_result_missed_without_a_connection_is_said_later(new_person: NewPerson) -> None:
    person = new_person()
    person.enter("Vera", "lively")
    # Later the page no longer knows what the table is called.
    person.page.evaluate("document.body.dataset.titles = JSON.stringify({lively: 'Ann’s table'})")
    bet(person, "challenger", 2)
    person.skip_to_play()
    person.page.evaluate("delete document.body.dataset.titles")
    person.page.evaluate("casino.line.socket.disconnect()")
    person.casino.new_book("lively")
    person.page.evaluate("casino.line.socket.connect()")
    expect(person.page.locator(".absence")).to_contain_text("While you were away: Ann’s table #")


def test_statement_shows_one_signed_row_per_game(new_person: NewPerson) -> None:
    person = new_person()
    person.enter("Stella", "bets")
    game = bet(person, "challenger", 2)
    person.skip_to_play()
    person.go("/")
    expect(person.page.locator("#first-hint")).to_contain_text("Your bet: 5.00 on ")
    expect(person.page.locator("#held")).to_have_text("15.00 held")
    person.casino.play("bets")
    person.until(lambda: person.api("/api/statement")["bets"][0]["result"] != "open")
    told = person.api("/api/statement")
    gain = sum(one["cents"] for one in told["changes"] if one["game"] == game)
    sign = "+" if gain > 0 else "−" if gain < 0 else "±"
    page = person.go(f"/game/{game}")
    # Above the page, not over it.
    strip = page.locator(".absence:has(+ main)")
    expect(strip.locator("b")).to_have_text(f"{sign}{abs(gain) / 100:.2f}")
    strip.locator("button").click()
    expect(strip).to_have_count(0)
    person.go("/account")
    rows = page.locator("#changes tr")
    expect(rows).to_have_count(2)
    line = rows.first.inner_text()
    assert f"{sign}{abs(gain) / 100:.2f}" in line
    expect(page.locator(".absence")).to_have_count(0)
    words = {"+": "bet won", "−": "bet lost", "±": "break-even game"}
    assert words[sign] in line and f"Table bets #{int(game[-6:])}" in line
    page.check("input[name=statement-view][value=moves]")
    expect(rows).to_have_count(len(told["changes"]))
    assert f"{told['changes'][-1]['balance_cents'] / 100:,.2f}" in rows.first.inner_text()
    page.check("input[name=statement-view][value=games]")
    page.select_option("#statement-kind", "grant")
    expect(rows).to_have_count(1)
    assert "chips from the casino" in rows.inner_text()
    assert page.inner_text("#statement-sum").startswith("1 line, +")
    page.fill("#statement-game", game)
    expect(rows).to_have_count(0)
    expect(page.locator("#statement-list")).to_be_hidden()
    page.click("#statement-filters [type=reset]")
    expect(rows).to_have_count(2)
    # More chips are offered only to those who have less than one, with those at risk.
    assert page.is_hidden("#refill")
    purse = {**told, "escrow_cents": 60}
    page.route("**/api/statement", lambda route: route.fulfill(json=purse))
    for cents, offered in ((99, True), (100, False)):
        purse["balance_cents"] = cents - 60
        person.go("/account").wait_for_selector("#plot svg")
        person.until(lambda: page.inner_text("#at-risk") == "0.60")
        assert page.is_visible("#refill") == offered
