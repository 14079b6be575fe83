"""At every window size felt, cards and choices are visible and keep their place."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from tests.web.browser import NEXT_FRAME, NewPerson, Person
from tests.web.test_browser_table import ALL_ACTION_KINDS, act, fetch_game, game_matching, lay

# The size at which people act is the last: the window need not be resized once more.
NEAR = [(360, 640), (390, 844), (844, 390), (1280, 720)]
SIZES = [(1920, 1080), (3840, 2160), *NEAR]

# What is drawn outside the window or covered, and where the felt lies.
LOOK = """() => {
    const felt = document.getElementById("cloth").getBoundingClientRect();
    const wrong = [];
    const seen = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const things = document.querySelectorAll(`.piece.trick, .piece.turnUp, .piece[role=button],
        #controls button, #bet-form:not([hidden]) :is(.chip, .place), .spot:not(:disabled),
        #again, #settlement :is(a, button), #enter-form button, .plate .points, #ring`);
    for (const one of things) {
        if (!seen(one)) continue;
        const { left, top, right, bottom } = one.getBoundingClientRect();
        const name = `${one.id || one.className} ${[left, top, right, bottom].map(Math.round)}`;
        if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) wrong.push(name);
        if (!one.matches("a, button:not(.spot), [role=button]")) continue;
        const [x, y] = [left + 0.3 * (right - left), (top + bottom) / 2];
        const there = document.elementFromPoint(x, y);
        if (!one.contains(there)) wrong.push(`${name} is covered by ${there?.className}`);
    }
    for (const one of document.querySelectorAll(".told > *"))
        if (one.scrollHeight > 1.2 * one.clientHeight) wrong.push(`${one.innerText} is cut`);
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
GAME_STAGE = """() => {
    const { game, deal } = casino.state();
    return [game?.phase, deal?.phase, deal?.trick.length].join();
}"""


# What the challenger may do, and the number of cards in the trick and in the hand.
TURN_KIND = """() => {
    const { you, deal } = casino.state();
    const kinds = new Set(you.legal.map((one) =>
        one.length === 1 ? one : one.startsWith("X") ? "exchange" : "card"));
    return you.legal.length ? [...kinds, deal.trick.length, you.hand.length].join() : null;
}"""


MOVING = "document.getAnimations().map((one) => one.effect.target.className)"
# More games than the strip has room for, so that overflow is noticed.
MANY_GAMES = """() => document.getElementById("road").append(...Array.from({ length: 40 }, () => {
    const game = document.createElement("li");
    game.innerHTML = '<a class="house">1<span class="visually-hidden">a game</span></a>';
    return game;
}))"""


