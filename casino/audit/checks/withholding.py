"""Check withheld contributions: who withheld them, which arrived late, and who benefited.

A contribution may arrive up to a day after its book has closed. A game with missing contributions
stays in memory until all have arrived or the day is over; then only totals by player are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from itertools import takewhile
from math import comb
from typing import Final

import msgspec

from casino import betting, fairness
from casino.audit.check import (
    ENDS,
    NOTE,
    WARNING,
    Check,
    Decide,
    Finding,
    Game,
    GameLeaf,
    RunningGames,
    table_of,
)
from casino.audit.checks.bots import play
from casino.audit.checks.table_rules import TableRulesCheck
from casino.ecarte import SEATS, Seat
from casino.errors import CasinoError, ContributionError
from casino.events.game_record import FinishedGame, closing_of, finished_game
from casino.events.types import CutLate, GameOver, GameVoid
from casino.player_limits import DAY_MS

CHANCE: Final = Fraction(1, 1000)  # p-value below which an audit warns

# The leaves that determine a game's contributions and its play.
_TELLING: Final = frozenset(
    ("game_opened", "cut", "bet", "book_locked", "cut_opened", "betting_closed", *ENDS)
)


class UnrevealedGame(msgspec.Struct):
    """A finished game with withheld contributions, and the ones that came late, by number."""

    game: str
    rows: list[GameLeaf]
    late: dict[int, GameLeaf] = {}

    @property
    def seals(self) -> list[tuple[str, str]]:
        """Each commitment with its player, in order, as (player, hash)."""
        leaves = [row.leaf for row in self.rows if row.leaf.kind in ("bet", "cut")]
        return [(leaf.player, leaf.seal) for leaf in leaves if leaf.seal is not None]

    @property
    def closed(self) -> GameLeaf:
        """The leaf that closed the book."""
        return max(row for row in self.rows if row.leaf.kind == "betting_closed")

    @property
    def missing(self) -> dict[int, str]:
        """The numbers of the contributions not revealed yet, mapped to their players."""
        seals, withheld = self.seals, self.closed.leaf.withheld
        known = (n for n in withheld if 0 < n <= len(seals) and n not in self.late)
        return {number: seals[number - 1][0] for number in known}

    def is_over(self, at: int) -> bool:
        """Return True if all contributions have arrived, or it is too late for the others."""
        return not self.missing or at > self.closed.leaf.at + DAY_MS

    def late_fault(self, row: GameLeaf) -> str:
        """Return the fault in a late contribution, or "" if it is valid."""
        leaf, closed = row.leaf, self.closed
        if leaf.number not in self.missing:
            return f"text {leaf.number} was not withheld, or came late twice"
        if not closed.leaf.at <= leaf.at <= closed.leaf.at + DAY_MS or row.n < closed.n:
            return f"text {leaf.number} came more than a day after the closing"
        player, seal = self.seals[leaf.number - 1]
        with suppress(ContributionError):
            text = fairness.check_contribution(leaf.text)
            if fairness.commitment_to(leaf.game, player, text) == seal:
                return ""
        return f"the late text does not match the seal of {player}"


# Errors in replaying a game whose leaves are forged, or whose bot's decisions cannot be recomputed;
# `check_game` reports both.
NOT_PLAYED_AGAIN: Final = (CasinoError, ValueError, IndexError, KeyError)


class WithholdingTally(msgspec.Struct):
    """An account's total gain in cents, and counts of games with a gain and with any change."""

    cents: int = 0
    ups: int = 0
    changes: int = 0


def is_beyond_chance(ups: int, changes: int) -> bool:
    """Return True if gains are too frequent to be chance (a one-sided sign test).

    >>> is_beyond_chance(9, 9), is_beyond_chance(10, 10), is_beyond_chance(10, 11)
    (False, True, False)
    """
    return Fraction(sum(comb(changes, n) for n in range(ups, changes + 1)), 2**changes) < CHANCE


