"""An open book in a real browser: what a bet costs, why it is refused, a connection that breaks."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Route, expect

from tests.web.browser import PHONE, Line, NewPerson
from tests.web.test_browser_table import OPENING_CENTS, bet, lay

RATE_LIMITED = {
    "ok": False,
    "code": "rate_limited",
    "message": "too many requests: wait 3 seconds",
    "reason": "too_many_requests",
    "values": {"n": 3},
}


def test_a_bet_lies_on_one_side(new_person: NewPerson) -> None:
    person = new_person(locale="fr-FR")
    person.enter("Dragan", "open")
    page = person.page
    bet(person, "house", 2)
    page.drag_and_drop("#rail button:nth-child(2)", "#gallery-challenger")
    no = "Vous avez parié de l’autre côté\u00a0: ajoutez à ce pari-là."
    person.until(lambda: page.inner_text("#bet-message") == no)
    assert page.is_disabled("#place")
    page.drag_and_drop("#rail button:nth-child(2)", "#gallery-house")
    expect(page.locator("#place")).to_have_text(
        "Parier 5 sur Maître Hubert15 retenus\u00a0: vous ne perdrez pas plus"
    )
    page.goto(f"{page.url}?lang=ru")
    person.until(lambda: page.is_visible("#bet-form") and page.is_enabled("#spot-house"))
    page.click("#spot-house")
    words = "Поставить 5 · Мэтр Юбер\nбольше 15 не потерять"
    person.until(lambda: page.inner_text("#place") == words)


def test_texts_that_come_after_the_page_hold_nothing_up(new_person: NewPerson) -> None:
    person = new_person(locale="ru")
    page = person.page
    held: list[Route] = []
    page.route("**/table.json", lambda route: held.append(route))
    page.goto(f"{person.url}/table/open")
    held[0].continue_()
    expect(page.locator("#commitment")).to_have_text(re.compile("[0-9a-f]{64}"))


# The house refuses sealed bets, as a cheating house would.
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


def test_the_strip_says_what_a_bet_costs_and_why_it_cannot_be_made(new_person: NewPerson) -> None:
    other, person = new_person(), new_person()
    other.enter("Against", "open")
    bet(other, "house", 2)
    person.enter("Bold", "open")
    page = person.page
    lay(person, "challenger", 1)
    words = page.inner_text("#desk") + page.inner_text("#cloth")
    assert "0.00 – 0.00" not in words and "0 – 0" not in words
    page.click("#clear")
    for typed in ("-5", "abc", "1.005"):
        page.fill("#unit", typed)
        page.click("#spot-house")
        assert page.inner_text("#offer") == "Enter a number of chips, such as 5 or 2.50."
        assert page.is_disabled("#place")
    for typed in ("5", "500"):
        page.fill("#unit", typed)
        page.click("#spot-house")
    assert page.inner_text("#place") == "Bet 500 on Maître Hubert", "no chip is laid on it"
    assert page.is_disabled("#place")
    assert page.inner_text("#offer") == "This would put 1,500 at risk; you have 1,000."

    page.fill("#unit", "5")
    page.click("#spot-challenger")
    page.wait_for_selector(".outcome")
    assert page.inner_text("#place") == "Bet 5 on Camille\n15 held: you cannot lose more"
    assert page.locator(".outcome").all_text_contents() == [
        "single +4.75 / −5.00loser: 3–4 points",
        "double +9.50 / −10.00loser: 1–2 points",
        "triple +14.25 / −15.00loser: 0 points",
    ]
    assert page.text_content("#held") == ""

    asked: list[str] = []

    def give(route: Route) -> None:
        asked.append(route.request.method)
        route.fulfill(json={"ok": True, "granted_cents": 19_950, "balance_cents": 20_000})

    def spent() -> bool:
        """Empty the balance, which messages reset; return whether the page offers a refill."""
        page.evaluate("casino.state().you.balance_cents = 50")
        page.fill("#unit", "1")
        return page.locator("#offer button").count() == 1

    page.route("**/api/refill", give)
    person.until(spent)
    page.click("#offer button")
    expect(page.locator("#bet-message")).to_have_text("You have 200 chips again.")
    assert asked == ["POST"]

    page.evaluate("casino.state().you.balance_cents = 100_000")
    page.evaluate(SEALS_REFUSED)
    page.fill("#unit", "5")
    page.click("#place")
    expect(page.locator("#bet-message")).to_have_text("Bet without a seal.")
    assert page.evaluate("sealed") == [True]
    page.click("#place")
    expect(page.locator("#place")).to_have_text("Bet taken: 15.00 held.")
    assert page.evaluate("sealed") == [True, False]
    expect(page.locator("#held")).to_have_text("15.00 held")


TIMES = {
    "en": ("You can lose only what you bet.", "three times"),
    "fr": ("On ne peut perdre que son pari.", "trois fois"),
    "ru": ("Больше самой ставки не проиграть.", "втройне"),
}


def test_where_bets_count_once_no_page_says_three_times(new_person: NewPerson) -> None:
    person = new_person()
    person.enter("Once", "single")
    for language, (words, times) in TIMES.items():
        page = person.go(f"/table/single?lang={language}")
        page.wait_for_selector("#bet-form")
        assert words in page.inner_text("#offer")
        lay(person, "house", 2)
        page.click(".icon[data-opens=about]")
        page.click("#tour-start")
        page.wait_for_selector("#tour")
        read = page.inner_text("#cloth") + page.inner_text("#desk")
        while page.is_visible("#tour"):
            read += page.inner_text("#tour")
            page.click("#tour-next")
        assert times not in read and "втрое" not in read


def test_no_bet_is_sent_without_a_connection_and_one_whose_answer_is_lost_counts_once(
    new_person: NewPerson,
) -> None:
    person = new_person()
    line, page = Line(person.page), person.page
    person.enter("Eve", "open")
    lay(person, "house", 2)
    line.cut()
    page.wait_for_selector("#connection.lost")
    page.wait_for_selector("#lost:not([hidden])")
    expect(page.locator("#place")).to_be_disabled()
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    lost, cloth = (page.locator(name).bounding_box() for name in ("#lost", "#cloth"))
    assert lost and cloth and lost["y"] > cloth["y"] + cloth["height"], (
        "no name or score is covered"
    )
    line.mend()
    expect(page.locator("#place")).to_be_enabled()
    line.is_deaf = True
    page.click("#place")

    def bets() -> list[Any]:
        told = person.api("/api/tables/open")
        return [one for one in told["bets"] if one["player"] == "Eve"]

    person.until(bets)
    line.cut()
    page.wait_for_selector("#connection.lost")
    line.mend()
    page.wait_for_selector("#connection:not(.lost)")
    expect(page.locator("#bet-message")).to_have_text(re.compile("^Bet taken: "))
    expect(page.locator("#my-bets li")).to_have_count(1)
    assert len(bets()) == 1
    expect(page.locator("#lost")).to_be_hidden()


# The house never gets this browser's text, as where the line is slow. The words next to the bet and
# in the result are noted.
REVEALS_DROPPED = """() => {
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


def test_a_bet_returned_for_a_late_text_says_why(new_person: NewPerson) -> None:
    person = new_person()
    person.enter("Late", "quick")
    person.page.evaluate(REVEALS_DROPPED)
    game = bet(person, "house", 2)
    person.casino.awaits_reveals = False
    person.play_until(lambda: person.page.evaluate("'#my-matched' in noted"))
    person.skip_to_settlement(game)
    noted = person.until(
        lambda: person.page.evaluate("Object.keys(noted).length === 3 ? noted : null")
    )
    person.casino.awaits_reveals = True
    assert noted["#my-matched"] == "returned"
    assert "returned" in noted["#settlement-rows .mine"]
    why = "Your browser sent its part of the shuffle too late: your stake was returned."
    assert noted["#settlement-lines"] == why
    person.until(lambda: person.balance() == OPENING_CENTS)


# Whether the element of a tour step is visible, and its edge not under the text.
TOUR_STEP_VISIBLE = """() => {
    const { left, top, width } = document.querySelector(".toured").getBoundingClientRect();
    const there = document.elementFromPoint(left + width / 2, Math.max(top, 0) + 4);
    return top > -5 && top < innerHeight && !there?.closest("#tour");
}"""


def test_tour_scrolls_each_topic_into_view_on_a_phone(new_person: NewPerson) -> None:
    person = new_person(size=PHONE)
    page, renamed = person.go("/table/open"), re.compile("/tour-.*js$")
    # A page that was open during an upgrade finds its script no more, and is loaded again.
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
    stops = 0
    while page.is_visible("#tour"):
        assert page.evaluate(TOUR_STEP_VISIBLE), page.inner_text("#tour section:visible")
        page.click("#tour-next")
        stops += 1
    assert stops > 5


def test_a_page_without_its_data_says_why(new_person: NewPerson) -> None:
    person = new_person(locale="ru-RU")
    page = person.page
    page.clock.install()
    person.enter("Stepan", "open")
    page.route("**/api/**", lambda route: route.fulfill(json=RATE_LIMITED))
    for path in ("/games", "/stats", "/account", "/audit", "/"):
        page.goto(person.url + path)
        page.wait_for_selector("#complaint:not([hidden])")
        assert page.inner_text("#complaint") == "Слишком много запросов: подождите 3 секунды.", path
        assert not page.locator("#none:visible").count(), path
    page.unroute("**/api/**")
    page.clock.fast_forward(3_000)
    page.wait_for_selector("#complaint", state="hidden")
    expect(page.locator("#tables")).not_to_be_empty()

    person.go("/player/Odette*2?lang=en").wait_for_selector("#made-up:not([hidden])")
    assert page.inner_text("h1") == "Odette"
    assert page.inner_text("#made-up").startswith("A bot spectator")
    assert page.title() == "Odette · Écarté"
    assert page.is_hidden("#over") and page.is_hidden("#told")
    assert person.faults == []
    person.expected_errors = ("404",)
    person.go("/player/Nemo")
    expect(page.locator("#complaint")).to_contain_text("Nemo")