# What the result on the felt covers, seen from the seat. An upright felt has no room beside a hand.
HEADLINE = """() => {
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


# The size of a person in the gallery next to the felt, if there is one.
SHARE = """() => {
    const cloth = document.getElementById("cloth");
    return (document.querySelector(".person")?.clientWidth ?? 0) / cloth.clientHeight;
}"""
WIN_PROBABILITY = """() => {
    const bar = document.getElementById("scale");
    const { deal, game, chance } = casino.state();
    return game?.phase === "playing" && chance && !bar.ariaHidden && {
        label: bar.getAttribute("aria-label"), now: Number(bar.getAttribute("aria-valuenow")),
        text: bar.getAttribute("aria-valuetext"), told: chance.chance.house.win,
        wins: [...document.querySelectorAll(".bar-side b")].map((one) => one.innerText),
        share: Number(bar.style.getPropertyValue("--share")), height: bar.clientHeight,
        seen: bar.checkVisibility({ visibilityProperty: true, opacityProperty: true }),
    };
}"""


class LayoutChecker:
    """Checks the page at each window size; the felt must stay where it was first."""

    def __init__(self, person: Person, quick_run: bool) -> None:
        self._person, self._quick_run = person, quick_run
        self._felts: dict[tuple[tuple[int, int], bool], Any] = {}
        self.shares: dict[tuple[int, int], float] = {}
        """Size of people in the gallery relative to the felt."""

    def look(self, sizes: list[tuple[int, int]] = SIZES, also: str = "() => []") -> None:
        page = self._person.page
        for size in sizes:
            page.set_viewport_size({"width": size[0], "height": size[1]})
            page.evaluate(NEXT_FRAME)
            felt, wrong, seated = page.evaluate(LOOK)
            assert wrong + page.evaluate(also) == [], size
            assert felt == self._felts.setdefault((size, seated), felt), size
            bar = page.evaluate(WIN_PROBABILITY)
            assert not bar or (bar["seen"] and bar["height"] > 3), size
            self.shares[size] = page.evaluate(SHARE) or self.shares.get(size, 0)

    def glance(self, number: int) -> None:
        """Check all sizes, or in `make test` a desktop and one of the small sizes in turn."""
        self.look([NEAR[number % 3], NEAR[-1]] if self._quick_run else SIZES)


def test_spectator_sees_a_whole_game_on_one_screen(new_person: NewPerson, quick_run: bool) -> None:
    person = new_person()
    page = person.go("/table/lively")
    page.evaluate(MANY_GAMES)
    layout = LayoutChecker(person, quick_run)
    layout.look(NEAR if quick_run else SIZES)
    person.enter("Spectator", "lively")
    lay(person, "house", 2)
    seen: set[str] = set()
    shares: set[float] = set()

    def over() -> bool:
        assert page.evaluate(MOVING) == []
        # Moments of one kind look alike: each kind is looked at once.
        moment = page.evaluate(GAME_STAGE)
        if moment not in seen:
            seen.add(moment)
            layout.glance(len(seen))
        if moment.startswith("playing") and not shares:
            person.until(lambda: page.evaluate(WIN_PROBABILITY))
        if bar := page.evaluate(WIN_PROBABILITY):
            shares.add(bar["share"])
            # The page knows a certain end before the server's odds arrive.
            assert bar["share"] in (min(0.999, max(0.001, bar["told"])), 0, 1)
            assert bar["label"] == "win probability"
            house, challenger = (int(one.strip("<>%")) for one in bar["wins"])
            assert abs(house - bar["now"]) <= 1 and house + challenger == 100
            assert f"Maître Hubert {bar['wins'][0]}" in bar["text"]
        return bool(moment.startswith("over"))

    person.play_until(over)
    layout.look()
    assert len(seen) > 8, seen
    assert len(shares) > 1
    assert layout.shares[3840, 2160] > 0.95 * layout.shares[1920, 1080] > 0
    assert page.locator(".person.sim .face-of use").count()
    assert page.locator(".person.sim .face-of text").count() == 0


def test_challenger_plays_a_game_on_one_screen(new_person: NewPerson, quick_run: bool) -> None:
    # With this seed every kind of action comes up in one game.
    person = new_person(chance="king 0")
    person.enter("Chal", "seat")
    page = person.page
    page.click("#take-seat")
    assert "30.00 are held" in page.inner_text("#sheet")
    page.click("#seat-yes")
    layout = LayoutChecker(person, quick_run)
    done: set[str] = set()
    turns: set[str] = set()

    def played() -> bool:
        # Turns of one kind look alike: each kind is looked at once.
        turn = page.evaluate(TURN_KIND)
        if turn not in {None, *turns}:
            turns.add(turn)
            # The player has a clock of their own and does not bet.
            expect(page.locator("#ring")).to_be_hidden()
            assert page.is_hidden("#bet-form")
            person.until(lambda: page.locator("#controls .turn-left").inner_text())
            layout.glance(len(turns))
        act(person, done)
        over = game_matching(person, lambda game: game["phase"] == "over" and game["settled"])
        return bool(over)

    person.play_until(played)
    assert done >= ALL_ACTION_KINDS
    page.wait_for_selector("#again")
    # The next game is not played, nor its price held, before the challenger asks for it.
    person.until(lambda: person.state("holder") != person.name)
    game, left = person.state("game.id"), person.balance()
    layout.look(also=HEADLINE)
    assert (person.state("game.id"), person.balance()) == (game, left)
    assert person.until(lambda: fetch_game(person, game))["players"]["challenger"] == "Chal"
    assert len(turns) > 8, turns
    expect(page.locator("#take-seat")).to_be_visible()