class WithholdingCheck(Check):
    """Check of all withheld contributions in a log, game by game.

    The `open` games still lack some; of closed games, totals per player and account are kept.
    """

    name = "withholding"

    open: dict[str, UnrevealedGame]
    shut: dict[str, int]
    never: dict[str, int]
    tallies: dict[str, WithholdingTally]

    def __init__(self, rules: TableRulesCheck, games: RunningGames, decide: Decide | None) -> None:
        self.open, self.shut, self.never, self.tallies = {}, {}, {}, {}
        self._rules = rules
        self._games = games
        self._decide = decide
        self.handlers = dict.fromkeys((CutLate, GameOver, GameVoid), self._late_or_end)

    def _late_or_end(self, number: int, leaf: CutLate | GameOver | GameVoid) -> Iterator[Finding]:
        yield from self.advance_to(leaf.at)
        # A late contribution to an unfinished game is among that game's leaves.
        if type(leaf) is CutLate and not self._games.is_open(leaf.game):
            yield from self._check_late(GameLeaf(number, leaf))

    def on_game(self, game: Game) -> Iterator[Finding]:
        """Keep a game with withheld contributions, some of which may have arrived late."""
        kinds = {row.leaf.kind: row.leaf for row in game.rows}
        if kinds.keys().isdisjoint(ENDS):
            return
        closed = kinds.get("betting_closed")
        if closed is not None and closed.withheld:
            rows = [row for row in game.rows if row.leaf.kind in _TELLING]
            lacking = UnrevealedGame(game.name, rows)
            if missing := lacking.missing:
                self.open[game.name] = lacking
                count(self.shut, missing.values())
        for row in game.rows:
            if row.leaf.kind == "cut_late":
                yield from self._check_late(row)

    def advance_to(self, at: int) -> Iterator[Finding]:
        """Close the games whose day for late contributions is over by `at` (milliseconds)."""
        # The games are roughly in the order of closing, so stop at the first that may still wait.
        for game in list(takewhile(lambda game: game.is_over(at), self.open.values())):
            yield from self._end(game)

    def _check_late(self, row: GameLeaf) -> Iterator[Finding]:
        game = self.open.get(row.leaf.game)
        text = "a late text came for a game that lacks none, or that closed more than a day ago"
        if game is None or (text := game.late_fault(row)):
            yield Finding("cuts", text, row.n, row.leaf.game)
            return
        game.late[row.leaf.number] = row
        yield from self._end(game) if game.is_over(row.leaf.at) else ()

    def finish(self) -> Iterator[Finding]:
        """Close all games that still lack contributions at the end of the log."""
        for game in list(self.open.values()):
            yield from self._end(game)

    def statistics(self) -> Iterator[Finding]:
        """Report how often each player withheld a contribution, and which accounts gained."""
        if self._decide is None:
            return
        never = Counter(self.never)
        for game in self.open.values():
            never.update(game.missing.values())
        for player, times in sorted(self.shut.items()):
            text = f"{player} withheld {_times(times, never[player])}"
            yield Finding("silence", text, severity=NOTE)
        for account, tally in sorted(self.tallies.items()):
            text = f"withholding moved {tally.cents:+} cents to {account} in {tally.changes} games"
            # If no one knew the decks, a gain and a loss would be equally likely.
            is_suspect = is_beyond_chance(tally.ups, tally.changes)
            if is_suspect:
                text += ", which chance does not explain"
            yield Finding("silence", text, severity=WARNING if is_suspect else NOTE)

    def _end(self, game: UnrevealedGame) -> Iterator[Finding]:
        del self.open[game.game]
        count(self.never, game.missing.values())
        if self._decide is None or not game.late:
            return
        terms = self._rules.settings(table_of(game.game))
        late = {number: row.leaf.text for number, row in game.late.items()}
        with suppress(*NOT_PLAYED_AGAIN):
            played = finished_game((row.leaf for row in game.rows), terms)
            # The effect is known only if two bots finished the game.
            if played is None or not isinstance(played.end, GameOver):
                return
            winner, other, gains = effect_of_late(played, late, self._decide)
            for account, cents in gains.items():
                tally = self.tallies.setdefault(account, WithholdingTally())
                tally.cents += cents
                tally.ups += cents > 0
                tally.changes += 1
            moved = ", ".join(f"{name} {cents:+}" for name, cents in gains.items()) or "nothing"
            names = ", ".join(game.seals[number - 1][0] for number in sorted(late))
            text = f"{names} withheld texts: {SEATS[winner]} won, {SEATS[other]} would have"
            text += f"; moved in cents: {moved}"
            yield Finding("silence", text, game.closed.n, game.game, severity=NOTE)


def count(counts: dict[str, int], names: Iterable[str]) -> None:
    """Add one to the count of each name."""
    for name in names:
        counts[name] = counts.get(name, 0) + 1


def _times(withheld: int, never: int) -> str:
    texts = f"{withheld} sealed texts" if withheld > 1 else "one sealed text"
    if never == withheld:
        return f"{texts} for good"
    return f"{texts}, {never} of them for good" if never else f"{texts}, but not for good"


def effect_of_late(
    game: FinishedGame, late: Mapping[int, str], decide: Decide
) -> tuple[Seat, Seat, dict[str, int]]:
    """Return who won, who would have won with the late contributions, and who gained how much.

    The gains are each account's actual result minus the other one, in cents.
    """
    # Two replays, without and with the late texts; texts never revealed are missing in both.
    winner, was = _came_to(game, decide)
    other, would_be = _came_to(game._replace(texts={**game.texts, **late}), decide)
    names = sorted({*was, *would_be})
    gains = {name: was[name] - would_be[name] for name in names if was[name] != would_be[name]}
    return winner, other, gains


def _came_to(game: FinishedGame, decide: Decide) -> tuple[Seat, Counter[str]]:
    winner, times = play(game, decide)
    closing = closing_of(game)
    if closing is None:
        raise ValueError("the book was never closed")
    settled = betting.settle(closing, winner, times)
    net: Counter[str] = Counter()
    for outcome in (*settled.principals, *settled.bets):
        net[outcome.bet.bettor] += outcome.gain_cents - outcome.commission_cents
        net["commission"] += outcome.commission_cents
    return winner, net
