"""Every error the casino raises on purpose, each with a stable code.

CasinoError                 anything below; carries `code` and an exit status
├── BadInput                what was given cannot be read as what it should be
│   ├── BadConfig           a setting, with its file or variable, its table and its key
│   ├── BadCards            a card, a list of cards or a pack
│   ├── BadCut              a contribution to the cut of the pack
│   ├── BadFile             a database, an export, a key or a receipt that cannot be read
│   ├── BadLaws             an unknown law or a value a law cannot take
│   ├── BadPosition         the one-line text of a position
│   ├── BadRecord           a game record, with its line, deal and token
│   └── BadSeed             the seed of a generator
├── IllegalAction           an action the rules refuse, with the article it breaks
├── WorkersLost             the processes that play die again and again
├── Refused                 a command the casino says no to, with the refusal's code
└── InvariantBroken         a fault of the program itself: stop, say where

A message is one sentence that names the place and says what is expected there.
"""

from __future__ import annotations

from typing import Any


class CasinoError(Exception):
    """The root of every deliberate error."""

    code = "error"
    exit_status = 1


class BadInput(CasinoError):
    """Something given from outside cannot be read."""

    code = "bad_input"
    exit_status = 2


class BadConfig(BadInput):
    """A setting nobody knows, or a value a setting cannot take."""

    code = "bad_config"


class BadCards(BadInput):
    """A text that should name cards does not, or names one twice."""

    code = "bad_cards"


class BadCut(BadInput):
    """A contribution to the cut that is no text or is too long."""

    code = "bad_cut"


class BadFile(BadInput):
    """A database, an export, a key or a receipt that cannot be read."""

    code = "bad_file"


class BadLaws(BadInput):
    """A law nobody knows, or a value that law cannot take."""

    code = "bad_laws"


class BadPosition(BadInput):
    """The one-line text of a position cannot be read."""

    code = "bad_position"


class BadRecord(BadInput):
    """A game record that cannot be replayed; `deal` and `token` count from 1, `said` is the token.

    >>> print(BadRecord("illegal_action", "the deal is over", 2, 7, "9H").place("line 3"))
    line 3, deal 2, token 7 (9H)
    """

    exit_status = 1

    def __init__(
        self,
        code: str,
        text: str,
        deal: int | None = None,
        token: int | None = None,
        said: str = "",
    ) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.deal = deal
        self.token = token
        self.said = said

    def place(self, record: str) -> str:
        """Where the fault lies, behind the name of the record."""
        if self.deal is None:
            return record
        return f"{record}, deal {self.deal}, token {self.token} ({self.said})"

    def __reduce__(self) -> tuple[type[BadRecord], tuple[Any, ...]]:
        return BadRecord, (self.code, self.text, self.deal, self.token, self.said)


class BadSeed(BadInput):
    """A seed that is not 32 bytes in hexadecimal digits."""

    code = "bad_seed"


class IllegalAction(CasinoError):
    """An action the rules refuse: `reason` is its code, `article` the rule it breaks."""

    code = "illegal_action"

    def __init__(self, reason: str, article: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason
        self.article = article
        self.text = text

    def __reduce__(self) -> tuple[type[IllegalAction], tuple[str, str, str]]:
        return IllegalAction, (self.reason, self.article, self.text)


class WorkersLost(CasinoError):
    """The processes that were to play simulated games died again and again."""

    code = "workers_lost"


class Refused(CasinoError):
    """A command the casino says no to; nothing has changed by it."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text

    def __reduce__(self) -> tuple[type[Refused], tuple[str, str]]:
        return Refused, (self.code, self.text)


class InvariantBroken(CasinoError):
    """The program contradicts itself; nothing may go on from here."""

    code = "invariant_broken"
