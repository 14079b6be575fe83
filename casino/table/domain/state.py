"""State of a table: its seat, its queue, and the running game with all of its cards.

States are immutable. They contain the secret seed and every card, so they must not be sent to
clients or bots, which get views instead. `DecisionContext` supplies what else handlers need.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from casino import ecarte
from casino.betting import NO_COVER, Book, Closing, Cover, close
from casino.bots.registry import is_own_bot, own_bot_version
from casino.ecarte import Deal, DealRecord, Game, Laws, Seat
from casino.errors import InvariantError, RefusalReason, Refused
from casino.events.types import BotName, SeatChanged
from casino.table.domain.poule import PouleState
from casino.table.domain.settings import PlannedSettings, TableSettings, settings_at

Secrets: TypeAlias = Mapping[str, bytes]
NO_SECRETS: Final[Secrets] = MappingProxyType({})
SEED: Final = "seed"
# Name of the secret that holds a player's offered cover, stored until they leave.
COVER: Final = "cover"

BOT_VERSION: Final = "2"

NOBODY_SEATED: Final = ""

# Past commitments remembered per player; a withheld one shortens the wait for reveals.
SILENCE_GAMES: Final = 20

STALE_VERSION: Final = RefusalReason(
    "stale_version", "stale_version", "the table has moved on: look at it again"
)
GAME_NOT_RUNNING: Final = RefusalReason(
    "game_not_running", "unknown_game", "{game} is not running here: look at the table again"
)
BOTS_NAME: Final = RefusalReason(
    "bots_name", "bad_request", "{name} is the table's bot: use your own name"
)
NOT_HOSTED: Final = RefusalReason(
    "not_hosted", "not_host", "table {table} belongs to the casino: only its settings change it"
)

_NOBODY: Final[Mapping[str, Any]] = {}


class Commitment(NamedTuple):
    """Commitment to a contribution, numbered from 1 in each game."""

    number: int
    player: str
    seal: str


class LockedBook(NamedTuple):
    """A locked book: its number of bets, its maximum cover, and the cover held until it closes."""

    bets: int
    cover: Cover
    held: Cover


class ChainState(NamedTuple):
    """A table's current seed chain; `first_game` is the number of the first game that uses it."""

    chain: int
    length: int
    anchor: str
    first_game: int


class GameState(NamedTuple):
    """The running game, including its secrets.

    `opened` lists the revealed contributions with their numbers. `made` counts each seat's
    decisions in the current deal. A game is `lost` if it cannot continue after a restart and must
    be voided.
    """

    id: str
    server_seed: bytes
    laws: Laws
    book: Book
    wished: Cover
    house: str
    is_bot: bool
    loser_deals: Seat | None
    seals: tuple[Commitment, ...] = ()
    opened: tuple[tuple[int, str], ...] = ()
    locked: LockedBook | None = None
    closing: Closing | None = None
    cut: str = ""
    game: Game | None = None
    deal: Deal | None = None
    records: tuple[DealRecord, ...] = ()
    made: tuple[int, int] = (0, 0)
    abandoned: bool = False
    lost: bool = False

    @property
    def challenger(self) -> str:
        """Name of the player or bot in the challenger's seat."""
        return self.book.challenger

    @property
    def number(self) -> int:
        """Number of the current deal, counted from 1."""
        return len(self.records) + 1

    @property
    def played(self) -> tuple[DealRecord, ...]:
        """Records of all deals, including the current one so far."""
        return self.records if self.deal is None else (*self.records, ecarte.deal_record(self.deal))

    @property
    def held(self) -> Cover:
        """Cover in escrow while the book is locked but not yet closed."""
        return NO_COVER if self.locked is None or self.closing else self.locked.held

    @property
    def unrevealed(self) -> tuple[Commitment, ...]:
        """Commitments whose contribution has not been revealed."""
        opened = {number for number, _ in self.opened}
        return tuple(seal for seal in self.seals if seal.number not in opened)

    @property
    def contributions(self) -> tuple[tuple[str, str], ...]:
        """Player and text of each revealed contribution, ordered by number."""
        return tuple((self.seals[number - 1].player, text) for number, text in sorted(self.opened))

    @property
    def is_between_deals(self) -> bool:
        """Whether the next step is to deal."""
        return self.deal is None or self.deal.phase in (ecarte.OVER, ecarte.ANNULLED)


