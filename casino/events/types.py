"""What can happen: one class for each kind of leaf, built here, hashed, stored and read again.

Every field is public the moment it is written, so no class can hold a secret: a card is named
only where it lies on the table, an exchange gives a number and a seal. A field that is None is
left out. docs/log.md says what each field means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeAlias

from msgspec import field

from casino.ecarte.actions import FIXED_TOKENS
from casino.ecarte.cards import CARD_NAMES
from casino.events.parts import (
    BettingLaws,
    Bots,
    CoverLimits,
    GameLaws,
    OwnLimits,
    Pacing,
    Players,
    Score,
    UnitLimits,
)
from casino.ledger.entries import (
    AnswersGiven,
    Entry,
    KeyRotated,
    Leaf,
    LogOpened,
    RunStarted,
    RunStopped,
    Whole,
)

Side: TypeAlias = Literal["house", "challenger"]
SIDES: Final[tuple[Side, Side]] = ("house", "challenger")
"""The names of the seats, and of the sides that are bet on, by their numbers."""

_PUBLIC_TOKENS: Final = (*FIXED_TOKENS, *("X" + "??" * number for number in range(6)))
"""What everybody may hear of an action: of an exchange only how many cards."""

if TYPE_CHECKING:
    Card: TypeAlias = str
    PublicToken: TypeAlias = str
else:
    Card = Literal[CARD_NAMES]
    PublicToken = Literal[_PUBLIC_TOKENS]


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


class GrantTerms(Leaf, frozen=True, kw_only=True, tag="grant_terms"):
    """What the house issues from here on: to its bank, to a new player, as a refill, to crowds.

    A refill fills a purse up to so many cents, once in so many milliseconds; a simulated spectator
    is granted at most `spectator_cents` at a time.
    """

    listed: ClassVar[bool] = True

    bank_cents: Whole
    opening_cents: Whole
    refill_cents: Whole
    refill_ms: Whole
    spectator_cents: Whole


class SeedChain(Leaf, frozen=True, kw_only=True, tag="seed_chain"):
    """A table's seeds are fixed: the anchor leads to each of them. A reason says why anew."""

    listed: ClassVar[bool] = True

    anchor: str
    chain: Whole
    length: Whole
    reason: str | None = None
    table: str


class GameOpened(Leaf, frozen=True, kw_only=True, tag="game_opened"):
    """A game begins by the terms in force: the commitment to its seed, and who plays.

    Its seed is the one at place `number` of the table's `chain`; `cover_cents` is what the
    challenger offers to cover.
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
    """The book is closed: the cut, the numbers of the texts withheld, how much is matched."""

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
    """Whose turn it is acts; `seal` hides which cards he exchanges.

    Of a card exposed `of` is the seat it was dealt to; a claim names those who had `revoked`.
    """

    action: PublicToken
    game: str
    of: Side | None = None
    revoked: tuple[Side, ...] = ()
    seal: str | None = None


class HandsShown(Leaf, frozen=True, kw_only=True, tag="hands"):
    """A deal is over and cards were left unplayed: these."""

    challenger: str
    game: str
    house: str


class GameOver(Leaf, frozen=True, kw_only=True, tag="game_over"):
    """A game is won, and how high; its seed and the cards exchanged in it are revealed.

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
    """A game does not count, and why; its seed and the cards exchanged in it are revealed.

    `reason` is one of `voids` or an operator's own sentence, `fault` the error of a failed bot. A
    seed that was lost is missing.
    """

    listed: ClassVar[bool] = True

    exchanges: tuple[str, ...] = ()
    fault: str | None = None
    game: str
    reason: str
    server_seed: str | None = None


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
