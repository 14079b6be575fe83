"""Check each poule: the order drawn, who plays, who has won, and that the pool is paid once.

The rotation is reimplemented here, because the audit shares no code with the tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final, TypeAlias

import msgspec

from casino import fairness
from casino.audit.check import WARNING, Check, Finding, RunningGames, table_of
from casino.audit.checks.seats import SeatsCheck
from casino.audit.checks.table_rules import TableRulesCheck
from casino.events import types as events
from casino.ledger.accounts import HOUSE, HOUSE_BANK, escrow, spending_account

MIN_ENTRANTS: Final = 3
MAX_ENTRANTS: Final = 8

Postings: TypeAlias = tuple[tuple[str, int], ...]


class OpenPoule(msgspec.Struct):
    """A running poule, with its entrants in the order drawn.

    `line` holds indexes into `entrants`: the first two play next, and the first has won the last
    `wins` games. `drawn_from` lists the entrants before the draw. `player` is the person who plays
    in it, if any. `is_lost` is set once the secrets of a game are lost.
    """

    game: str
    entrants: list[str]
    player: str | None
    terms: events.PouleTerms
    drawn_from: list[str]
    line: list[int]
    wins: int = 0
    is_lost: bool = False

    @property
    def person(self) -> int:
        """The person's index in `entrants`, or -1 if only bots play."""
        return -1 if self.player is None else self.entrants.index(self.player)

    @property
    def is_won(self) -> bool:
        """Whether the first in line has won as many games in a row as the terms require."""
        return self.wins >= self.terms.wins

    def seats(self) -> tuple[int, int]:
        """Return the indexes of the next game's house and challenger; a person challenges."""
        first, second = self.line[0], self.line[1]
        return (second, first) if first == self.person else (first, second)


