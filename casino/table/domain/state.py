"""State of a table with all of its cards, and the reducers that apply events to it.

States are immutable. They contain the secret seed and every card, so they must not be sent to
clients or bots, which get views instead. `DecisionContext` supplies what else handlers need.

New events and events read from the log go through the same reducers. Secrets of a running game are
passed separately, because events are public.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from casino import ecarte, fairness
from casino.betting import Closing, MoneyMove
from casino.bots.registry import is_own_bot, own_bot_version
from casino.ecarte import Action, Deal, DealRecord, Seat
from casino.errors import InvariantError, RefusalReason, Refused
from casino.events import types
from casino.events.types import SIDES, BettingClosed, BotName, Event, SeatChanged
from casino.ledger import accounts
from casino.table.domain.settings import TableSettings, settings_at
from casino.table.domain.table_base import Commitment, GameBase, TableBase

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
TABLE_CLOSED: Final = RefusalReason(
    "table_closed", "unavailable", "table {table} is closed: choose another one"
)

_NOBODY: Final[Mapping[str, Any]] = {}


class ChainState(NamedTuple):
    """A table's current seed chain; `first_game` is the number of the first game that uses it."""

    chain: int
    length: int
    anchor: str
    first_game: int


class GameState(GameBase, frozen=True):
    """The running game, including its secrets.

    `made` counts each seat's decisions in the current deal. A game is `lost` if it cannot continue
    after a restart and must be voided.
    """

    server_seed: bytes = b""
    records: tuple[DealRecord, ...] = ()
    made: tuple[int, int] = (0, 0)
    lost: bool = False

    @property
    def number(self) -> int:
        """Number of the current deal, counted from 1."""
        return len(self.records) + 1

    @property
    def played(self) -> tuple[DealRecord, ...]:
        """Records of all deals, including the current one so far."""
        return self.records if self.deal is None else (*self.records, ecarte.deal_record(self.deal))

    @property
    def is_between_deals(self) -> bool:
        """Whether the next step is to deal; a proved revoke is claimed first."""
        is_over = self.deal is None or self.deal.phase in (ecarte.OVER, ecarte.ANNULLED)
        return is_over and not self.claims_revoke

    def waits_for(self, player: str) -> bool:
        """Return True if `player` has the challenger's seat and is to act."""
        return self.waits_for_person and player == self.challenger

    @property
    def claims_revoke(self) -> bool:
        """Whether the cards played so far prove a revoke by the challenger (R8.5)."""
        if self.deal is None or not self.deal.irregular.revoked[ecarte.CHALLENGER]:
            return False
        return ecarte.CLAIM in ecarte.legal_for(self.deal, ecarte.HOUSE)


class TableState(TableBase, frozen=True):
    """State of a table, with its running game.

    `turn` grows whenever the legal actions change, so a command for an earlier turn is stale.
    `covers` has the cover in cents that each player offers who is seated or queued.
    `last` holds the challenger and the winning seat of the last game. `has_terms` is False until
    settings are logged. `late` maps past games to the time when the book closed and the commitments
    that may still be revealed. `silences` records which of a player's recent contributions were
    withheld. `remote_bots` holds the players, seated or queued, whose own programs play for them.
    """

    turn: int = 0
    running: GameState | None = None
    covers: Mapping[str, int] = _NOBODY
    last: tuple[str, Seat] | None = None
    has_terms: bool = False
    chain: ChainState | None = None
    late: Mapping[str, tuple[int, tuple[Commitment, ...]]] = _NOBODY
    silences: Mapping[str, tuple[bool, ...]] = _NOBODY
    remote_bots: frozenset[str] = frozenset()

    def settings_for(self, number: int) -> TableSettings:
        """Return the settings that apply to game `number`."""
        return settings_at(self.rules, self.coming, number)[0]

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


def running_game(state: TableState) -> GameState:
    """Return the running game; raise `InvariantError` if there is none."""
    if state.running is None:
        raise InvariantError(f"{state.rules.name}: nothing is running")
    return state.running


class DecisionContext(NamedTuple):
    """The time, and ledger data, available when deciding whether to accept a command.

    Events that the state keeps are stamped with the time; the others are stamped when logged.
    `funds_cents` returns the spendable balance of a player or the house. `check_bet` raises
    `Refused` if a player's own limits, or the table's limit a day, forbid a bet of this risk.
    """

    now: int
    funds_cents: Callable[[str], int]
    check_bet: Callable[[str, int, int], None]


def require_game(state: TableState, game: str) -> GameState:
    """Return the running game; raise `Refused` if its id is not `game`."""
    if state.running is None or state.running.id != game:
        raise Refused(GAME_NOT_RUNNING, game=game[:40])
    return state.running


def refuse_closed(state: TableState) -> None:
    """Raise `Refused` if the table is closed."""
    if state.newest_settings.is_closed:
        raise Refused(TABLE_CLOSED, table=state.rules.name)


class Transition(NamedTuple):
    """An event, its secrets, and the table's state after it."""

    event: Event
    secrets: Secrets
    after: TableState


Transitions: TypeAlias = tuple[Transition, ...]


