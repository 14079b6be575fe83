"""Backend in the tables' process, which answers pages and sockets directly."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Concatenate, Final, ParamSpec, TypeVar

import gevent
from msgspec import to_builtins
from msgspec.structs import asdict, replace

from casino.config import Config
from casino.config_tables import TableOrder, changed_table, hosted_table
from casino.errors import CasinoError, RefusalReason, Refused
from casino.ledger import accounts
from casino.ledger.log_reader import LogReader
from casino.ledger.tlog import open_checkpoint, parse_witnesses
from casino.ledger.transaction import Answer
from casino.player_limits import limits_at, pending_changes
from casino.reports.statement import statement as player_statement
from casino.table.domain.commands import CloseTable, Command, OpenTable, SetTableSettings
from casino.table.domain.state import NOT_HOSTED, TableState, refuse_closed
from casino.table.public.feed import TableFeed
from casino.table.public.private_view import own_bets, private_view
from casino.table.public.state import Message, PublicTable, bettors
from casino.table.runtime.casino import Casino
from casino.table.runtime.recovery import MESSAGES_A_LEAF, load_transfer
from casino.table.runtime.refills import refill, refill_threshold_cents
from casino.table.runtime.simulated_bettors import STAR
from casino.table.runtime.witness_client import CosignedCheckpointFile
from casino.web.accounts.service import AccountService
from casino.web.backend import queries
from casino.web.backend.concurrency import LogReaderPool
from casino.web.backend.interface import Bulletin, ChatMessage, TableFeeds
from casino.web.backend.leaderboard import Leaderboard, TableResults
from casino.web.metrics import Counters
from casino.web.server.rate_limit import RateLimit, TokenBuckets

OF_ONE: Final = RateLimit(3, 4_000)  # phrases of one player
OF_TABLE: Final = RateLimit(20, 200)  # phrases of everyone at a table

NO_HOSTS: Final = RefusalReason(
    "no_hosts", "unavailable", "only the casino opens tables here: choose one in the lobby"
)
HOST_NEEDS_PASSWORD: Final = RefusalReason(
    "host_needs_password", "unavailable", "a host needs a password: set one on the account page"
)
NOT_YOUR_TABLE: Final = RefusalReason(
    "not_your_table", "not_host", "{table} has another host: only they may change or close it"
)
TOO_MANY_GAMES: Final = RefusalReason(
    "too_many_games", "over_limit", "a host can order at most {most} games at a time: order fewer"
)
BOT_IS_A_PERSON: Final = RefusalReason(
    "bot_is_a_person", "name_taken", "a person here is called {bot}: choose another bot"
)
PEOPLE_PLAY: Final = RefusalReason(
    "people_play", "unavailable", "people play at {table}: only bots play without pauses"
)

RESULTS_KEPT: Final = 10_000  # tables; anyone can ask about one that never existed
IDLE_CHECK_SECONDS: Final = 10.0
_MINUTE_MS: Final = 60_000

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
        ledger, self.witnesses = house.service.ledger, parse_witnesses(config.witness.at)
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
        self.witnessed = CosignedCheckpointFile(ledger.files.cosigned, self.witnesses)
        self._hearers: list[Callable[[Bulletin], None]] = []
        openings = config.web.openings_a_day
        self.people = people = AccountService(house, self.bridge, openings, self.publish)
        house.refuse_namesakes(people.is_entered)
        self._standings = standings = Leaderboard()
        self._results = lru_cache(RESULTS_KEPT)(TableResults)
        self._used_at: dict[str, int] = {}  # of hosted tables, at the last check
        self._phrases_of = TokenBuckets(OF_ONE, house.clock)
        self._phrases_at = TokenBuckets(OF_TABLE, house.clock)
        self.enter, self.sign_out = people.enter, people.sign_out
        self.change_password, self.players_of = people.change_password, people.players_of
        self.has_password = people.has_password
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

    def set_present(self, player: str, *, there: bool) -> None:
        for runner in self.house.croupiers:
            runner.set_connected(player, there, self.now())

    def submit(self, command: Command) -> Answer:
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

    def open_table(self, player: str | None, table_id: str, order: TableOrder) -> Message:
        """Open a table for a host, or for the operator (None); return the table's name and link."""
        hosting = self.config.hosting
        if player is not None:
            if hosting.who == "nobody":
                raise Refused(NO_HOSTS)
            if hosting.who == "accounts" and not self.has_password(player):
                raise Refused(HOST_NEEDS_PASSWORD)
        if order.replaces:
            command = queries.SUCCESSOR_ID.format(order.replaces)
            self._check_host(player, order.replaces)
            refuse_closed(state := self.states[order.replaces])
            rules = changed_table(self.config, state.newest_settings, order)
        else:
            # No player has an empty name, so an operator's id is never a player's.
            command = f"table/{player or ''}/{table_id}"
            rules = hosted_table(self.config, player, order)
        for bot in (rules.house, *rules.challengers):
            if bot and self.people.is_entered(bot):
                raise Refused(BOT_IS_A_PERSON, bot=bot)
        # A table that closes gives its place to the one that replaces it.
        room = bool(order.replaces)
        opened = OpenTable(command, rules, hosting.tables_each + room, hosting.tables + room)
        table: str = self.submit(opened)["table"]
        if order.replaces:
            self.close_table(player, order.replaces)
        is_private = rules.hosted is not None and rules.hosted.audience == "link"
        return {"table": table, "link": self.table_link(table) if is_private else ""}

    def change_table(self, player: str | None, table: str, order: TableOrder) -> Message:
        """Change a table that `player` hosts; the operator (None) may change any hosted table."""
        self._check_host(player, table)
        rules = self.states[table].newest_settings
        self.submit(SetTableSettings(table, changed_table(self.config, rules, order)))
        coming = self.service.durable_state(table).coming
        return {"table": table, "from_game": coming[-1][0] if coming else 0}

    def close_table(self, player: str | None, table: str) -> Message:
        """Close a table that `player` hosts; the operator (None) may close any hosted table."""
        self._check_host(player, table)
        self.submit(CloseTable(table, "operator" if player is None else "host"))
        running = self.service.durable_state(table).running
        return {"table": table, "running": "" if running is None else running.id}

    def watch_idle_tables(self, watchers: Callable[[str], int]) -> None:
        """Close idle tables at intervals; `watchers` counts the connections that watch a table."""
        while True:
            gevent.sleep(IDLE_CHECK_SECONDS)
            try:
                self.close_idle_tables(watchers)
            except CasinoError:
                log.exception("idle tables could not be closed")

    def close_idle_tables(self, watchers: Callable[[str], int]) -> None:
        """Close hosted tables that have been idle for too long."""
        now, used_at = self.now(), dict[str, int]()
        for name, feed in list(self.feeds.items()):
            settings = feed.table.newest_settings
            if settings.hosted is None or settings.is_closed:
                continue
            is_used = watchers(name) or _has_people_at(feed.table) or self.house.ordered_games(name)
            used_at[name] = now if is_used else self._used_at.get(name, now)
            if now - used_at[name] >= self.config.hosting.idle_minutes * _MINUTE_MS:
                self.submit(CloseTable(name, "idle"))
        self._used_at = used_at

    def order_games(self, player: str, table: str, games: int) -> Message:
        self._check_host(player, table)
        if games > self.config.hosting.games_ordered:
            raise Refused(TOO_MANY_GAMES, most=self.config.hosting.games_ordered)
        if not self.states[table].newest_settings.challenger:
            raise Refused(PEOPLE_PLAY, table=table)
        ordered = self.house.order_games(table, games)
        return {"first": ordered.start, "last": ordered.stop - 1}

    def _check_host(self, player: str | None, table: str) -> None:
        hosted = self.feeds[table].table.newest_settings.hosted
        if hosted is None:
            raise Refused(NOT_HOSTED, table=table)
        if player is not None and hosted.host != player:
            raise Refused(NOT_YOUR_TABLE, table=table)

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
    version, proof = MESSAGES_A_LEAF * log.size(), queries.lock_proof(log, state)
    standing = load_transfer(log, state.rules, now)
    return TableFeed(replace(standing, turn=state.turn, version=version, proof=proof))


def _has_people_at(table: PublicTable) -> bool:
    running = table.running
    has_bettors = running is not None and any(STAR not in name for name in bettors(running))
    has_entry = table.poule is not None and table.poule.person
    return bool(table.holder or table.queue or has_bettors or has_entry)
