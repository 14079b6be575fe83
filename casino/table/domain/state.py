"""A table as events have left it: who sits there, and the running game with all its cards.

States are frozen. A running game's state holds its secret seed and every card: it never leaves
the casino's own code, and bots and people are given views of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from casino import fairness
from casino.betting import NO_COVER, Book, Closing, Cover, close
from casino.ecarte import (
    ANNULLED,
    HOUSE,
    OVER,
    Deal,
    DealRecord,
    Game,
    Laws,
    Seat,
    after_deal,
    deal_record,
)
from casino.errors import InvariantError
from casino.events.parts import (
    BotName,
)
from casino.events.types import (
    SeatChanged,
)
from casino.table.domain.settings import TableSettings

Secrets: TypeAlias = Mapping[str, bytes]
NO_SECRETS: Final[Secrets] = MappingProxyType({})
SEED: Final = "seed"
COVER: Final = "cover"
"""What may not be seen: the seed of a game; the cover that somebody offers who wants the seat,
kept until he has left it."""

BOT_VERSION: Final = "2"
BOT_STRENGTH: Final = ""
"""No bot of this program can be set stronger or weaker."""

NOBODY_SEATED: Final = ""

SILENCE_GAMES: Final = 20
"""So many of a name's games with a seal are remembered, to wait less for who leaves seals shut."""


_NOBODY: Final[Mapping[str, Any]] = {}


class SealedText(NamedTuple):
    """A text of the cut, closed: its number in its game, whose it is, the seal itself."""

    number: int
    player: str
    seal: str


class LockedBook(NamedTuple):
    """A book that nothing can be added to: its bets, what its principals cover at most.

    `held` is what of the cover is in escrow until the closing, because it may be needed.
    """

    bets: int
    cover: Cover
    held: Cover


class ChainState(NamedTuple):
    """The chain of seeds that a table is on, and the number of the first game on it."""

    chain: int
    length: int
    anchor: str
    first_game: int


class GameState(NamedTuple):
    """The running game, secrets included; `made` counts the decisions of a deal, by seat.

    `opened` are the texts opened so far, by the numbers of their seals; `locked` is what was
    fixed when the book was locked. Of a game whose secrets are `lost` only the book is known,
    and it can only be voided.
    """

    id: str
    server_seed: bytes
    laws: Laws
    book: Book
    wished: Cover
    house: str
    is_bot: bool
    loser_deals: Seat | None
    commitment: str
    place: tuple[int, int]
    seals: tuple[SealedText, ...] = ()
    opened: tuple[tuple[int, str], ...] = ()
    locked: LockedBook | None = None
    closing: Closing | None = None
    cut: str = ""
    first_dealer: Seat = HOUSE
    game: Game | None = None
    deal: Deal | None = None
    records: tuple[DealRecord, ...] = ()
    made: tuple[int, int] = (0, 0)
    abandoned: bool = False
    lost: bool = False

    @property
    def challenger(self) -> str:
        """Who challenges the house in this game."""
        return self.book.challenger

    @property
    def number(self) -> int:
        """The number of the current deal, counted from 1."""
        return len(self.records) + 1

    @property
    def played(self) -> tuple[DealRecord, ...]:
        """Every deal, the current one as far as it has gone."""
        return self.records if self.deal is None else (*self.records, deal_record(self.deal))

    @property
    def held(self) -> Cover:
        """The cover in escrow between the lock and the closing."""
        return NO_COVER if self.locked is None or self.closing else self.locked.held

    @property
    def shut(self) -> tuple[SealedText, ...]:
        """The seals whose texts are not opened."""
        opened = {number for number, _ in self.opened}
        return tuple(seal for seal in self.seals if seal.number not in opened)

    @property
    def cuts(self) -> tuple[tuple[str, str], ...]:
        """Who opened which text, in the order of their numbers."""
        return tuple((self.seals[number - 1].player, text) for number, text in sorted(self.opened))

    @property
    def cut_now(self) -> str:
        """The cut that the texts opened so far make."""
        return fairness.cut_of(text for _, text in self.cuts)

    @property
    def between_deals(self) -> bool:
        """Whether the next thing is to deal."""
        return self.deal is None or self.deal.phase in (OVER, ANNULLED)