class Decision:
    """The transitions that a command causes, and the table's state after those so far."""

    def __init__(self, state: TableState) -> None:
        self.state = state
        self.steps: list[Transition] = []

    @property
    def running(self) -> GameState:
        """The running game, which must exist."""
        return running_game(self.state)

    @property
    def deal(self) -> Deal:
        """The current deal of the running game, which must exist."""
        return current_deal(self.state)

    def add(
        self, event: Event, secrets: Secrets = NO_SECRETS, after: TableState | None = None
    ) -> None:
        """Apply an event; `after` is the state after it, but for the turn, if it is known."""
        after = _after(self.state, event, secrets) if after is None else after
        self.state = _at_turn(self.state, event, after)
        self.steps.append(Transition(event, secrets, self.state))

    def change_seat(
        self, player: str, change: str, secrets: Secrets = NO_SECRETS, **fields: Any
    ) -> None:
        """Apply the event for a player who was queued or seated, left, or defaulted."""
        table = self.state.rules.name
        self.add(SeatChanged(player=player, table=table, what=change, **fields), secrets)

    def post(self, game: str, move: MoneyMove, reason: str = "") -> None:
        """Post a money move to the ledger, unless it is empty."""
        if move.postings:
            self.add(accounts.escrow_entry(game, *move, reason))


def evolve(state: TableState, event: Event, secrets: Secrets = NO_SECRETS) -> TableState:
    """Return the table's state after an event; advance the turn if legal actions may have changed.

    `secrets` are those of the event, or all the secrets of its game.
    """
    return _at_turn(state, event, _after(state, event, secrets))


def _at_turn(before: TableState, event: Event, after: TableState) -> TableState:
    if after is before or type(event) in types.KEEP_TURN:
        return after
    return after._replace(turn=after.turn + 1)


def _after(state: TableState, event: Event, secrets: Secrets) -> TableState:
    match event:
        case types.BetAccepted() | types.CutSealed() | types.BookLocked() | types.CutOpened():
            return state._replace(running=running_game(state).after(event))
        case types.ActionTaken():
            deal, number = current_deal(state), running_game(state).number
            hidden = secrets.get(exchange_secret_name(number, len(deal.history) + 1))
            action = ecarte.parse_token(event.action if hidden is None else hidden.decode())
            return with_action(state, action, ecarte.apply(deal, action))
        case types.TurnedUp():
            return _with_deal(state, ecarte.turn_up(current_deal(state)), running_game(state).made)
        case types.PackDealt():
            return _dealt(state)
        case types.GameOpened():
            return _opened(state, event, secrets)
        case types.CutLate():
            closed_at, waiting = state.late[event.game]
            left = tuple(seal for seal in waiting if seal.number != event.number)
            others = {game: late for game, late in state.late.items() if game != event.game}
            late = {event.game: (closed_at, left)} if left else {}
            return state._replace(late=others | late)
        case types.BettingClosed():
            return with_closing(state, event)
        case types.GameOver():
            last = running_game(state).challenger, SIDES.index(event.winner)
            return state.after(event)._replace(running=None, last=last)
        case types.GameVoid():
            return state._replace(running=None, last=None)
        case types.SeatChanged():
            return _seat_changed(state, event, secrets)
        case types.SeedChain():
            chain = ChainState(event.chain, event.length, event.anchor, state.number + 1)
            return state._replace(chain=chain)
        case types.TermsSet():
            return state.after(event)._replace(has_terms=True)
    return state.after(event)


def _opened(state: TableState, event: types.GameOpened, secrets: Secrets) -> TableState:
    state = state.after(event)
    running = GameState.begin(event, state.rules)
    offered_cents = max(state.covers.get(state.holder, 0), event.cover_cents)
    return state._replace(
        running=running._replace(server_seed=secrets.get(SEED, b"")),
        # Recovery does not read the games since the chain began.
        chain=state.chain and state.chain._replace(first_game=state.number + 1 - event.number),
        covers={**state.covers, state.holder: offered_cents} if state.holder else state.covers,
    )


def with_closing(
    state: TableState, event: BettingClosed, closing: Closing | None = None
) -> TableState:
    """Return the state after betting has closed; `closing`, if known, is not computed."""
    running = running_game(state)
    shut, silences = running.unrevealed, dict(state.silences)
    for seal in running.seals:
        flags = (*silences.get(seal.player, ()), seal in shut)[-SILENCE_GAMES:]
        silences[seal.player] = flags
        # Only players who withheld recently need an entry.
        if not any(flags):
            del silences[seal.player]
    late = {**state.late, running.id: (event.at, shut)} if shut else state.late
    after = running.after(event, closing)
    return state._replace(running=after, late=late, silences=silences)


def _dealt(state: TableState) -> TableState:
    running = running_game(state)
    game, records = running.next_game(), running.played
    deck = fairness.deck(running.server_seed, running.id, running.cut, len(records) + 1)
    deal = ecarte.begin_deal(game, deck)
    after = running._replace(game=game, deal=deal, records=records, made=(0, 0))
    return state._replace(running=after)


def with_action(state: TableState, action: Action, after: Deal) -> TableState:
    """Return the state after an action whose resulting deal is known."""
    house, challenger = running_game(state).made
    # An accidental exposure is not a decision of either seat.
    if not ecarte.EXPOSE <= action < ecarte.LEAD_OUT:
        seat = ecarte.actor(current_deal(state), action)
        house += seat == ecarte.HOUSE
        challenger += seat == ecarte.CHALLENGER
    return _with_deal(state, after, (house, challenger))


def _with_deal(state: TableState, deal: Deal, made: tuple[int, int]) -> TableState:
    return state._replace(running=running_game(state)._replace(deal=deal, made=made))


def _seat_changed(state: TableState, event: types.SeatChanged, secrets: Secrets) -> TableState:
    covers, bots = dict(state.covers), state.remote_bots
    if event.what == "queued":
        covers[event.player] = int(secrets.get(COVER, b"0"))
        bots |= {event.player} if event.played_by else set()
    elif event.what == "left":
        covers.pop(event.player, None)
        bots -= {event.player}
    running = state.running and state.running.after(event)
    return state.after(event)._replace(running=running, covers=covers, remote_bots=bots)
