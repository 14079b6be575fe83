"""What can happen: one class for each kind of leaf, built here, hashed, stored and read again.

Every field is public the moment it is written, so no class can hold a secret: a card is named
only where it lies on the table, an exchange gives a number and a seal. A field that is None is
left out. docs/log.md says what each field means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeAlias

from msgspec import field

from casino.bank.leaves import (
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
from casino.ecarte.actions import FIXED_TOKENS
from casino.ecarte.cards import NAMES
from casino.events.parts import (
    BettingLaws,
    Bots,
    CoverLimits,
    Fairness,
    GameLaws,
    OwnLimits,
    Pacing,
    Players,
    Score,
    UnitLimits,
)

Side: TypeAlias = Literal["house", "challenger"]
SIDES: Final[tuple[Side, Side]] = ("house", "challenger")
"""The names of the seats, and of the sides that are bet on, by their numbers."""

StandingRow: TypeAlias = tuple[Whole, str, Side, Whole, Whole]
"""Order, player, side, unit, matched."""
OutcomeRow: TypeAlias = tuple[Whole, str, Side, Whole, Whole, Whole, Whole]
"""Order, player, side, matched, escrow, gain, commission."""

_PUBLIC_TOKENS: Final = (*FIXED_TOKENS, *("X" + "??" * number for number in range(6)))
"""What everybody may hear of an action: of an exchange only how many cards."""

if TYPE_CHECKING:
    Card: TypeAlias = str
    PublicToken: TypeAlias = str
else:
    Card = Literal[NAMES]
    PublicToken = Literal[_PUBLIC_TOKENS]


class DealPlayed(Part, frozen=True, kw_only=True):
    """A deal of a game record."""

    actions: str
    dealer: Side
    deck: str


class Result(Part, frozen=True, kw_only=True):
    """How a game came out."""

    score: Score
    stake: Whole
    winner: Side


class GameRecord(Part, frozen=True, kw_only=True):
    """A game record; one that was not finished has no result."""

    deals: tuple[DealPlayed, ...]
    egr: Whole
    fairness: Fairness
    first_dealer: Side
    game: str
    laws: GameLaws
    players: Players
    result: Result | None = None


class TermsSet(Leaf, frozen=True, kw_only=True, tag="terms"):
    """What the house sets for a table, and the number of the first game it holds for."""

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


class SeedChain(Leaf, frozen=True, kw_only=True, tag="seed_chain"):
    """A table's seeds are fixed: the anchor leads to each of them. A reason says why anew."""

    listed: ClassVar[bool] = True

    anchor: str
    chain: Whole
    length: Whole
    reason: str | None = None
    table: str


class GameOpened(Leaf, frozen=True, kw_only=True, tag="game_opened"):
    """A game begins: the commitment to its seed, its laws, who plays, what may be bet.

    Its seed is the one at place `number` of the table's `chain`; `cover_cents` is what the
    challenger offers to cover.
    """

    bots: Bots
    chain: Whole
    commitment: str
    cover_cents: Whole = 0
    gallery: BettingLaws
    game: str
    laws: GameLaws
    limits: UnitLimits
    loser_deals: Side | None = None
    number: Whole
    players: Players
    slip_permille: Whole | None = None
    stake_cents: Whole
    table: str

    @property
    def owners(self) -> tuple[str, ...]:
        """Whoever challenges, whose stakes move without a bet."""
        return (self.players.challenger,)


class CutSealed(Leaf, frozen=True, kw_only=True, tag="cut"):
    """The challenger seals a text into the cut; a bettor's seal stands in a bet."""

    game: str
    player: str
    seal: str


class BetAccepted(Leaf, frozen=True, kw_only=True, tag="bet"):
    """A bet is accepted: its order in its game, its side, its unit; with a sealed text, if any."""

    game: str
    order: Whole
    player: str
    seal: str | None = None
    side: Side
    unit_cents: Whole


class BookLocked(Leaf, frozen=True, kw_only=True, tag="book_locked"):
    """Nothing can be added to the book any more; what each principal covers at most is fixed."""

    bets: Whole
    cover: CoverLimits
    game: str
    seals: Whole


class CutOpened(Leaf, frozen=True, kw_only=True, tag="cut_opened"):
    """A sealed text is opened: its number counts the game's seals from 1."""

    game: str
    number: Whole
    text: str


class CutLate(Leaf, frozen=True, kw_only=True, tag="cut_late"):
    """A text that was withheld is opened after the closing: it counts no more."""

    late: ClassVar[bool] = True

    game: str
    number: Whole
    text: str


class BettingClosed(Leaf, frozen=True, kw_only=True, tag="betting_closed"):
    """The book is closed: the cut, which texts made it and which were withheld, how bets stand."""

    cut: str
    first_dealer: Side
    game: str
    matched_cents: Whole
    opened: tuple[Whole, ...]
    returned: tuple[Whole, ...]
    stands: tuple[StandingRow, ...]
    withheld: tuple[Whole, ...]


class PackDealt(Leaf, frozen=True, kw_only=True, tag="dealt"):
    """A pack is dealt; its cards follow from the seed, which is revealed at the end."""

    deal: Whole
    dealer: Side
    game: str


class TurnedUp(Leaf, frozen=True, kw_only=True, tag="turned_up"):
    """The turn-up is shown."""

    card: Card
    deal: Whole
    game: str


class ActionTaken(Leaf, frozen=True, kw_only=True, tag="action"):
    """A player acts; `number` counts from 1 in its deal, `seal` hides which cards he exchanges.

    The seat is missing where both sides may have acted. Of a card exposed `of` is the seat it was
    dealt to; a claim names those who had `revoked`.
    """

    action: PublicToken
    deal: Whole
    game: str
    number: Whole
    of: Side | None = None
    revoked: tuple[Side, ...] = ()
    seal: str | None = None
    seat: Side | None = None


class HandsShown(Leaf, frozen=True, kw_only=True, tag="hands"):
    """A deal is over and cards were left unplayed: these."""

    challenger: str
    deal: Whole
    game: str
    house: str


class GameOver(Leaf, frozen=True, kw_only=True, tag="game_over"):
    """A game is won: its whole record, with the seed revealed."""

    listed: ClassVar[bool] = True

    game: str
    record: GameRecord


class GameSettled(Leaf, frozen=True, kw_only=True, tag="settled"):
    """What the principals and every bet came to; the entry that pays it follows."""

    bets: tuple[OutcomeRow, ...]
    game: str
    multiplier: Whole
    principals: tuple[OutcomeRow, ...]
    winner: Side


class GameVoid(Leaf, frozen=True, kw_only=True, tag="game_void"):
    """A game does not count: why, and what was played of it, with the seed revealed.

    `reason` is one of `voids` or an operator's own sentence, `fault` the error of a failed bot.
    """

    listed: ClassVar[bool] = True

    fault: str | None = None
    game: str
    reason: str
    record: GameRecord


class SeatChanged(Leaf, frozen=True, kw_only=True, tag="seat"):
    """The challenger's seat, or the queue for it: queued, seated, left or defaulted.

    Who defaults gives up the game that is named.
    """

    listed: ClassVar[bool] = True

    game: str | None = None
    player: str
    table: str
    what: str


class LimitSet(Leaf, frozen=True, kw_only=True, tag="limit"):
    """A player limits himself."""

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
    | GameSettled
    | GameVoid
    | SeatChanged
    | LimitSet
)
