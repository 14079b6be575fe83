"""Parts that several event types share: laws, limits, seats, bots."""

from __future__ import annotations

from casino.ledger.entries import Part, Whole


class GameLaws(Part, frozen=True, kw_only=True):
    """The laws of a game, as in its record."""

    deal: str
    enforcement: str
    first_dealer: str
    packets: tuple[Whole, Whole]
    play: str
    target: Whole
    vole_unexchanged: Whole


class BettingLaws(Part, frozen=True, kw_only=True):
    """The betting rules."""

    commission_base: str
    commission_bp: Whole
    gallery_stakes: str
    matching: str
    principal_commission_bp: Whole


class UnitLimits(Part, frozen=True, kw_only=True):
    """The minimum and maximum units."""

    bettor_cents: Whole
    greatest_cents: Whole
    least_cents: Whole
    side_cents: Whole


class Players(Part, frozen=True, kw_only=True):
    """The players in the two seats."""

    challenger: str
    house: str


class BotName(Part, frozen=True, kw_only=True):
    """The bot that plays a seat: enough to recompute its every decision."""

    name: str
    strength: str = ""
    version: str


class Bots(Part, frozen=True, kw_only=True):
    """The seats that bots play."""

    challenger: BotName | None = None
    house: BotName | None = None


class CoverLimits(Part, frozen=True, kw_only=True):
    """The maximum cover of either principal."""

    challenger_cents: Whole
    house_cents: Whole


class OwnLimits(Part, frozen=True, kw_only=True):
    """A player's own limits."""

    break_until_ms: Whole | None = None
    day_loss_cents: Whole | None = None
    day_stake_cents: Whole | None = None


class Pacing(Part, frozen=True, kw_only=True):
    """How long the steps of a game take at a table, in milliseconds."""

    action_ms: Whole
    betting_ms: Whole
    deal_ms: Whole
    game_ms: Whole
    grace_ms: Whole
    reveal_ms: Whole
    turn_ms: Whole


class Score(Part, frozen=True, kw_only=True):
    """Points by seat."""

    challenger: Whole
    house: Whole
