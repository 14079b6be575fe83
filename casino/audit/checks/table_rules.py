"""Check that each game follows the table settings in force when it opened (L19).

A table's first settings apply at once. Later ones apply from the tenth game after the last one
opened, so that the house cannot make settings for a game about to be played. A hosted table keeps
its host, audience and number of games, and opens no game once it is closed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from casino.audit.check import Check, Finding, count_cents, table_of
from casino.audit.checks.ledger import is_valid_name
from casino.events.types import SIDES, BookLocked, GameOpened, TermsSet

GAMES_BEFORE: Final = 10  # new settings apply this many games after the last one opened

_NUMBER: Final = re.compile("[0-9]{1,18}")


class TableRulesCheck(Check):
    """Check of each table's last game number, and its settings in log order."""

    name = "table rules"

    numbers: dict[str, int]
    laid_down: dict[str, list[TermsSet]]

    def __init__(self) -> None:
        self.numbers, self.laid_down = {}, {}
        self.handlers = {TermsSet: self._terms, GameOpened: self._opened, BookLocked: self._locked}

    def settings(self, table: str) -> list[TermsSet]:
        """Return the settings of a table so far, in log order."""
        return self.laid_down.get(table, [])

    def day_cents(self, game: str) -> int:
        """Return the daily limit per player, in cents, at a game's table, or 0 if there is none."""
        table, _, number = game.rpartition("-")
        terms = self.holding(table, int(number)) if _NUMBER.fullmatch(number) else None
        return 0 if terms is None else terms.day_cents

    def _terms(self, number: int, leaf: TermsSet) -> Iterator[Finding]:
        before = self.laid_down.setdefault(leaf.table, [])
        last = self.numbers.get(leaf.table, 0)
        expected = last + GAMES_BEFORE if before else last + 1
        if leaf.from_game != expected:
            text = f"the terms of {leaf.table} apply from game {leaf.from_game}, not {expected}"
            yield Finding("terms", text, number)
        if leaf.abandon not in ("concede", "void"):
            text = f"the terms of {leaf.table} say {leaf.abandon!r} about abandoned games"
            yield Finding("terms", text, number)
        for text in _hosting(before, leaf):
            yield Finding("terms", text, number)
        before.append(leaf)

    def _opened(self, number: int, leaf: GameOpened) -> Iterator[Finding]:
        last = self.numbers.get(leaf.table, 0)
        expected = f"{leaf.table}-{last + 1:06}"
        if leaf.game != expected:
            text = f"game {leaf.game} of table {leaf.table} opens in place of {expected}"
            yield Finding("games", text, number, leaf.game)
            # Continue from the number found, so that a gap is reported only once.
            digits = leaf.game.removeprefix(f"{leaf.table}-")
            if _NUMBER.fullmatch(digits):
                self.numbers[leaf.table] = max(last, int(digits))
            return
        self.numbers[leaf.table] = last + 1
        terms = self.in_force(leaf.table)
        if terms is None:
            yield Finding("terms", "no terms are set for this table", number, leaf.game)
            return
        hosted = self.settings(leaf.table)[-1].hosted
        # `PoulesCheck` knows whether a poule may still be played out.
        if hosted is not None and hosted.closed is not None and hosted.poule is None:
            text = f"the game opens after {leaf.table} was closed"
            yield Finding("terms", text, number, leaf.game)
        elif hosted is not None and 0 < hosted.games <= last:
            text = f"the game opens after the {hosted.games} games of {leaf.table}"
            yield Finding("terms", text, number, leaf.game)
        for name in _broken(terms, leaf):
            text = f"{name} of this game is not the one in the terms"
            yield Finding("terms", text, number, leaf.game)
        for text in _undeclared(terms, leaf):
            yield Finding("bots", text, number, leaf.game)

    def _locked(self, number: int, leaf: BookLocked) -> Iterator[Finding]:
        terms = self.in_force(table_of(leaf.game))
        cents = leaf.cover.house_cents
        if terms is not None and cents > terms.house_cover_cents:
            most = f"but its terms allow {terms.house_cover_cents:,} at most"
            text = f"the house covers {count_cents(cents)}, {most}"
            yield Finding("terms", text, number, leaf.game)

    def in_force(self, table: str) -> TermsSet | None:
        """Return the settings that apply to a table's latest game, or None if none do."""
        return self.holding(table, self.numbers.get(table, 0))

    def holding(self, table: str, number: int) -> TermsSet | None:
        """Return the settings that apply to game `number` at a table, or None if none do yet."""
        holding = [laid for laid in self.settings(table) if laid.from_game <= number]
        return holding[-1] if holding else None


def _hosting(before: list[TermsSet], leaf: TermsSet) -> Iterator[str]:
    """Yield the faults in the hosting part of a table's new settings."""
    hosted = leaf.hosted
    if hosted is not None and hosted.host is not None and not is_valid_name(hosted.host):
        yield f"{hosted.host!r} cannot be a host's name"
    if not before:
        return
    earlier = before[-1].hosted
    if earlier is not None and earlier.closed is not None:
        yield f"{leaf.table} has new terms after it was closed"
    if (hosted and replace(hosted, closed=None)) != (earlier and replace(earlier, closed=None)):
        yield f"the host of {leaf.table}, its audience or its number of games changes"


def _broken(terms: TermsSet, opened: GameOpened) -> Iterator[str]:
    # `PoulesCheck` knows who must play in a poule.
    if terms.hosted is not None and terms.hosted.poule is not None:
        return
    if opened.players.house != terms.house:
        yield "the house's player"
    if opened.bots.challenger is not None and opened.players.challenger != terms.challenger:
        yield "the challenging bot"


def _undeclared(terms: TermsSet, opened: GameOpened) -> Iterator[str]:
    """Yield a fault for each seat whose bot is unnamed or misnamed: no check would replay it."""
    for seat in SIDES:
        bot, player = getattr(opened.bots, seat), getattr(opened.players, seat)
        if bot is None and (seat == "house" or player == terms.challenger):
            yield f"the bot that plays for the {seat} is not named"
        elif bot is not None and bot.name != player:
            yield f"{bot.name} plays for the {seat}, whose player is {player}"
