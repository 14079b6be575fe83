"""Rules for player names, which must be readable and not confusable with others.

Two names are confusable if they have the same skeleton, in which each character is replaced by a
representative of those that look like it (UTS 39, confusables). `lookalikes.txt` is Unicode's table
without the characters that are refused anyway; `scripts.txt` lists each character's scripts. No
well-maintained library contains the table.
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

from casino.config import BOT_NAMES
from casino.errors import RefusalReason, Refused
from casino.ledger import accounts
from casino.table.runtime.simulated_bettors import STAR
from casino.web.i18n import LANGUAGES, load_translations

LOOKS_LIKE_ANOTHER: Final = RefusalReason(
    "looks_like_another",
    "name_taken",
    "{name} looks like {other}: choose another name, or if {other} is yours, write it like that",
)
LOOKS_LIKE_THE_HOUSE: Final = RefusalReason(
    "looks_like_the_house",
    "name_taken",
    "{name} looks like a name of the house: choose another name",
)
STARRED_NAME: Final = RefusalReason(
    "starred_name",
    "name_taken",
    "only bot spectators have a star in their names: choose a name without one",
)
HIDDEN_LETTERS: Final = RefusalReason(
    "hidden_letters", "bad_request", "use ordinary letters in your name, all of them visible"
)
MIXED_LETTERS: Final = RefusalReason(
    "mixed_letters", "bad_request", "use the letters of one language in your name"
)

# Reserved names, which could be mistaken for the casino itself.
HOUSE: Final = (
    "house", "challenger", "dealer", "elder", "treasury", "bank", "wallet", "escrow", "commission",
    "casino", "croupier", "clerk", "gallery", "nobody", "admin", "operator", "moderator", "support",
)  # fmt: skip

_BOTS: Final[dict[str, tuple[str, str]]] = json.loads(
    (Path(__file__).parent / "data/bots.json").read_bytes()
)
_LOOKALIKES: Final = Path(__file__).parent / "data/lookalikes.txt"
_SCRIPTS: Final = Path(__file__).parent / "data/scripts.txt"
# Scripts that a name may mix (UTS 39, "highly restrictive").
_TOGETHER: Final = (
    frozenset({"Latn", "Hani", "Hira", "Kana"}),
    frozenset({"Latn", "Hani", "Bopo"}),
    frozenset({"Latn", "Hani", "Hang"}),
)

# Characters that count as printable but are invisible.
_INVISIBLE: Final = re.compile(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\ufe00-\ufe0f"
    r"\U0001d159\U000e0100-\U000e01ef]"
)


class UsernameRegistry:
    """Names that are taken or reserved, indexed by skeleton."""

    def __init__(self, house: Iterable[str], players: Iterable[str]) -> None:
        self._taken: dict[str, str] = {}
        self._players: set[str] = set()
        for name in (*HOUSE, *house):
            self._taken |= dict.fromkeys(_keys(name), "")
        for name in sorted(players):
            self.add(name)

    def check(self, name_given: str) -> str:
        """Normalise a name; raise `Refused` if it is neither a player's nor allowed and free."""
        name = unicodedata.normalize("NFC", " ".join(name_given.split()))
        if name in self._players:
            return name
        check_readable(name)
        for owner in (self._taken[key] for key in _keys(name) if key in self._taken):
            if owner:
                raise Refused(LOOKS_LIKE_ANOTHER, name=name, other=owner)
            raise Refused(LOOKS_LIKE_THE_HOUSE, name=name)
        return name

    def add(self, name: str) -> None:
        """Take a name and its look-alikes."""
        self._players.add(name)
        for key in _keys(name):
            self._taken.setdefault(key, name)


def bot_names() -> set[str]:
    """Return the ids of the bots and their display names in all languages."""
    shown = {name for names in _BOTS.values() for name in names}
    catalogues = map(load_translations, LANGUAGES)
    return {*BOT_NAMES, *shown, *(words.gettext(name) for words in catalogues for name in shown)}


def display_name(bot: str, house: str = "") -> str:
    """Return a bot's name, the second against itself, as static/js/felt/avatars.js shows it."""
    name = bot.partition(":")[2] or bot  # a custom bot's class
    first, second = _BOTS.get(bot, (name, name))
    return second if bot == house else first


def check_readable(name: str) -> None:
    """Refuse a name with invisible characters, mixed scripts, or a star."""
    accounts.check_name(name)
    # Browsers resolve the dots in /player/.. before they send the request.
    is_dots = not name.strip(".")
    if is_dots or unicodedata.normalize("NFKC", name) != name or _INVISIBLE.search(name):
        raise Refused(HIDDEN_LETTERS)
    if not _is_of_one_script(name):
        raise Refused(MIXED_LETTERS)
    stars = ["ASTERISK" in unicodedata.name(character, "") for character in name]
    if any(stars) or STAR in skeleton(name):
        raise Refused(STARRED_NAME)


def skeleton(name: str) -> str:
    """Return a key that is equal for names that look alike, ignoring case."""
    return _skeleton(_skeleton(name).casefold())


def _keys(name: str) -> tuple[str, str]:
    # A capital may resemble a letter other than its lower case, as I resembles l and Н resembles H:
    # the second skeleton folds case before it replaces look-alikes.
    return skeleton(name), skeleton(name.casefold())


def _skeleton(name: str) -> str:
    table = _lookalikes()
    mapped = "".join(
        table.get(character, character) for character in unicodedata.normalize("NFD", name)
    )
    return unicodedata.normalize("NFD", mapped)


def _is_of_one_script(name: str) -> bool:
    own = [scripts for scripts in map(scripts_of, name) if scripts]
    if not own or frozenset.intersection(*own):
        return True
    return any(all(scripts & together for scripts in own) for together in _TOGETHER)


def scripts_of(character: str) -> frozenset[str]:
    """Return a character's scripts as ISO 15924 codes; a digit, for example, has none."""
    firsts, runs = _scripts()
    first, last, scripts = runs[max(0, bisect(firsts, ord(character)) - 1)]
    return scripts if first <= ord(character) <= last else frozenset()


@cache
def _lookalikes() -> dict[str, str]:
    return {look: stands for stands, looks in _rows(_LOOKALIKES) for look in looks}


@cache
def _scripts() -> tuple[list[int], list[tuple[int, int, frozenset[str]]]]:
    runs = []
    for scripts, spans in _rows(_SCRIPTS):
        for span in spans.split():
            first, _, last = span.partition("-")
            runs.append((int(first, 16), int(last or first, 16), frozenset(scripts.split())))
    runs.sort(key=lambda run: run[0])
    return [first for first, _, _ in runs], runs


def _rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8") as lines:
        return [line.rstrip("\n").split("\t") for line in lines if not line.startswith("#")]
