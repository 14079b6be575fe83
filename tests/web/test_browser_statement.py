"""A person's statement in a real browser: game by game, with signs that can be read, filtered."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from playwright.sync_api import Route, expect

from tests.web.browser import DESK, PHONE, Person
from tests.web.test_browser_table import bet

Somebody = Callable[..., Person]
DAY = """(ms) => { const at = new Date(ms); const two = (n) => String(n).padStart(2, "0");
    return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`; }"""

# Which of its two greens the line of the plot has.
LINE = """() => {
    const canvas = document.querySelector("#plot canvas");
    // A copy that is made to be read: of a canvas that is read often the browser complains.
    const { width, height } = canvas;
    const copy = Object.assign(document.createElement("canvas"), { width, height });
    const pen = copy.getContext("2d", { willReadFrequently: true });
    pen.drawImage(canvas, 0, 0);
    const { data } = pen.getImageData(0, 0, width, height);
    for (let at = 0; at < data.length; at += 4) {
        const colour = data.slice(at, at + 3).join();
        if (colour === "20,88,60") return "light";
        if (colour === "98,207,155") return "dark";
    }
    return "";
}"""


def answer(told: Any, route: Route) -> None:
    """Answer a page in the place of the casino."""
    route.fulfill(json=told)


def test_a_game_is_one_line_with_what_it_came_to(somebody: Somebody) -> None:
    """The sum of its movements, signed; every movement can still be read, to the same balance.

    What is shown and its sum follow each filter; one button shows all again.
    """
    person = somebody(reduced_motion="reduce")
    person.enter("Stella", "bets")
    game = bet(person, "challenger", 2)
    person.skip_to_settlement(game)
    person.until(lambda: person.api("/api/statement")["bets"][0]["result"] != "open")
    told = person.api("/api/statement")
    page = person.go("/account")
    rows = page.locator("#changes tr")
    expect(rows).to_have_count(2)
    gain = sum(one["cents"] for one in told["changes"] if one["game"] == game)
    sign = "+" if gain > 0 else "−" if gain < 0 else "±"
    line = rows.first.inner_text()
    assert f"{sign}{abs(gain) / 100:.2f}" in line
    words = {"+": "game won", "−": "game lost", "±": "game without gain or loss"}
    assert words[sign] in line and f"Table bets {int(game[-6:])}" in line
    page.check("input[name=statement-view][value=moves]")
    expect(rows).to_have_count(len(told["changes"]))
    assert f"{told['changes'][-1]['balance_cents'] / 100:,.2f}" in rows.first.inner_text()
    page.check("input[name=statement-view][value=games]")
    page.select_option("#statement-kind", "grant")
    expect(rows).to_have_count(1)
    assert "chips from the house" in rows.inner_text()
    assert page.inner_text("#statement-sum").startswith("1 line, together +")
    page.fill("#statement-game", game)
    expect(rows).to_have_count(0)
    expect(page.locator("#statement-list")).to_be_hidden()
    page.click("#statement-filters [type=reset]")
    expect(rows).to_have_count(2)
    page.fill("#statement-game", game[-4:])
    expect(rows).to_have_count(1)
    page.fill("#statement-game", "")
    # Midnight may have come between the grant and the game.
    days = [page.evaluate(DAY, told["changes"][n]["at_ms"]) for n in (0, -1)]
    page.fill("#statement-day", days[-1])
    expect(rows).to_have_count(days.count(days[-1]))
    page.fill("#statement-day", "2001-01-01")
    expect(rows).to_have_count(0)


def test_a_bet_names_its_side_in_the_language_of_the_page(somebody: Somebody) -> None:
    """No word of another language stands in the list of bets."""
    person = somebody(locale="fr-FR")
    person.enter("Sophie", "open")
    bet(person, "house", 2)
    page = person.go("/account")
    assert page.locator("#bets td").first.inner_text() == "maison"


def test_bets_are_read_on_a_phone(somebody: Somebody) -> None:
    """With what they came to, nothing cut off; each number says what it is."""
    person = somebody(size=(360, 640), locale="ru", reduced_motion="reduce")
    person.enter("Фима", "open")
    told = person.api("/api/statement")
    bet = {"game": "grand-000036", "order": 1, "side": "challenger", "unit_cents": 2_500}
    won = {"matched_cents": 123_456, "result": "won", "gain_cents": 246_912, "commission_cents": 99}
    bets = {**told, "bets": [{**bet, **won}]}
    person.page.route("**/api/statement", partial(answer, bets))
    page = person.go("/account")
    page.wait_for_selector("#bets tr")
    room = "document.querySelector('#bets').closest('.scroll')"
    assert page.evaluate(f"{room}.scrollWidth <= {room}.clientWidth")
    heads = page.locator("#bets td[data-head]")
    named = heads.evaluate_all("(all) => all.map((one) => one.dataset.head)")
    assert named == ["Ставка", "В игре", "Комиссия"]
    gain = page.locator("#bets td", has_text="+2").bounding_box()
    game = page.locator("#bets th").bounding_box()
    assert gain and game and abs(gain["y"] - game["y"]) < 4, "the result beside the game"


def test_chips_are_offered_only_to_whoever_may_have_them(somebody: Somebody) -> None:
    """Not to a full purse; to one that is empty, its open bets included."""
    person = somebody()
    person.enter("Fuller", "open")
    page = person.go("/account")
    page.wait_for_selector("#plot canvas")
    assert page.is_hidden("#refill")
    told = person.api("/api/statement")
    for cents, offered in ((99, True), (100, False)):
        purse = {**told, "balance_cents": cents - 60, "escrow_cents": 60}
        page.route("**/api/statement", partial(answer, purse))
        person.go("/account")
        page.wait_for_selector("#plot canvas")
        person.until(lambda: page.inner_text("#at-risk") == "0.60")
        assert page.is_visible("#refill") == offered
        page.unroute("**/api/statement")


WRITTEN = """() => {
    globalThis.written = [];
    const write = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (words, x, y, ...more) {
        const { a, e } = this.getTransform();
        const wide = this.measureText(words).width;
        const left = x - ({ center: wide / 2, right: wide, end: wide }[this.textAlign] ?? 0);
        globalThis.written.push([words, a * left + e, a * (left + wide) + e, this.canvas.width]);
        return write.call(this, words, x, y, ...more);
    };
}"""


def test_a_newcomers_balance_is_a_line_in_its_own_range_and_light(somebody: Somebody) -> None:
    """From the chips that the house gave until now; from 0 every balance would be a flat line.

    Every word on the canvas lies inside it, on a phone too; all is drawn in the light of the page,
    anew when another is chosen, by the person or by the device.
    """
    person = somebody(color_scheme="light", reduced_motion="reduce")
    page = person.page
    page.add_init_script(f"({WRITTEN})()")
    person.enter("Nova", "open")
    for size in (PHONE, DESK):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        person.go("/account").wait_for_selector("#plot canvas")
        written = person.until(lambda: page.evaluate("globalThis.written"))
        chips = {int(one[0].replace(",", "")) for one in written if ":" not in one[0]}
        assert 1_000 in chips and 900 <= min(chips) < max(chips) <= 1_100
        assert [one for one in written if one[1] < 0 or one[2] > one[3]] == []
    assert page.inner_text("#plot-words") == "The line moves with your first bet."
    assert page.inner_text("#no-bets") == "No bets yet." and page.is_hidden("#bets-told")
    assert person.until(lambda: page.evaluate(LINE)) == "light"
    page.click("#menu summary")
    page.check("input[name=theme][value=dark]")
    person.until(lambda: page.evaluate(LINE) == "dark")
    page.check("input[name=theme][value=auto]")
    person.until(lambda: page.evaluate(LINE) == "light")
    page.emulate_media(color_scheme="dark")
    person.until(lambda: page.evaluate(LINE) == "dark")
