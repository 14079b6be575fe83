"""How a game ends for those who bet on it, in a real browser: felt, result, account."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from click.testing import CliRunner
from playwright.sync_api import expect

from casino.cli.play.statement import command as casino_statement
from tests.web.browser import DESK, NEXT_FRAME, PHONE, Person
from tests.web.server import Server
from tests.web.test_browser_table import OPENING_CENTS, bet, game_matching

NewPerson = Callable[..., Person]
REDUCED_MOTION = {"reduced_motion": "reduce"}
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
# What can be clicked while the next book is open, in the result and in the bet form.
CLICKABLE = """() => {
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


def test_two_bets_are_paid_to_the_cent(new_person: NewPerson, program: Server) -> None:
    """On the felt, in the result, in both accounts, and by `casino statement`.

    The result stays next to the next book, with all it offers, and nothing of the book lies below
    it, at a desk or on a phone. It goes with the next bet, when it is closed, or when the next book
    is locked: who has no name sees it as long as all others.
    """
    ann, ben = (
        new_person(**REDUCED_MOTION),
        new_person(size=PHONE, locale="fr-FR", **REDUCED_MOTION),
    )
    watcher = new_person(**REDUCED_MOTION).go("/table/bets")
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
    assert "waits" not in ann.page.inner_text("#cloth")
    # A message is recorded a moment after it is shown.
    said = ben.until(lambda: ben.page.evaluate("said.at(-1)?.[0] === '' ? said : null"))
    assert [words for words, _ in said if words][-1] == "Votre pari est pris."

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
    under = ann.page.inner_text(f"#matched-{loser}")
    assert re.fullmatch(r"[\d.,]+ matched(, × [23])?", under)
    assert min(results.values()) < 0 < max(results.values())
    ben.page.click("#settlement:not([hidden]) [data-opens=paid]")
    assert ben.page.evaluate(OVERFLOW) == 0
    ben.page.keyboard.press("Escape")
    ann.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ann.page.click("#share")
    ann.page.wait_for_selector("#share.done")
    assert ann.page.evaluate("navigator.clipboard.readText()") == f"{ann.url}/game/{game}"

    page = ann.page
    # The winner has one link more: to what keeps the name.
    offered = sorted([*BOOK, *RESULT, *([""] if results["house"] > 0 else [])])
    result = page.inner_text("#settlement-result")
    ann.skip_to_book()
    for width, height in (PHONE, (844, 390), DESK):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(NEXT_FRAME)
        assert sorted(page.evaluate(CLICKABLE)) == offered, width
        assert page.inner_text("#settlement-result") == result
    assert game in str(page.get_attribute("#settlement-link", "href"))
    second = bet(ann, "house", 1)
    expect(page.locator("#settlement")).to_be_hidden()
    ben.page.click("#settlement.kept #settlement-close")
    expect(ben.page.locator("#settlement")).to_be_hidden()
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
        cents(row.locator("td:nth-child(5)").inner_text())
        + cents(row.locator("td:nth-child(6)").inner_text().replace("–", "0"))
        for row in rows
    ]
