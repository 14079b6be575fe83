"""RPC server of the backend, which publishes messages and executes workers' requests.

A request stays in its stream until it is answered, so a backend that was killed executes pending
requests when it starts again. No command takes effect twice: bets are recognised by id, actions by
turn. Requests older than a worker's timeout are ignored, because the client was asked to retry.
"""

from __future__ import annotations

import logging
import time
from collections import Counter, OrderedDict
from functools import partial
from typing import Any, Final

import gevent
import msgspec
from gevent.event import AsyncResult

from casino.errors import ConfigError, InputError
from casino.web.backend.concurrency import MAX_WAIT_SECONDS
from casino.web.backend.interface import BackendAlive, Bulletin
from casino.web.backend.local import LocalBackend
from casino.web.context import as_refusal
from casino.web.ipc import protocol, redis_streams
from casino.web.ipc.protocol import BackendSnapshot, Reply, Request, WorkerPresence, encode
from casino.web.ipc.redis_streams import (
    Lease,
    PendingEntry,
    StreamEntry,
    StreamReader,
    StreamWriter,
    create_client,
)

EVERY_SECONDS: Final = 1.0
SILENT_SECONDS: Final = 5.0  # a worker silent for this long is gone, and so are its players

_RUN_DIGITS: Final = 16

log = logging.getLogger(__name__)


class RpcServer:
    """Publishes the backend's messages and executes workers' requests, over Redis."""

    def __init__(self, url: str, backend: LocalBackend, cookies: bytes, lease: Lease) -> None:
        self._backend = backend
        self._cookies = cookies
        self._run = backend.chance().hex()[:_RUN_DIGITS]
        self._n = 0
        self._lease = lease
        self.displaced: AsyncResult[ConfigError] = AsyncResult()  # set when the lease is lost
        self._webs: dict[str, tuple[float, WorkerPresence]] = {}  # last reports and their times
        self._present: set[str] = set()
        self._seen: OrderedDict[str, None] = OrderedDict()  # ids of recent requests
        self._sender = StreamWriter(url)
        streams, post = {redis_streams.REQUESTS: MAX_WAIT_SECONDS}, backend.bridge.post
        heard, lost = partial(post, self._take), partial(post, self.displaced.set)
        self._reader = StreamReader(url, streams, heard, lease, lost)

    def __enter__(self) -> RpcServer:
        self._sender.start()
        self._reader.start()
        self._watching = gevent.spawn(self._watch)
        return self

    def __exit__(self, *_: object) -> None:
        self._watching.kill()
        self._reader.close()
        self._sender.close()
        self._lease.release()

    @property
    def connection_count(self) -> int:
        """The number of Socket.IO connections in all workers together."""
        return sum(web.lines for _, web in self._webs.values())

    def publish(self, message: Bulletin) -> None:
        """Send a message to all workers under the next sequence number."""
        self._n += 1
        sent = protocol.Envelope(self._run, self._n, self._backend.now(), message)
        self._sender.send(PendingEntry(redis_streams.EVENTS, encode(sent)))

    def _take(self, entry: StreamEntry) -> None:
        try:
            request = protocol.read_request(entry.body)
            if request.method == protocol.ALIVE:
                (presence,) = msgspec.convert(request.arguments, tuple[WorkerPresence])
                self._webs[request.web] = time.monotonic(), presence
                self._report_presence()
            elif request.id not in self._seen:
                # A worker sends a request again if it cannot tell whether Redis has it.
                self._seen[request.id] = None
                if len(self._seen) > redis_streams.KEPT:
                    self._seen.popitem(last=False)
                gevent.spawn(self._answer, entry.id, request)
                return
        except msgspec.MsgspecError as error:
            log.error("a request cannot be read: %s", error)
        self._sender.send(PendingEntry(redis_streams.REQUESTS, id=entry.id))

    def _answer(self, entry: str, request: Request) -> None:
        try:
            body = encode(Reply(request.id, self._execute(request.method, request.arguments)))
        except Exception as error:  # noqa: BLE001 - a malformed request may raise anything
            body = encode(Reply(request.id, refused=as_refusal(error).json()))
        # In this order: if the process dies in between, its successor executes the request again.
        self._sender.send(PendingEntry(redis_streams.ANSWERS + request.web, body))
        self._sender.send(PendingEntry(redis_streams.REQUESTS, id=entry))

    def _execute(self, method: str, arguments: list[Any]) -> Any:
        if method == protocol.BEGIN:
            return self._beginning()
        if method not in protocol.METHODS:
            raise InputError(f"the backend has no method {method[:40]}")
        converted = msgspec.convert(arguments, protocol.METHODS[method].arguments)
        # Workers authenticate players; this limits what a compromised worker can write.
        if method == "submit":
            self._backend.people.check_entered(converted[0].player)
        elif method in ("refill", "open_table", "change_table", "close_table"):
            self._backend.people.check_entered(converted[0])
        return getattr(self._backend, method)(*converted)

    def _beginning(self) -> BackendSnapshot:
        tables = {name: feed.transfer() for name, feed in self._backend.feeds.items()}
        # As last published, not as it is now: if the publisher misses a short change, it sends no
        # message that would undo the change in the worker.
        now, taking = self._backend.now(), self._backend.feeds.taking
        return BackendSnapshot(self._run, self._n, now, taking, self._cookies, tables)

    def _report_presence(self) -> None:
        present = {player for _, web in self._webs.values() for player in web.people}
        for player in present ^ self._present:
            self._backend.set_present(player, player in present)
        self._present = present

    def _watch(self) -> None:
        while True:
            gone = time.monotonic() - SILENT_SECONDS
            self._webs = {name: web for name, web in self._webs.items() if web[0] >= gone}
            self._report_presence()
            watching = Counter[str]()
            for _, web in self._webs.values():
                watching.update(web.watching)
            self._backend.publish(BackendAlive(watching))
            gevent.sleep(EVERY_SECONDS)


def open_rpc_server(backend: LocalBackend, cookies: bytes) -> RpcServer:
    """Wait until no other backend uses the configured Redis, and return the server for it."""
    url, origin = backend.config.scale.redis_url, backend.service.ledger.key.public.text().encode()
    lease = Lease(create_client(url), origin, backend.chance().hex().encode())
    lease.claim()
    return RpcServer(url, backend, cookies, lease)
