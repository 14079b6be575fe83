"""The JSON API: tables, games, statistics, the log, and the signed-in player's account."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final

import msgspec
from flask import Flask, Response, copy_current_request_context, request, session

from casino.errors import CasinoError, RefusalReason, Refused
from casino.table.domain.commands import OpenCut, SetLimit
from casino.table.public.state import Message
from casino.web.accounts.sessions import hash_of_key
from casino.web.backend import queries
from casino.web.backend.interface import Backend
from casino.web.broadcast.broadcaster import Broadcaster
from casino.web.context import AppContext
from casino.web.errors import error_message
from casino.web.routes import chart as charts
from casino.web.schemas import messages, requests, responses
from casino.web.schemas.openapi import Route, description
from casino.web.schemas.requests import parse, parse_object
from casino.web.services.odds import OddsBroadcaster, OddsCache
from casino.web.services.practice import PracticeGames
from casino.web.sockets.connections import ConnectionRegistry

STATUS: Final = {
    "bad_request": 400,
    "not_entered": 401,
    "unknown_table": 404,
    "unknown_game": 404,
    "unknown_bet": 404,
    "unknown_bot": 404,
    "unknown_hand": 404,
    "unknown_player": 404,
    "rate_limited": 429,
    "unavailable": 503,
}
CONFLICT: Final = 409
_WHOLE: Final = re.compile("-?[0-9]{1,16}", re.ASCII)

BAD_NUMBER: Final = RefusalReason(
    "bad_number", "bad_request", "{field} must be a whole number from {least} to {most}"
)


@dataclass(eq=False)
class ApiViews:
    """The views that do more than call the backend."""

    shared: AppContext
    registry: ConnectionRegistry
    broadcaster: Broadcaster
    forecast: OddsCache
    prospects: OddsBroadcaster
    practices: PracticeGames

    def enter(self, asked: requests.Enter) -> Message:
        """Sign the browser in to an account; create the account if it does not exist."""
        self.shared.ensure_session()
        fresh = self.shared.chance().hex()
        keys = self.shared.session_key(), hash_of_key(fresh)
        name, key = self.shared.backend.enter(
            asked.name, asked.password, *keys, request.remote_addr
        )
        # A browser that is signed in to the account already keeps its key.
        if key == keys[1]:
            session["key"] = fresh
        return self._signed_in(name)

    def leave(self, _: requests.Payload) -> Message:
        """End the session, which also closes its sockets."""
        fresh = self.shared.chance().hex()
        self.shared.backend.sign_out(self.shared.session_key(), hash_of_key(fresh))
        session["key"] = fresh
        return {}

    def password(self, asked: requests.Password, _: str) -> Message:
        """Set or change the player's password, which ends their other sessions."""
        fresh = self.shared.chance().hex()
        keys = self.shared.session_key(), hash_of_key(fresh)
        passwords = asked.password, asked.new_password
        name = self.shared.backend.change_password(*keys, *passwords, request.remote_addr)
        session["key"] = fresh
        return self._signed_in(name)

    def _signed_in(self, name: str) -> Message:
        return {"name": name, "balance_cents": self.shared.backend.balances([name])[name]}

    def refill(self, _: requests.Payload, player: str) -> Message:
        """Refill the player's wallet, or refuse if they have enough chips."""
        answer = self.shared.backend.refill(player)
        self.broadcaster.push_balance(player)
        return answer

    def open_cut(self, asked: requests.OpenCut, player: str) -> Message:
        """Reveal the player's contribution to a game whose lock they have verified."""
        feed = self.shared.feed(asked.table)
        self.shared.submit(OpenCut(asked.table, asked.game, player, asked.text))
        return {"version": feed.version}

    def set_limit(self, asked: requests.SetLimit, player: str) -> Message:
        """Set one of the player's own limits."""
        return self.shared.submit(SetLimit(player, asked.key, asked.value))

    def open_table(self, asked: requests.OpenTable, player: str) -> Message:
        """Open a table for the player, under a name that the casino chooses."""
        return self.shared.backend.open_table(player, asked.table_id, asked.order())

    def change_table(self, asked: requests.ChangeTable, player: str, table: str) -> Message:
        """Change a table that the player hosts, from the tenth game on."""
        return self.shared.backend.change_table(player, table, asked.order())

    def close_table(self, _: requests.Payload, player: str, table: str) -> Message:
        """Close a table that the player hosts, once its running game is over."""
        return self.shared.backend.close_table(player, table)

    def order_games(self, asked: requests.OrderGames, player: str, table: str) -> Message:
        """Have bots play games at a table that the player hosts, without pauses."""
        return self.shared.backend.order_games(player, table, asked.games)

    def tables(self) -> Message:
        """Return a summary of every table, for the lobby."""
        feeds = self.shared.visible_feeds()
        watching = self.registry.watchers
        return {"tables": [{**b.summary(), "watching": watching(b.name)} for b in feeds]}

    def table(self, table: str) -> Message:
        """Return a table's public snapshot."""
        return self.shared.feed(table).snapshot(self.shared.now())

    def win_probability(self, table: str) -> Message:
        """Return both sides' win probabilities in a table's running game."""
        return self.prospects.win_probability(table)

    def practise(self, asked: requests.Practise, table: str) -> Message:
        """Return the messages of a practice game, which the request describes in full."""
        return self.practices.messages(table, asked)

    def practice_hint(self, asked: requests.Practise, table: str) -> Message:
        """Return the win probability after each of the player's options in a practice game."""
        return self.practices.hint(table, asked)

    def review(self, game: str) -> Message:
        """Return what each decision of a finished game cost in win probability."""
        finished = self.shared.backend.game(game)
        return self.shared.loop.run_in_thread(self.forecast.review, game, finished["record"])

    def chart(self) -> Message:
        """Return the chart's entry for a hand and a turn-up."""
        return self.shared.loop.run_in_thread(copy_current_request_context(charts.hand))

    def games(self) -> Message:
        """Return finished games after one, oldest first, or before one, newest first."""
        limit = _number("limit", 50, 1, queries.MAX_GAMES)
        after, before = request.args.get("after"), request.args.get("before")
        table = request.args.get("table")
        return {"games": self.shared.backend.games(after, before, limit, table)}

    def statistics(self) -> Message:
        """Return statistics of all finished games, or those of one table with its statement."""
        return self.shared.backend.statistics(request.args.get("table"))

    def log(self) -> Message:
        """Return the leaves of the log after the leaf with a given number."""
        after = _number("after", -1, -1, 2**53)
        limit = _number("limit", 100, 1, queries.MAX_LEAVES)
        return self.shared.backend.leaves(after, limit)

    def receipt(self, bet: str) -> Message:
        """Return the receipt of a bet, by default one of the signed-in player's."""
        player = request.args.get("player") or self.shared.current_player()
        return self.shared.backend.receipt(player, bet)


