"""Every deliberate error, each with a stable code.

A message is one sentence that says what is wrong, and then what to do.

A refusal is a `RefusalReason` and its values rather than a sentence, because players read different
languages: the English sentence is made here, the others by the pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, Self, TypeAlias

from casino.chips import format_chips


class CasinoError(Exception):
    """The root of every deliberate error."""

    code = "error"
    exit_status = 1


class InputError(CasinoError):
    """Input from outside cannot be read."""

    code = "bad_input"
    exit_status = 2


class ConfigError(InputError):
    """An unknown setting, or a value it cannot have."""

    code = "bad_config"


class CardsError(InputError):
    """A text that should name cards does not, or repeats one."""

    code = "bad_cards"


class ContributionError(InputError):
    """A contribution that is no text or is too long."""

    code = "bad_cut"


class FileError(InputError):
    """A database, an export, a key or a receipt that cannot be read."""

    code = "bad_file"


class LawsError(InputError):
    """An unknown law, or a value it cannot have."""

    code = "bad_laws"


class PositionError(InputError):
    """The one-line text of a position cannot be read."""

    code = "bad_position"


class RecordError(InputError):
    """A game record that cannot be replayed; `deal` and `token` count from 1, `said` is the token.

    >>> print(RecordError("illegal_action", "the deal is over", 2, 7, "9H").locate("line 3"))
    line 3, deal 2, token 7 (9H)
    """

    exit_status = 1

    def __init__(
        self,
        code: str,
        text: str,
        deal: int | None = None,
        token: int | None = None,
        token_text: str = "",
    ) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.deal = deal
        self.token = token
        self.token_text = token_text

    def locate(self, record: str) -> str:
        """Return where the fault is, after the name of the record."""
        if self.deal is None:
            return record
        return f"{record}, deal {self.deal}, token {self.token} ({self.token_text})"

    def __reduce__(self) -> tuple[type[RecordError], tuple[Any, ...]]:
        return RecordError, (self.code, self.text, self.deal, self.token, self.token_text)


class SeedError(InputError):
    """A seed that is not 32 bytes in hexadecimal digits."""

    code = "bad_seed"


# Packages only some commands need, and the extra that brings each.
EXTRAS: Final[Mapping[str, str]] = {
    "numba": "simulate",
    "numpy": "simulate",
    "matplotlib": "plot",
    "distributed": "dask",
    "gymnasium": "gymnasium",
    "pettingzoo": "pettingzoo",
    "pyspiel": "openspiel",
    "prometheus_client": "metrics",
    "psycopg": "postgres",
    "redis": "redis",
}


class MissingExtraError(InputError):
    """A package of an optional extra is not installed.

    >>> print(MissingExtraError("numba"))
    numba is not installed: run pip install 'ecarte-casino[simulate]', or make extras in a checkout
    """

    code = "missing_extra"

    def __init__(self, package: str) -> None:
        super().__init__(
            f"{package} is not installed: run pip install 'ecarte-casino[{EXTRAS[package]}]', "
            "or make extras in a checkout"
        )


class DeceptionError(CasinoError):
    """A casino contradicts what it showed before."""

    code = "deceived"


Value: TypeAlias = str | int  # a parameter of a sentence as JSON: cents, a card token, a text


class RefusalReason(NamedTuple):
    """Why something is refused: a name, a code, a sentence, and the sentence in the plural.

    `{led:card}` formats a card, `{unit_cents:chips}` an amount of chips, `{game}` a plain value. A
    sentence about `{n}` things is in the plural unless n is 1.

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


# Where a value is inserted in a sentence.
PLACE: Final = re.compile(r"\{(?P<name>\w+)(?::(?P<kind>\w+))?\}")

_SUITS: Final = str.maketrans("CDHS", "♣♦♥♠")


def card_sign(token: Value) -> str:
    """Return a card as players read it: TH in a record is the 10♥."""
    return str(token).replace("T", "10").translate(_SUITS)


def _chips(cents: Value) -> str:
    return format_chips(int(cents))


_WRITTEN: Final[Mapping[str, Callable[[Value], str]]] = {"card": card_sign, "chips": _chips}


class Refusal(CasinoError):
    """A refusal with its reason. The sentence is made when it is read: most never are.

    >>> Refused(RefusalReason("no_table", "unknown_table", "there is no table {table}"), table="t9")
    Refused('there is no table t9')
    """

    def __init__(self, why: RefusalReason, /, **values: Value) -> None:
        super().__init__(why)
        self.why = why
        self.code = why.code
        self.values = values

    @property
    def reason(self) -> str:
        """The stable name of the sentence."""
        return self.why.name

    @property
    def article(self) -> str:
        """The article of the rules it rests on, if any."""
        return self.why.article

    @property
    def message(self) -> str:
        """The English sentence."""
        return self.why.format(self.values)

    def json(self) -> dict[str, Any]:
        """Return the refusal as clients receive it."""
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
        """Rebuild a refusal from JSON, keeping its sentence exactly as received."""
        sentence = str(message.get("message", "it is refused")).replace("{", "(").replace("}", ")")
        code = str(message.get("code", "bad_request"))
        why = RefusalReason(
            str(message.get("reason", code)), code, sentence, str(message.get("article", ""))
        )
        return cls(why, **message.get("values", {}))

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.message!r})"

    def __reduce__(self) -> tuple[Callable[..., Refusal], tuple[Any, ...]]:
        return _again, (type(self), self.why, self.values)


def _again(kind: type[Refusal], why: RefusalReason, values: Mapping[str, Value]) -> Refusal:
    """Rebuild a refusal from a pickle."""
    return kind(why, **values)


class IllegalAction(Refusal):
    """An action the rules refuse."""

    code = "illegal_action"


class Refused(Refusal):
    """A command that the casino refuses; nothing has changed."""


class WorkersLostError(CasinoError):
    """The worker processes died repeatedly."""

    code = "workers_lost"


class InvariantError(CasinoError):
    """A fault of the program: stop and report."""

    code = "invariant_broken"
