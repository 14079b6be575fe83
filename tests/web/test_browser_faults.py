"""Faults once found at the page, each shown in a browser: they are not to come back."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.web.browser import Cable, Person, casino
from tests.web.doors import Doors
from tests.web.test_browser_table import OPENING_CENTS, bet, lay

NewPerson = Callable[..., Person]
STILL = {"reduced_motion": "reduce"}


def test_the_strip_says_why_a_bet_cannot_be_made(new_person: NewPerson) -> None:
    """What is no number of chips, and a bet that the purse does not cover: the button is off.

    Nor is what would win nothing written as "0 – 0".
    """
    person = new_person(**STILL)
    person.enter("Bold", "open")
    page = person.page
    lay(person, "challenger", 1)
    words = page.inner_text("#desk") + page.inner_text("#cloth")
    assert "0.00 – 0.00" not in words and "0 – 0" not in words
    page.click("#clear")
    for typed in ("-5", "abc", "1.005"):
        page.fill("#unit", typed)
        assert page.inner_text("#offer") == "Enter a number of chips, such as 5 or 2.50."
        assert page.is_disabled("#place")
    page.fill("#unit", "500")
    page.click("#spot-house")
    assert page.inner_text("#place") == "Bet 500 on Maître Hubert\nholds 1,500"
    assert page.is_disabled("#place")
    assert page.inner_text("#offer") == "This would put 1,500 at risk; you have 1,000."


def test_no_bet_is_sent_without_a_line(new_person: NewPerson, program: Doors) -> None:
    with Cable(program.url) as cable:
        person = new_person(url=cable.url, **STILL)
        person.bears = ("WebSocket", "net::ERR", "Failed to fetch")
        person.enter("Cut", "open")
        lay(person, "house", 2)
        cable.cut()
        person.page.wait_for_selector("#connection.lost")
        expect(person.page.locator("#place")).to_be_disabled()
        cable.mend()
        expect(person.page.locator("#place")).to_be_enabled()


def test_a_game_that_is_not_there_has_no_table(new_person: NewPerson) -> None:
    person = new_person(**STILL)
    person.bears = ("404",)
    page = person.go("/game/none")
    page.wait_for_selector("main.nothing")
    assert page.is_hidden("#cloth")
    assert page.is_visible("main a[href$='/games']")


def test_a_page_open_during_an_upgrade_is_loaded_again(new_person: NewPerson) -> None:
    person = new_person(**STILL)
    person.enter("Upgraded", "open")
    page, renamed = person.page, re.compile("/tour-.*js$")
    page.route(
        renamed, lambda route: route.continue_(url=f"{person.url}/static/js/tour-0ld0ld0l.js")
    )
    page.click(".icon[data-opens=about]")
    with page.expect_navigation():
        page.click("#tour-start")
    page.unroute(renamed)
    page.click(".icon[data-opens=about]")
    page.click("#tour-start")
    page.wait_for_selector("#tour")


# The house takes no seal, as one would that means to choose the cards.
SEALS_REFUSED = """() => {
    const { line } = casino;
    const ask = line.request.bind(line);
    const refused = { ok: false, code: "cuts_full", message: "Bet without a seal." };
    globalThis.sealed = [];
    line.request = (what, said) => {
        if (what !== "place_bet") return ask(what, said);
        sealed.push(Boolean(said.seal));
        return said.seal ? Promise.resolve(refused) : ask(what, said);
    };
}"""


def test_no_bet_goes_without_its_seal_until_the_bettor_asks_for_that(new_person: NewPerson) -> None:
    person = new_person(**STILL)
    person.enter("Unsealed", "open")
    page = person.page
    page.evaluate(SEALS_REFUSED)
    lay(person, "house", 2)
    page.click("#place")
    expect(page.locator("#bet-message")).to_have_text("Bet without a seal.")
    assert page.evaluate("sealed") == [True]
    page.click("#place")
    expect(page.locator("#bet-message")).to_have_text("Your bet is placed.")
    assert page.evaluate("sealed") == [True, False]


TIMES = {
    "en": ("You can lose only what you bet.", "three times"),
    "fr": ("On ne peut perdre que son pari.", "trois fois"),
    "ru": ("Проиграть можно только саму ставку.", "трижды"),
}


def test_no_bet_is_told_to_cost_more_where_it_never_does(chromium: Browser, tmp_path: Path) -> None:
    single = {"betting_ms": 3_600_000, "number": 0, "gallery_stakes": "single"}
    with casino(tmp_path, {"single": single}) as opened:
        person = Person(chromium, opened, reduced_motion="reduce")
        person.enter("Once", "single")
        for language, (words, times) in TIMES.items():
            page = person.go(f"/table/single?lang={language}")
            page.wait_for_selector("#bet-form")
            assert page.inner_text("#offer") == words
            lay(person, "house", 2)
            page.click(".icon[data-opens=about]")
            page.click("#tour-start")
            page.wait_for_selector("#tour")
            read = page.inner_text("#cloth") + page.inner_text("#desk")
            while page.is_visible("#tour"):
                read += page.inner_text("#tour")
                page.click("#tour-next")
            assert times not in read and "втрое" not in read
        person.context.close()
        assert person.faults == []


# The house never gets this browser's text, as where the line is slow. What stands beside the bet
# and in the result is noted, for a quick table goes on.
SILENT = """() => {
    const { line } = casino;
    const ask = line.request.bind(line);
    line.request = (what, said) =>
        what === "open_cut" ? Promise.resolve({ ok: false, code: "late" }) : ask(what, said);
    globalThis.noted = {};
    new MutationObserver(() => {
        for (const place of ["#my-matched", "#settlement-lines", "#settlement-rows .mine"]) {
            const words = document.querySelector(place)?.textContent;
            if (words) noted[place] = words;
        }
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
}"""


def test_whoever_gets_a_bet_back_for_a_late_text_is_told_why(new_person: NewPerson) -> None:
    person = new_person(**STILL)
    person.enter("Late", "quick")
    person.page.evaluate(SILENT)
    bet(person, "house", 2)
    person.casino.awaits_texts = False
    noted = person.play_until(
        lambda: person.page.evaluate("Object.keys(noted).length === 3 ? noted : null")
    )
    person.casino.awaits_texts = True
    assert noted["#my-matched"] == "returned"
    assert "returned" in noted["#settlement-rows .mine"]
    why = "Your browser sent its part of the shuffle too late: your stake was returned."
    assert noted["#settlement-lines"] == why
    person.comes_to(person.balance, OPENING_CENTS)
