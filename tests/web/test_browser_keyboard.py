"""Playing with the keyboard and a screen reader alone."""

from __future__ import annotations

import re
from itertools import count

from playwright.sync_api import expect

from tests.web.browser import Line, NewPerson, Person
from tests.web.server import Server

FOCUSED = """() => {
    const here = document.activeElement;
    const name = here?.getAttribute("aria-label") || here?.textContent || "";
    return [here?.dataset.action ?? "", here?.matches(".piece[role=button]") ?? false, name.trim()];
}"""
# What a screen reader would say, in its order.
RECORD_SPEECH = """() => { globalThis.heard = [];
    for (const id of ["urgent", "live"]) {
        const region = document.getElementById(id);
        new MutationObserver(() => heard.push(region.textContent))
            .observe(region, { childList: true, characterData: true, subtree: true });
    }
}"""

# The answer to an action arrives after its events, as on a busy connection.
ANSWERS_DELAYED = """() => {
    const { line } = casino;
    const ask = line.request.bind(line);
    line.request = async (what, said) => {
        const answer = await ask(what, said);
        if (what === "act") await new Promise((later) => setTimeout(later, 600));
        return answer;
    };
}"""


def focused(person: Person) -> tuple[str, bool, str]:
    """Return the action of the focused element, whether it is a card, and its name."""
    action, card, name = person.page.evaluate(FOCUSED)
    return str(action), bool(card), str(name)


def tab_to(person: Person, place: str) -> None:
    for _ in range(90):
        if person.page.evaluate(f"document.activeElement?.matches('{place}')"):
            return
        person.page.keyboard.press("Tab")
    raise AssertionError(f"{place} cannot be reached by Tab")


def hears(person: Person, at: int) -> bool:
    return bool(person.page.evaluate("heard.length") > at)


def answer(person: Person, asked: str) -> str:
    """Exchange the first card, or take the first choice; return its name."""
    person.until(lambda: any(focused(person)[:2]))
    name = focused(person)[2]
    assert name, "the focused element has a name"
    person.page.keyboard.press("Enter")
    if asked.startswith("Choose the cards"):
        # The page draws once a frame: until then the button cannot be reached.
        person.page.wait_for_selector("[data-action=X]:enabled")
        tab_to(person, "[data-action=X]")
        person.page.keyboard.press("Enter")
    return name


def test_whole_game_is_playable_by_keyboard_and_screen_reader(new_person: NewPerson) -> None:
    person = new_person()
    page = person.go("/table/seat")
    tab_to(person, "#enter-name")
    page.keyboard.type("Blind")
    page.keyboard.press("Enter")
    person.until(lambda: person.state("you.name") == "Blind")
    person.name = "Blind"
    person.until(lambda: page.is_visible("#take-seat"))
    page.evaluate(RECORD_SPEECH)
    tab_to(person, "#take-seat")
    page.keyboard.press("Enter")
    tab_to(person, "#seat-yes")
    page.keyboard.press("Enter")
    asked: list[str] = []
    pressed: list[str] = []
    heard = ""
    # From here on the test uses only announcements and the focus.
    for at in count():
        person.play_until(lambda at=at: hears(person, at) or person.state("you.legal.length"))  # type: ignore[misc]
        person.until(lambda at=at: hears(person, at))  # type: ignore[misc]
        heard = page.evaluate(f"heard[{at}]")
        if re.search(r"\b(win|wins) the game, a (single|double|triple): ", heard):
            break
        if "Your hand: " in heard:
            asked.append(heard)
            before = person.state("you.version")
            pressed.append(answer(person, heard))
            person.until(lambda before=before: person.state("you.version") != before)  # type: ignore[misc]
    expect(page.locator("#urgent")).to_be_empty()
    assert len(asked) >= 5
    assert any(re.match(r"Your turn: the \w+ of \w+ was led[,.]", said) for said in asked)
    # The last card of a hand, at least, is the only one: it is a button that names it.
    assert any(re.fullmatch("Play [KQJA0-9]+[♠♥♦♣]", name) for name in pressed)