class TableState(NamedTuple):
    """A table: its turn, its running game, who has the seat and who waits for it.

    A bot that challenges has no seat: it plays while nobody has. `turn` counts how often what may
    be done has changed: an answer to an older turn is stale. `last` is the challenger of the last
    game and who won it. `coming` are rules that are written and hold from a later game on;
    without terms the log does not know the rules yet. `late` are the seals of past games whose
    texts may still come, by game; `silences` says of each name that left a seal shut in which of
    its last games with a seal it did.
    """

    rules: TableSettings
    turn: int = 0
    number: int = 0
    running: GameState | None = None
    holder: str = NOBODY_SEATED
    cover_cents: int = 0
    queue: tuple[tuple[str, int], ...] = ()
    last: tuple[str, Seat] | None = None
    has_terms: bool = False
    coming: tuple[tuple[int, TableSettings], ...] = ()
    chain: ChainState | None = None
    late: Mapping[str, tuple[SealedText, ...]] = _NOBODY
    silences: Mapping[str, tuple[bool, ...]] = _NOBODY

    def rules_for(self, number: int) -> TableSettings:
        """The rules in force for a game: new ones hold from a later game on."""
        found = self.rules
        for first, rules in self.coming:
            found = rules if first <= number else found
        return found

    @property
    def next_place(self) -> tuple[int, int]:
        """The chain of the next game's seed, and which seed of it."""
        if self.chain is None:
            raise InvariantError(f"{self.rules.name}: it has no chain of seeds yet")
        return self.chain.chain, self.number + 2 - self.chain.first_game


def deal_of(state: TableState) -> Deal:
    """The current deal of the running game, which must be there."""
    assert state.running is not None
    assert state.running.deal is not None
    return state.running.deal


def game_id(table: str, number: int) -> str:
    """The id of a table's game."""
    return f"{table}-{number:06d}"


def bot_of(name: str) -> BotName:
    """A bot of this program, as the log names it."""
    return BotName(name=name, strength=BOT_STRENGTH, version=BOT_VERSION)


def offer_of(table: str, player: str) -> str:
    """What the cover is kept under that somebody offers at a table."""
    return f"{table}/{player}"


def action_secret(deal: int, number: int) -> str:
    """The name under which the cards of an exchange are kept."""
    return f"action {deal} {number}"


def closing_of(running: GameState) -> Closing:
    """The closing of a locked book: whoever left a seal shut has withheld."""
    assert running.locked is not None
    withheld = {seal.player for seal in running.shut}
    return close(running.book, running.locked.cover, withheld, running.held)


def with_silences(
    before: Mapping[str, tuple[bool, ...]], seals: Sequence[SealedText], shut: Sequence[SealedText]
) -> Mapping[str, tuple[bool, ...]]:
    """The silences of names after a game with these seals, of which some stayed shut."""
    silences = dict(before)
    for seal in seals:
        flags = (*silences.get(seal.player, ()), seal in shut)[-SILENCE_GAMES:]
        silences[seal.player] = flags
        if not any(flags):
            del silences[seal.player]
    return silences


def running_of(state: TableState) -> GameState:
    """The running game, which must be there."""
    if state.running is None:
        raise InvariantError(f"{state.rules.name}: nothing is running")
    return state.running


def next_dealer(running: GameState) -> Seat:
    """Who deals next."""
    assert running.game is not None
    return (running.game if running.deal is None else after_deal(running.game, running.deal)).dealer


def seat_changed(state: TableState, player: str, what: str) -> SeatChanged:
    """Somebody joins the queue, takes the seat, leaves it, or gives up his game."""
    return SeatChanged(player=player, table=state.rules.name, what=what)