class PoulesCheck(Check):
    """Check of all poules, run after the check of the seats because it needs the queues.

    `running` has the running poule at each table, and `entry` the poule, move and postings of the
    entry due next.
    """

    name = "poules"

    running: dict[str, OpenPoule]
    entry: tuple[str, str, Postings] | None

    def __init__(self, rules: TableRulesCheck, seats: SeatsCheck, games: RunningGames) -> None:
        self.running, self.entry = {}, None
        self._rules = rules
        self._seats = seats
        self._games = games
        self.handlers = {
            events.TermsSet: self._terms,
            events.SeatChanged: self._seat,
            events.PouleOpened: partial(self._step, self._opened),
            events.GameOpened: partial(self._step, self._game),
            events.GameOver: partial(self._step, _ended),
            events.GameVoid: partial(self._step, _ended),
            events.PouleOver: self._closed,
            events.PouleVoid: self._closed,
            events.Entry: self._entry,
        }

    def _seat(self, _: int, leaf: events.SeatChanged) -> tuple[()]:
        if leaf.what == "left":
            poule = self.running.get(leaf.table)
            if poule is not None and leaf.player == poule.player:
                if poule.line[0] == poule.person:
                    poule.wins = 0
                poule.line = [index for index in poule.line if index != poule.person]
        return ()

    def _step(
        self, check: Callable[[Any, OpenPoule | None], Iterable[str]], number: int, leaf: Any
    ) -> list[Finding]:
        findings = list(self._missing_entry())
        poule = self.running.get(table_of(leaf.game))
        return findings + _findings(number, leaf.game, check(leaf, poule))

    def finish(self) -> Iterator[Finding]:
        """Report each poule that was won but not paid, and a pool entry that is missing."""
        yield from self._missing_entry()
        for poule in self.running.values():
            if poule.is_won:
                yield Finding(
                    "poules", "the poule is won, but its pool is not paid", None, poule.game
                )

    def _missing_entry(self) -> Iterator[Finding]:
        expected, self.entry = self.entry, None
        if expected is not None:
            text = f"the entry that must {expected[1]} the pool is missing"
            yield Finding("poules", text, game=expected[0])

    def _terms(self, number: int, leaf: events.TermsSet) -> list[Finding]:
        terms, texts = _poule_terms(leaf), list[str]()
        if terms is not None:
            entrants = len(terms.others) + 2
            if not MIN_ENTRANTS <= entrants <= MAX_ENTRANTS:
                texts.append(f"a poule cannot have {entrants} entrants")
            if terms.entry_cents < 1 or terms.wins < 1:
                sums = f"{terms.entry_cents} cents and {terms.wins} wins"
                texts.append(f"no poule has an entry of {sums}")
        return _findings(number, leaf.table, texts)

    def _opened(self, leaf: events.PouleOpened, _: OpenPoule | None) -> Iterator[str]:
        last = self._rules.numbers.get(leaf.table, 0)
        if leaf.game != (expected := f"{leaf.table}-p{last + 1:06}"):
            yield f"it begins in place of {expected}"
        if before := self.running.pop(leaf.table, None):
            yield f"it begins before {before.game} is over"
            self._games.poules.discard(before.game)
        if self._is_closed(leaf.table, None):
            yield f"it begins after {leaf.table} was closed"
        laid = self._rules.holding(leaf.table, last + 1)
        terms = _poule_terms(laid)
        if laid is None or terms is None:
            yield "the terms of its table do not provide for poules"
            return
        drawn_from = [laid.house, *terms.others, leaf.player or laid.challenger]
        if Counter(leaf.entrants) != Counter(drawn_from) or "" in leaf.entrants:
            yield f"{', '.join(leaf.entrants)} enter, but the terms name {', '.join(drawn_from)}"
            return
        entrants, line = list(leaf.entrants), list(range(len(leaf.entrants)))
        poule = OpenPoule(leaf.game, entrants, leaf.player, terms, drawn_from, line)
        self.running[leaf.table] = poule
        self._games.poules.add(leaf.game)
        self._expect(poule, "hold")

    def _game(self, leaf: events.GameOpened, poule: OpenPoule | None) -> Iterator[str]:
        if poule is None:
            if _poule_terms(self._rules.in_force(leaf.table)) is not None:
                yield "it belongs to no poule, although its table has only poules"
            return
        if self._is_closed(leaf.table, poule):
            yield f"it opens after {leaf.table} was closed"
        if poule.is_won:
            yield f"it opens although {poule.game} is won"
        if poule.is_lost:
            yield f"it opens although {poule.game} must be void"
        house, challenger = poule.seats()
        expected = poule.entrants[house], poule.entrants[challenger]
        if (leaf.players.house, leaf.players.challenger) != expected:
            actual = f"{leaf.players.house} and {leaf.players.challenger}"
            yield f"{actual} play, but it is the turn of {expected[0]} and {expected[1]}"
        is_person = leaf.bots.challenger is None
        if is_person is not (challenger == poule.person):
            yield f"{leaf.players.challenger} plays as a {'person' if is_person else 'bot'}"

    def _closed(self, number: int, leaf: events.PouleOver | events.PouleVoid) -> Iterator[Finding]:
        yield from self._missing_entry()
        table = table_of(leaf.game)
        poule = self.running.get(table)
        if poule is None or poule.game != leaf.game:
            yield Finding("poules", "no such poule is running", number, leaf.game)
            return
        del self.running[table]
        self._games.poules.discard(poule.game)
        if isinstance(leaf, events.PouleOver):
            yield from _findings(number, leaf.game, _won(poule, leaf.winner))
            has_won = 0 < leaf.winner <= len(poule.entrants)
            winner = leaf.winner - 1 if has_won else poule.line[0]
            self._expect(poule, "settle", winner)
            return
        yield from _findings(number, leaf.game, self._void(table, poule, leaf.reason))
        if leaf.reason == "operator":
            text = "the operator ended this poule, and returned all entries: ask why"
            yield Finding("poules", text, number, leaf.game, severity=WARNING)
        self._expect(poule, "void")

    def _is_closed(self, table: str, poule: OpenPoule | None) -> bool:
        """Return True if a table is closed (by the operator, if a person plays in the poule)."""
        terms = self._rules.settings(table)
        hosted = terms[-1].hosted if terms else None
        if hosted is None or hosted.closed is None:
            return False
        return hosted.closed == "operator" or poule is None or poule.player is None

    def _void(self, table: str, poule: OpenPoule, reason: str) -> Iterator[str]:
        seat = self._seats.tables.get(table)
        running = {table_of(game) for game in self._games.unfinished() if not events.is_poule(game)}
        if table in running:
            yield "it is void while its game runs"
        if reason == "closed" and not self._is_closed(table, poule):
            yield "it is void because its table closes, but it must be played out"
        if (reason == events.SECRETS_LOST) is not poule.is_lost:
            yield f"it is void as {reason}, but its last game is {'not ' * (not poule.is_lost)}lost"
        is_awaited = poule.player is None and seat is not None and bool(seat.queue)
        if reason == "person_enters" and not is_awaited:
            yield "it is void because a person enters, but no person is waiting"

    def _expect(self, poule: OpenPoule, move: str, winner: int = -1) -> None:
        """Remember the ledger entry that must follow; the house's account stands for its bots."""
        sums: Counter[str] = Counter()
        for index, name in enumerate(poule.entrants):
            owner = name if index == poule.person else HOUSE
            into = poule.terms.entry_cents * (1 if move == "hold" else -1)
            sums[escrow(poule.game, owner)] += into
            if move != "settle":
                sums[spending_account(owner)] -= into
        if move == "settle":
            is_person = winner == poule.person
            account = spending_account(poule.entrants[winner]) if is_person else HOUSE_BANK
            sums[account] += len(poule.entrants) * poule.terms.entry_cents
        self.entry = poule.game, move, tuple(sorted(sums.items()))

    def _entry(self, number: int, leaf: events.Entry) -> Iterable[Finding]:
        if not (leaf.game and events.is_poule(leaf.game)):
            return ()
        expected, self.entry = self.entry, None
        if expected == (leaf.game, leaf.move, leaf.postings):
            return ()
        must = "no entry" if expected is None else f"{expected[1]} {list(expected[2])}"
        text = f"{leaf.move} of the pool, but {must} is expected"
        return [Finding("poules", text[:300], number, leaf.game)]


