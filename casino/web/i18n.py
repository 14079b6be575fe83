"""Translations and number formats for the pages.

English texts are written in the templates, scripts and refusals. Every other language has one
catalogue, `translations/LANGUAGE.po`, compiled by tools/build_assets.py. Templates use the
catalogue directly; scripts fetch their own texts and those of refusals as JSON.
"""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from gettext import GNUTranslations, NullTranslations
from typing import Final

from flask import Flask, Response, current_app, g, request

from casino.chips import format_chips as in_chips
from casino.web import assets

ENGLISH: Final = "en"
LANGUAGES: Final = (
    ENGLISH,
    *sorted(path.stem for path in (assets.BUILT / "translations").glob("*.mo")),
)
COOKIE: Final = "lang"
_YEAR: Final = 31_536_000


def init_i18n(app: Flask) -> None:
    """Make the compiled catalogues and number formats available to the templates."""
    languages = {entry["code"]: entry for entry in assets.load_manifest()["languages"]}
    app.config["LANGUAGES"] = languages
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.install_gettext_callables(  # type: ignore[attr-defined]
        gettext, lambda *forms: load_translations(language()).ngettext(*forms), newstyle=True
    )
    app.jinja_env.globals["languages"] = [(code, its["name"]) for code, its in languages.items()]
    app.jinja_env.filters.update(chips=format_chips, percent=format_percent, number=format_number)

    @app.after_request
    def remember(response: Response) -> Response:
        if request.args.get("lang") in languages:
            response.set_cookie(COOKIE, language(), max_age=_YEAR, samesite="Lax")
        return response


def language() -> str:
    """Return the request's language, taken from its query, its cookie or `Accept-Language`."""
    if "language" not in g:
        languages = current_app.config["LANGUAGES"]
        wanted = request.args.get("lang"), request.cookies.get(COOKIE)
        chosen = next((code for code in wanted if code in languages), None)
        g.language = chosen or request.accept_languages.best_match(languages, ENGLISH)
    spoken: str = g.language
    return spoken


def gettext(text: str) -> str:
    """Translate a text into the request's language."""
    return load_translations(language()).gettext(text)


def format_chips(cents: int) -> str:
    """Format an amount in cents as chips, with two decimals unless the chips are whole."""
    amount = Decimal(in_chips(cents))
    return format_number(amount, 0 if amount == amount.to_integral_value() else 2)


def format_percent(share: float) -> str:
    """Format a share from 0 to 1 as a percentage with one decimal, in the request's language."""
    return gettext("{n}%").format(n=format_number(100 * share, 1))


def format_number(number: float | Decimal, places: int = 0) -> str:
    """Format a number in the request's language with `places` decimals, rounded half to even."""
    signs = current_app.config["LANGUAGES"][language()]
    text = f"{Decimal(str(number)):,.{places}f}"
    return text.translate(str.maketrans({",": signs["group"], ".": signs["decimal"]}))


@cache
def load_translations(code: str) -> NullTranslations:
    """Return a language's compiled catalogue, which is empty for English."""
    if code == ENGLISH:
        return NullTranslations()
    with (assets.BUILT / "translations" / f"{code}.mo").open("rb") as file:
        return GNUTranslations(file)