_TEXT: Final = {"type": "string"}


def _whole(least: int, most: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": least, "maximum": most}


_CHART: Final = tuple(
    (name, {"type": "string", "pattern": f"^{pattern}$"})
    for name, pattern in (("hand", charts.CARDS), ("turn_up", charts.CARD))
)
_GAMES: Final = (
    *(("after", _TEXT), ("before", _TEXT), ("table", _TEXT)),
    ("limit", _whole(1, queries.MAX_GAMES)),
)
_LOG: Final = ("after", _whole(-1, 2**53)), ("limit", _whole(1, queries.MAX_LEAVES))

ROUTES: Final = (
    Route("/api/enter", ApiViews.enter, responses.Entered, requests.Enter),
    Route("/api/leave", ApiViews.leave, messages.Good, requests.Payload),
    Route("/api/password", ApiViews.password, responses.Entered, requests.Password, True),
    Route("/api/refill", ApiViews.refill, messages.Refilled, requests.Payload, True),
    Route("/api/limits", ApiViews.set_limit, responses.Limited, requests.SetLimit, True),
    Route("/api/me", Backend.account, responses.Me, None, True),
    Route("/api/statement", Backend.statement, responses.Statement, None, True),
    Route("/api/open", ApiViews.open_cut, messages.Versioned, requests.OpenCut, True),
    Route("/api/hosted", ApiViews.open_table, responses.TableOpened, requests.OpenTable, True),
    Route(
        "/api/hosted/{table}/change",
        ApiViews.change_table,
        responses.TableChanged,
        requests.ChangeTable,
        True,
    ),
    Route(
        "/api/hosted/{table}/close",
        ApiViews.close_table,
        responses.TableClosing,
        requests.Payload,
        True,
    ),
    Route(
        "/api/hosted/{table}/games",
        ApiViews.order_games,
        responses.GamesOrdered,
        requests.OrderGames,
        True,
    ),
    Route("/api/tables", ApiViews.tables, responses.Tables),
    Route("/api/tables/{table}", ApiViews.table, responses.TableSnapshot),
    Route("/api/tables/{table}/chance", ApiViews.win_probability, responses.TableOdds),
    Route("/api/chart", ApiViews.chart, responses.HandChart, query=_CHART),
    Route("/api/leaders", Backend.leaders, responses.Leaders),
    Route("/api/statistics", ApiViews.statistics, responses.Statistics, query=(("table", _TEXT),)),
    Route("/api/players/{player}", Backend.player_record, responses.PublicPlayer),
    Route(
        "/api/tables/{table}/practice",
        ApiViews.practise,
        responses.PracticeUpdate,
        requests.Practise,
    ),
    Route(
        "/api/tables/{table}/practice/hint",
        ApiViews.practice_hint,
        responses.Hinted,
        requests.Practise,
    ),
    Route("/api/games", ApiViews.games, responses.Games, query=_GAMES),
    Route("/api/games/{game}", Backend.game, responses.FinishedGame),
    Route("/api/games/{game}/steps", Backend.replay, responses.Replay),
    Route("/api/games/{game}/review", ApiViews.review, responses.ReviewedGame),
    Route("/api/log", ApiViews.log, responses.Log, query=_LOG),
    Route("/api/checkpoint", Backend.checkpoint, responses.Checkpoint),
    Route("/api/receipts/{bet}", ApiViews.receipt, responses.Receipt, query=(("player", _TEXT),)),
)


def register_routes(app: Flask, shared: AppContext, api: ApiViews) -> None:
    """Register the routes of the API and its error handlers."""
    for route in ROUTES:
        address = route.path.replace("{", "<").replace("}", ">")
        view = partial(_respond, route, shared, api)
        app.add_url_rule(address, f"api_{route.view.__name__}", view, methods=[route.method])
    document = cache(partial(description, ROUTES))
    app.add_url_rule("/api/openapi.json", "openapi", lambda: _json(document()))

    @app.errorhandler(CasinoError)
    def error(error: CasinoError) -> Response:
        message = error_message(error)
        shared.figures.refusals.labels(message["code"]).inc()
        return error_response(message)


def _respond(route: Route, shared: AppContext, api: ApiViews, **in_path: str) -> Response:
    arguments: list[Any] = []
    if route.body is not None:
        arguments.append(parse(route.body, parse_object(request.get_data())))
    if "table" in in_path:
        shared.visible_feed(in_path["table"])
    if route.is_personal:
        arguments.append(shared.current_player())
    name = route.view.__name__
    owner = shared.backend if getattr(Backend, name, None) is route.view else api
    view = getattr(owner, name)
    return _json({"ok": True, **view(*arguments, *in_path.values())})


def error_response(message: dict[str, Any]) -> Response:
    """Return an error message as a response with the HTTP status for its code."""
    response = _json(message, STATUS.get(message["code"], CONFLICT))
    if message["code"] == "rate_limited":
        response.headers["Retry-After"] = message["values"]["n"]
    return response


def _json(value: Any, status: int = 200) -> Response:
    response = Response(msgspec.json.encode(value), status, content_type="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response


def _number(name: str, otherwise: int, least: int, most: int) -> int:
    text = request.args.get(name)
    if text is None:
        return otherwise
    number = int(text) if _WHOLE.fullmatch(text) else least - 1
    if not least <= number <= most:
        raise Refused(BAD_NUMBER, field=name, least=least, most=most)
    return number
