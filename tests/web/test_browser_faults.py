"""Faults once found at the page, each shown in a browser: they are not to come back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.web.browser import PHONE, Cable, Person, casino
from tests.web.doors import Doors
from tests.web.test_browser_table import OPENING_CENTS, bet, lay

Somebody = Callable[..., Person]
STILL = {"reduced_motion": "reduce"}


@pytest.mark.parametrize("typed", ["-5", "abc", "1.005"])
def test_what_is_no_number_of_chips_is_said_to_be_none(somebody: Somebody, typed: str) -> None:
    """The page says how an amount is written, and takes no bet."""
    person = somebody(**STILL)
    person.enter(f"Typist{len(typed)}{typed[-1]}", "open")
    person.page.fill("#unit", typed)
    assert person.page.inner_text("#offer") == "Write a number of chips, as 5 or 2.50."
    assert person.page.is_disabled("#place")


def test_a_bet_that_the_purse_does_not_cover_cannot_be_made(somebody: Somebody) -> None:
    """500 chips put 1,500 at risk; whoever has 1,000 is told so, and the button is off."""
    person = somebody(**STILL)
    person.enter("Bold", "open")
    lay(person, "house", 5)
    assert person.page.inner_text("#place") == "Bet 500 on Maître Hubert\nholds 1,500"
    assert person.page.is_disabled("#place")
    assert person.page.inner_text("#offer") == "This would put 1,500 at risk; you have 1,000."


# What is sent over the line of the page from now on.
SENT = """() => {
    globalThis.sent = [];
    const { line } = casino;
    const ask = line.request.bind(line);
    line.request = (what, said) => {
        sent.push(what);
        return ask(what, said);
    };
}"""


def test_a_bet_without_a_line_is_refused_at_once_and_truly(
    somebody: Somebody, program: Doors
) -> None:
    """Nothing is sent, and the page says just that."""
    with Cable(program.url) as cable:
        person = somebody(url=cable.url, **STILL)
        person.bears = ("WebSocket", "net::ERR", "Failed to fetch")
        person.enter("Cut", "open")
        lay(person, "house", 2)
        person.page.evaluate(SENT)
        cable.cut()
        person.page.wait_for_selector("#connection.lost")
        person.page.click("#place")
        no = "No connection: nothing was bet."
        expect(person.page.locator("#bet-message")).to_have_text(no)
        assert person.page.evaluate("sent") == []


def test_nothing_is_told_to_win_that_nobody_has_matched(somebody: Somebody) -> None:
    """No "0 – 0": who bets alone is told that what is not matched comes back."""
    person = somebody(**STILL)
    person.enter("Alone", "seat")
    person.go("/table/open")
    person.until(lambda: person.page.is_enabled("#spot-challenger"))
    lay(person, "challenger", 1)
    words = person.page.inner_text("#desk") + person.page.inner_text("#cloth")
    assert "0.00 – 0.00" not in words and "0 – 0" not in words


def test_a_game_that_is_not_there_has_no_table(somebody: Somebody) -> None:
    """The page says so, with a way to the games that are."""
    person = somebody(**STILL)
    person.bears = ("404",)
    page = person.go("/game/none")
    page.wait_for_selector("main.nothing")
    assert page.is_hidden("#cloth")
    assert page.is_visible("main a[href$='/games']")


def test_the_list_of_games_is_read_on_a_phone(somebody: Somebody) -> None:
    """Players, score and winner are all inside the window."""
    person = somebody(size=PHONE, **STILL)
    person.past_game()
    page = person.go("/games")
    page.wait_for_selector("#games tr")
    for cell in page.locator("#games tr >> nth=0").locator("th, td").all():
        box = cell.bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= PHONE[0]


# What is said of one's own part of the shuffle, which a quick table soon takes back.
SAID = """() => {
    globalThis.saidOfCut = [];
    const box = document.getElementById("cut-state");
    new MutationObserver(() => saidOfCut.push(box.textContent))
        .observe(box, { childList: true, characterData: true, subtree: true });
}"""
COUNTED = "Your part of the shuffle counted: no one foresaw these cards."


def test_over_plain_http_a_bet_is_sealed_and_counted_in(somebody: Somebody) -> None:
    """There a browser has no cryptography of its own, and the page fetches some."""
    person = somebody(**STILL)
    person.context.add_init_script(
        "Object.defineProperty(Crypto.prototype, 'subtle', {get: () => undefined})"
    )
    scripts: list[str] = []
    person.page.on("request", lambda asked: scripts.append(asked.url))
    person.enter("Plain", "quick")
    person.page.evaluate(SAID)
    bet(person, "house", 2)
    assert person.page.evaluate("globalThis.crypto.subtle") is None
    assert any(url.endswith("/verify/sha256.js") for url in scripts)
    person.play_until(lambda: COUNTED in person.page.evaluate("saidOfCut"))


TIMES = {
    "en": ("You can lose only what you bet.", "three times"),
    "fr": ("On ne peut perdre que son pari.", "trois fois"),
    "ru": ("Проиграть можно только саму ставку.", "трижды"),
}


def test_no_bet_is_told_to_cost_more_where_it_never_does(chromium: Browser, tmp_path: Path) -> None:
    """Under the law `single` neither the offer nor the felt nor the tour speaks of thrice."""
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


def test_whoever_gets_a_bet_back_for_a_late_text_is_told_why(somebody: Somebody) -> None:
    """Not "0.00 matched" alone: the result says what was late, and that the stake came back."""
    person = somebody(**STILL)
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