class TableState(NamedTuple):
    """State of a table, with its running game, seat, queue and settings.

    `holder` is the person who has the seat; without one, a bot challenges. `turn` grows whenever
    the legal actions change, so a command for an earlier turn is stale. `last` holds the challenger
    and the winning seat of the last game. `coming` lists settings with the first game they apply
    to; `has_terms` is False until any are logged. `late` maps past games to commitments that may
    still be revealed. `silences` records which of a player's recent contributions were withheld.
    `remote_bots` holds the players, seated or queued, whose own programs play for them. In a poule
    the person who entered keeps the seat throughout, even while two bots play.
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
    coming: PlannedSettings = ()
    chain: ChainState | None = None
    late: Mapping[str, tuple[Commitment, ...]] = _NOBODY
    silences: Mapping[str, tuple[bool, ...]] = _NOBODY
    remote_bots: frozenset[str] = frozenset()
    poule: PouleState | None = None

    def settings_for(self, number: int) -> TableSettings:
        """Return the settings that apply to game `number`."""
        return settings_at(self.rules, self.coming, number)[0]

    @property
    def newest_settings(self) -> TableSettings:
        """The settings that were logged last, which may not apply yet."""
        return self.coming[-1][1] if self.coming else self.rules

    @property
    def opens_no_game(self) -> bool:
        """Whether the table is closed; a person's poule goes on, unless the operator closed it."""
        hosted = self.newest_settings.hosted
        if hosted is None or hosted.closed is None:
            return False
        return hosted.closed == "operator" or self.poule is None or not self.poule.person

    @property
    def is_over(self) -> bool:
        """Whether the table is closed and its last game has ended, so nothing more can happen."""
        is_empty = self.running is None and self.holder == NOBODY_SEATED and not self.queue
        return is_empty and self.poule is None and self.newest_settings.is_closed

    @property
    def next_seed_position(self) -> tuple[int, int]:
        """Number of the seed chain, and the next seed's number within the chain."""
        if self.chain is None:
            raise InvariantError(f"{self.rules.name}: it has no chain of seeds yet")
        return self.chain.chain, self.number + 2 - self.chain.first_game


def current_deal(state: TableState) -> Deal:
    """Return the current deal of the running game, which must exist."""
    assert state.running is not None
    assert state.running.deal is not None
    return state.running.deal


def game_id(table: str, number: int) -> str:
    """Return the id of a table's game, such as `t1-000001`."""
    return f"{table}-{number:06d}"


def game_number(game: str) -> int:
    """Return the number in a game's id."""
    return int(game.rpartition("-")[2])


def bot_name(name: str) -> BotName:
    """Return a bot's identity as stated in the log."""
    version = own_bot_version(name) if is_own_bot(name) else BOT_VERSION
    return BotName(name=name, version=version)


def offer_name(table: str, player: str) -> str:
    """Return the subject under which a player's offered cover is stored as a secret."""
    return f"{table}/{player}"


def exchange_secret_name(deal: int, number: int) -> str:
    """Return the name of the secret that holds the cards of an exchange."""
    return f"action {deal} {number}"


def closing_of(running: GameState) -> Closing:
    """Close a locked book; contributions not revealed by now count as withheld."""
    assert running.locked is not None
    withheld = {seal.player for seal in running.unrevealed}
    return close(running.book, running.locked.cover, withheld, running.held)


def with_withheld(
    state: TableState, game: str, seals: Sequence[Commitment], shut: tuple[Commitment, ...]
) -> TableState:
    """Record the contributions `shut` that were withheld when the book of a game closed.

    They may be revealed late, and they shorten later waits.
    """
    silences = dict(state.silences)
    for seal in seals:
        flags = (*silences.get(seal.player, ()), seal in shut)[-SILENCE_GAMES:]
        silences[seal.player] = flags
        # Only players who withheld recently need an entry.
        if not any(flags):
            del silences[seal.player]
    late = {**state.late, game: shut} if shut else state.late
    return state._replace(late=late, silences=silences)


def running_game(state: TableState) -> GameState:
    """Return the running game; raise `InvariantError` if there is none."""
    if state.running is None:
        raise InvariantError(f"{state.rules.name}: nothing is running")
    return state.running


def next_dealer(running: GameState) -> Seat:
    """Return the dealer of the next deal."""
    assert running.game is not None
    if running.deal is None:
        return running.game.dealer
    return ecarte.after_deal(running.game, running.deal).dealer


def seat_changed(state: TableState, player: str, change: str) -> SeatChanged:
    """Return the event for a player who was queued or seated, left, or defaulted."""
    return SeatChanged(player=player, table=state.rules.name, what=change)


class DecisionContext(Protocol):
    """Ledger data available when deciding whether to accept a command."""

    def funds_cents(self, player: str) -> int:
        """Return the spendable balance of a player or the house."""

    def check_bet(self, table: str, player: str, risk_cents: int) -> None:
        """Raise `Refused` if the player's own limits or the table's forbid a bet."""

    def may_be_late(self, game: str) -> bool:
        """Return True if a contribution may still be recorded after its book has closed."""


def require_game(state: TableState, game: str) -> GameState:
    """Return the running game; raise `Refused` if its id is not `game`."""
    if state.running is None or state.running.id != game:
        raise Refused(GAME_NOT_RUNNING, game=game[:40])
    return state.running
