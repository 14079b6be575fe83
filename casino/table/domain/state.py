"""A table's state: who sits there, and the running game with all its cards.

States are immutable. A running game's state holds its secret seed and every card: it never leaves
the casino's own code; bots and people get views of it.
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
from casino.events.types import BotName, SeatChanged
from casino.table.domain.settings import TableSettings

Secrets: TypeAlias = Mapping[str, bytes]
NO_SECRETS: Final[Secrets] = MappingProxyType({})
SEED: Final = "seed"
# A secret: the seed of a game; the cover a player offers, kept until they leave.
COVER: Final = "cover"

BOT_VERSION: Final = "2"
BOT_STRENGTH: Final = ""  # this program's bots have no strength setting

NOBODY_SEATED: Final = ""

# Games with a commitment remembered for each player, to wait less for those who withhold.
SILENCE_GAMES: Final = 20


_NOBODY: Final[Mapping[str, Any]] = {}


class Commitment(NamedTuple):
    """A commitment: its number in the game, its player, the hash."""

    number: int
    player: str
    seal: str


class LockedBook(NamedTuple):
    """A locked book: its bets, the maximum cover of its principals.

    `held` is the cover in escrow until the closing, because it may be needed.
    """

    bets: int
    cover: Cover
    held: Cover


class ChainState(NamedTuple):
    """The seed chain of a table, and the number of the first game on it."""

    chain: int
    length: int
    anchor: str
    first_game: int


class GameState(NamedTuple):
    """The running game, secrets included; `made` counts the decisions of a deal, by seat.

    `opened` are the contributions revealed so far, by number; `locked` is what was fixed when the
    book was locked. Of a game whose secrets are `lost` only the book is known, and it can only be
    voided.
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
    position: tuple[int, int]
    seals: tuple[Commitment, ...] = ()
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
        """The challenger of this game."""
        return self.book.challenger

    @property
    def number(self) -> int:
        """The number of the current deal, counted from 1."""
        return len(self.records) + 1

    @property
    def played(self) -> tuple[DealRecord, ...]:
        """Every deal, including the current one so far."""
        return self.records if self.deal is None else (*self.records, deal_record(self.deal))

    @property
    def held(self) -> Cover:
        """The cover in escrow between the lock and the closing."""
        return NO_COVER if self.locked is None or self.closing else self.locked.held

    @property
    def unrevealed(self) -> tuple[Commitment, ...]:
        """The commitments not revealed."""
        opened = {number for number, _ in self.opened}
        return tuple(seal for seal in self.seals if seal.number not in opened)

    @property
    def contributions(self) -> tuple[tuple[str, str], ...]:
        """Each player and revealed contribution, ordered by number."""
        return tuple((self.seals[number - 1].player, text) for number, text in sorted(self.opened))

    @property
    def contributions_hash(self) -> str:
        """The hash of the contributions revealed so far."""
        return fairness.combine(text for _, text in self.contributions)

    @property
    def is_between_deals(self) -> bool:
        """Whether the next step is to deal."""
        return self.deal is None or self.deal.phase in (OVER, ANNULLED)


class TableState(NamedTuple):
    """A table: its turn, its running game, who has the seat and who waits for it.

    A bot that challenges has no seat: it plays while no one has. `turn` counts how often the legal
    actions have changed: an answer to an older turn is stale. `last` is the challenger of the last
    game and its winner. `coming` are settings that hold from a later game on; without `terms` the
    log has no settings yet. `late` are the commitments of past games that may still be revealed, by
    game; `silences` says for each player in which of their last games with a commitment they
    withheld.
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
    late: Mapping[str, tuple[Commitment, ...]] = _NOBODY
    silences: Mapping[str, tuple[bool, ...]] = _NOBODY

    def settings_for(self, number: int) -> TableSettings:
        """Return the settings in force for a game: new ones hold from a later game on."""
        current = self.rules
        for first, rules in self.coming:
            current = rules if first <= number else current
        return current

    @property
    def next_seed_position(self) -> tuple[int, int]:
        """The chain of the next game's seed, and the seed's number on it."""
        if self.chain is None:
            raise InvariantError(f"{self.rules.name}: it has no chain of seeds yet")
        return self.chain.chain, self.number + 2 - self.chain.first_game


def current_deal(state: TableState) -> Deal:
    """Return the current deal of the running game, which must exist."""
    assert state.running is not None
    assert state.running.deal is not None
    return state.running.deal


def game_id(table: str, number: int) -> str:
    """Return the id of a table's game."""
    return f"{table}-{number:06d}"


def bot_name(name: str) -> BotName:
    """Return a bot of this program as the log names it."""
    return BotName(name=name, strength=BOT_STRENGTH, version=BOT_VERSION)


def offer_name(table: str, player: str) -> str:
    """Return the name under which a player's offered cover is kept at a table."""
    return f"{table}/{player}"


def exchange_secret_name(deal: int, number: int) -> str:
    """Return the name under which the cards of an exchange are kept."""
    return f"action {deal} {number}"


def closing_of(running: GameState) -> Closing:
    """Return the closing of a locked book: those who did not reveal have withheld."""
    assert running.locked is not None
    withheld = {seal.player for seal in running.unrevealed}
    return close(running.book, running.locked.cover, withheld, running.held)


def with_silences(
    before: Mapping[str, tuple[bool, ...]], seals: Sequence[Commitment], shut: Sequence[Commitment]
) -> Mapping[str, tuple[bool, ...]]:
    """Return each player's record of withholding after a game with these commitments."""
    silences = dict(before)
    for seal in seals:
        flags = (*silences.get(seal.player, ()), seal in shut)[-SILENCE_GAMES:]
        silences[seal.player] = flags
        if not any(flags):
            del silences[seal.player]
    return silences


def running_game(state: TableState) -> GameState:
    """Return the running game, which must exist."""
    if state.running is None:
        raise InvariantError(f"{state.rules.name}: nothing is running")
    return state.running


def next_dealer(running: GameState) -> Seat:
    """Return who deals next."""
    assert running.game is not None
    return (running.game if running.deal is None else after_deal(running.game, running.deal)).dealer


def seat_changed(state: TableState, player: str, change: str) -> SeatChanged:
    """Return the event of a player who joins the queue, takes, leaves or loses the seat."""
    return SeatChanged(player=player, table=state.rules.name, what=change)
