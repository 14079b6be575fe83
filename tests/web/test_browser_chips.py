"""Chips on the felt: where one's own lie, what is left when a game is paid, how they travel."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.web.browser import Person
from tests.web.test_browser_table import bet

NewPerson = Callable[..., Person]
STILL = {"reduced_motion": "reduce"}
SIDES = ("house", "challenger")
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


# From now on how far apart those stand is noted, and when a game with an own bet is paid the page
# goes on no more.
STOPS = f"""() => {{
    const apart = {APART};
    globalThis.noted = [];
    const look = () => {{
        const far = apart();
        if (far !== null) noted.push(far);
        const ends = document.getElementById("outlook").textContent;
        globalThis.impossible ||= ends.includes("5–\u20605");
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


def test_what_is_left_of_a_bet_lies_there_when_the_game_is_paid(new_person: NewPerson) -> None:
    people = {side: new_person(**STILL) for side in SIDES}
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
    assert not page.evaluate("impossible"), "once a player has won, the other cannot"
    apart = people["house"].page.evaluate("noted")
    assert apart and 20 < min(apart) <= max(apart) < 200


def test_what_a_bet_holds_and_comes_to_is_read_before_it_is_laid(new_person: NewPerson) -> None:
    other = new_person(**STILL)
    other.enter("Against", "open")
    bet(other, "house", 2)
    person = new_person(**STILL)
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
