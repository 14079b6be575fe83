"""Chips on the felt: where one's own lie, what is left when a game is paid, how they travel."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from casino.web.i18n import LANGUAGES
from tests.web.browser import DESK, DRAWN, PHONE, Person
from tests.web.test_browser_table import bet, lay

Somebody = Callable[..., Person]
STILL = {"reduced_motion": "reduce"}
SIDES = ("house", "challenger")
# How far the own pile lies from that edge of its side's piles which is nearest to the player, and
# from the words below it; in widths of a chip.
OWN = """([side, kind]) => {
    const box = (one) => one.getBoundingClientRect();
    const piles = [...document.querySelectorAll(`#piles-${side} .pile`)];
    const own = box(piles.find((one) => one.matches(`.${kind}`)));
    const tag = box(document.querySelector(`#stake-${side} .tag`));
    const edge = side === "house" ? Math.min(...piles.map((one) => box(one).left)) - own.left
        : Math.max(...piles.map((one) => box(one).right)) - own.right;
    return [piles.length, Math.abs(edge) / own.width, (tag.top - own.bottom) / own.width];
}"""
# How far what a bet may come to stands from the words that say when.
APART = """() => {
    const end = (one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        return range.getBoundingClientRect();
    };
    const [when, much] = ["dt", "dd"].map((one) => document.querySelector(`#outlook ${one}`));
    return when?.checkVisibility() ? end(much).left - end(when).right : null;
}"""
# What lies over the words on what a bet may win or lose.
OVER = """() => {
    const [words, message] = ["#offer span", "#bet-message"].map((one) =>
        document.querySelector(one).getBoundingClientRect());
    const rail = document.getElementById("rail").getBoundingClientRect();
    return [message.bottom - words.top, words.bottom - rail.top].map(Math.round);
}"""


def test_ones_own_chips_lie_by_their_words_before_and_after_the_bet(somebody: Somebody) -> None:
    """At the player's end of the piles, right above the words, laid and bet alike."""
    people = {side: (somebody(**STILL), somebody(**STILL)) for side in SIDES}
    for side, (other, person) in people.items():
        other.enter(f"Other{side}", "open")
        bet(other, side, 2)
        person.enter(f"Owner{side}", "open")
        page = person.page
        page.wait_for_selector(f"#piles-{side} .others", state="attached")
        lay(person, side, 3)
        for kind, other_kind in (("draft", "mine"), ("mine", "draft")):
            page.wait_for_selector(f"#piles-{side} .{kind}", state="attached")
            page.wait_for_selector(f"#piles-{side} .{other_kind}", state="detached")
            for size in ((844, 390), PHONE, DESK):
                page.set_viewport_size({"width": size[0], "height": size[1]})
                page.evaluate(DRAWN)
                piles, edge, above = page.evaluate(OWN, [side, kind])
                assert piles > 1
                if size != PHONE:
                    assert edge < 0.1, (kind, size)
                # On a phone the house's chips lie at the top of its spot.
                if (size, side) != (PHONE, "house"):
                    assert -0.15 < above < 0.7, (kind, size)
            if kind == "draft":
                page.click("#place")


# From now on how far apart those stand is noted, and when a game with an own bet is paid the page
# goes on no more.
STOPS = f"""() => {{
    const apart = {APART};
    globalThis.noted = [];
    const look = () => {{
        const far = apart();
        if (far !== null) noted.push(far);
        const {{ game, you }} = casino.state();
        if (game?.settled?.bets.some((bet) => bet.player === you.name)) {{
            globalThis.gamePaid = game;
            casino.line.socket.disconnect();
        }}
        else requestAnimationFrame(look);
    }};
    look();
}}"""


def wait_until_paid(person: Person) -> Any:
    """The game at which the page has stopped."""
    return person.play_until(lambda: person.page.evaluate("globalThis.gamePaid"), "bets")


