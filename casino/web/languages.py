"""The languages of the pages: the browser's by default, another by choice; chips in each."""

from __future__ import annotations

from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Final

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import Translations
from flask import Flask, Response, g, request
from flask_babel import Babel, Domain, format_decimal

from casino.chips import chips as in_chips

LANGUAGES: Final = ("en", "fr", "ru")
COOKIE: Final = "lang"
_YEAR: Final = 31_536_000


class Catalogs(Domain):  # type: ignore[misc]
    """The translations, read from their sources when the casino starts."""

    def __init__(self, directory: Path) -> None:
        super().__init__()
        for language in LANGUAGES:
            file = directory / language / "LC_MESSAGES" / "messages.po"
            self.cache[language, self.domain[0]] = _catalog(file)


class Languages(Babel):  # type: ignore[misc]
    """Flask-Babel with catalogs that need no compiling."""

    def __init__(self, app: Flask, directory: Path) -> None:
        self._catalogs = Catalogs(directory)
        super().__init__(app, locale_selector=language)

    @property
    def domain_instance(self) -> Catalogs:
        """The catalogs."""
        return self._catalogs


def speak(app: Flask) -> None:
    """Give the pages their languages, and remember a choice."""
    Languages(app, Path(app.root_path) / "translations")
    app.jinja_env.filters["chips"] = chips

    @app.after_request
    def remember(response: Response) -> Response:
        if request.args.get("lang") in LANGUAGES:
            response.set_cookie(COOKIE, language(), max_age=_YEAR, samesite="Lax")
        return response


def language() -> str:
    """The language of this request: asked for, chosen before, or the browser's."""
    if "language" not in g:
        for chosen in (request.args.get("lang"), request.cookies.get(COOKIE)):
            if chosen in LANGUAGES:
                g.language = chosen
                break
        else:
            g.language = request.accept_languages.best_match(LANGUAGES) or LANGUAGES[0]
    spoken: str = g.language
    return spoken


def chips(cents: int) -> str:
    """Chips in the manner of the language, with decimals only where there are any."""
    amount = Decimal(in_chips(cents))
    whole = amount == amount.to_integral_value()
    text: str = format_decimal(amount, "#,##0" if whole else "#,##0.00")
    return text


def _catalog(file: Path) -> Translations:
    """A catalog; the texts themselves where there is none."""
    if not file.exists():
        return Translations()
    compiled = BytesIO()
    with file.open("rb") as source:
        write_mo(compiled, read_po(source))
    compiled.seek(0)
    return Translations(compiled)
