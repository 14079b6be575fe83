"""The event types: one class for each type of leaf.

Every field is public once written, so no class can hold a secret: a card is named only where it
lies open on the table, an exchange states a number and a commitment. A field that is None is left
out. docs/log.md explains each field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeAlias

from msgspec import field

from casino.ecarte.actions import FIXED_TOKENS
from casino.ecarte.cards import CARD_NAMES
from casino.ledger.entries import (
    AnswersGiven,
    Entry,
    KeyRotated,
    Leaf,
    LogOpened,
    Part,
    RunStarted,
    RunStopped,
    Whole,
)

Side: TypeAlias = Literal["house", "challenger"]
# The seats, and the sides that are bet on, by number.
SIDES: Final[tuple[Side, Side]] = ("house", "challenger")

# Actions as everyone may hear them: of an exchange only the number of cards.
_PUBLIC_TOKENS: Final = (*FIXED_TOKENS, *("X" + "??" * number for number in range(6)))

if TYPE_CHECKING:
    Card: TypeAlias = str
    PublicToken: TypeAlias = str
else:
    Card = Literal[CARD_NAMES]
    PublicToken = Literal[_PUBLIC_TOKENS]


class TermsSet(Leaf, frozen=True, kw_only=True, tag="terms"):
    """The settings of a table, and the number of the first game they hold for."""

    listed: ClassVar[bool] = True

    abandon: str
    challenger: str
    day_cents: Whole
    from_game: Whole
    gallery: BettingLaws
    house: str
    house_cover_cents: Whole
    laws: GameLaws
    limits: UnitLimits
    pace: Pacing
    refill_cents: Whole
    slip_permille: Whole
    stake_cents: Whole
    table: str


class GrantTerms(Leaf, frozen=True, kw_only=True, tag="grant_terms"):
    """The grant policy from here on: for the house's bank, new players, refills, simulated bettors.

    A refill fills a wallet up to an amount, once in a given time; a simulated bettor is granted at
    most `spectator_cents` at a time.
    """

    listed: ClassVar[bool] = True

    bank_cents: Whole
    opening_cents: Whole
    refill_cents: Whole
    refill_ms: Whole
    spectator_cents: Whole


class SeedChain(Leaf, frozen=True, kw_only=True, tag="seed_chain"):
    """A table's seeds are fixed: the anchor leads to each. A reason explains a new chain."""

    listed: ClassVar[bool] = True

    anchor: str
    chain: Whole
    length: Whole
    reason: str | None = None
    table: str


class GameOpened(Leaf, frozen=True, kw_only=True, tag="game_opened"):
    """A game opens: the commitment to its seed, and who plays.

    Its seed is number `number` of the table's `chain`; `cover_cents` is the cover the challenger
    offers.
    """

    bots: Bots
    chain: Whole
    commitment: str
    cover_cents: Whole = 0
    game: str
    loser_deals: Side | None = None
    number: Whole
    players: Players
    table: str

    @property
    def owners(self) -> tuple[str, ...]:
        """The challenger, whose stakes move without a bet."""
        return (self.players.challenger,)


class CutSealed(Leaf, frozen=True, kw_only=True, tag="cut"):
    """The challenger commits to a contribution; a bettor's commitment is part of a bet."""

    game: str
    player: str
    seal: str


class BetAccepted(Leaf, frozen=True, kw_only=True, tag="bet"):
    """A bet is accepted: its order in the game, its side, its unit, its commitment."""

    game: str
    order: Whole
    player: str
    seal: str | None = None
    side: Side
    unit_cents: Whole


class BookLocked(Leaf, frozen=True, kw_only=True, tag="book_locked"):
    """The book is locked: no bet is taken any more, and each principal's maximum cover is fixed."""

    bets: Whole
    cover: CoverLimits
    game: str
    seals: Whole


class CutOpened(Leaf, frozen=True, kw_only=True, tag="cut_opened"):
    """A contribution is revealed; its number counts the game's commitments from 1."""

    game: str
    number: Whole
    text: str


