"""One screen at every size: felt, cards and the next choice are in sight, and stay in place."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.web.browser import DESK, PHONE, Person
from tests.web.test_browser_table import act, game_that, lay

Somebody = Callable[..., Person]
# The size at which people act is the last: the window need not be resized once more.
SIZES = [(360, 640), (390, 844), (844, 390), (1920, 1080), (3840, 2160), (1280, 720)]
STILL = {"reduced_motion": "reduce"}

# What is drawn outside the window or covered, and where the felt lies.
LOOK = """async () => {
    const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
    await frame();
    await frame();
    const felt = document.getElementById("cloth").getBoundingClientRect();
    const wrong = [];
    const seen = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const things = document.querySelectorAll(`.piece.trick, .piece.turnUp, .piece[role=button],
        #controls button, #bet-form:not([hidden]) :is(.chip, .place), .spot:not(:disabled),
        #again, .settlement-links :is(a, button), #enter-form button, .plate .points, #ring`);
    for (const one of things) {
        if (!seen(one)) continue;
        const { left, top, right, bottom } = one.getBoundingClientRect();
        const name = `${one.id || one.className} ${[left, top, right, bottom].map(Math.round)}`;
        if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) wrong.push(name);
        if (!one.matches("button:not(.spot), [role=button]")) continue;
        const [x, y] = [left + 0.3 * (right - left), (top + bottom) / 2];
        const there = document.elementFromPoint(x, y);
        if (!one.contains(there)) wrong.push(`${name} is covered by ${there?.className}`);
    }
    const page = document.documentElement;
    if (page.scrollHeight > innerHeight || page.scrollWidth > innerWidth) {
        const low = [...document.querySelectorAll("main *")]
            .filter((one) => one.getBoundingClientRect().bottom > innerHeight + 1);
        wrong.push(`scrolls: ${low.map((one) => one.id || one.className)}`);
    }
    const { x, y, width, height } = felt;
    if (width < 0.55 * innerWidth || height < 0.45 * innerHeight) wrong.push("a small felt");
    const seated = document.getElementById("main").matches(".seated");
    return [[x, y, width, height].map(Math.round), [...new Set(wrong)], seated];
}"""


# The phase of the game and of the deal, and how many cards lie on the table.
KIND_OF_MOMENT = """() => {
    const { game, deal } = casino.state();
    return [game?.phase, deal?.phase, deal?.trick.length].join();
}"""


# What is asked of the challenger, the cards in the trick, and how many he holds himself.
KIND_OF_TURN = """() => {
    const { you, deal } = casino.state();
    const kinds = new Set(you.legal.map((one) =>
        one.length === 1 ? one : one.startsWith("X") ? "exchange" : "card"));
    return you.legal.length ? [...kinds, deal.trick.length, you.hand.length].join() : null;
}"""


# More games than the strip has room for, so that whatever sticks out of the list is seen.
LONG_ROAD = """() => document.getElementById("road").append(...Array.from({ length: 40 }, () => {
    const game = document.createElement("li");
    game.innerHTML = '<a class="house">1<span class="visually-hidden">a game</span></a>';
    return game;
}))"""


# What the result on the felt covers, seen from the seat. An upright felt has no room beside a hand.
HEADLINE = """async () => {
    const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
    await frame();
    await frame();
    const held = document.querySelector(".piece.hand");
    const headline = document.getElementById("headline");
    if (!headline.checkVisibility()) return held ? [] : ["hidden"];
    const place = headline.getBoundingClientRect();
    return [...document.querySelectorAll("#pieces .piece, .plate, #told")].filter((one) => {
        const { left, top, right, bottom } = one.getBoundingClientRect();
        return one.checkVisibility({ opacityProperty: true }) && left < place.right
            && place.left < right && top < place.bottom && place.top < bottom;
    }).map((one) => one.id || one.className);
}"""


class Eyes:
    """What is seen of the felt at each size, which must stay where it was seen first."""

    def __init__(self, person: Person) -> None:
        self._person = person
        self._felts: dict[tuple[tuple[int, int], bool], Any] = {}
        self.looks = 0

    def look(self) -> None:
        page = self._person.page
        for size in SIZES:
            page.set_viewport_size({"width": size[0], "height": size[1]})
            felt, wrong, seated = page.evaluate(LOOK)
            assert wrong == [], size
            assert felt == self._felts.setdefault((size, seated), felt), size
            self.looks += 1


def test_a_spectator_sees_a_whole_game_on_one_screen(somebody: Somebody) -> None:
    """From the book to the result, at six sizes: nothing is outside, covered, or moves the felt."""
    person = somebody(**STILL)
    person.go("/table/lively").evaluate(LONG_ROAD)
    eyes = Eyes(person)
    eyes.look()
    person.enter("Spectator", "lively")

    lay(person, "house", 2)
    seen: set[str] = set()

    def over() -> bool:
        # Moments of one kind look alike: each kind is looked at once.
        moment = person.page.evaluate(KIND_OF_MOMENT)
        if moment not in seen:
            seen.add(moment)
            eyes.look()
        return bool(moment.startswith("over"))

    person.play_until(over)
    assert len(seen) > 8, seen


def test_a_challenger_sees_his_cards_and_choices_on_one_screen(somebody: Somebody) -> None:
    """Hand, trick, turn-up and the choices are inside the window and uncovered at six sizes."""
    person = somebody(**STILL)
    person.enter("Sitter", "seat")
    person.page.click("#take-seat")
    person.page.click("#seat-yes")
    eyes = Eyes(person)
    done: set[str] = set()
    turns: set[str] = set()

    def played() -> bool:
        # Turns of one kind look alike: each kind is looked at once.
        turn = person.page.evaluate(KIND_OF_TURN)
        if turn not in {None, *turns}:
            turns.add(turn)
            # The clock is the player's own; who plays does not bet.
            page = person.page
            expect(page.locator("#ring")).to_be_hidden()
            assert page.is_hidden("#bet-form")
            person.until(lambda: page.locator("#controls .turn-left").inner_text())
            eyes.look()
        act(person, done)
        over = game_that(person, lambda game: game["phase"] == "over" and game["settled"])
        return bool(over)

    person.play_until(played)
    person.page.wait_for_selector("#again")
    # The next game is not played, nor its price held, before the challenger asks for it.
    person.until(lambda: person.state("holder") != person.name)
    game, left = person.state("game.id"), person.balance()
    eyes.look()
    for size in SIZES:
        person.page.set_viewport_size({"width": size[0], "height": size[1]})
        assert person.page.evaluate(HEADLINE) == [], size
    assert (person.state("game.id"), person.balance()) == (game, left)
    assert len(turns) > 8, turns
    assert eyes.looks == len(SIZES) * (len(turns) + 1)


def test_what_moves_at_the_table_asks_nothing_of_the_page(somebody: Somebody) -> None:
    """Cards, counters, words and the ring are moved by the compositor, however busy the page is."""
    person = somebody()
    page = person.go("/table/lively")
    browser = page.context.browser
    assert browser
    # From the book on: whoever comes later finds cards that were dealt, and still lie.
    person.skip_to_book()
    browser.start_tracing(page=page, categories=["blink.animations"])
    person.play_until(lambda: page.locator(".bubble.spoken").count(), pause_ms=80)
    person.play_until(lambda: page.locator(".piece.taken").count(), pause_ms=80)
    told = json.loads(browser.stop_tracing())["traceEvents"]
    moves = [one["args"]["data"] for one in told if one.get("args", {}).get("data")]
    assert len(moves) > 20
    assert [one for one in moves if one.get("compositeFailed")] == []


# How great somebody in the gallery is beside the felt, once the window is drawn and there is one.
SHARE = """async () => {
    const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
    await frame();
    await frame();
    const cloth = document.getElementById("cloth");
    return (document.querySelector(".person")?.clientWidth ?? 0) / cloth.clientHeight;
}"""


def test_the_gallery_grows_with_the_felt(somebody: Somebody) -> None:
    """On a wall the faces around the table are as great, beside the felt, as on a desk."""
    person = somebody(size=(1920, 1080), **STILL)
    page = person.go("/table/lively")
    shares = []
    for width, height in ((1920, 1080), (3840, 2160)):
        page.set_viewport_size({"width": width, "height": height})
        # The gallery is empty when a book opens.
        shares.append(person.play_until(lambda: page.evaluate(SHARE)))
    assert shares[1] > 0.95 * shares[0]


WEIGHED = """() => {
    const bar = document.getElementById("scale");
    const { deal, game, chance } = casino.state();
    return game?.phase === "playing" && chance && bar.getAttribute("role") === "meter" && {
        label: bar.getAttribute("aria-label"), now: Number(bar.getAttribute("aria-valuenow")),
        text: bar.getAttribute("aria-valuetext"), told: chance.chance.house.win,
        wins: [...document.querySelectorAll(".bar-side b")].map((one) => one.innerText),
        odds: [...document.querySelectorAll(".bar-side span")].map((one) => one.innerText),
        share: Number(bar.style.getPropertyValue("--share")), height: bar.clientHeight,
        seen: bar.checkVisibility({ visibilityProperty: true, opacityProperty: true }),
    };
}"""


@pytest.mark.parametrize("size", [DESK, PHONE, (844, 390)])
def test_the_bar_tells_who_is_likely_to_win_as_the_cards_fall(
    somebody: Somebody, size: tuple[int, int]
) -> None:
    """It is a meter with both names, moves during a deal, and says the fair odds of each side."""
    person = somebody(size=size, **STILL)
    page = person.go("/table/lively")
    shares: set[float] = set()

    def moved() -> bool:
        found = page.evaluate(WEIGHED)
        if found:
            shares.add(found["share"])
            assert found["seen"] and found["height"] > 3
            assert found["share"] == found["told"]
            assert found["label"] == "Chance to win"
            house, challenger = (int(one.rstrip("%")) for one in found["wins"])
            assert house == found["now"] and house + challenger == 100
            assert any(" to 1" in one for one in found["odds"])
            assert f"Maître Hubert {house}%" in found["text"]
        return len(shares) > 5

    person.play_until(moved)
