"""Socket.IO handlers: turn each client message into a command, and acknowledge it.

A message is validated, submitted, and acknowledged with the table's version or with a refusal. The
player is known from the signed cookie of the WebSocket handshake, never from the message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import InitVar, dataclass
from typing import Any, Final

from flask import request
from flask_socketio import SocketIO
from socketio.exceptions import ConnectionRefusedError  # noqa: A004

from casino.ecarte import SEATS
from casino.errors import CasinoError, RefusalReason, Refused
from casino.table.domain import commands
from casino.table.public.private_view import parse_action
from casino.table.public.state import Message
from casino.web.accounts.service import require_player
from casino.web.broadcast.broadcaster import Broadcaster
from casino.web.context import AppContext, admitted, may_see
from casino.web.schemas import requests
from casino.web.schemas.messages import MESSAGES
from casino.web.schemas.requests import parse
from casino.web.server.fair_queue import FairQueue
from casino.web.server.rate_limit import RateLimit, TokenBuckets, client_network, per_second
from casino.web.services.odds import OddsBroadcaster
from casino.web.sockets.connections import Connection
from casino.web.websocket.connection import WIRE

MESSAGE_RATE: Final = RateLimit(60, 50)  # messages from one browser: a burst, then one per interval

# Refused messages, less accepted ones, after which a client is disconnected.
MAX_EXCESS_MESSAGES: Final = 100

TOO_MANY_LINES: Final = RefusalReason(
    "too_many_lines", "rate_limited", "too many pages are open from your address: close some"
)
UNKNOWN_MESSAGE: Final = RefusalReason(
    "unknown_message", "bad_request", "unknown message: send one of {known}"
)


@dataclass(eq=False)
class SocketHandlers:
    """Handles the messages from all clients of this process, within rate limits."""

    shared: AppContext
    broadcaster: Broadcaster
    odds: OddsBroadcaster
    socketio: InitVar[SocketIO]

    def __post_init__(self, socketio: SocketIO) -> None:
        shared, self.registry = self.shared, self.shared.registry
        self.joining = FairQueue(max_waiting=shared.config.web.connections)
        self._messages_of = TokenBuckets(MESSAGE_RATE, shared.now)
        self._settings = shared.config.web
        rate = per_second(self._settings.address_per_second)
        self._messages_from, self._lines_of = (TokenBuckets(rate, shared.now) for _ in range(2))
        handlers: Mapping[str, Callable[[Any, Connection], Message]] = {
            "join": self._join,
            "leave": self._leave,
            "cut": self._submit(commands.SealCut),
            "open_cut": self._submit(commands.OpenCut),
            "place_bet": self._place_bet,
            # Without any bets, the challenger may close betting early (G1).
            "start": self._submit(commands.CloseBetting),
            "take_seat": self._submit(commands.TakeSeat),
            "leave_seat": self._submit(commands.LeaveSeat),
            "act": self._act,
            "say": self._say,
            "more_time": self._more_time,
        }
        socketio.on_event("connect", self._connect)
        socketio.on_event("disconnect", lambda *_: self.registry.remove(_sid()))
        for name, handler in handlers.items():
            socketio.on_event(name, self._make_listener(MESSAGES[name][0], handler))
        socketio.on_event("*", self._unknown)

    # --- connect, disconnect, join, leave ----------------------------------------------------

    def _connect(self, _: object = None) -> None:
        address = client_network(request.remote_addr)
        key = self.shared.session_key()
        try:
            self._lines_of.take(address)
            if self.registry.count_of_address(address) >= self._settings.address_connections:
                raise Refused(TOO_MANY_LINES)
            player = self.shared.sessions.player_of(key)
        except Refused as refusal:
            raise ConnectionRefusedError(refusal.message) from None
        socket = request.environ[WIRE]
        connection = Connection(key, player, socket, address, admitted=admitted())
        self.registry.add(_sid(), connection)
        socket.handshake_done()

    def _join(self, asked: requests.Join, connection: Connection) -> Message:
        table, feed = asked.table, self.shared.feeds[asked.table]
        self.joining.wait(connection.address)
        player, you = connection.player, None
        if player is not None:
            you = self.shared.backend.private_views([(table, player)])[0]
        # Both let other greenlets run: the client may have left, or the table be over.
        if _sid() not in self.registry.by_id:
            return {}  # to no one
        feed = self.shared.feeds[table]
        # No switch from here on, so no event falls between the snapshot and the first broadcast.
        self.registry.join(connection, table, preview=asked.preview)
        now, answer = self.shared.now(), dict[str, Any]()
        missed = None if asked.since is None else feed.messages_since(asked.since, now)
        if missed is None:
            answer["snapshot"] = feed.snapshot(now)
        else:
            answer |= {"events": missed, **feed.betting_status()}
        if connection.player is not None:
            if you is not None and you["name"] == connection.player:
                answer["you"] = you
            if answer.get("you", {}).get("version") != feed.version:
                self.broadcaster.mark_dirty(table, connection.player)
        if table in self.odds.latest:
            answer["chance"] = self.odds.latest[table]
        self.odds.mark_changed(table)
        return answer

    def _leave(self, asked: requests.OfTable, connection: Connection) -> Message:
        self.shared.feeds[asked.table]
        self.registry.leave(connection, asked.table)
        return {}

    # --- commands ----------------------------------------------------------------------------

    def _submit(
        self, kind: Callable[..., commands.PlayerCommand]
    ) -> Callable[[requests.OfTable, Connection], Message]:
        def handle(asked: requests.OfTable, connection: Connection) -> Message:
            player = require_player(connection.player)
            return self.shared.submit(kind(player=player, **asked.model_dump()))

        return handle

    def _place_bet(self, asked: requests.PlaceBet, connection: Connection) -> Message:
        player, side = require_player(connection.player), SEATS.index(asked.side)
        fields = asked.model_dump() | {"player": player, "side": side}
        return self.shared.submit(commands.PlaceBet(**fields))

    def _act(self, asked: requests.Act, connection: Connection) -> Message:
        player, action = require_player(connection.player), parse_action(asked.action)
        turn = self.shared.feeds[asked.table].turn_at(asked.version)
        return self.shared.submit(commands.PlayAction(asked.table, turn, player, action))

    def _say(self, asked: requests.Say, connection: Connection) -> Message:
        player = require_player(connection.player)
        self.shared.backend.say(asked.table, player, asked.phrase)
        return {}

    def _more_time(self, asked: requests.OfTable, connection: Connection) -> Message:
        player = require_player(connection.player)
        return {"seconds": self.shared.backend.give_more_time(asked.table, player)}

    # --- every message -----------------------------------------------------------------------

    def _make_listener(
        self, kind: type[requests.OfTable], handler: Callable[[Any, Connection], Message]
    ) -> Callable[..., Message]:
        def listen(*arguments: Any) -> Message:
            connection = self.registry.by_id[_sid()]
            try:
                self._check_rate(connection)
                asked = parse(kind, arguments[0] if len(arguments) == 1 else None)
                feed = self.shared.feeds.get(asked.table)
                if feed and not may_see(feed, connection.player, connection.admitted):
                    raise Refused(commands.UNKNOWN_TABLE, table=asked.table)
                answer = handler(asked, connection)
                # If the table has closed meanwhile, the command has still taken effect.
                feed = self.shared.feeds.get(asked.table)
                return {"ok": True, **answer, "version": 0 if feed is None else feed.version}
            except CasinoError as error:
                return self.shared.error_message(error)

        return listen

    def _unknown(self, *_: Any) -> Message:
        try:
            self._check_rate(self.registry.by_id[_sid()])
            raise Refused(UNKNOWN_MESSAGE, known=", ".join(MESSAGES))
        except Refused as refusal:
            return self.shared.error_message(refusal)

    def _check_rate(self, connection: Connection) -> None:
        try:
            self._messages_of.take(connection.key or _sid())
            self._messages_from.take(connection.address)
        except Refused:
            connection.too_many += 1
            if connection.too_many > MAX_EXCESS_MESSAGES:
                connection.socket.close()
            raise
        connection.too_many = max(0, connection.too_many - 1)


def _sid() -> str:
    sid: str = request.sid  # type: ignore[attr-defined]
    return sid
