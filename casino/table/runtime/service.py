"""Table service, the entry point for every command to a table.

The ledger's writer thread turns a command into events and stores them in one transaction. Once that
is durable, the events are published and the reply is sent. The service caches the state of every
table in memory, and loads it from the log at startup and after a fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from itertools import count
from typing import Any, Final, TypeAlias

import msgspec
from msgspec.structs import astuple, replace

from casino.errors import RefusalReason, Refused
from casino.events import types
from casino.events.types import BetAccepted, Entry
from casino.ledger import accounts
from casino.ledger.ledger import Ledger
from casino.ledger.log_reader import LogReader
from casino.ledger.transaction import Answer, Transaction
from casino.ledger.writer import Clock, WriterListener
from casino.player_limits import DayTally, LimitChange, check_bet, limits_at, with_change
from casino.table.domain.commands import (
    UNKNOWN_TABLE,
    Command,
    OpenGame,
    OpenTable,
    PlaceBet,
    SealCut,
    SetLimit,
    SetTableSettings,
    TableCommand,
    bet_command_id,
)
from casino.table.domain.handlers import decide
from casino.table.domain.settings import TableSettings
from casino.table.domain.state import (
    NO_SECRETS,
    STALE_VERSION,
    DecisionContext,
    TableState,
    Transition,
    Transitions,
    offer_name,
)
from casino.table.public.feed import TableTransfer
from casino.table.runtime import recovery
from casino.table.runtime.seed_chains import SeedKeeper

# The full and the public state of a table that was reloaded from the log.
RestoredTable: TypeAlias = tuple[TableState, TableTransfer]

# The events that end a subject.
ENDS: Final = (types.GameOver, types.GameVoid, types.PouleOver, types.PouleVoid)

TOO_MANY_TABLES: Final = RefusalReason(
    "too_many_tables",
    "over_limit",
    "you have {n} open table already: close it first",
    plural="you have {n} open tables already: close one first",
)
NO_MORE_TABLES: Final = RefusalReason(
    "no_more_tables", "unavailable", "{n} tables are open, and no more fit: try again later"
)


class EventListener(WriterListener):
    """Base class of listeners to the tables; methods must not raise or block.

    `on_restored` replaces `on_reopened`, and events follow `on_committed`.
    """

    def on_event(self, happening: Transition) -> None:
        """Handle a durable event, from which the secrets are removed."""

    def on_restored(self, tables: Mapping[str, RestoredTable]) -> None:
        """Handle a reload of all tables after a fault."""


class TableService(WriterListener):
    """Service that executes commands to tables, and stores and publishes their events."""

    def __init__(
        self,
        tables: Sequence[TableSettings],
        clock: Clock,
        seeds: SeedKeeper,
        open_ledger: Callable[[WriterListener], Ledger],
    ) -> None:
        self._configured = {rules.name: rules for rules in tables}
        self._table_names: set[str] = set()
        self.clock = clock
        self.seeds = seeds
        self.listeners: list[EventListener] = []
        self._newest: dict[str, TableState] = {}
        self._durable: dict[str, TableState] = {}
        self._restored: dict[str, RestoredTable] = {}
        self._unpublished: list[Transition] = []
        self._has_room = False
        self.wishes: dict[str, tuple[LimitChange, ...]] = {}
        self.tallies: dict[str, DayTally] = {}
        self.ledger = open_ledger(self)  # last, because it calls `on_reopened`

    def durable_state(self, table: str) -> TableState:
        """Return a table's last durable state."""
        return self._durable[table]

    def durable_states(self) -> list[TableState]:
        """Return the last durable state of every table, also of those that have just closed."""
        return list(self._durable.values())

    def submit(self, command: Command) -> Future[Answer]:
        """Queue a command; its future yields the reply or raises `Refused` once it is durable."""
        if isinstance(command, SetLimit):
            return self._submit(partial(self._set_limit, command))
        if isinstance(command, OpenTable):
            content = msgspec.json.encode(command.rules)
            return self._submit(partial(self._open_table, command), command.id, content)
        if isinstance(command, PlaceBet):
            # The `bet_id` names the command; L5 compares the other fields if it is sent again.
            table, game, name, *others = astuple(command)
            content = msgspec.json.encode((table, game, *others))
            name = bet_command_id(command.player, command.bet_id)
            work, describe = partial(self._execute, (command,)), partial(_bet_placed, command)
            return self._submit(work, name, content, describe)
        return self.submit_all((command,))

    def submit_all(self, commands: Sequence[TableCommand]) -> Future[Answer]:
        """Queue commands to one table that succeed or fail together."""
        return self._submit(partial(self._execute, commands))

    def _submit(self, work: Callable[[Transaction], Answer], *named: Any) -> Future[Answer]:
        at = self.clock()

        def not_earlier(transaction: Transaction) -> Answer:
            transaction.now = max(transaction.now, at)
            return work(transaction)

        return self.ledger.submit(not_earlier, *named)

    # Called by the writer, in its thread.

    def _execute(self, commands: Sequence[TableCommand], transaction: Transaction) -> Answer:
        table = commands[0].table
        # Refused here, so that a repeated bet at a table since closed is still answered by its id.
        if table not in self._newest:
            raise Refused(UNKNOWN_TABLE, table=table[:40])
        state, first = self._newest[table], commands[0]
        # Query the free disk space only once per commit.
        if isinstance(first, (OpenGame, PlaceBet)) and not self._has_room:
            self.ledger.require_room()
            self._has_room = True
        # If an earlier command has failed, the seed is not the next in the chain.
        seed = first.server_seed if isinstance(first, OpenGame) and not state.running else None
        if seed is not None and seed != self.seeds.next_seed(state):
            raise Refused(STALE_VERSION)
        context, steps = self._context(transaction), Transitions()
        for command in commands:
            steps += decide(steps[-1].after if steps else state, command, context)
        leaf = transaction.next_leaf
        self._write(transaction, state, steps)
        recovery.add_to_tallies(self.tallies, transaction.posted, transaction.now)
        return _answer(transaction, commands[-1], steps, self._newest[table], leaf)

    def _context(self, transaction: Transaction) -> DecisionContext:
        """Return a context that reads balances within a transaction."""

        def check(player: str, day_cents: int, risk_cents: int) -> None:
            wishes, tally = self.wishes.get(player, ()), self.tallies.get(player, DayTally())
            check_bet(wishes, tally, day_cents, risk_cents, transaction.now)

        def funds_cents(player: str) -> int:
            return transaction.balance(accounts.spending_account(player))

        return DecisionContext(transaction.now, funds_cents, check)

    def _set_limit(self, command: SetLimit, transaction: Transaction) -> Answer:
        player, now = command.player, transaction.now
        accounts.check_name(player)
        wishes = with_change(self.wishes.get(player, ()), command.key, command.value, now)
        wish = wishes[-1]
        limits = types.OwnLimits(**{wish.key: wish.value})
        transaction.log(types.LimitSet(from_ms=wish.from_ms, limits=limits, player=player))
        self.wishes[player] = wishes
        return {"limits": limits_at(wishes, now)._asdict(), "from": wish.from_ms}

    def _open_table(self, command: OpenTable, transaction: Transaction) -> Answer:
        self.ledger.require_room()
        newest = [state.newest_settings.hosted for state in self._newest.values()]
        hosts = [hosted.host for hosted in newest if hosted and hosted.closed is None]
        host = command.rules.hosted.host if command.rules.hosted else None
        if host is not None and (own := hosts.count(host)) >= command.max_open:
            raise Refused(TOO_MANY_TABLES, n=own)
        if host is not None and len(hosts) >= command.max_total:
            raise Refused(NO_MORE_TABLES, n=len(hosts))
        # No table in the settings or the log has had this name.
        names = (f"h{number}" for number in count(1))
        name = next(name for name in names if name not in self._table_names)
        self._table_names.add(name)
        state = TableState(command.rules._replace(name=name), turn=transaction.next_leaf)
        first = SetTableSettings(name, state.rules)
        self._write(transaction, state, decide(state, first, self._context(transaction)))
        return {"table": name}

    def _write(self, transaction: Transaction, state: TableState, steps: Transitions) -> None:
        happenings = []
        for event, secrets, after in steps:
            state = after
            if isinstance(event, Entry):
                transaction.post(event)
                continue
            stamped = replace(event, at=transaction.now)
            transaction.log(stamped)
            happenings.append(Transition(stamped, NO_SECRETS, after))
            subject = event.subject
            # Players reveal only after proof of the lock, so request a checkpoint at once.
            if isinstance(event, types.BookLocked) and event.seals:
                transaction.wants_checkpoint = True
            elif isinstance(event, types.SeatChanged):
                # A player's offer is stored until they leave.
                subject = offer_name(event.table, event.player)
                if event.what == "left":
                    transaction.secrets.append((subject, None, None))
            # What an event may not reveal yet is stored encrypted.
            if secrets:
                assert subject is not None
                encrypted = self.seeds.encrypt(subject, secrets).items()
                transaction.secrets += [(subject, name, value) for name, value in encrypted]
        # Last, because the entry that pays a game comes after the event that ends it.
        for event, _, _ in steps:
            if isinstance(event, ENDS):
                transaction.end_subject(event.game)
        # Only now, when nothing can fail any more.
        self._newest[state.rules.name] = state
        self._unpublished += happenings

    def on_storing(self) -> None:
        """Notify the listeners before a group is stored."""
        for listener in self.listeners:
            listener.on_storing()

    def on_committed(self) -> None:
        """Publish the events of a group that is durable."""
        for listener in self.listeners:
            listener.on_committed()
        self._has_room = False
        happenings, self._unpublished = self._unpublished, []
        # Not taken from the events, whose turn numbers are outdated after a commit in doubt.
        self._durable = dict(self._newest)
        for happening in happenings:
            for listener in self.listeners:
                listener.on_event(happening)
        self._tell_restored()

    def on_signed(self, note: str) -> None:
        """Forward a checkpoint to the listeners."""
        for listener in self.listeners:
            listener.on_signed(note)

    def on_fault(self, error: Exception) -> None:
        """Discard events that were not stored, and notify the listeners."""
        self._unpublished, self._has_room, self._restored = [], False, {}
        for listener in self.listeners:
            listener.on_fault(error)

    def on_reopened(self, log: LogReader) -> None:
        """Load every table from the log; after a fault, notify the listeners."""
        again = bool(self._newest)
        terms = recovery.load_newest_terms(log)
        # Tables that have just closed stay known: their runners may still look at them.
        hosted = recovery.load_hosted(log, terms.values(), self._newest)
        self._table_names = {*terms, *self._configured}
        tables = {**self._configured, **hosted}
        self._newest = {
            name: recovery.load_table(log, rules, self.seeds) for name, rules in tables.items()
        }
        self._durable = dict(self._newest)
        if again:
            self._restored = {
                name: (state, recovery.load_transfer(log, tables[name], self.clock()))
                for name, state in self._newest.items()
            }
        self.wishes = recovery.load_limit_changes(log)
        self.tallies = recovery.load_tallies(log, self.clock())
        # If a commit is in doubt and proves durable, its events are published first.
        if not self._unpublished:
            self._tell_restored()

    def _tell_restored(self) -> None:
        restored, self._restored = self._restored, {}
        for listener in self.listeners if restored else ():
            listener.on_restored(restored)


def _answer(
    transaction: Transaction,
    command: TableCommand,
    steps: Transitions,
    after: TableState,
    leaf: int,
) -> Answer:
    answer: Answer = {}
    if isinstance(command, SealCut | PlaceBet) and command.seal and after.running is not None:
        mine = (seal.number for seal in after.running.seals if seal.player == command.player)
        answer["seal_number"] = next(mine)
    if isinstance(command, PlaceBet):
        bet = steps[0].event
        assert isinstance(bet, BetAccepted)
        answer["order"] = bet.order
        answer["leaf"] = leaf
        answer["balance_cents"] = transaction.balance(accounts.spending_account(command.player))
    return answer


def _bet_placed(command: PlaceBet, stored: Answer) -> Answer:
    answer = dict(stored)
    answer["bet"] = {
        "bet_id": command.bet_id,
        "game": command.game,
        "order": answer.pop("order"),
        "side": ("house", "challenger")[command.side],
        "unit_cents": command.unit_cents,
        "leaf": answer.pop("leaf"),
        **({"seal_number": answer.pop("seal_number")} if command.seal is not None else {}),
    }
    return answer
