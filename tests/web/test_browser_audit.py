"""The house's log on the trust page: line by line, in words."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from casino.bank.ledger import MOVES
from casino.events.reading import KINDS
from casino.web.languages import LANGUAGES
from tests.web.browser import ROOT, Person
from tests.web.test_scripts import node

Somebody = Callable[..., Person]
ALONE = {
    "en": (
        "No bettor added a secret number",
        "The house’s secret number alone made the shuffle",
    ),
    "fr": (
        "Aucun parieur n’a ajouté de nombre secret",
        "Le nombre secret de la maison a seul fait le mélange",
    ),
    "ru": (
        "Никто из поставивших не добавил секретного числа",
        "Тасовку определило одно секретное число казино",
    ),
}


def test_every_type_of_line_has_words() -> None:
    """And every way for chips to move, which says more than that they do."""
    script = f"""
        import {{ known }} from "{ROOT.as_posix()}/static/js/logged.js";
        console.log(JSON.stringify(known));
    """
    run = node("--input-type=module", "-e", script)
    assert run.returncode == 0, run.stderr
    assert set(json.loads(run.stdout)) == KINDS.keys() - {"entry"} | MOVES.keys()


def without_bettors(person: Person) -> str:
    """A game that is over, in whose shuffle no bettor had a part."""
    games = person.api("/api/games?limit=50")["games"]
    return next((str(one["game"]) for one in games if one["score"] and not one["cuts"]), "")


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_said_of_numbers_that_nobody_added(somebody: Somebody, language: str) -> None:
    """Where no bettor took part, the page says that the house alone made the shuffle."""
    person = somebody(locale=language)
    game = person.until(lambda: without_bettors(person))
    page = person.go(f"/audit?game={game}")
    page.wait_for_selector("#verdict-line.good")
    said = [one.removeprefix("✓").strip() for one in page.locator("#findings li").all_inner_texts()]
    assert set(ALONE[language]) <= set(said)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_line_says_what_happened_in_the_language_of_the_page(
    somebody: Somebody, language: str
) -> None:
    """Its type stands beside it as the log writes it; a game is called as everywhere else."""
    person = somebody(locale=language)
    page = person.go("/audit")
    page.fill("#log-from", "0")
    page.click("#log-form button")
    first = page.locator("#leaves li[value='0']")
    first.wait_for()
    rows = page.locator("#leaves summary")
    types = rows.locator("code").all_inner_texts()
    words = rows.locator("b").all_inner_texts()
    assert types[0] == "log_opened" and len(types) == len(words) == 20
    assert not [one for one in words if "_" in one or one in types]
    assert not [one for one in rows.locator("bdi").all_inner_texts() if "-0" in one]
