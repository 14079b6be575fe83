"""Backend in the tables' process, which answers pages and sockets directly."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import lru_cache, partial
from typing import Concatenate, Final, ParamSpec, TypeVar

import gevent
from msgspec import to_builtins
from msgspec.structs import asdict, replace

from casino.config import Config
from casino.errors import CasinoError
from casino.hosting import HostedTables
from casino.ledger import accounts
from casino.ledger.log_reader import LogReader
from casino.ledger.tlog import open_checkpoint, parse_witnesses
from casino.player_limits import limits_at, pending_changes
from casino.reports.statement import statement as player_statement
from casino.table.domain.commands import Command
from casino.table.domain.state import TableState
from casino.table.public.feed import TableFeed
from casino.table.public.private_view import own_bets, private_view
from casino.table.public.state import Message
from casino.table.runtime.casino import Casino
from casino.table.runtime.recovery import MESSAGES_A_LEAF, load_transfer
from casino.table.runtime.refills import refill, refill_threshold_cents
from casino.table.runtime.witness_client import CosignedCheckpointFile, WitnessListener
from casino.web.accounts.service import AccountService
from casino.web.backend import queries
from casino.web.backend.concurrency import LogReaderPool
from casino.web.backend.interface import Bulletin, ChatMessage, TableFeeds
from casino.web.metrics import Counters
from casino.web.server.rate_limit import RateLimit, TokenBuckets

OF_ONE: Final = RateLimit(3, 4_000)  # phrases of one player
OF_TABLE: Final = RateLimit(20, 200)  # phrases of everyone at a table

RESULTS_KEPT: Final = 10_000  # tables; anyone can ask about one that never existed
IDLE_CHECK_SECONDS: Final = 10.0

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")


class LocalBackend:
    """Implements `Backend` in the tables' process, and publishes messages to its subscribers.

    `states` holds each table's full state, hidden cards included, after its last published event;
    private views are derived from that. `chance` returns 32 random bytes.
    """

    def __init__(self, config: Config, house: Casino, chance: Callable[[], bytes]) -> None:
        self.config, self.house, self.chance = config, house, chance
        self.service = house.service
        self.now = house.clock  # in milliseconds since 1970
        ledger, self._witnesses = house.service.ledger, parse_witnesses(config.witness.at)
        self.bridge = LogReaderPool(ledger)
        tables = [runner.table for runner in house.croupiers]
        self.states = {name: house.service.durable_state(name) for name in tables}
        read = self.bridge.read
        self.feeds = TableFeeds(
            (name, read(partial(_feed, state=state, now=self.now())))
            for name, state in self.states.items()
        )
        self.figures = Counters()
        house.service.listeners.append(self.figures)
        self.witnessed = CosignedCheckpointFile(ledger.files.cosigned, self._witnesses)
        self._hearers: list[Callable[[Bulletin], None]] = []
        openings = config.web.openings_a_day
        self.people = people = AccountService(house, self.bridge, openings, self.publish)
        house.refuse_namesakes(people.is_entered)
        self._standings = standings = queries.Leaderboard()
        self._results = lru_cache(RESULTS_KEPT)(queries.TableResults)
        self._phrases_of = TokenBuckets(OF_ONE, house.clock)
        self._phrases_at = TokenBuckets(OF_TABLE, house.clock)
        self.enter, self.sign_out = people.enter, people.sign_out
        self.change_password, self.players_of = people.change_password, people.players_of
        self.has_password = people.has_password
        self.hosting = hosting = HostedTables(
            config, house, self.states, self.submit, people.has_password, people.is_entered
        )
        self.open_table, self.change_table = hosting.open, hosting.change
        self.close_table, self.order_games = hosting.close, hosting.order_games
        self.table_link = self.service.seeds.link
        self.leaders = self._query(standings.leaders)
        self.player_record = self._query(standings.player)
        self.games = self._query(queries.finished_games)
        self.game = self._query(queries.finished_game)
        self.successor = self._query(queries.successor)
        self.replay = self._query(queries.game_replay)
        self.leaves = self._query(queries.leaves)
        self.tile = self._query(queries.tile)

    def subscribe(self, hear: Callable[[Bulletin], None]) -> None:
        """Call `hear` with each message from now on, once earlier subscribers have received it."""
        self._hearers.append(hear)

    def publish(self, message: Bulletin) -> None:
        """Pass a message to all subscribers."""
        for hear in self._hearers:
            hear(message)

    def set_present(self, player: str, there: bool) -> None:
        """Record whether a player has a page open, which affects the time they have to act."""
        for runner in self.house.croupiers:
            runner.set_connected(player, there, self.now())

    def submit(self, command: Command) -> Message:
        return self.bridge.wait(self.service.submit(command))

    def balances(self, players: Sequence[str]) -> dict[str, int]:
        wallet = accounts.spending_account
        return self.bridge.read(lambda log: {name: log.balance(wallet(name)) for name in players})

    def private_views(self, wanted: Sequence[tuple[str, str]]) -> list[Message]:
        balances = self.balances(sorted({player for _, player in wanted}))
        return [self._view(table, player, balances[player]) for table, player in wanted]

    def _view(self, table: str, player: str, balance_cents: int) -> Message:
        feed = self.feeds[table]
        own = private_view(self.states[table], feed.table, player)
        view: Message = {"name": player, **own}
        view |= {"version": feed.version, "balance_cents": balance_cents}
        if view["legal"]:
            view["seconds"] = self._seconds_for(feed)
        return view

    def _seconds_for(self, feed: TableFeed) -> float | None:
        now = self.now()
        if feed.seconds_left(now) is None:
            return None
        return self.house.runner(feed.name).turn_ms_left(now) / 1000

    def say(self, table: str, player: str, phrase: str) -> None:
        """Publish a chat phrase, unless the player or the table is over its rate limit."""
        name = self.feeds[table].name
        self._phrases_of.take(player)
        self._phrases_at.take(name)
        self.publish(ChatMessage(name, player, phrase))

    def give_more_time(self, table: str, player: str) -> float | None:
        feed = self.feeds[table]
        self.house.runner(table).give_more_time(player)
        return self._seconds_for(feed)

    def watch_idle_tables(self, watchers: Callable[[str], int]) -> None:
        """Close idle tables at intervals; `watchers` counts the connections that watch a table."""
        while True:
            gevent.sleep(IDLE_CHECK_SECONDS)
            try:
                self.hosting.close_idle(watchers)
            except CasinoError:
                log.exception("idle tables could not be closed")

    def ask_witnesses(self, fault: Callable[[Exception], None]) -> WitnessListener:
        """Have every signed checkpoint cosigned, until the returned listener is closed."""

        def prove(old: int, size: int) -> list[bytes]:
            with closing(self.service.ledger.reader()) as log:
                return log.consistency(old, size)

        listener = WitnessListener(self._witnesses, prove, self.witnessed.save, fault)
        self.service.listeners.append(listener)
        return listener

    def account(self, player: str) -> Message:
        wishes = self.service.wishes.get(player, ())
        bets: list[Message] = []
        for feed in self.feeds.values():
            if (running := feed.table.running) is not None:
                where = {"table": feed.name, "game": running.id}
                bets += [{**where, **bet} for bet in own_bets(running, player)]
        return {
            "name": player,
            "balance_cents": self.balances([player])[player],
            "limits": limits_at(wishes, self.now())._asdict(),
            "pending": list(map(asdict, pending_changes(wishes, self.now()))),
            "bets": bets,
            "refill_below_cents": refill_threshold_cents(self.house),
        }

    def refill(self, player: str) -> Message:
        return self.bridge.wait(self.bridge.read(lambda log: refill(log, self.house, player)))

    def statement(self, player: str) -> Message:
        location = self.service.ledger.location
        return self.bridge.run_in_thread(lambda: to_builtins(player_statement(location, player)))

    def statistics(self, table: str | None) -> Message:
        if table is None:
            return self.bridge.read(self._standings.statistics)
        results = self._results(table)
        # Read first, so that once no games are ordered, the results contain all of them.
        ordered = self.house.ordered_games(table)
        answer = self.bridge.read(results.statistics)
        numbers = {"first": ordered.start, "last": ordered.stop - 1}
        return {**answer, "ordered": numbers if ordered else None}

    def _query(self, query: Callable[Concatenate[LogReader, P], T]) -> Callable[P, T]:
        def read(*args: P.args, **kwargs: P.kwargs) -> T:
            return self.bridge.read(lambda log: query(log, *args, **kwargs))

        return read

    def checkpoint(self) -> Message:
        checkpoint = self.bridge.read(queries.checkpoint)
        return {**checkpoint, "key": self.service.ledger.key.public.text()}

    def _cosigned(self) -> str | None:
        return self.witnessed.note_with_quorum(self.config.witness.quorum)

    def receipt(self, player: str, bet: str) -> Message:
        cosigned = self._cosigned()
        return self.bridge.read(lambda log: queries.receipt(log, player, bet, cosigned))

    def published_checkpoint(self) -> str | None:
        newest = self.bridge.read(lambda log: log.checkpoint())
        if newest is None:
            return None
        cosigned = self._cosigned()
        if cosigned is not None and open_checkpoint(cosigned, None).size == newest.size:
            return cosigned
        return newest.note


def _feed(log: LogReader, state: TableState, now: int) -> TableFeed:
    """Return the feed of a table, starting from the table's state in the log."""
    proof = "" if state.running is None else queries.lock_proof(log, state.running.id)
    version = MESSAGES_A_LEAF * log.size()
    standing = load_transfer(log, state.rules, now)
    return TableFeed(replace(standing, turn=state.turn, version=version, proof=proof))