def test_the_focus_waits_for_late_answers_and_an_exchange_is_named(new_person: NewPerson) -> None:
    person = new_person()
    line, page = Line(person.page), person.page
    person.enter("Undecided", "seat2")
    page.evaluate(ANSWERS_DELAYED)
    person.take_seat()
    clear = page.locator(".controls .clear")
    for number in count():
        person.play_until(lambda: person.state("you.legal.length"))
        person.until(lambda: any(focused(person)[:2]))
        if number > 2 and page.inner_text("#urgent").startswith("Choose the cards"):
            break
        before = person.state("you.version")
        answer(person, page.inner_text("#urgent"))
        person.until(lambda before=before: person.state("you.version") != before)  # type: ignore[misc]
    expect(clear).to_be_disabled()
    page.keyboard.type("123")
    expect(page.locator(".controls .ask")).to_have_text(re.compile(r"^\S+, \S+ and \S+ go\.$"))
    exchange = page.locator("[data-action=X]")
    expect(exchange).to_have_accessible_name(re.compile(r"Exchange 3 cards: \w+ of \w+, .*"))
    page.keyboard.press("1")
    expect(page.locator(".piece.chosen")).to_have_count(2)
    clear.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".controls .ask")).to_have_text(re.compile("^Choose the cards"))
    expect(page.locator(".piece.chosen")).to_have_count(0)
    expect(exchange).to_be_disabled()
    person.until(lambda: focused(person)[1])
    names = []
    for _ in range(6):
        names.append(focused(person)[2])
        page.keyboard.press("ArrowLeft")
    assert names[0] == names[5] and len(set(names)) == 5
    page.keyboard.press("Home")
    assert focused(person)[2] == names[0]
    page.keyboard.press("End")
    page.keyboard.press("Space")
    expect(page.locator(".piece.chosen")).to_have_text(names[1])
    expect(page.locator(".piece[tabindex='0']")).to_have_text(names[1])
    # The clock runs out in the browser; the server gives the time once more.
    page.evaluate("casino.line.on.you({ ...casino.state().you, seconds: 0 })")
    expect(page.locator(".controls .refusal")).to_have_text(re.compile("^Your time ran out"))
    # Also if the connection is lost meanwhile.
    line.cut()
    expect(page.locator("#controls")).to_have_js_property("inert", True)
    expect(page.locator(".turn-left")).to_have_text("–")
    page.evaluate("casino.line.on.you({ ...casino.state().you, seconds: 0 })")
    line.mend()
    expect(page.locator("#controls")).to_have_js_property("inert", False)
    expect(page.locator(".turn-left")).to_have_text(re.compile(r"\d+"))
    expect(page.locator(".controls .refusal")).to_have_text(re.compile("^Your time ran out"))


def test_countdown_is_announced_and_then_removed(new_person: NewPerson, program: Server) -> None:
    program.new_book("open")
    person = new_person()
    page = person.page
    page.clock.install()
    person.enter("Hearer", "open")
    page.evaluate(RECORD_SPEECH)
    left = person.state("endsAt") - page.evaluate("Date.now()")
    page.clock.fast_forward(int(left) - 9_800)
    person.until(lambda: any("Bets close in" in one for one in page.evaluate("heard")))
    live = page.locator("#live")
    page.clock.fast_forward(2_500)
    expect(live).not_to_contain_text("Bets close in")
    assert "Bets close in" not in live.aria_snapshot()
    page.evaluate("casino.line.socket.disconnect(); heard.length = 0")
    page.clock.fast_forward(3_000)
    person.until(lambda: int(page.inner_text("#ring-seconds") or 9) <= 5)
    assert not [one for one in page.evaluate("heard") if "Bets close in" in one]


# The line around the element that has the focus; around a card, that of what is lifted.
RING = """() => {
    const here = document.activeElement;
    return getComputedStyle(here.querySelector(".turner") ?? here).outlineStyle;
}"""


def test_the_focus_goes_on_to_the_bets_and_has_a_ring_for_keys_alone(new_person: NewPerson) -> None:
    person = new_person()
    page = person.page
    person.enter("Clapper", "bets")
    person.skip_to_play()
    page.focus("#quick [data-phrase]")
    person.skip_to_book()
    expect(page.locator("#quick")).to_be_hidden()
    expect(page.locator("#desk")).to_be_focused()
    assert page.evaluate(RING) == "none"
    page.keyboard.press("Tab")
    expect(page.locator(".chip").first).to_be_focused()
    assert page.evaluate(RING) == "solid"
    person.go("/table/seat3")
    person.take_seat()
    person.play_until(lambda: person.state("you.legal.length"))
    person.until(lambda: any(focused(person)[:2]))
    assert page.evaluate(RING) == "none"
    page.keyboard.press("ArrowRight")
    assert focused(person)[1]
    assert page.evaluate(RING) == "solid"
