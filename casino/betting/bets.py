"""Persistent list of a book's bets, with running totals by bettor and by side.

>>> bets = Bets().with_bet(Bet(1, "ben", HOUSE, 300)).with_bet(Bet(2, "cy", CHALLENGER, 200))
>>> more = bets.with_bet(Bet(3, "ben", HOUSE, 50))
>>> more.totals_of("ben"), more.totals_cents, bets.totals_of("ben"), bets.totals_cents
((350, 0), (350, 200), (300, 0), (300, 200))
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias, overload

from casino.ecarte import CHALLENGER, HOUSE, Seat

SideTotals: TypeAlias = tuple[int, int]  # cents on the house and on the challenger


class Bet(NamedTuple):
    """A bet in the book, numbered from 1 by `order`; 0 marks a principal's own stake."""

    order: int
    bettor: str
    side: Seat
    unit_cents: int


class Bets(Sequence[Bet]):
    """Persistent list: adding a bet returns a new list in constant time.

    A list shares storage with the longer lists that extend it, and ignores their later bets. If
    a second, different bet is added to the same list, the list is copied.
    """

    __slots__ = ("_all", "_length", "_of", "totals_cents")

    _all: list[Bet]
    _length: int
    _of: dict[str, list[tuple[int, SideTotals]]]
    totals_cents: SideTotals

    def __init__(self, bets: Iterable[Bet] = ()) -> None:
        self._all, self._of = [], {}
        self._length, self.totals_cents = 0, (0, 0)
        for bet in bets:
            self._note(bet)
            self._length, self.totals_cents = self._length + 1, _more(self.totals_cents, bet)

    def with_bet(self, bet: Bet) -> Bets:
        """Return a list with one more bet."""
        if len(self._all) == self._length:
            self._note(bet)
        # Another list already extends this one: share its next bet if equal, else copy.
        elif self._all[self._length] != bet:
            return Bets((*self, bet))
        longer = Bets.__new__(Bets)
        longer._all, longer._of = self._all, self._of
        longer._length, longer.totals_cents = self._length + 1, _more(self.totals_cents, bet)
        return longer

    def totals_of(self, bettor: str) -> SideTotals:
        """Return the cents that a bettor has staked on each side."""
        for length, totals_cents in reversed(self._of.get(bettor, ())):
            # Later totals belong to longer lists in the same storage.
            if length <= self._length:
                return totals_cents
        return 0, 0

    def _note(self, bet: Bet) -> None:
        account = self._of.setdefault(bet.bettor, [])
        before = account[-1][1] if account else (0, 0)
        account.append((self._length + 1, _more(before, bet)))
        self._all.append(bet)

    @overload
    def __getitem__(self, index: int) -> Bet: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Bet, ...]: ...
    def __getitem__(self, index: int | slice) -> Bet | tuple[Bet, ...]:
        return tuple(self)[index]

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Bet]:
        return iter(self._all[: self._length])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Bets, tuple)) and tuple(self) == tuple(other)


def side_totals(bets: Iterable[Bet]) -> SideTotals:
    """Return the total units on the house and on the challenger; constant time for `Bets`."""
    if isinstance(bets, Bets):
        return bets.totals_cents
    totals = [0, 0]
    for bet in bets:
        totals[bet.side] += bet.unit_cents
    return totals[HOUSE], totals[CHALLENGER]


def _more(totals_cents: SideTotals, bet: Bet) -> SideTotals:
    house_cents, challenger_cents = totals_cents
    if bet.side == HOUSE:
        return house_cents + bet.unit_cents, challenger_cents
    return house_cents, challenger_cents + bet.unit_cents
