"""A table's settings: laws, betting rules, bots, pace."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import asdict

from casino.betting import BetSizeLimits, BettingRules, Book
from casino.ecarte import Laws
from casino.events import factories
from casino.events.types import BettingLaws, GrantTerms, Pacing, TermsSet, UnitLimits


class PaceSettings(NamedTuple):
    """How long things take, in milliseconds.

    The book is open for `betting_ms`, contributions may be revealed for `reveal_ms`; `action_ms`
    pass before a bot's action, `deal_ms` before the next deal, `game_ms` before the next game; a
    person has `turn_ms` to act and, once a game after a lost connection, at least `grace_ms`.
    """

    betting_ms: int = 20_000
    action_ms: int = 1_200
    deal_ms: int = 4_000
    game_ms: int = 8_000
    turn_ms: int = 30_000
    grace_ms: int = 60_000
    reveal_ms: int = 4_000


class TableSettings(NamedTuple):
    """A table's settings.

    `challenger` is the bot that plays while no person does, `""` for none; `refill_cents` is
    granted to that bot when it cannot pay its stake; `slip_permille` is how often the house exposes
    a card while dealing; `day_cents` limits a player's risk in a day, 0 for none.
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

    def book(self, challenger: str) -> Book:
        """Return the empty book of a game under these settings."""
        return Book(challenger, self.stake_cents, self.gallery, self.limits)


class GrantPolicy(NamedTuple):
    """The grants to the house's bank, new players and players who have run out."""

    bank_cents: int = 100_000_000
    opening_cents: int = 100_000
    refill_cents: int = 20_000
    refill_ms: int = 4 * 3_600_000


def grant_terms(chips: GrantPolicy, spectator_cents: int) -> GrantTerms:
    """Return the event of a grant policy; `spectator_cents` go to a simulated bettor."""
    return GrantTerms(**chips._asdict(), spectator_cents=spectator_cents)


def to_event(rules: TableSettings, from_game: int) -> TermsSet:
    """Return the event that sets a table's settings from a game on."""
    return TermsSet(
        abandon=rules.abandon,
        challenger=rules.challenger,
        day_cents=rules.day_cents,
        from_game=from_game,
        gallery=BettingLaws(**rules.gallery._asdict()),
        house=rules.house,
        house_cover_cents=rules.house_cover_cents,
        laws=factories.laws_to_event(rules.laws),
        limits=UnitLimits(**rules.limits._asdict()),
        pace=Pacing(**rules.pace._asdict()),
        refill_cents=rules.refill_cents,
        slip_permille=rules.slip_permille,
        stake_cents=rules.stake_cents,
        table=rules.name,
    )


def from_event(terms: TermsSet) -> TableSettings:
    """Return the settings that an event states."""
    return TableSettings(
        name=terms.table,
        laws=factories.laws_from_event(terms.laws),
        gallery=factories.betting_rules_from_event(terms.gallery),
        limits=BetSizeLimits(**asdict(terms.limits)),
        stake_cents=terms.stake_cents,
        house_cover_cents=terms.house_cover_cents,
        house=terms.house,
        challenger=terms.challenger,
        refill_cents=terms.refill_cents,
        abandon=terms.abandon,
        slip_permille=terms.slip_permille,
        day_cents=terms.day_cents,
        pace=PaceSettings(**asdict(terms.pace)),
    )