def test_what_is_left_of_a_bet_lies_there_when_the_game_is_paid(somebody: Somebody) -> None:
    """The tag says what was won or lost; the chips that were lost are gone."""
    people = {side: somebody(**STILL) for side in SIDES}
    for side, person in people.items():
        person.enter(f"Paid{side}", "bets")
        person.page.evaluate(STOPS)
    games = {side: bet(person, side, 3) for side, person in people.items()}
    assert games["house"] == games["challenger"]
    page = people["house"].page
    people["house"].skip_to_play()
    # What found no taker has gone back: what lies there is what plays.
    assert page.inner_text("#total-house") == page.inner_text("#total-challenger")
    assert "waits" not in page.inner_text("#cloth")
    for side, person in people.items():
        told = wait_until_paid(person)
        assert told["id"] == games[side]
        mine = [one for one in told["settled"]["bets"] if one["player"] == f"Paid{side}"]
        gain = sum(one["gain_cents"] - one["commission_cents"] for one in mine)
        assert gain
        tag = person.page.locator(f"#stake-{side} .tag")
        sign = "+" if gain > 0 else "−"
        expect(tag).to_have_text(f"you {sign}{abs(gain) / 100:,.2f}")
        loser = next(one for one in SIDES if one != told["result"]["winner"])
        under = person.page.inner_text(f"#matched-{loser}")
        assert re.fullmatch(r"[\d.,]+ matched(, × [23])?", under)
        left = person.page.locator(f"#piles-{side} .mine").count()
        assert left == (2500 + gain > 0)
    apart = people["house"].page.evaluate("noted")
    assert apart and 20 < min(apart) <= max(apart) < 200


def test_a_phone_tells_what_a_bet_that_stands_may_win_or_lose(somebody: Somebody) -> None:
    """Below the word that it stands, above the chips, in every language."""
    other = somebody(**STILL)
    other.enter("Taker", "open")
    bet(other, "challenger", 4)
    person = somebody(size=PHONE, **STILL)
    person.enter("Stood", "open")
    for language in LANGUAGES:
        page = person.go(f"/table/open?lang={language}")
        bet(person, "house", 2)
        page.wait_for_selector("#bet-message:not(:empty)")
        expect(page.locator("#offer b")).to_have_count(6)
        assert max(page.evaluate(OVER)) <= 1, language


def test_what_a_bet_holds_and_comes_to_is_read_before_it_is_laid(somebody: Somebody) -> None:
    """Three outcomes and what makes each of them; afterwards the purse names what is held."""
    other = somebody(**STILL)
    other.enter("Against", "open")
    bet(other, "house", 2)
    person = somebody(**STILL)
    person.enter("Knowing", "open")
    page = person.page
    page.fill("#unit", "5")
    page.click("#spot-challenger")
    page.wait_for_selector(".outcome")
    assert page.inner_text("#place") == "Bet 5 on Basile\nholds 15"
    assert page.locator(".outcome").all_text_contents() == [
        "single +4.75 / −5.00loser has 3–4",
        "double +9.50 / −10.00loser has 1–2",
        "triple +14.25 / −15.00loser has 0",
    ]
    assert page.text_content("#held") == ""
    page.click("#place")
    expect(page.locator("#held")).to_have_text("15.00 held")


def test_each_chip_shows_its_key_where_there_are_keys(somebody: Somebody) -> None:
    """At a desk below the chip; not on a phone."""
    person = somebody(**STILL)
    person.enter("Keys", "open")
    look = """() => [...document.querySelectorAll('#rail .chip')].map((chip) => {
        const { content, display } = getComputedStyle(chip, '::after');
        return [content, display !== 'none'];
    })"""
    person.comes_to(lambda: person.page.evaluate(look), [[f'"{n}"', True] for n in range(1, 6)])
    person.page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    person.comes_to(lambda: [shown for _, shown in person.page.evaluate(look)], 5 * [False])