class CutLate(Leaf, frozen=True, kw_only=True, tag="cut_late"):
    """A contribution is revealed after the closing: it does not count."""

    late: ClassVar[bool] = True

    game: str
    number: Whole
    text: str


class BettingClosed(Leaf, frozen=True, kw_only=True, tag="betting_closed"):
    """The book is closed: the contributions' hash, the unrevealed numbers, the matched amount."""

    cut: str
    first_dealer: Side
    game: str
    matched_cents: Whole
    withheld: tuple[Whole, ...] = ()


class PackDealt(Leaf, frozen=True, kw_only=True, tag="dealt"):
    """A pack is dealt; its cards follow from the seed, which is revealed at the end."""

    deal: Whole
    dealer: Side
    game: str


class TurnedUp(Leaf, frozen=True, kw_only=True, tag="turned_up"):
    """The turn-up is shown."""

    card: Card
    game: str


class ActionTaken(Leaf, frozen=True, kw_only=True, tag="action"):
    """A player acts; `seal` hides which cards they exchange.

    For an exposed card `of` is the seat it was dealt to; a claim names those who had `revoked`.
    """

    action: PublicToken
    game: str
    of: Side | None = None
    revoked: tuple[Side, ...] = ()
    seal: str | None = None


class HandsShown(Leaf, frozen=True, kw_only=True, tag="hands"):
    """A deal ended with these cards unplayed."""

    challenger: str
    game: str
    house: str


class GameOver(Leaf, frozen=True, kw_only=True, tag="game_over"):
    """A game is won: its multiplier, its seed and the cards exchanged in it.

    The entry that pays it follows.
    """

    listed: ClassVar[bool] = True

    exchanges: tuple[str, ...] = ()
    game: str
    score: Score
    server_seed: str
    stake: Whole
    winner: Side


class GameVoid(Leaf, frozen=True, kw_only=True, tag="game_void"):
    """A game is void: the reason, its seed and the cards exchanged in it.

    `reason` is a key of `VOID_REASONS` or an operator's own sentence, `fault` the error of a failed
    bot. A lost seed is missing.
    """

    listed: ClassVar[bool] = True

    exchanges: tuple[str, ...] = ()
    fault: str | None = None
    game: str
    reason: str
    server_seed: str | None = None


class SeatChanged(Leaf, frozen=True, kw_only=True, tag="seat"):
    """The challenger's seat or its queue changes: queued, seated, left or defaulted.

    A player who defaults gives up the game named.
    """

    listed: ClassVar[bool] = True

    game: str | None = None
    player: str
    table: str
    what: str


class LimitSet(Leaf, frozen=True, kw_only=True, tag="limit"):
    """A player sets their own limits."""

    listed: ClassVar[bool] = True

    from_ms: Whole = field(name="from")
    limits: OwnLimits
    player: str


Event: TypeAlias = (
    LogOpened
    | Entry
    | AnswersGiven
    | KeyRotated
    | RunStarted
    | RunStopped
    | TermsSet
    | GrantTerms
    | SeedChain
    | GameOpened
    | CutSealed
    | BetAccepted
    | BookLocked
    | CutOpened
    | CutLate
    | BettingClosed
    | PackDealt
    | TurnedUp
    | ActionTaken
    | HandsShown
    | GameOver
    | GameVoid
    | SeatChanged
    | LimitSet
)


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


LEFT: Final = "challenger_left"
OUT_OF_TIME: Final = "challenger_out_of_time"
BOT_FAILED: Final = "bot_failed"
SECRETS_LOST: Final = "secrets_lost"

ENGLISH: Final = {
    LEFT: "the challenger left",
    OUT_OF_TIME: "the challenger ran out of time",
    BOT_FAILED: "the bot failed",
    SECRETS_LOST: "the secret or the cards of this game are lost",
}


def void_reason_text(reason: str) -> str:
    """Return why a game is void, in English.

    >>> void_reason_text(BOT_FAILED), void_reason_text("the lights went out")
    ('the bot failed', 'the lights went out')
    """
    return ENGLISH.get(reason, reason)
