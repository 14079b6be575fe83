"""Check that bets stay within the players' own limits and the tables' daily limits.

Players set their own limits by `limit` leaves. Stakes and losses are summed from the entries that
change a player's wallet. The `hold` entry after a bet gives the amount at risk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

from msgspec.structs import asdict

from casino.audit.report import Finding
from casino.errors import Refused
from casino.events.types import BetAccepted, Event, LimitSet
from casino.ledger.accounts import spending_account
from casino.ledger.entries import WALLET, Entry
from casino.player_limits import DAY_MS, Day, PlayerLimits, change, check

CHECK = "limits"

DayCents: TypeAlias = Callable[[str], int]  # daily limit at a game's table, 0 if none


def unlimited(_: str) -> int:
    """Return 0 for every game, which means no daily limit."""
    return 0


class LimitChange(NamedTuple):
    """A new value of a player's limit, with the times when it was set and when it takes effect."""

    at: int
    from_ms: int
    key: str
    value: int


class DayTotals(NamedTuple):
    """A player's stakes and losses in one UTC day; `number` counts days since 1970."""

    number: int = 0
    day: Day = Day()

    def at(self, at_ms: int) -> DayTotals:
        """Return these totals if `at_ms` is on the same day, else empty totals for its day."""
        number, _ = divmod(at_ms, DAY_MS)
        return self if number == self.number else DayTotals(number)

    def plus(self, move: str, cents: int) -> DayTotals:
        """Return the totals after a wallet change; grants and corrections do not count."""
        if move in ("grant", "correct"):
            return self
        staked_cents = -cents if move == "hold" else 0
        before = self.day
        return DayTotals(
            self.number, Day(before.stake_cents + staked_cents, before.loss_cents - cents)
        )


NO_DAY: Final = DayTotals()


class LimitedPlayer:
    """A player's limits and daily totals, updated leaf by leaf."""

    def __init__(self, name: str, today: DayTotals = NO_DAY, most: DayCents = unlimited) -> None:
        self.wallet = spending_account(name)
        self.most = most
        self.held: dict[str, LimitChange] = {}
        self.waiting: dict[str, LimitChange] = {}
        self.today = today
        self.bet: tuple[int, BetAccepted] | None = None

    def check_next(self, number: int, leaf: Event) -> Iterator[Finding]:
        """Check the next leaf that names the player or changes their wallet."""
        self.today = self.today.at(leaf.at)
        if isinstance(leaf, LimitSet):
            yield from self._set(number, leaf)
        elif isinstance(leaf, BetAccepted):
            self.bet = number, leaf
        elif isinstance(leaf, Entry):
            cents = dict(leaf.postings).get(self.wallet, 0)
            if leaf.move == "hold" and self.bet is not None:
                yield from self._check(*self.bet, -cents)
                self.bet = None
            self.today = self.today.plus(leaf.move, cents)

    def limits_at(self, at: int) -> PlayerLimits:
        """Return the limits in force at a time (milliseconds)."""
        begun = {key: wish for key, wish in self.waiting.items() if wish.from_ms <= at}
        return PlayerLimits(**{key: wish.value for key, wish in (self.held | begun).items()})

    def add_limit(self, wish: LimitChange) -> None:
        """Record a new limit, which replaces a pending one of the same kind."""
        # A limit that took effect in the meantime must survive its replacement.
        for key, change_set in list(self.waiting.items()):
            if change_set.from_ms <= wish.at:
                self.held[key] = self.waiting.pop(key)
        self.waiting[wish.key] = wish

    def _set(self, number: int, leaf: LimitSet) -> Iterator[Finding]:
        """Check that stricter limits take effect at once, and looser ones a day later."""
        for key, value in asdict(leaf.limits).items():
            if value is None:
                continue
            before = self.limits_at(leaf.at)
            expected = change(before, before._replace(**{key: value}), leaf.at).from_ms
            if leaf.from_ms != expected:
                yield Finding(
                    CHECK, f"{key} holds from {leaf.from_ms}, not from {expected}", number
                )
            self.add_limit(LimitChange(leaf.at, leaf.from_ms, key, value))

    def _check(self, number: int, bet: BetAccepted, risk_cents: int) -> Iterator[Finding]:
        most_cents, risked_cents = self.most(bet.game), self.today.day.stake_cents + risk_cents
        if most_cents and risked_cents > most_cents:
            fault = (
                f"{bet.player} could risk {risked_cents} cents in a day, by the terms {most_cents}"
            )
            yield Finding(CHECK, fault, number, bet.game)
        try:
            check(self.limits_at(bet.at), self.today.day, risk_cents, bet.at)
        except Refused as refusal:
            text = f"a bet of {bet.player} was taken that had to be refused: {refusal}"
            yield Finding(CHECK, text, number, bet.game)


