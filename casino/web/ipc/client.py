"""A worker's RPC client, which follows the backend's messages and sends the backend requests.

The messages are numbered. After a gap, or a restart of the backend, the worker fetches the whole
state and has every client request a snapshot. While the backend is away, clients are notified,
commands wait for a while, and queries are refused.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from types import SimpleNamespace
from typing import Any, Final, cast

import gevent
import msgspec
from gevent.event import AsyncResult
from gevent.queue import Empty, SimpleQueue

from casino.errors import CasinoError, Refused
from casino.web.backend.concurrency import MAX_WAIT_SECONDS, NO_ANSWER, EventLoop
from casino.web.backend.interface import Backend, BettingStatus, TableClosed, TableReset
from casino.web.broadcast.broadcaster import Broadcaster
from casino.web.context import AppContext
from casino.web.ipc import protocol, redis_streams
from casino.web.ipc.protocol import BackendSnapshot, Envelope, Reply
from casino.web.ipc.redis_streams import PendingEntry, StreamEntry, StreamReader, StreamWriter

AWAY_SECONDS: Final = 3.0  # a backend that sent no message for this long is away

EVERY_SECONDS: Final = 1.0
_NAME_DIGITS: Final = 16

log = logging.getLogger(__name__)


class RpcClient:
    """Sends a worker's requests over Redis, and receives the replies and messages."""

    def __init__(self, url: str, chance: Callable[[], bytes], clock: Callable[[], int]) -> None:
        self.loop = EventLoop()
        self._clock = clock
        self._ahead_ms = 0
        self.name = chance().hex()[:_NAME_DIGITS]
        self.is_away = False
        self.bulletins: SimpleQueue[Envelope] = SimpleQueue()
        self._numbers = count(1)
        self._asked: dict[str, AsyncResult] = {}
        self._sender = StreamWriter(url)
        # Earlier events are contained in the snapshot that the worker starts from. Events are read
        # first, because a reply may rely on them.
        streams = {redis_streams.EVENTS: 0, redis_streams.ANSWERS + self.name: 0}
        self._reader = StreamReader(url, streams, partial(self.loop.post, self._take))

    def open(self) -> None:
        """Start the threads that talk to Redis."""
        self._sender.start()
        self._reader.start()

    def close(self) -> None:
        """Send all queued requests, then stop the threads."""
        self._reader.close()
        self._sender.close()

    def now(self) -> int:
        """Return the estimated time of the backend, in milliseconds."""
        return self._clock() + self._ahead_ms

    def set_time(self, at: int) -> None:
        """Correct the estimate by `at`, the backend's time in a message that has just arrived."""
        self._ahead_ms = at - self._clock()

    def send(self, method: str, *arguments: Any, seconds: float = EVERY_SECONDS) -> str:
        """Send a request, unless Redis is away for `seconds` or more; return its id."""
        number = f"{self.name}.{next(self._numbers)}"
        body = protocol.encode(protocol.Request(number, self.name, method, list(arguments)))
        until = time.monotonic() + seconds
        self._sender.send(PendingEntry(redis_streams.REQUESTS, body, until=until))
        return number

    def snapshot(self) -> BackendSnapshot:
        """Return the backend's whole state; raise `Refused` if the backend does not reply."""
        return msgspec.convert(self.call(protocol.BEGIN), BackendSnapshot)

    def call(self, method: str, *arguments: Any) -> Any:
        """Send a request and return its result; raise `Refused` if no reply arrives in time."""
        number = self.send(method, *arguments, seconds=MAX_WAIT_SECONDS)
        waiting = self._asked[number] = AsyncResult()
        try:
            answer: Reply = waiting.get(timeout=MAX_WAIT_SECONDS)
        except gevent.Timeout:
            raise Refused(NO_ANSWER) from None
        finally:
            del self._asked[number]
        if answer.refused is not None:
            raise Refused.from_json(answer.refused)
        return answer.result

    def _take(self, entry: StreamEntry) -> None:
        try:
            if entry.stream == redis_streams.EVENTS:
                envelope = protocol.read_sent(entry.body)
                self.set_time(envelope.at)
                self.bulletins.put(envelope)
            else:
                answer = protocol.read_answer(entry.body)
                if answer.id in self._asked:
                    self._asked[answer.id].set(answer)
        except msgspec.MsgspecError as error:
            log.error("a message from the house cannot be read: %s", error)


def remote_backend(client: RpcClient) -> Backend:
    """Return a worker's backend, whose methods send requests over Redis.

    While the real backend is away, commands wait for it, and everything else is refused.
    """

    def request(name: str, *arguments: Any) -> Any:
        if client.is_away and name != "submit":
            raise Refused(NO_ANSWER)
        return msgspec.convert(client.call(name, *arguments), protocol.METHODS[name].result)

    methods = {name: partial(request, name) for name in protocol.METHODS}
    return cast("Backend", SimpleNamespace(**methods))


class EventSubscriber:
    """Applies the backend's messages, and reports this worker's players every second."""

    def __init__(
        self,
        client: RpcClient,
        begins: BackendSnapshot,
        broadcaster: Broadcaster,
        shared: AppContext,
    ) -> None:
        self._client, self._broadcaster, self._shared = client, broadcaster, shared
        self._position, self._taking = (begins.run, begins.n), begins.taking

    def start(self) -> None:
        """Start applying messages and reporting which players are connected here."""
        for work in (self._follow, self._say_who_is_here):
            gevent.spawn(work)

    def _follow(self) -> None:
        while True:
            try:
                sent = self._client.bulletins.get(timeout=AWAY_SECONDS)
            except Empty:
                self._client.is_away = True
                self._broadcaster.set_betting_status(False, away=True)
                continue
            self._client.is_away = False
            try:
                self._handle(sent)
                self._broadcaster.set_betting_status(self._taking)
            except (CasinoError, AssertionError, KeyError):
                log.exception("an event could not be published")

    def _handle(self, sent: Envelope) -> None:
        run, n = self._position
        if sent.run == run and sent.n <= n:
            return  # sent again, or contained in the last snapshot
        if (sent.run, sent.n) != (run, n + 1):
            self._resync()
            return
        self._position = sent.run, sent.n
        if isinstance(sent.message, BettingStatus):
            self._taking = sent.message.taking
        else:
            self._broadcaster.handle(sent.message)

    def _resync(self) -> None:
        # If this fails, the position stays as it was, so the next message tries again.
        log.warning("the backend restarted or was silent for a while: fetching its state")
        begins = self._client.snapshot()
        sessions, feeds, registry = self._shared.sessions, self._shared.feeds, self._shared.registry
        sessions.clear()
        # One request for all sessions: a thousand players would be a thousand round trips.
        registry.update_sessions(sessions.players_of(registry.player_keys()), {})
        for name in feeds.keys() - begins.tables.keys():
            self._broadcaster.handle(TableClosed(name))
        for name, table in begins.tables.items():
            self._broadcaster.handle(TableReset(name, table))
        self._position, self._taking = (begins.run, begins.n), begins.taking

    def _say_who_is_here(self) -> None:
        registry = self._shared.registry
        while True:
            watching = {table: registry.own_watchers(table) for table in self._shared.feeds}
            presence = protocol.WorkerPresence(sorted(registry.players()), len(registry), watching)
            self._client.send(protocol.ALIVE, presence)
            gevent.sleep(EVERY_SECONDS)
