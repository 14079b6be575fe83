"""Settings of a table: its laws, betting rules, limits, bots and pace."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import asdict

from casino.betting import TRIPLE, BetSizeLimits, BettingRules, Book
from casino.ecarte import Laws, laws_json
from casino.events import factories, types
from casino.events.types import HostedTable, PouleTerms, TermsSet


class PaceSettings(NamedTuple):
    """Pace of a table, in milliseconds.

    The book is open for `betting_ms`; contributions may be revealed for `reveal_ms`. Pauses last
    `action_ms` before a bot's action, `deal_ms` before a deal, `game_ms` before a game. A person
    has `turn_ms` to act and, once a game, at least `grace_ms` after losing the connection.
    """

    betting_ms: int = 20_000
    action_ms: int = 1_200
    deal_ms: int = 4_000
    game_ms: int = 8_000
    turn_ms: int = 30_000
    grace_ms: int = 60_000
    reveal_ms: int = 4_000


class TableSettings(NamedTuple):
    """Settings of a table.

    `challenger` is the bot that plays while no person has the seat, or `""`; it is granted
    `refill_cents` when it cannot pay its stake. The house exposes a card in `slip_permille` of
    1,000 deals. `day_cents` limits a player's risk per day; 0 means no limit. `hosted` is None for
    tables from the configuration.
    """

    name: str
    laws: Laws = Laws()
    gallery: BettingRules = BettingRules()
    limits: BetSizeLimits = BetSizeLimits(100, 100_000, 300_000, 10_000_000)
    stake_cents: int = 1_000
    house_cover_cents: int = 50_000
    house: str = "regle"
    challenger: str = "novice"
    refill_cents: int = 1_000_000
    abandon: str = "concede"
    slip_permille: int = 0
    day_cents: int = 0
    pace: PaceSettings = PaceSettings()
    hosted: HostedTable | None = None

    @property
    def is_closed(self) -> bool:
        """Whether this is a hosted table that has been closed."""
        return self.hosted is not None and self.hosted.closed is not None

    @property
    def poule(self) -> PouleTerms | None:
        """The terms of the table's poules, or None if it plays single games."""
        return None if self.hosted is None else self.hosted.poule

    @property
    def challengers(self) -> tuple[str, ...]:
        """The bots that may play in the challenger's seat."""
        others = (self.house, *self.poule.others) if self.poule else ()
        return (*others, self.challenger)

    @property
    def stake_risk_cents(self) -> int:
        """What each of the two players puts in escrow, because a triple may be lost (G13)."""
        return TRIPLE * self.stake_cents

    def book(self, challenger: str) -> Book:
        """Return an empty book with these betting rules, limits and stake."""
        return Book(challenger, self.stake_cents, self.gallery, self.limits)


# Settings that apply later, each with the first game that it applies to.
PlannedSettings: TypeAlias = tuple[tuple[int, TableSettings], ...]


def settings_at(
    rules: TableSettings, coming: PlannedSettings, number: int
) -> tuple[TableSettings, PlannedSettings]:
    """Return the settings that apply to game `number`, and those that apply only later."""
    begun = [planned for first, planned in coming if first <= number]
    later = tuple(planned for planned in coming if planned[0] > number)
    return begun[-1] if begun else rules, later


class GrantPolicy(NamedTuple):
    """Chips granted to the house and to new players; refills raise a wallet to `refill_cents`."""

    bank_cents: int = 100_000_000
    opening_cents: int = 100_000
    refill_cents: int = 20_000
    refill_ms: int = 4 * 3_600_000


# Fields that settings and their event have in common.
_PLAIN: Final = (
    "abandon", "challenger", "day_cents", "hosted", "house", "house_cover_cents", "refill_cents",
    "slip_permille", "stake_cents",
)  # fmt: skip


def to_event(rules: TableSettings, from_game: int) -> TermsSet:
    """Convert settings to the `TermsSet` event that applies them from game `from_game` on."""
    return TermsSet(
        table=rules.name,
        from_game=from_game,
        laws=msgspec.convert(laws_json(rules.laws), types.GameLaws),
        gallery=types.BettingLaws(**rules.gallery._asdict()),
        limits=types.UnitLimits(**rules.limits._asdict()),
        pace=types.Pacing(**rules.pace._asdict()),
        **{name: getattr(rules, name) for name in _PLAIN},
    )


def from_event(terms: TermsSet) -> TableSettings:
    """Convert a `TermsSet` event back to settings."""
    return TableSettings(
        name=terms.table,
        laws=factories.laws_from_event(terms.laws),
        gallery=factories.betting_rules_from_event(terms.gallery),
        limits=BetSizeLimits(**asdict(terms.limits)),
        pace=PaceSettings(**asdict(terms.pace)),
        **{name: getattr(terms, name) for name in _PLAIN},
    )