class LimitedPlayers(NamedTuple):
    """The players whose limits are checked: everyone, if any table has a daily limit."""

    players: frozenset[str]
    are_all: bool

    def has(self, player: str) -> bool:
        """Return True if a player's limits are checked."""
        return self.are_all or player in self.players


class LimitEvents(NamedTuple):
    """The leaves of a range that concern limits, and every player's daily totals.

    All totals are kept because a player may set a first limit after staking that day.
    """

    named: list[tuple[str, int, Event]]
    days: dict[str, DayTotals]


NO_ACTS: Final = LimitEvents([], {})


class LimitEventCollector:
    """Collector of those leaves in a range that are needed to check limits."""

    def __init__(self, limited: LimitedPlayers) -> None:
        self.limited = limited
        self.acts = LimitEvents([], {})

    def add_leaf(self, number: int, leaf: LimitSet | BetAccepted) -> None:
        """Collect a limit or a bet of a player whose limits this check covers."""
        if self.limited.has(leaf.player):
            self.acts.named.append((leaf.player, number, leaf))

    def add_entry(self, number: int, leaf: Entry) -> None:
        """Add wallet changes to the daily totals, and collect the entry for limited players."""
        days = self.acts.days
        for account, cents in leaf.postings:
            if account.startswith(WALLET):
                player = account[len(WALLET) :]
                days[player] = days.get(player, NO_DAY).at(leaf.at).plus(leaf.move, cents)
                if self.limited.has(player):
                    self.acts.named.append((player, number, leaf))


class LimitsCheck:
    """Check of all players' limits in a monitored log, range by range."""

    def __init__(self) -> None:
        self.players: dict[str, LimitedPlayer] = {}
        self.days: dict[str, DayTotals] = {}

    def check_range(self, acts: LimitEvents, most: DayCents = unlimited) -> Iterator[Finding]:
        """Check the bets in the next range, then add its daily totals."""
        for name, number, leaf in acts.named:
            if name not in self.players:
                # Stakes from earlier that day count, even those before the first limit.
                self.players[name] = LimitedPlayer(name, self.days.get(name, NO_DAY))
            self.players[name].most = most
            yield from self.players[name].check_next(number, leaf)
        for name, today in acts.days.items():
            before = self.days.get(name, NO_DAY)
            is_same = before.number == today.number
            self.days[name] = _sum(before, today) if is_same else today

    def forget_days_before(self, at: int) -> None:
        """Drop the totals of days that ended before a time (milliseconds)."""
        now = NO_DAY.at(at).number
        self.days = {name: today for name, today in self.days.items() if today.number == now}


def _sum(totals: DayTotals, other: DayTotals) -> DayTotals:
    stakes = totals.day.stake_cents + other.day.stake_cents
    return DayTotals(totals.number, Day(stakes, totals.day.loss_cents + other.day.loss_cents))


def check_limits(
    about: Callable[[set[str]], Iterable[tuple[str, int, Event]]],
    players: set[str],
    most: DayCents = unlimited,
) -> Iterator[Finding]:
    """Check the bets of some players; `about` yields the leaves of each player in log order."""
    known = {name: LimitedPlayer(name, most=most) for name in sorted(players)}
    for name, number, leaf in about(players) if players else ():
        yield from known[name].check_next(number, leaf)