def _findings(number: int, game: str, texts: Iterable[str]) -> list[Finding]:
    return [Finding("poules", text, number, game) for text in texts]


def _poule_terms(terms: events.TermsSet | None) -> events.PouleTerms | None:
    return None if terms is None or terms.hosted is None else terms.hosted.poule


def _ended(leaf: events.GameOver | events.GameVoid, poule: OpenPoule | None) -> Iterator[str]:
    """Rotate the line after a game; after the first, check the draw against the revealed seed."""
    if poule is None:
        return
    if leaf.game == poule.game.replace("-p", "-") and leaf.server_seed:
        seed = bytes.fromhex(leaf.server_seed)
        expected = fairness.poule_order(seed, poule.game, poule.drawn_from)
        if list(expected) != poule.entrants:
            yield f"{', '.join(poule.entrants)} were drawn, but the seed says {', '.join(expected)}"
    if isinstance(leaf, events.GameVoid):
        poule.is_lost = leaf.reason == events.SECRETS_LOST
        return
    winner = poule.seats()[leaf.winner == "challenger"]
    loser = poule.line[1] if poule.line[0] == winner else poule.line[0]
    poule.wins = poule.wins + 1 if poule.line[0] == winner else 1
    poule.line = [winner, *poule.line[2:], loser]


def _won(poule: OpenPoule, winner: int) -> Iterator[str]:
    if not poule.is_won:
        needed = poule.terms.wins
        yield f"it is over after {poule.wins} wins in a row, but the terms require {needed}"
    if winner - 1 != poule.line[0]:
        yield f"this leaf names entrant {winner} as winner, the games entrant {poule.line[0] + 1}"
