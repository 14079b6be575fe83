"""At a table, in a real browser: a game that is watched, a bet by keyboard."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.web.browser import NEXT_FRAME, PHONE, NewPerson, Person
from tests.web.test_browser_keyboard import tab_to

OPENING_CENTS = 100_000
# Record what each frame shows of a game, since polling from the test could miss frames.
RECORD_GAME = """() => {
    const whole = {};
    globalThis.whole = [];
    const things = () => [
        ["a card on the table", ".piece.trick"], ["a hidden hand", ".piece.hand"],
        ["a counter moved", ".counter.moved"], ["a word spoken", ".bubble.spoken"],
        ["the turn-up", ".piece.turnUp"], ["tricks taken", ".piece.taken"],
        ["the card that takes", ".piece.trick.winning[data-tag]"],
    ].filter(([, place]) => document.querySelector(place)).map(([name]) => name)
        .concat(document.getAnimations().length ? ["movement"] : []);
    const look = () => {
        const { id, phase } = casino.state().game ?? {};
        if (phase === "betting") whole[id] ??= new Set();
        if (whole[id]) for (const thing of things()) whole[id].add(thing);
        const told = {
            game: id, things: [...(whole[id] ?? [])],
            title: document.querySelector("#settlement:not([hidden]) #settlement-title")?.innerText,
            cut: document.querySelector("#cut-count").textContent,
            next: document.querySelector("#settlement-next").innerText,
            last: document.querySelectorAll(".piece.trick.winning, .piece.hand[role=img]").length,
        };
        if (whole[id] && phase === "over" && told.title && told.next) globalThis.whole.push(told);
        requestAnimationFrame(look);
    };
    look();
}"""


RECORD_DEALS = """() => {
    const middle = (element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        return [x + width / 2, y + height / 2, width];
    };
    globalThis.dealtFrom = [];
    new MutationObserver((changes) => {
        for (const { addedNodes } of changes) for (const card of addedNodes) {
            if (!card.classList.contains("hand")) continue;
            const [x, y, width] = middle(card);
            const [x0, y0] = middle(document.querySelector(".piece.stock"));
            globalThis.dealtFrom.push(Math.hypot(x - x0, y - y0) / width);
        }
    }).observe(document.getElementById("pieces"), { childList: true });
}"""


def game_matching(person: Person, fits: Callable[[Any], bool]) -> Any:
    game = person.state("game")
    return game if game and fits(game) else None


def bet(person: Person, side: str, chips: int) -> str:
    """Bet by mouse on the next open book; return its game."""
    before, page = len(kept(person)), person.page
    game = person.skip_to_book()
    lay(person, side, chips)
    page.click("#place")
    person.until(lambda: len(kept(person)) > before and page.inner_text("#bet-message"))
    return game


def lay(person: Person, side: str, chips: int) -> None:
    person.page.click(f"#rail button:nth-child({chips})")
    if not person.page.is_enabled("#place"):
        person.page.click(f"#spot-{side}:not([disabled])")


def kept(person: Person) -> list[str]:
    """Return the accepted bets that the browser keeps for their receipts."""
    return list(json.loads(person.page.evaluate("localStorage['casino.bets'] ?? '{}'")))


def copied_receipt(person: Person) -> str:
    """Return the receipt of the last bet, as the account page shows it."""
    bet_id = list(json.loads(person.page.evaluate("localStorage['casino.bets']")).values())[-1]
    person.until(lambda: person.api(f"/api/receipts/{bet_id}")["ok"])
    page = person.go("/account")
    page.click("#bets button >> nth=-1")
    page.wait_for_selector("#receipt-dialog[open]")
    return page.inner_text("#receipt")


RECORD_CHIP_FLIGHT = """() => {
    globalThis.flight = [];
    const felt = document.getElementById("cloth");
    new MutationObserver((changes) => {
        for (const { addedNodes } of changes) for (const chip of addedNodes) {
            if (!chip.matches?.(".flying") || !chip.checkVisibility()) continue;
            for (const { transform } of chip.getAnimations()[0].effect.getKeyframes()) {
                const [x, y] = transform.match(/-?[\\d.]+(?=px)/g).map(Number);
                flight.push([x / felt.clientWidth, y / felt.clientHeight]);
            }
        }
    }).observe(felt, { childList: true });
}"""
# Animate the same chips again at the current window size.
ANIMATE_CHIPS_AGAIN = """async () => {
    flight.length = 0;
    const { animateChips } = await casino.parts();
    animateChips(casino.state());
}"""


def test_game_is_animated_and_its_settlement_is_shown(new_person: NewPerson) -> None:
    person = new_person(reduced_motion="no-preference")
    page = person.go("/table/lively")
    browser = page.context.browser
    assert browser
    for look in (RECORD_GAME, RECORD_DEALS, RECORD_CHIP_FLIGHT):
        page.evaluate(look)
    game = person.skip_to_book()
    browser.start_tracing(page=page, categories=["blink.animations"])
    person.play_until(lambda: page.locator(".bubble.spoken").count(), pause_ms=80)
    person.play_until(lambda: page.locator(".piece.taken").count(), pause_ms=80)
    traced = json.loads(browser.stop_tracing())["traceEvents"]
    moves = [one["args"]["data"] for one in traced if one.get("args", {}).get("data")]
    assert len(moves) > 20
    assert [one for one in moves if one.get("compositeFailed")] == []
    person.skip_until(lambda: person.casino.game_at("lively") != game)
    record = person.until(lambda: fetch_game(person, game))
    told = person.until(lambda: page.evaluate("whole[0]"))
    assert told["game"] == game
    assert set(told["things"]) >= {
        "a card on the table", "a hidden hand", "a counter moved", "a word spoken",
        "the turn-up", "tricks taken", "movement", "the card that takes",
    }  # fmt: skip
    assert record["cuts"] == 0
    lost = "challenger" if record["winner"] == "house" else "house"
    score = f"{record['score'][record['winner']]}–\u2060{record['score'][lost]}"
    assert told["cut"] == "no bettor took part in the shuffle"
    names = {"house": "Maître Hubert", "challenger": "Camille"}
    assert told["title"].startswith(f"{names[record['winner']]} beats {names[lost]} {score}, ")
    assert re.fullmatch(r"Betting reopens in [1-8] s", told["next"])
    assert told["last"], "the last trick, or the open hands, stay visible with the result"
    assert max(page.evaluate("dealtFrom")) < 0.5
    points = person.until(lambda: page.evaluate("flight.length ? flight : null"))
    assert all(0 < x < 1 and 0 < y < 1 for x, y in points), points
    xs, ys = zip(*points, strict=True)
    assert max(max(xs) - min(xs), max(ys) - min(ys)) > 0.3
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.evaluate(NEXT_FRAME)
    page.evaluate(ANIMATE_CHIPS_AGAIN)
    assert not page.evaluate("flight"), "on a phone chips would cover the sums"


def fetch_game(person: Person, game: str) -> Any:
    """Return a game from the API once it is over, else None."""
    told = person.api(f"/api/games/{game}")
    return told if told["ok"] else None


def act(person: Person, done: set[str]) -> None:
    """Click one of the legal actions, if there are any, and remember its kind."""
    legal = person.state("you.legal") or []
    kinds = {one if len(one) == 1 else "X" if one.startswith("X") else "card" for one in legal}
    wanted = next((one for one in ACTION_PREFERENCE if one in kinds and one not in done), None)
    wanted = wanted or next((one for one in ACTION_PREFERENCE if one in kinds), None)
    page = person.page
    if wanted is None:
        return
    if wanted == "X" and "X" not in legal:
        page.locator(".piece.hand[role=button]").last.click()
    if wanted == "card":
        page.locator(".piece.hand.legal[role=button]").last.click()
    else:
        page.click(f"#controls [data-action={wanted}]")
    person.until(lambda: person.state("you.legal") != legal)
    done.add(wanted)


ACTION_PREFERENCE = ("K", "X", "P", "A", "S", "R", "card")
ALL_ACTION_KINDS = {"P", "X", "K", "S", "card"}


def test_a_bet_made_with_the_keyboard_alone_is_seen_in_another_tab(new_person: NewPerson) -> None:
    person = new_person()
    page = person.go("/table/open")
    press = page.keyboard.press

    tab_to(person, "#enter-name")
    page.keyboard.type("Kay")
    press("Enter")
    person.until(lambda: person.state("you.name") == "Kay")
    other = person.go("/table/open", person.tab())
    page.bring_to_front()
    person.until(lambda: page.is_visible("#bet-form"))
    press("2")
    tab_to(person, "#spot-challenger")
    press("Enter")
    person.until(lambda: page.get_attribute("#spot-challenger", "aria-pressed") == "true")
    press("Enter")
    press("u")
    expect(page.locator("#place")).to_have_text(re.compile("^Bet 5 on "))
    press("Tab")
    expect(page.locator("#place")).to_be_focused()
    press("b")
    person.until(lambda: page.inner_text("#bet-message") == "Bet taken: 15.00 held.")
    for tab in (page, other):
        expect(tab.locator("#my-bets li")).to_have_count(1)
        expect(tab.locator("#spot-house")).to_be_disabled()
        expect(tab.locator("#balance")).to_have_text("985")
