"""Translations: nothing missing or unused, and the same articles of the rules in each language."""

from __future__ import annotations

import re
import shutil
from functools import cache
from pathlib import Path
from urllib.parse import quote

import pytest
from babel.messages.catalog import Message
from babel.messages.pofile import write_po

from casino.table.runtime import simulated_bettors
from casino.web import assets, i18n
from casino.web.i18n import LANGUAGES
from tests.web.server import LONG_BETTING, Server, fetch, open_server
from tools.build_assets import CATALOGUES, Pages, build, read_catalogue, script_tables
from tools.catalogues import Text, every_reason, every_text, of_templates, update
from tools.rules_page import SOURCES, page

ROOT = Path(__file__).parent.parent.parent
FOREIGN = LANGUAGES[1:]
PAGES = (
    "", "table/open", "practice/open", "games", "audit", "account", "rules", "chart", "stats",
    "leaders",
)  # fmt: skip

FORMS = {"fr": {"one", "other"}, "ru": {"one", "few", "many", "other"}}
SAME_AS_ENGLISH = {
    "Basile", "Camille", "Mathilde", "Maître Hubert", "Odile", "Sosthène", "Commission",
    "{n} point", "{n} points", "Salon Garnier", "Petit Salon", "Grand Salon", "Cabinet", "Pages",
    "Tables", "Table", "Challenger", "Table %(name)s", "challenger", "double", "triple", "Achille",
    "Anatole", "Berthe", "Blanche", "Clément", "Célestin", "Delphine", "Denise", "Estelle",
    "commission", "Eugénie", "Poule", "Pause", "Table {name}", "{n} s", "+{n} s", "+{n}: {reason}",
    *simulated_bettors.NAMES,
}  # fmt: skip
"""Texts that are spelled the same in English and in another language."""

INVENTED = "eo"
"""A language that the casino does not know yet."""


@cache
def used_texts() -> dict[Text, set[str]]:
    return every_text()


@cache
def catalogue(language: str) -> dict[Text, Message]:
    found = read_catalogue(CATALOGUES / f"{language}.po")
    return {Text.of(message): message for message in found if message.id}


def places(text: str) -> set[str]:
    return set(re.findall(r"%\(\w+\)s|\{\w+(?::\w+)?\}", text))


@pytest.mark.parametrize("language", FOREIGN)
def test_a_catalogue_has_exactly_the_texts_in_use(language: str) -> None:
    entries = catalogue(language)
    used = used_texts()
    assert set(entries) == set(used)
    for text, message in entries.items():
        assert {file for file, _ in message.locations} == used[text], text


@pytest.mark.parametrize("language", FOREIGN)
def test_every_translation_keeps_its_placeholders(language: str) -> None:
    number = read_catalogue(CATALOGUES / f"{language}.po").num_plurals
    for text, message in catalogue(language).items():
        assert not message.fuzzy
        forms = message.string if isinstance(message.string, tuple) else (str(message.string),)
        assert len(forms) == (number if text.many else 1) and all(forms), text
        for form in forms:
            assert places(form) | {"{n}"} == places(text.text) | places(text.many) | {"{n}"}, text
            assert places(form) == places(text.text) or text.many, text
            assert text.text in SAME_AS_ENGLISH or form not in (text.text, text.many), text


@pytest.mark.parametrize("language", FOREIGN)
def test_script_tables_hold_their_texts_and_refusals(language: str) -> None:
    used = used_texts()
    scripts = {path.relative_to(ROOT).as_posix() for path in (ROOT / "static/js").rglob("*.js")}
    some = {path for path in scripts if "/table/" in path}
    pages: Pages = {
        "all": {"modules": sorted(scripts), "later": {}},
        "some": {"modules": sorted(some), "later": {"rest": sorted(scripts)}},
    }
    tables = script_tables(read_catalogue(CATALOGUES / f"{language}.po"), pages)
    texts, refusals = tables["all.json"], tables["refusals.json"]
    assert texts.keys() == {text.text for text, where in used.items() if where & scripts}
    assert refusals.keys() == {reason.name for reason in every_reason()}
    assert texts.keys() & {"Skip to the content"} == set(), "templates say this themselves"
    needed = {text.text: texts[text.text] for text, where in used.items() if where & some}
    assert tables["some.json"] == needed
    assert tables["later/rest.json"].keys() == texts.keys() - needed.keys()
    for text in used:
        if text.many:
            found = refusals[text.reason] if text.reason else texts[text.text]
            assert set(found) == FORMS[language]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Pages]:
    """The assets built with one language more, and what each page loads."""
    work = tmp_path_factory.mktemp("languages")
    folder = work / "translations"
    shutil.copytree(CATALOGUES, folder)
    file = folder / f"{INVENTED}.po"
    file.write_text('msgid ""\nmsgstr ""\n"Language: eo\\n"\n\n', "utf-8")
    update(file)
    found = read_catalogue(file)
    for message in found:
        one = message.id
        message.string = (f"eo {one}", f"eo {one}") if isinstance(one, tuple) else f"eo {one}"
    with file.open("wb") as translated:
        write_po(translated, found)
    return work / "built", build(work / "built", folder)


