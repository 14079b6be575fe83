"""Socket.IO handlers: turn each client message into a command, and acknowledge it.

A message is validated, submitted, and acknowledged with the table's version or with a refusal. The
player is known from the signed cookie of the WebSocket handshake, never from the message.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar

import gevent
from flask import request
from flask_socketio import SocketIO
from gevent.event import Event as Bell
from socketio.exceptions import ConnectionRefusedError  # noqa: A004

from casino.config import Web
from casino.errors import CasinoError, RefusalReason, Refused
from casino.table.domain import commands as ask
from casino.table.public.private_view import parse_action
from casino.table.public.state import Message
from casino.web.context import AppContext
from casino.web.errors import error_message
from casino.web.schemas import requests
from casino.web.schemas.requests import parse
from casino.web.server.fair_queue import FairQueue
from casino.web.server.rate_limit import RateLimit, TokenBuckets, client_network, per_second
from casino.web.sockets.connections import Connection, Crowd, player_of
from casino.web.sockets.private_state import PrivateStatePusher
from casino.web.websocket.connection import WIRE, WebSocketConnection
from casino.web.websocket.flush_queue import FlushQueue
from casino.web.websocket.framing import event_frame

MESSAGES: Final = RateLimit(60, 50)  # messages of one browser: a burst, then one per interval

# Rate-limited messages, less the accepted ones, before a client is disconnected.
MAX_EXCESS_MESSAGES: Final = 100

# How long a private message waits for the public messages before it.
MAX_PRIVATE_LAG_SECONDS: Final = 1.0

LEISURE_SECONDS: Final = 0.2  # longest delay of a message that waits to be sent with the next

LINE_CLOSED: Final = RefusalReason(
    "line_closed", "unavailable", "the connection was lost: open it again"
)
TOO_MANY_LINES: Final = RefusalReason(
    "too_many_lines", "rate_limited", "too many pages are open at your address: close some of them"
)
UNKNOWN_MESSAGE: Final = RefusalReason(
    "unknown_message", "bad_request", "there is no such message: send one of {known}"
)

_SIDES: Final = ("house", "challenger")

P = TypeVar("P", bound=requests.Payload)


class SocketHandlers:
    """Handles client messages and sends broadcasts, for all connections of this process."""

    def __init__(self, shared: AppContext, socketio: SocketIO) -> None:
        self.shared = shared
        self.socketio = socketio
        self.visitors: dict[str, Connection] = {}
        self.elsewhere: dict[str, int] = {}  # watchers of each table at all workers
        self.private_state = PrivateStatePusher(
            shared.backend.private_views, self.is_present, self.send_private
        )
        self._watchers: defaultdict[str, Crowd] = defaultdict(dict)
        self._bell = Bell()
        self._tabs: defaultdict[tuple[str, str], Crowd] = defaultdict(dict)
        self.flush_queue = FlushQueue()
        self._messages_of = TokenBuckets(MESSAGES, shared.now)
        self._settings = shared.config.web
        rate = per_second(self._settings.address_per_second)
        self._messages_from, self._lines_of = (TokenBuckets(rate, shared.now) for _ in range(2))
        self._lines: Counter[str] = Counter()
        self.joining = FairQueue(most_waiting=self._settings.connections)
        self._hearers: list[Callable[[str], None]] = []
        self.chances: dict[str, Message] = {}
        self._answers: dict[str, Any] = {}
        socketio.on_event("connect", self._connect)
        socketio.on_event("disconnect", self._disconnect)
        for name, (kind, answer) in self._messages().items():
            self.register(name, kind, answer)
        socketio.on_event("*", self._unknown)

    def register(
        self, name: str, kind: type[P], answer: Callable[[P, Connection], Message]
    ) -> None:
        """Register a message's handler, with the payload class that validates it."""
        self._answers[name] = answer
        self.socketio.on_event(name, self._make_listener(kind, answer))

    def subscribe(self, hear: Callable[[str], None]) -> None:
        """Call `hear` with the name of each table that has new events or a new watcher."""
        self._hearers.append(hear)

    def apply_settings(self, settings: Web) -> None:
        """Apply changed limits without closing existing connections."""
        self._settings = settings
        self._messages_from.rate = self._lines_of.rate = per_second(settings.address_per_second)
        self.joining.most_waiting = settings.connections

    def watchers(self, table: str) -> int:
        """Return how many connections watch a table in all processes, as last reported."""
        return max(self.own_watchers(table), self.elsewhere.get(table, 0))

    def own_watchers(self, table: str) -> int:
        """Return how many connections of this process watch a table."""
        return len(self._watchers[table])

    def people(self) -> set[str]:
        """Return the players who are connected to this process."""
        return {visitor.player for visitor in self.visitors.values() if visitor.player is not None}

    def broadcast_all(self, table: str, events: Iterable[Message]) -> None:
        """Send events to everyone who watches a table; they are encoded only once."""
        frames = b"".join(event_frame("event", event) for event in events)
        self.flush_queue.enqueue(self._wires(table), frames)
        # Wake those who wait in `send_private` now; the bell must not stay set.
        self._bell.set()
        self._bell.clear()
        self._tell_hearers(table)

    def broadcast(self, table: str, name: str, payload: Message) -> None:
        """Send a message that is not a table event to everyone who watches a table."""
        self.flush_queue.enqueue(self._wires(table), event_frame(name, payload))

    def broadcast_later(self, table: str, name: str, payload: Message) -> None:
        """Queue a message to be sent with the next one, after `LEISURE_SECONDS` at the latest."""
        frame, frame_sockets = event_frame(name, payload), self._wires(table)
        for socket in frame_sockets:
            socket.enqueue(frame)
        gevent.spawn_later(LEISURE_SECONDS, self.flush_queue.schedule, frame_sockets)

    def _tell_hearers(self, table: str) -> None:
        for hear in self._hearers:
            hear(table)

    def _wires(self, table: str) -> list[WebSocketConnection]:
        return [visitor.socket for visitor in self._watchers[table]]

    def send_private(self, payload: Message) -> None:
        """Send a private view of a table to all tabs in which its player watches the table."""
        # The backend may be ahead of this feed: the events that the view builds on come first.
        table, player = payload["table"], payload["name"]
        end = time.monotonic() + MAX_PRIVATE_LAG_SECONDS
        while self.shared.feed(table).version < payload["version"] and time.monotonic() < end:
            self._bell.wait(MAX_PRIVATE_LAG_SECONDS)
        frame = event_frame("you", payload)
        for visitor in self._tabs.get((table, player), ()):
            visitor.socket.send(frame)

    def announce(self, text: str) -> int:
        """Show a text on every open page; return the number of pages."""
        frame = event_frame("announcement", {"text": text})
        self.flush_queue.enqueue([visitor.socket for visitor in self.visitors.values()], frame)
        return len(self.visitors)

    def is_present(self, table: str, player: str) -> bool:
        """Return True if a player has a tab open at a table."""
        return (table, player) in self._tabs

    def on_sessions_changed(
        self, players: Mapping[str, str | None], moved: Mapping[str, str]
    ) -> None:
        """Update connections whose session has a new key, and close those whose session ended.

        After closing, the page reconnects with its new cookie. `moved` maps old keys to new ones.
        """
        for visitor in list(self.visitors.values()):
            if visitor.key in moved:
                visitor.key = moved[visitor.key]
                self._speaks_for(visitor, players[visitor.key])
            elif visitor.player not in (None, players.get(visitor.key, visitor.player)):
                self._end_session(visitor)

    def _speaks_for(self, visitor: Connection, player: str | None) -> None:
        for table in visitor.tables:
            self._leave_own(visitor, table)
            if player is not None:
                self._tabs[table, player][visitor] = None
        visitor.player = player

    def _end_session(self, visitor: Connection) -> None:
        player = visitor.player
        self._speaks_for(visitor, None)
        visitor.socket.close()
        if player is not None:
            self._present(player)

    # --- connect, disconnect, join, leave ----------------------------------------------------

    def _connect(self, _: object = None) -> None:
        address = client_network(request.remote_addr)
        key = self.shared.session_key()
        try:
            self._lines_of.take(address)
            if self._lines[address] >= self._settings.address_connections:
                raise Refused(TOO_MANY_LINES)
            player = self.shared.sessions.player_of(key)
        except Refused as refusal:
            raise ConnectionRefusedError(refusal.message) from None
        socket: WebSocketConnection = request.environ[WIRE]
        self.visitors[self._sid()] = Connection(key, player, socket, address)
        self._lines[address] += 1
        socket.handshake_done()
        if player:
            self._present(player)

    def _disconnect(self, _: object = None) -> None:
        visitor = self.visitors.pop(self._sid(), None)
        if visitor is None:
            return
        self._lines[visitor.address] -= 1
        if not self._lines[visitor.address]:
            del self._lines[visitor.address]
        for table in visitor.tables:
            self._watchers[table].pop(visitor, None)
            self._leave_own(visitor, table)
        if visitor.player is not None:
            self._present(visitor.player)

    def _present(self, player: str) -> None:
        there = any(visitor.player == player for visitor in self.visitors.values())
        self.shared.backend.set_present(player, there=there)

    def _join(self, asked: requests.Join, visitor: Connection) -> Message:
        feed = self.shared.feed(asked.table)
        you = self.shared.private_view(asked.table, visitor.player)
        self.joining.wait(visitor.address)
        # The wait, and each request to the backend, lets other greenlets run: the table may have
        # moved on and the client may have left.
        if you is not None and you["version"] != feed.version:
            you = self.shared.private_view(asked.table, visitor.player)
        if self._sid() not in self.visitors:
            raise Refused(LINE_CLOSED)
        # No switch from here on, so no event falls between the snapshot and the first broadcast.
        self._watchers[asked.table][visitor] = None
        visitor.tables.add(asked.table)
        missed = (
            None if asked.since is None else feed.messages_since(asked.since, self.shared.now())
        )
        answer: Message = {"ok": True, "version": feed.version}
        if missed is None:
            answer["snapshot"] = feed.snapshot(self.shared.now())
        else:
            answer |= {"events": missed, **feed.betting_status()}
        if visitor.player is not None:
            self._tabs[asked.table, visitor.player][visitor] = None
            if you is not None and you["name"] == visitor.player:
                answer["you"] = you
            if you is None or you["version"] != feed.version:
                self.private_state.mark_dirty(asked.table, visitor.player)
        if asked.table in self.chances:
            answer["chance"] = self.chances[asked.table]
        self._tell_hearers(asked.table)
        return answer

    def _leave(self, asked: requests.OfTable, visitor: Connection) -> Message:
        feed = self.shared.feed(asked.table)
        self._watchers[asked.table].pop(visitor, None)
        self._leave_own(visitor, asked.table)
        visitor.tables.discard(asked.table)
        return {"ok": True, "version": feed.version}

    def _leave_own(self, visitor: Connection, table: str) -> None:
        if visitor.player is not None and (table, visitor.player) in self._tabs:
            tabs = self._tabs[table, visitor.player]
            tabs.pop(visitor, None)
            if not tabs:
                del self._tabs[table, visitor.player]

    # --- commands ----------------------------------------------------------------------------

    def _cut(self, asked: requests.Cut, visitor: Connection) -> Message:
        return self._submit(ask.SealCut(asked.table, asked.game, player_of(visitor), asked.seal))

    def _open_cut(self, asked: requests.OpenCut, visitor: Connection) -> Message:
        return self._submit(ask.OpenCut(asked.table, asked.game, player_of(visitor), asked.text))

    def _place_bet(self, asked: requests.PlaceBet, visitor: Connection) -> Message:
        side, player = _SIDES.index(asked.side), player_of(visitor)
        command = ask.PlaceBet(
            asked.table, asked.game, asked.bet_id, player, side, asked.unit_cents, asked.seal
        )
        return self._submit(command)

    def _start(self, asked: requests.Start, visitor: Connection) -> Message:
        # Without any bets, the challenger may close betting early (G1).
        return self._submit(ask.CloseBetting(asked.table, asked.game, player_of(visitor)))

    def _take_seat(self, asked: requests.TakeSeat, visitor: Connection) -> Message:
        return self._submit(ask.TakeSeat(asked.table, player_of(visitor), asked.cover_cents))

    def _leave_seat(self, asked: requests.OfTable, visitor: Connection) -> Message:
        return self._submit(ask.LeaveSeat(asked.table, player_of(visitor)))

    def _refill(self, _: requests.Payload, visitor: Connection) -> Message:
        return {"ok": True, **self.refill(player_of(visitor))}

    def refill(self, player: str) -> Message:
        """Refill a player's wallet, and push the new balance to all their tabs."""
        answer = self.shared.backend.refill(player)
        for table in self.shared.feeds:
            self.private_state.mark_dirty(table, player)
        return answer

    def _act(self, asked: requests.Act, visitor: Connection) -> Message:
        player, action = player_of(visitor), parse_action(asked.action)
        turn = self.shared.feed(asked.table).turn_at(asked.version)
        return self._submit(ask.PlayAction(asked.table, turn, player, action))

    def _submit(self, command: ask.TableCommand) -> Message:
        feed = self.shared.feed(command.table)
        answer = self.shared.submit(command)
        return {"ok": True, **answer, "version": feed.version}

    def _messages(self) -> Mapping[str, tuple[type[requests.Payload], Callable[..., Message]]]:
        return {
            "join": (requests.Join, self._join),
            "leave": (requests.OfTable, self._leave),
            "cut": (requests.Cut, self._cut),
            "open_cut": (requests.OpenCut, self._open_cut),
            "place_bet": (requests.PlaceBet, self._place_bet),
            "start": (requests.Start, self._start),
            "take_seat": (requests.TakeSeat, self._take_seat),
            "leave_seat": (requests.OfTable, self._leave_seat),
            "act": (requests.Act, self._act),
            "refill": (requests.Payload, self._refill),
        }

    def _make_listener(self, kind: type[P], answer: Callable[[P, Connection], Message]) -> Any:
        def listen(*arguments: Any) -> Message:
            visitor = self.visitors[self._sid()]
            try:
                self._check_rate(visitor)
                return answer(parse(kind, arguments[0] if len(arguments) == 1 else None), visitor)
            except CasinoError as error:
                return self._refused(error)

        return listen

    def _unknown(self, *_: Any) -> Message:
        try:
            self._check_rate(self.visitors[self._sid()])
        except Refused as refusal:
            return self._refused(refusal)
        return self._refused(Refused(UNKNOWN_MESSAGE, known=", ".join(self._answers)))

    def _refused(self, error: CasinoError) -> Message:
        message = error_message(error)
        self.shared.figures.refusals[message["code"]] += 1
        return message

    def _check_rate(self, visitor: Connection) -> None:
        try:
            self._messages_of.take(visitor.key or self._sid())
            self._messages_from.take(visitor.address)
        except Refused:
            visitor.too_many += 1
            if visitor.too_many > MAX_EXCESS_MESSAGES:
                visitor.socket.close()
            raise
        visitor.too_many = max(0, visitor.too_many - 1)

    @staticmethod
    def _sid() -> str:
        sid: str = request.sid  # type: ignore[attr-defined]
        return sid


class ChatHandlers:
    """Handles chat phrases and requests for more time to think."""

    def __init__(self, shared: AppContext, live: SocketHandlers) -> None:
        self._shared = shared
        live.register("say", requests.Say, self._say)
        live.register("more_time", requests.OfTable, self._more_time)

    def _say(self, asked: requests.Say, visitor: Connection) -> Message:
        player, feed = player_of(visitor), self._shared.feed(asked.table)
        self._shared.backend.say(asked.table, player, asked.phrase)
        return {"ok": True, "version": feed.version}

    def _more_time(self, asked: requests.OfTable, visitor: Connection) -> Message:
        player, version = player_of(visitor), self._shared.feed(asked.table).version
        seconds = self._shared.backend.give_more_time(asked.table, player)
        return {"ok": True, "version": version, "seconds": seconds}
