"""The pages in every language: nothing missing, nothing spare, the rules article by article."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.request import HTTPCookieProcessor, Request, build_opener, urlopen

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from casino.web.languages import LANGUAGES
from tests.web.doors import Doors
from tests.web.rules_page import SOURCES, page

ROOT = Path(__file__).parent.parent.parent
TRANSLATIONS = ROOT / "casino" / "web" / "translations"
FOREIGN = LANGUAGES[1:]
PAGES = ("", "table/open", "games", "game/t1-000001", "audit", "account", "rules", "chart", "stats")

ALIKE = {"Pages", "Tables", "Table", "Challenger", "Table %(name)s"}
"""What is written the same in English and French."""


def said() -> set[str]:
    """The texts of all templates."""
    found = extract_from_dir(ROOT / "templates", [("**.html", "jinja2")])
    return {str(message) for _, _, message, _, _ in found}


def catalog(language: str) -> Catalog:
    """A catalog as it lies on the disk."""
    path = TRANSLATIONS / language / "LC_MESSAGES" / "messages.po"
    with path.open("rb") as file:
        return read_po(file, locale=language)


@pytest.mark.parametrize("language", FOREIGN)
def test_every_text_of_the_pages_is_translated(language: str) -> None:
    """The catalog has the texts of the templates, all of them and no other, with their values."""
    found = {str(message.id): message for message in catalog(language) if message.id}
    assert set(found) == said()
    for text, message in found.items():
        assert message.string
        assert not message.fuzzy
        assert text in ALIKE or message.string != text
        assert re.findall(r"%\(\w+\)s", str(message.string)) == re.findall(r"%\(\w+\)s", text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_speaks_the_language_asked_for(doors: Doors, language: str, name: str) -> None:
    """It says so, and says none of the texts that are otherwise in that language."""
    with urlopen(f"{doors.url}/{name}?lang={language}") as response:
        html = response.read().decode()
    assert f'<html lang="{language}">' in html
    if language not in FOREIGN:
        return
    words = re.sub(r"<(script|style)\b.*?</\1>|<[^>]+>", "\n", html, flags=re.DOTALL)
    lines = {line.strip() for line in words.splitlines()}
    own = {message.string for message in catalog(language)}
    assert not (lines & said()) - own - ALIKE - {"double", "triple"}


def test_the_language_is_the_browsers_until_one_is_chosen(doors: Doors) -> None:
    """French by the browser's wish, Russian by a choice that lasts."""
    browser = build_opener(HTTPCookieProcessor())

    def lang(path: str, wanted: str) -> str:
        request = Request(doors.url + path, headers={"Accept-Language": wanted})
        with browser.open(request) as response:
            return str(re.findall(r'<html lang="(\w+)">', response.read().decode())[0])

    assert lang("/", "fr-CA,fr;q=0.9,en;q=0.5") == "fr"
    assert lang("/", "tlh") == "en"
    assert lang("/?lang=ru", "fr") == "ru"
    assert lang("/rules", "fr") == "ru"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_page_is_made_of_the_rules(language: str) -> None:
    """The part that is served is what docs/ says; `python -m tests.web.rules_page` writes it."""
    assert (ROOT / "templates" / f"rules_{language}.html").read_text("utf-8") == page(language)


def test_the_rules_have_the_same_articles_in_every_language() -> None:
    """Chapter by chapter the same numbers, laws, points and diagrams."""
    pages = {language: page(language) for language in SOURCES}
    for pattern in (r'id="(r\d(?:-\d)?)"', r'data-cards="([^"]+)"'):
        articles = {language: re.findall(pattern, html) for language, html in pages.items()}
        assert articles["en"]
        assert articles["en"] == articles["fr"] == articles["ru"]
    laws = {language: laws_of(html) for language, html in pages.items()}
    assert laws["en"] == laws["fr"] == laws["ru"]
    assert len({len(re.findall("<h2>", html)) for html in pages.values()}) == 1
    assert len({len(re.findall("<li>", html)) for html in pages.values()}) == 1


def laws_of(html: str) -> list[tuple[str, list[str]]]:
    """The laws that each article names."""
    articles = re.findall(r'<li id="(r\d-\d)">(.*?)</li>', html, flags=re.DOTALL)
    return [(name, sorted(set(re.findall(r"<code>(\w+)</code>", text)))) for name, text in articles]
