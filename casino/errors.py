"""Exceptions that the program raises on purpose.

A message says what is wrong, then what to do. A refusal carries a `RefusalReason` and values
instead of a sentence, so that web pages can translate it; this module formats only English.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Any, Final, NamedTuple, Self, TypeAlias

from casino.chips import format_chips


def escape_unprintable(text: str) -> str:
    r"""Escape control characters, so that a terminal shows them instead of obeying them.

    >>> print(escape_unprintable("a name" + chr(27) + "[2J"))
    a name\x1b[2J
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def suggest(name: str, known: Collection[str]) -> str:
    """Return advice about an unknown name: the closest known one or, if none is close, all.

    >>> suggest("regl", ["novice", "regle"]), suggest("", ["novice", "regle"])
    ('did you mean regle?', 'choose one of novice, regle')
    """
    close = get_close_matches(name, known, 1)
    return f"did you mean {close[0]}?" if close else f"choose one of {', '.join(known)}"


class CasinoError(Exception):
    """Base class of all errors raised deliberately; a command exits with `exit_status`."""

    exit_status = 1


class InputError(CasinoError):
    """Invalid input from a user, a file or the environment."""

    exit_status = 2


class ConfigError(InputError):
    """Unknown setting or invalid value; several are one a line, already escaped."""


class CardsError(InputError):
    """Text that does not name cards, or names one twice."""


class ContributionError(InputError):
    """Malformed or overlong contribution to a shuffle."""


class FileError(InputError):
    """Unreadable or invalid database, export, key or receipt."""


def already_exists(file: object) -> FileError:
    """Return the error for an output file that exists: no command overwrites one."""
    return FileError(f"{file} already exists: choose another file")


class LawsError(InputError):
    """Unknown law or invalid value."""


class PositionError(InputError):
    """Malformed position text."""


@dataclass(eq=False, repr=False)
class RecordError(InputError):
    """Game record that cannot be replayed; `deal` and `token` are numbered from 1.

    >>> print(RecordError("illegal_action", "the deal is over", 2, 7, "9H").locate("line 3"))
    line 3, deal 2, token 7 (9H)
    """

    exit_status = 1

    code: str
    text: str
    deal: int | None = None
    token: int | None = None
    token_text: str = ""

    def __str__(self) -> str:
        return self.text

    def locate(self, record: str) -> str:
        """Return the position of the fault as text that begins with `record`."""
        if self.deal is None:
            return record
        return f"{record}, deal {self.deal}, token {self.token} ({self.token_text})"


class SeedError(InputError):
    """Malformed seed, or a number outside a seed chain."""


# Optional packages, each with the extra that installs it.
EXTRAS: Final[Mapping[str, str]] = {
    "numba": "simulate",
    "numpy": "simulate",
    "matplotlib": "plot",
    "distributed": "dask",
    "gymnasium": "gymnasium",
    "pettingzoo": "pettingzoo",
    "pyspiel": "openspiel",
    "psycopg": "postgres",
    "redis": "redis",
}


class MissingExtraError(InputError):
    """Raised when a command needs a package of an optional extra that is not installed.

    >>> print(MissingExtraError("numba"))
    numba is not installed: run pip install '.[simulate]' or make extras in the checkout
    """

    def __init__(self, package: str) -> None:
        super().__init__(
            f"{package} is not installed: run pip install '.[{EXTRAS[package]}]' or make extras "
            "in the checkout"
        )


class DeceptionError(CasinoError):
    """Raised when a casino contradicts data that it published earlier."""


Value: TypeAlias = str | int  # value in a sentence: cents, a card token, a number or a name


class RefusalReason(NamedTuple):
    """Template of a refusal, with a stable name, an error code and an English sentence.

    `{led:card}` is formatted as a card, `{unit_cents:chips}` as chips, `{until_ms:moment}` as a
    time, `{game}` as it is. `plural` replaces `sentence` if the value `n` is not 1.

    >>> reason = RefusalReason("must_follow", "illegal_action", "follow suit to {led:card}", "R5.2")
    >>> reason.format({"led": "TH"})
    'follow suit to 10♥'
    """

    name: str
    code: str
    sentence: str
    article: str = ""
    plural: str = ""

    def format(self, values: Mapping[str, Value]) -> str:
        """Return the English sentence with `values` filled in."""
        several = self.plural and values["n"] != 1

        def written(match: re.Match[str]) -> str:
            value = values[match["name"]]
            return _WRITTEN[match["kind"]](value) if match["kind"] else str(value)

        return PLACE.sub(written, self.plural if several else self.sentence)


# Placeholder in a sentence: {name} or {name:kind}.
PLACE: Final = re.compile(r"\{(?P<name>\w+)(?::(?P<kind>\w+))?\}")

_SUITS: Final = str.maketrans("CDHS", "♣♦♥♠")


def card_sign(token: Value) -> str:
    """Format a card token for players: `TH` becomes 10♥."""
    return str(token).replace("T", "10").translate(_SUITS)


def moment(ms: Value) -> str:
    """Format a time in milliseconds since 1970 for people, in UTC.

    >>> moment(1_700_000_000_000)
    '2023-11-14 22:13 UTC'
    """
    # A break may end later than any date of Python's.
    seconds = min(int(ms) // 1000, 253_402_300_799)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"


_WRITTEN: Final[Mapping[str, Callable[[Value], str]]] = {
    "card": card_sign,
    "chips": lambda cents: format_chips(int(cents)),
    "moment": moment,
}


class Refusal(CasinoError):
    """Refusal with a reason and values. Its sentence is formatted on demand, since few are read.

    `reason` is the key of its translations, `article` the rule behind it, such as `R5.2`, or "".

    >>> Refused(RefusalReason("no_table", "unknown_table", "there is no table {table}"), table="t9")
    Refused('there is no table t9')
    """

    def __init__(self, why: RefusalReason, /, **values: Value) -> None:
        super().__init__(why)
        self.why = why
        self.reason = why.name
        self.code = why.code
        self.article = why.article
        self.values = values

    @property
    def message(self) -> str:
        """The English sentence with its values filled in."""
        return self.why.format(self.values)

    def json(self) -> dict[str, Any]:
        """Return the refusal as a JSON object for clients."""
        message: dict[str, Any] = {
            "code": self.code,
            "message": self.message,
            "reason": self.reason,
        }
        if self.article:
            message["article"] = self.article
        if self.values:
            message["values"] = self.values
        return message

    @classmethod
    def from_json(cls, message: Mapping[str, Any]) -> Self:
        """Rebuild a refusal from JSON, keeping the received sentence."""
        # A received sentence is final: its braces must not be read as placeholders.
        sentence = str(message.get("message", "refused")).replace("{", "(").replace("}", ")")
        code = str(message.get("code", "bad_request"))
        why = RefusalReason(
            str(message.get("reason", code)), code, sentence, str(message.get("article", ""))
        )
        return cls(why, **message.get("values", {}))

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.message!r})"


class IllegalAction(Refusal):
    """Action that the rules of the game forbid."""


class Refused(Refusal):
    """Command that the casino rejected without changing anything."""


class UnreachableError(InputError):
    """A casino's log or a part of it is unavailable, which is no evidence against it."""


def no_casino(url: str, error: Exception | None = None) -> UnreachableError:
    """Return the error for an address that does not respond, or not over TLS as expected."""
    from ssl import SSLCertVerificationError, SSLError  # only here: --help needs none of it

    # urllib's error has the one from below as its `reason`.
    reason = error if isinstance(error, SSLError) else getattr(error, "reason", None)
    if isinstance(reason, SSLCertVerificationError):
        return UnreachableError(
            f"the certificate of {url} is not trusted ({reason.verify_message}): set "
            "SSL_CERT_FILE to a file that contains the certificate of its authority"
        )
    if isinstance(reason, SSLError):
        return UnreachableError(f"{url} does not use TLS: try http:// instead of https://")
    return UnreachableError(
        f"no casino responds at {url}: check the address, or start one with casino run"
    )


class InvariantError(CasinoError):
    """Raised for a bug in the program; the caller must stop instead of working around it."""
