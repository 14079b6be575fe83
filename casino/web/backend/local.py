"""Backend in the tables' process, which executes the web's queries and commands by name.

Arguments and results are JSON values, so that they can also be sent over Redis. Callers
authenticate the player. Private data is returned only by queries about the player it belongs to.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any, Final

import msgspec

from casino.config import Config
from casino.errors import InputError, RefusalReason, Refused
from casino.ledger import accounts
from casino.ledger.log_reader import LogReader
from casino.ledger.tlog.note import open_checkpoint
from casino.ledger.tlog.tiles import Tile, encode_bundle, hash_tile, parse_tile
from casino.reports.statement import statement
from casino.table.domain.commands import (
    CloseBetting,
    Command,
    LeaveSeat,
    OpenCut,
    PlaceBet,
    PlayAction,
    SealCut,
    SetLimit,
    TakeSeat,
)
from casino.table.domain.limit_state import limits_at
from casino.table.domain.state import TableState
from casino.table.public.feed import TableFeed
from casino.table.public.private_view import OwnBets, own_bets, private_view
from casino.table.public.state import Message, PublicGame
from casino.table.runtime.casino import Casino
from casino.table.runtime.service import UNKNOWN_TABLE, TableService
from casino.table.runtime.witness_client import CosignedCheckpointFile
from casino.web.accounts.service import NOT_ENTERED, AccountService, refill, refill_threshold_cents
from casino.web.backend import queries
from casino.web.backend.concurrency import LogReaderPool
from casino.web.backend.leaderboard import Leaderboard
from casino.web.backend.messages import ChatMessage, MessageBus
from casino.web.counters import Counters
from casino.web.server.rate_limit import RateLimit, TokenBuckets

# The commands that players may send.
COMMANDS: Final[Mapping[str, type[Command]]] = {
    kind.__name__: kind
    for kind in (
        PlaceBet,
        SealCut,
        OpenCut,
        CloseBetting,
        TakeSeat,
        LeaveSeat,
        PlayAction,
        SetLimit,
    )
}


OF_ONE: Final = RateLimit(3, 4_000)  # phrases of one player

OF_TABLE: Final = RateLimit(20, 200)  # phrases of everyone at a table

TOO_LOUD: Final = RefusalReason(
    "too_loud",
    "rate_limited",
    "that is enough for the moment: wait {n} second",
    plural="that is enough for the moment: wait {n} seconds",
)


class LocalBackend:
    """Executes queries and commands, and publishes messages to its subscribers.

    `states` has each table's full state, hidden cards included, after its last published event;
    private views are derived from it.
    """

    def __init__(
        self,
        config: Config,
        house: Casino,
        bridge: LogReaderPool,
        feeds: MutableMapping[str, TableFeed],
        states: dict[str, TableState],
        people: AccountService,
        chance: Callable[[], bytes],
        witnessed: CosignedCheckpointFile,
        figures: Counters,
        bus: MessageBus,
    ) -> None:
        self.config = config
        self.chance = chance
        self.house = house
        self.bridge = bridge
        self.feeds = feeds
        self.states = states
        self.people = people
        self.witnessed = witnessed
        self.figures = figures
        self.subscribe, self.publish = bus.subscribe, bus.publish
        self._own_bets: dict[str, tuple[PublicGame | None, OwnBets]] = {}
        self.when_told: Callable[[Callable[[], None]], None] = lambda done: done()
        standings = Leaderboard()
        self._phrases_of = TokenBuckets(OF_ONE, house.clock, TOO_LOUD)
        self._phrases_at = TokenBuckets(OF_TABLE, house.clock, TOO_LOUD)
        self._questions: Mapping[str, Callable[..., Any]] = {
            "command": self._command,
            "balances": self.balances,
            "views": self._views,
            "say": self._say,
            "more_time": self._more_time,
            "whose": people.player_of,
            "whose_each": lambda keys: {key: people.player_of(key) for key in keys},
            "enter": people.enter,
            "leave": people.sign_out,
            "password": people.change_password,
            "person": self._person,
            "refill": self._refill,
            "statement": self._statement,
            "leaders": self._reading(standings.leaders),
            "statistics": self._reading(standings.statistics),
            "player": self._reading(standings.player),
            "games": self._reading(queries.finished_games),
            "game": self._reading(queries.finished_game),
            "steps": self._reading(queries.game_replay),
            "leaves": self._reading(queries.leaves),
            "checkpoint": self._checkpoint,
            "receipt": self._receipt,
            "published": self._published,
            "tile": self._tile,
        }

    @property
    def service(self) -> TableService:
        """The service that executes the tables' commands."""
        return self.house.service

    @property
    def can_take_bets(self) -> bool:
        """Whether the ledger can store bets at the moment."""
        return self.service.ledger.can_take_bets

    def now(self) -> int:
        """Return the casino's time, in milliseconds since 1970."""
        return self.house.clock()

    def ask(self, question: str, *arguments: Any) -> Any:
        """Execute a query or a command by name and return its result; may raise `Refused`."""
        answer = self._questions.get(question)
        if answer is None:
            raise InputError(f"the house knows no question {question[:40]}: ask another")
        return answer(*arguments)

    def set_present(self, player: str, *, there: bool) -> None:
        """Notify the table runners whether a player is connected."""
        for runner in self.house.croupiers:
            runner.set_connected(player, there, self.now())

    def submit(self, command: Command) -> Message:
        """Submit a command and return its result once it is durable."""
        return self.bridge.wait(self.service.submit(command))

    def balances(self, players: Sequence[str]) -> dict[str, int]:
        """Return the wallet balances of several players, in cents."""
        return self.bridge.read(
            lambda log: {
                player: log.balance(accounts.spending_account(player)) for player in players
            }
        )

    def _command(self, name: str, fields: Sequence[Any]) -> Message:
        if name not in COMMANDS:
            raise InputError(f"command {name[:40]} is not open to clients: give another")
        command: Any = msgspec.convert(fields, COMMANDS[name])
        self._check_entered(command.player)
        return self.submit(command)

    def _refill(self, player: str) -> Message:
        self._check_entered(player)
        return refill(self.house, self.bridge, player)

    def _check_entered(self, player: str) -> None:
        # Workers authenticate players; this check limits what a compromised worker can write.
        if not self.people.is_entered(player):
            raise Refused(NOT_ENTERED)

    def _views(self, asked: Sequence[tuple[str, str]]) -> list[Message]:
        balances = self.balances(sorted({player for _, player in asked}))
        return [self._view(table, player, balances[player]) for table, player in asked]

    def _view(self, table: str, player: str, balance_cents: int) -> Message:
        feed = self._board(table)
        bets = self._bets(feed)
        own = private_view(self.states[table], feed.table, player, bets)
        view: Message = {"name": player, **own}
        view |= {"version": feed.version, "balance_cents": balance_cents}
        if view["legal"]:
            view["seconds"] = self._seconds_for(feed)
        return view

    def _bets(self, feed: TableFeed) -> OwnBets:
        running = feed.table.running
        kept = self._own_bets.get(feed.name)
        # The book is matched once for all players' views, to be fast enough for 300 bets a second.
        if kept is None or kept[0] is not running:
            kept = running, {} if running is None else own_bets(running)
            self._own_bets[feed.name] = kept
        return kept[1]

    def _board(self, table: str) -> TableFeed:
        if table not in self.feeds:
            raise Refused(UNKNOWN_TABLE, table=table[:40])
        return self.feeds[table]

    def _seconds_for(self, feed: TableFeed) -> float | None:
        seconds = feed.seconds_left(self.now())
        return None if seconds is None else seconds + self.house.extra_ms(feed.name) / 1000

    def _say(self, table: str, player: str, phrase: str) -> None:
        name = self._board(table).name
        self._phrases_of.take(player)
        self._phrases_at.take(name)
        self.publish(ChatMessage(name, player, phrase))

    def _more_time(self, table: str, player: str) -> float | None:
        feed = self._board(table)
        self.house.give_more_time(table, player)
        return self._seconds_for(feed)

    def _person(self, player: str) -> Message:
        wishes = self.service.wishes.get(player, ())
        bets: list[Message] = []
        for feed in self.feeds.values():
            view = private_view(self.states[feed.name], feed.table, player)
            bets += [{"table": feed.name, "game": view["game"], **b} for b in view.get("bets", [])]
        return {
            "name": player,
            "balance_cents": self.balances([player])[player],
            "limits": limits_at(wishes, self.now())._asdict(),
            "bets": bets,
            "refill_below_cents": refill_threshold_cents(self.house),
        }

    def _statement(self, player: str) -> Message:
        location = self.service.ledger.location
        return self.bridge.run_in_thread(lambda: statement(location, player).json())

    def _reading(self, question: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments: self.bridge.read(lambda log: question(log, *arguments))

    def _checkpoint(self) -> Message:
        checkpoint = self.bridge.read(queries.checkpoint)
        return {**checkpoint, "key": self.service.ledger.key.public.text()}

    def _cosigned(self) -> str | None:
        return self.witnessed.note_with_quorum(self.config.witness.quorum)

    def _receipt(self, player: str, bet: str) -> Message:
        cosigned = self._cosigned()
        return self.bridge.read(lambda log: queries.receipt(log, player, bet, cosigned))

    def _published(self) -> str | None:
        newest = self.bridge.read(lambda log: log.checkpoint())
        if newest is None:
            return None
        cosigned = self._cosigned()
        if cosigned is not None and open_checkpoint(cosigned, None).size == newest.size:
            return cosigned
        return newest.note

    def _tile(self, name: str, packed: bool) -> str | None:
        asked = parse_tile(name)
        data = self.bridge.read(lambda log: _contents(log, asked, packed))
        return None if data is None else base64.b64encode(data).decode("ascii")


def _contents(log: LogReader, tile: Tile, packed: bool) -> bytes | None:
    newest = log.checkpoint()
    if newest is None or tile.end > newest.size:
        return None
    if tile.level is not None:
        return hash_tile(tile, log.subtree)
    data = encode_bundle(leaf.body for leaf in log.leaves(tile.first, tile.width))
    return gzip.compress(data, 1) if packed else data
