"""Nobody was let bet beyond what he had allowed himself: limits of a day, breaks.

What a player has set himself is folded from his `limit` leaves, what he has staked and not got
back from the entries that moved his wallet; the hold that follows a bet says what it risks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import asdict

from casino.audit.findings import Finding
from casino.audit.sources import ExportSource, FileSource
from casino.bank.leaves import Entry
from casino.bank.ledger import purse
from casino.errors import Refused
from casino.events.kinds import BetAccepted, Event, LimitSet
from casino.limits import DAY_MS, Day, Limits, change, check

CHECK = "limits"


class Wish(NamedTuple):
    """One limit as a player has set it: when, and from when it holds."""

    at: int
    from_ms: int
    key: str
    value: int


class Player:
    """What a player has allowed himself and done today, leaf by leaf."""

    def __init__(self, name: str) -> None:
        self.purse = purse(name)
        self.wishes: list[Wish] = []
        self.today = 0
        self.day = Day()
        self.bet: tuple[int, BetAccepted] | None = None

    def take(self, number: int, leaf: Event) -> Iterator[Finding]:
        """The next leaf that names the player, or moves his chips."""
        today, _ = divmod(leaf.at, DAY_MS)
        if today != self.today:
            self.today, self.day = today, Day()
        if isinstance(leaf, LimitSet):
            yield from self._set(number, leaf)
        elif isinstance(leaf, BetAccepted):
            self.bet = number, leaf
        elif isinstance(leaf, Entry):
            cents = dict(leaf.postings).get(self.purse, 0)
            if leaf.move == "hold" and self.bet is not None:
                yield from self._check(*self.bet, -cents)
                self.bet = None
            self._count(leaf.move, cents)

    def in_force(self, at: int) -> Limits:
        """What holds at a time: of each kind the newest that has begun, unless overtaken before."""
        found: dict[str, Wish] = {}
        waiting: dict[str, Wish] = {}
        for wish in self.wishes:
            for key, one in list(waiting.items()):
                if one.from_ms <= wish.at:
                    found[key] = waiting.pop(key)
            waiting[wish.key] = wish
        found |= {key: wish for key, wish in waiting.items() if wish.from_ms <= at}
        return Limits(**{key: wish.value for key, wish in found.items()})

    def _set(self, number: int, leaf: LimitSet) -> Iterator[Finding]:
        """A limit that the player sets: a lower one holds at once, a higher one in a day."""
        for key, value in asdict(leaf.limits).items():
            if value is None:
                continue
            before = self.in_force(leaf.at)
            due = change(before, before._replace(**{key: value}), leaf.at).from_ms
            if leaf.from_ms != due:
                yield Finding(CHECK, f"{key} holds from {leaf.from_ms}, not from {due}", number)
            self.wishes.append(Wish(leaf.at, leaf.from_ms, key, value))

    def _check(self, number: int, bet: BetAccepted, risk_cents: int) -> Iterator[Finding]:
        """A bet that the player's own limits did not allow."""
        try:
            check(self.in_force(bet.at), self.day, risk_cents, bet.at)
        except Refused as refusal:
            text = f"a bet of {bet.player} was taken that he must be refused: {refusal}"
            yield Finding(CHECK, text, number, bet.game)

    def _count(self, move: str, cents: int) -> None:
        """What a move of his wallet adds to the day."""
        if move not in ("grant", "correct"):
            staked_cents = -cents if move == "hold" else 0
            self.day = Day(self.day.stake_cents + staked_cents, self.day.loss_cents - cents)


def check_limits(source: FileSource | ExportSource, players: set[str]) -> Iterator[Finding]:
    """The bets of players who have limits; `players` have set some, and have bet."""
    known = {name: Player(name) for name in sorted(players)}
    for name, number, leaf in source.about(players) if players else ():
        yield from known[name].take(number, leaf)
