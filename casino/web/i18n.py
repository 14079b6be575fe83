"""Translations and number formats of the pages.

English texts are in the templates, scripts and refusals. Every other language is one catalogue,
`translations/LANGUAGE.po`, read at startup. Templates use it directly; scripts fetch the texts they
need, and those of refusals, as JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from gettext import c2py
from io import BytesIO
from pathlib import Path, PurePath
from typing import Final, TypeAlias

import msgspec
from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, read_po
from babel.support import Translations
from flask import Flask, Response, current_app, g, request
from flask_babel import Babel, Domain, format_decimal, gettext

from casino.chips import format_chips as in_chips
from casino.errors import InputError
from casino.web.assets.scripts import Scripts

ENGLISH: Final = "en"
CATALOGUES: Final = Path(__file__).parent / "translations"
LANGUAGES: Final = (ENGLISH, *sorted(path.stem for path in CATALOGUES.glob("*.po")))
COOKIE: Final = "lang"
STATIC: Final = "static/"
_YEAR: Final = 31_536_000
_MANY: Final = 200  # every plural form is used for some number below this

# A text, or a text for each plural category of Intl.PluralRules.
Forms: TypeAlias = str | dict[str, str]


class Catalogues(Domain):  # type: ignore[misc]
    """Flask-Babel domain whose translations are compiled in memory from .po catalogues."""

    def __init__(self, catalogues: Iterable[Catalog]) -> None:
        super().__init__()
        self.cache[ENGLISH, self.domain[0]] = Translations()
        for catalogue in catalogues:
            compiled = BytesIO()
            write_mo(compiled, catalogue)
            compiled.seek(0)
            self.cache[str(catalogue.locale), self.domain[0]] = Translations(compiled)


class I18n(Babel):  # type: ignore[misc]
    """Flask-Babel extension that uses `Catalogues` instead of .mo files."""

    def __init__(self, app: Flask, catalogues: Iterable[Catalog]) -> None:
        self._catalogues = Catalogues(catalogues)
        super().__init__(app, locale_selector=language)

    @property
    def domain_instance(self) -> Catalogues:
        """The domain that Flask-Babel takes translations from."""
        return self._catalogues


def init_i18n(app: Flask, directory: Path, scripts: Scripts) -> dict[str, bytes]:
    """Load the catalogues from a directory; return the scripts' JSON files by name."""
    catalogues = [read_catalogue(path) for path in sorted(directory.glob("*.po"))]
    languages = [ENGLISH, *(str(catalogue.locale) for catalogue in catalogues)]
    I18n(app, catalogues)
    app.config["LANGUAGES"] = languages
    app.jinja_env.globals["languages"] = [
        (language_code, _own_name(language_code)) for language_code in languages
    ]
    app.jinja_env.filters["chips"] = format_chips
    app.jinja_env.filters["percent"] = format_percent

    @app.after_request
    def remember(response: Response) -> Response:
        if request.args.get("lang") in languages:
            response.set_cookie(COOKIE, language(), max_age=_YEAR, samesite="Lax")
        return response

    return {
        name: text
        for language_code in catalogues
        for name, text in script_tables(language_code, scripts).items()
    }


def language() -> str:
    """Return the language of the request: from its query, its cookie, or `Accept-Language`."""
    if "language" not in g:
        languages = current_app.config["LANGUAGES"]
        for chosen in (request.args.get("lang"), request.cookies.get(COOKIE)):
            if chosen in languages:
                g.language = chosen
                break
        else:
            g.language = request.accept_languages.best_match(languages) or ENGLISH
    spoken: str = g.language
    return spoken


def format_chips(cents: int) -> str:
    """Format an amount in chips for the language, with decimals unless it is whole."""
    amount = Decimal(in_chips(cents))
    whole = amount == amount.to_integral_value()
    text: str = format_decimal(amount, "#,##0" if whole else "#,##0.00")
    return text


def format_percent(share: float) -> str:
    """Format a share from 0 to 1 as a percentage with one decimal, for the language."""
    text: str = gettext("{n}%").format(n=format_decimal(100 * share, "0.0"))
    return text


def read_catalogue(path: Path) -> Catalog:
    """Read a .po file; raise `InputError` with its path if it is invalid."""
    try:
        with path.open("rb") as file:
            catalogue = read_po(file, locale=path.stem, abort_invalid=True)
        c2py(catalogue.plural_expr)
    except PoFileError as why:
        raise InputError(f"{path} cannot be read: {why}") from why
    except UnicodeDecodeError as why:
        raise InputError(f"{path} is not UTF-8: save it as UTF-8") from why
    except ValueError as why:
        raise InputError(f"{path}, Plural-Forms: {why}") from why
    if catalogue.locale is None:
        raise InputError(
            f"{path}: {path.stem!r} is not a language: name it by its code, such as fr"
        )
    return catalogue


def script_tables(catalogue: Catalog, scripts: Scripts) -> dict[str, bytes]:
    """Return a language's JSON files: script texts by English text, refusals by reason.

    Each page, and each dynamically imported script, has a file with the texts that it needs at
    once. One more file has the texts of all scripts.
    """
    forms = _forms(catalogue)
    texts: dict[str, Forms] = {}
    refusals: dict[str, Forms] = {}
    users: dict[str, set[str]] = {}
    for message in catalogue:
        if not _is_translated(message):
            continue
        if message.context:
            refusals[message.context] = forms(message)
        elif used := {file for file, _ in message.locations if file.startswith(STATIC)}:
            texts[_english(message)] = forms(message)
            users[_english(message)] = {file.removeprefix(STATIC) for file in used}
    folder = f"js/texts/{catalogue.locale}"
    files = {f"{folder}.json": texts, f"{folder}/refusals.json": refusals}

    def needed(script: str) -> set[str]:
        of = {script, *scripts.at_once(script)}
        return {text for text in texts if users[text] & of}

    held: dict[str, list[set[str]]] = {}
    wanted: dict[str, set[str]] = {}
    for page, script in scripts.pages.items():
        wanted[page] = needed(script)
        for later in scripts.dynamic_imports(script):
            held.setdefault(later, []).append(wanted[page])
    # Texts that every importing page has loaded anyway are left out.
    for later, pages in held.items():
        wanted[f"later/{PurePath(later).stem}"] = needed(later) - set[str].intersection(*pages)
    for name, its in wanted.items():
        files[f"{folder}/{name}.json"] = {
            english: texts[english] for english in texts if english in its
        }
    return {name: msgspec.json.encode(content) for name, content in files.items()}


def _is_translated(message: Message) -> bool:
    strings = message.string if isinstance(message.string, tuple) else (message.string,)
    return all(strings)


def _english(message: Message) -> str:
    return str(message.id[0] if isinstance(message.id, tuple) else message.id)


def _forms(catalogue: Catalog) -> Callable[[Message], Forms]:
    locale = catalogue.locale
    assert isinstance(locale, Locale)
    number = c2py(catalogue.plural_expr)
    number_of = {locale.plural_form(n): number(n) for n in range(_MANY)}
    number_of.setdefault("other", number(_MANY))

    def named(message: Message) -> Forms:
        plural_forms = message.string
        if isinstance(plural_forms, tuple):
            return {kind: plural_forms[index] for kind, index in number_of.items()}
        return str(plural_forms)

    return named


def _own_name(language_code: str) -> str:
    name = Locale.parse(language_code).get_language_name() or language_code
    return name[0].upper() + name[1:]