def test_lazily_loaded_scripts_wait_for_their_texts(built: tuple[Path, Pages]) -> None:
    _, pages = built
    assert {"tour", "chat", "player_controls"} <= pages["table"]["later"].keys()
    tables = script_tables(read_catalogue(CATALOGUES / f"{FOREIGN[0]}.po"), pages)
    for made in pages.values():
        for script, (path, *_) in made["later"].items():
            source = (ROOT / path).read_text("utf-8")
            assert f'await loadTexts("{script}");' in source or not tables[f"later/{script}.json"]


def test_a_new_language_needs_only_one_file(
    built: tuple[Path, Pages], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assets, "BUILT", built[0])
    for module, name in ((assets, "load_manifest"), (i18n, "load_translations")):
        monkeypatch.setattr(module, name, cache(getattr(module, name).__wrapped__))
    with open_server(tmp_path / "a.db", {"open": LONG_BETTING}) as server:
        html = fetch(server.url, f"/rules?lang={INVENTED}").text
        assert f'<html lang="{INVENTED}">' in html and ">eo Rules</a>" in html
        assert f'hreflang="{INVENTED}" aria-current="true">Esperanto</a>' in html
        assert f'hreflang="{INVENTED}">Esperanto</a>' in fetch(server.url, "/").text
        (address,) = re.findall(rf'href="(/static/texts/{INVENTED}-\w+/default\.json)"', html)
        assert fetch(server.url, address).json["clubs"] == "eo clubs"
        assert fetch(server.url, address.replace("default", "refusals")).json


@pytest.mark.parametrize("language", FOREIGN)
def test_pages_are_shown_in_the_requested_language(server: Server, language: str) -> None:
    own = {message.string for message in catalogue(language).values()}
    templates = {text.text for text, _ in of_templates()}
    server.play("fast")
    game = fetch(server.url, "/api/games?limit=1").json["games"][0]["game"]
    for name in (*PAGES, f"game/{game}"):
        html = fetch(server.url, f"/{name}?lang={language}").text
        assert f'<html lang="{language}">' in html
        words = re.sub(r"<(script|style)\b.*?</\1>|<[^>]+>", "\n", html, flags=re.DOTALL)
        lines = {line.strip() for line in words.splitlines()}
        assert not (lines & templates) - own - SAME_AS_ENGLISH, name


def test_browser_language_applies_until_one_is_chosen(server: Server) -> None:
    cookie = ""

    def lang(path: str, wanted: str) -> str:
        nonlocal cookie
        page = fetch(server.url, path, Accept_Language=wanted, Cookie=cookie)
        cookie = page.headers.get("Set-Cookie", cookie).partition(";")[0]
        return str(re.findall(r'<html lang="(\w+)">', page.text)[0])

    assert lang("/", "fr-CA,fr;q=0.9,en;q=0.5") == "fr"
    assert lang("/", "tlh") == "en"
    assert lang("/?lang=ru", "fr") == "ru"
    assert lang("/rules", "fr") == "ru"


def test_simulated_spectators_have_translated_names(server: Server) -> None:
    for player, name in (("Boris*2", "Борис"), ("Boris", "Boris")):
        page = fetch(server.url, f"/player/{quote(player)}?lang=ru")
        assert f'<h1 dir="auto">{name}</h1>' in page.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_rules_page_is_generated_from_the_rules(language: str) -> None:
    assert (ROOT / "templates" / f"rules_{language}.html").read_text("utf-8") == page(language)


def test_the_rules_have_the_same_articles_in_every_language() -> None:
    pages = {language: page(language) for language in SOURCES}
    for pattern in (r'id="(r\d(?:-\d)?)"', r'data-cards="([^"]+)"'):
        articles = {language: re.findall(pattern, html) for language, html in pages.items()}
        assert articles["en"]
        assert all(found == articles["en"] for found in articles.values())
    laws = {language: laws_of(ROOT / "docs" / source) for language, source in SOURCES.items()}
    assert all(found == laws["en"] for found in laws.values())
    assert not any("`" in html or "config.toml" in html for html in pages.values())
    assert len({len(re.findall("<h2>", html)) for html in pages.values()}) == 1
    assert len({len(re.findall("<li>", html)) for html in pages.values()}) == 1


def laws_of(source: Path) -> list[list[str]]:
    articles = re.split(r"^(?:## |\d+\. )", source.read_text("utf-8"), flags=re.MULTILINE)
    return [re.findall(r"`([a-z_]+)`", text) for text in articles[1:]]
