"""The house's log on the trust page: line by line, in words."""

from __future__ import annotations

import json
from collections.abc import Callable

from playwright.sync_api import Route, expect

from casino.events.codec import KINDS
from casino.ledger.accounts import MOVES
from casino.web.i18n import LANGUAGES
from tests.web.browser import ROOT, Person
from tests.web.test_scripts import node

Somebody = Callable[..., Person]
ALONE = {
    "en": ("No bettor added a secret number", "The house’s secret number alone made the shuffle"),
    "fr": (
        "Aucun parieur n’a ajouté de nombre secret",
        "Seul le nombre secret de la maison a décidé du mélange",
    ),
    "ru": (
        "Никто из поставивших не добавил секретного числа",
        "Тасовку определило одно секретное число казино",
    ),
}


def test_every_type_of_line_has_words() -> None:
    """And every way for chips to move, which says more than that they do."""
    script = f"""
        import {{ knownTypes }} from "{ROOT.as_posix()}/static/js/text/log_labels.js";
        console.log(JSON.stringify(knownTypes));
    """
    run = node("--input-type=module", "-e", script)
    assert run.returncode == 0, run.stderr
    assert set(json.loads(run.stdout)) == KINDS.keys() - {"entry"} | MOVES.keys()


TABLES = ("petit", "my own", "salon-2")
SOUGHT = {
    "petit-000036": "petit-000036",
    " PETIT-36 ": "petit-000036",
    "petit 36": "petit-000036",
    "Petit Salon 36": "petit-000036",
    "petit salon no. 36": None,
    "Petit Salon #36": "petit-000036",
    "my own 7": "my own-000007",
    "Table my own 7": "my own-000007",
    "salon-2-1234567": "salon-2-1234567",
    "closed-000001": "closed-000001",
    "https://the.casino/casino/game/petit-000036?lang=fr#card-3": "petit-000036",
    "http://localhost:5000/audit?game=petit-000036": "petit-000036",
    "http://localhost:5000/game/my%20own-000007": "my own-000007",
    "36": None,
    "petit": None,
    "": None,
}


def test_a_game_is_found_by_whatever_names_it() -> None:
    """A link, an id, a title and a number; a number alone where there is only one table."""
    script = f"""
        import {{ parseGameName }} from "{ROOT.as_posix()}/static/js/text/game_names.js";
        const sought = (one) => parseGameName(one, {json.dumps(TABLES)});
        const found = {json.dumps(list(SOUGHT))}.map(sought);
        console.log(JSON.stringify([...found, parseGameName("36", ["petit"])]));
    """
    run = node("--input-type=module", "-e", script)
    assert run.returncode == 0, run.stderr
    *found, alone = json.loads(run.stdout)
    assert dict(zip(SOUGHT, found, strict=True)) == SOUGHT
    assert alone == "petit-000036"


def test_what_names_no_game_is_answered_with_an_example(somebody: Somebody) -> None:
    """The trust page offers the newest game by its name, and reads a name that is typed."""
    person = somebody()
    game = person.past_game()
    page = person.go("/audit")
    # The page has offered its game and its lines.
    page.wait_for_selector("#leaves li")
    page.fill("#verify-game", "36")
    page.click("#verify-form button")
    person.until(lambda: "such as" in page.inner_text("#verdict-line"))
    table, _, number = game.rpartition("-")
    page.fill("#verify-game", f" Table {table.upper()}  {int(number)}")
    page.click("#verify-form button")
    page.wait_for_selector("#verdict-line.good")


def test_what_is_typed_before_the_page_has_its_answers_stays(somebody: Somebody) -> None:
    """A game and a line asked for, though the page hears of the newest of both later."""
    person = somebody()
    page = person.page
    held: list[Route] = []
    page.route("**/api/games?limit=1", lambda route: held.append(route))
    page.goto(f"{person.url}/audit", wait_until="commit")
    person.until(lambda: held)
    page.fill("#verify-game", "quick 1")
    page.fill("#log-from", "0")
    page.click("#log-form button")
    page.wait_for_selector("#leaves li[value='0']")
    held[0].continue_()
    expect(page.locator("#checkpoint-said")).not_to_be_empty()
    assert page.input_value("#verify-game") == "quick 1"
    assert page.input_value("#log-from") == "0"


def without_bettors(person: Person) -> str:
    """A game that is over, in whose shuffle no bettor had a part."""
    games = person.api("/api/games?limit=50")["games"]
    return next((str(one["game"]) for one in games if one["score"] and not one["cuts"]), "")


def test_the_trust_page_speaks_of_lines_and_games_in_its_language(somebody: Somebody) -> None:
    """A line's type stands beside it as the log writes it; a game is called as everywhere else.

    Where no bettor took part, the page says that the house alone made the shuffle.
    """
    person = somebody()
    person.past_game()
    game = person.until(lambda: without_bettors(person))
    person.until(lambda: len(person.api("/api/log?after=-1&limit=20")["leaves"]) == 20)
    page = person.page
    rows = page.locator("#leaves summary")
    for language in LANGUAGES:
        person.go(f"/audit?game={game}&lang={language}").wait_for_selector("#verdict-line.good")
        said = page.locator("#findings li").all_inner_texts()
        assert set(ALONE[language]) <= {one.removeprefix("✓").strip() for one in said}
        page.wait_for_selector("#leaves li")
        page.fill("#log-from", "0")
        page.click("#log-form button")
        page.wait_for_selector("#leaves li[value='0']")
        types = rows.locator("code").all_inner_texts()
        words = rows.locator("b").all_inner_texts()
        assert types[0] == "log_opened" and len(types) == len(words) == 20
        assert not [one for one in words if "_" in one or one in types]
        assert not [one for one in rows.locator("bdi").all_inner_texts() if "-0" in one]
