"""The JSON API: tables, games, statistics, the log, and the signed-in player's account."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import msgspec
from flask import Blueprint, Flask, Response, copy_current_request_context, request, session

from casino.errors import CasinoError, RefusalReason, Refused
from casino.table.domain.commands import OpenCut, SetLimit
from casino.web.accounts.sessions import hash_of_key
from casino.web.backend import queries
from casino.web.broadcast.broadcaster import Broadcaster
from casino.web.context import AppContext
from casino.web.errors import error_message
from casino.web.routes import chart as charts
from casino.web.schemas import requests
from casino.web.schemas.json_body import parse_object
from casino.web.schemas.openapi import description
from casino.web.schemas.requests import parse
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


class ApiViews:
    """The views of the API; each returns the fields of its JSON response."""

    def __init__(
        self,
        shared: AppContext,
        registry: ConnectionRegistry,
        broadcaster: Broadcaster,
        forecast: OddsCache,
        prospects: OddsBroadcaster,
        practices: PracticeGames,
    ) -> None:
        self._shared = shared
        self._backend = shared.backend
        self._registry = registry
        self._broadcaster = broadcaster
        self._forecast = forecast
        self._prospects = prospects
        self._practices = practices

    def enter(self) -> Any:
        """Sign the browser in to an account; create the account if it does not exist."""
        asked = parse(requests.Enter, _body())
        self._shared.ensure_session()
        fresh = self._shared.chance().hex()
        keys = self._shared.session_key(), hash_of_key(fresh)
        name, key = self._backend.enter(asked.name, asked.password, *keys, request.remote_addr)
        # A browser that is signed in to the account already keeps its key.
        if key == keys[1]:
            session["key"] = fresh
        return self._signed_in(name)

    def leave(self) -> Any:
        """End the session, which also closes its sockets."""
        parse(requests.Payload, _body())
        fresh = self._shared.chance().hex()
        self._backend.sign_out(self._shared.session_key(), hash_of_key(fresh))
        session["key"] = fresh
        return {}

    def password(self) -> Any:
        """Set or change the player's password, which ends their other sessions."""
        asked = parse(requests.Password, _body())
        fresh = self._shared.chance().hex()
        keys = self._shared.session_key(), hash_of_key(fresh)
        passwords = asked.password, asked.new_password
        name = self._backend.change_password(*keys, *passwords, request.remote_addr)
        session["key"] = fresh
        return self._signed_in(name)

    def _signed_in(self, name: str) -> Any:
        return {"name": name, "balance_cents": self._shared.balance(name)}

    def person(self) -> Any:
        """Return the player's name, balance, limits and open bets."""
        return self._backend.account(self._shared.current_player())

    def refill(self) -> Any:
        """Refill the player's wallet, or refuse if they have enough chips."""
        parse(requests.Payload, _body())
        player = self._shared.current_player()
        answer = self._backend.refill(player)
        self._broadcaster.push_balance(player)
        return answer

    def open_cut(self) -> Any:
        """Reveal the player's contribution; a late one is recorded too."""
        asked = parse(requests.OpenCut, _body())
        feed = self._shared.feed(asked.table)
        command = OpenCut(asked.table, asked.game, self._shared.current_player(), asked.text)
        self._shared.submit(command)
        return {"version": feed.version}

    def set_limit(self) -> Any:
        """Set one of the player's own limits."""
        asked = parse(requests.SetLimit, _body())
        command = SetLimit(self._shared.current_player(), asked.key, asked.value)
        return self._shared.submit(command)

    def statement(self) -> Any:
        """Return the player's account statement."""
        return self._backend.statement(self._shared.current_player())

    def tables(self) -> Any:
        """Return a summary of every table, for the lobby."""
        feeds = self._shared.feeds.values()
        watching = self._registry.watchers
        return {"tables": [{**b.summary(), "watching": watching(b.name)} for b in feeds]}

    def table(self, table: str) -> Any:
        """Return a table's public snapshot."""
        return self._shared.feed(table).snapshot(self._shared.now())

    def win_probability(self, table: str) -> Any:
        """Return both sides' win probabilities in a table's running game."""
        return self._prospects.win_probability(table)

    def practise(self, table: str) -> Any:
        """Return the messages of a practice game, which the request describes in full."""
        return self._practices.messages(table, parse(requests.Practise, _body()))

    def practice_hint(self, table: str) -> Any:
        """Return the win probability after each of the player's options in a practice game."""
        return self._practices.hint(table, parse(requests.Practise, _body()))

    def review(self, game: str) -> Any:
        """Return what each decision of a finished game cost in win probability."""
        finished = self._backend.game(game)
        return self._shared.loop.run_in_thread(self._forecast.review, game, finished["record"])

    def leaders(self) -> Any:
        """Return the leaderboards of challengers and of bettors."""
        return self._backend.leaders()

    def statistics(self) -> Any:
        """Return statistics of all finished games."""
        return self._backend.statistics()

    def player(self, player: str) -> Any:
        """Return a player's public record."""
        return self._backend.player_record(player)

    def chart(self) -> Any:
        """Return the chart's entry for a hand and a turn-up."""
        return self._shared.loop.run_in_thread(copy_current_request_context(charts.hand))

    def games(self) -> Any:
        """Return finished games after or before a given game, or else the newest games."""
        limit = _number("limit", 50, 1, queries.MAX_GAMES)
        after, before = request.args.get("after"), request.args.get("before")
        return {"games": self._backend.games(after, before, limit)}

    def game(self, game: str) -> Any:
        """Return a finished game with everything needed to verify it."""
        return self._backend.game(game)

    def steps(self, game: str) -> Any:
        """Return the messages of a finished game, with both hands after each."""
        return self._backend.replay(game)

    def log(self) -> Any:
        """Return the leaves of the log after the leaf with a given number."""
        after = _number("after", -1, -1, 2**53)
        limit = _number("limit", 100, 1, queries.MAX_LEAVES)
        return self._backend.leaves(after, limit)

    def checkpoint(self) -> Any:
        """Return the newest checkpoint and the signing key."""
        return self._backend.checkpoint()

    def receipt(self, bet: str) -> Any:
        """Return the receipt of a bet, by default one of the signed-in player's."""
        player = request.args.get("player") or self._shared.current_player()
        return self._backend.receipt(player, bet)


def register_routes(
    app: Flask,
    shared: AppContext,
    registry: ConnectionRegistry,
    broadcaster: Broadcaster,
    forecast: OddsCache,
    prospects: OddsBroadcaster,
) -> None:
    """Register the routes of the API and its error handlers."""
    api = ApiViews(
        shared,
        registry,
        broadcaster,
        forecast,
        prospects,
        PracticeGames(shared, app.config["SECRET_KEY"]),
    )
    routes = Blueprint("api", __name__, url_prefix="/api")
    answers: dict[str, tuple[str, Callable[..., Any]]] = {
        "/enter": ("POST", api.enter),
        "/leave": ("POST", api.leave),
        "/password": ("POST", api.password),
        "/limits": ("POST", api.set_limit),
        "/refill": ("POST", api.refill),
        "/open": ("POST", api.open_cut),
        "/me": ("GET", api.person),
        "/statement": ("GET", api.statement),
        "/tables": ("GET", api.tables),
        "/tables/<table>": ("GET", api.table),
        "/tables/<table>/chance": ("GET", api.win_probability),
        "/chart": ("GET", api.chart),
        "/leaders": ("GET", api.leaders),
        "/statistics": ("GET", api.statistics),
        "/players/<player>": ("GET", api.player),
        "/tables/<table>/practice": ("POST", api.practise),
        "/tables/<table>/practice/hint": ("POST", api.practice_hint),
        "/games": ("GET", api.games),
        "/games/<game>": ("GET", api.game),
        "/games/<game>/steps": ("GET", api.steps),
        "/games/<game>/review": ("GET", api.review),
        "/log": ("GET", api.log),
        "/checkpoint": ("GET", api.checkpoint),
        "/receipts/<bet>": ("GET", api.receipt),
    }
    for address, (method, answer) in answers.items():
        routes.add_url_rule(address, answer.__name__, _answering(answer), methods=[method])
    routes.add_url_rule("/openapi.json", "openapi", lambda: _json(description()))
    app.register_blueprint(routes)

    def error(error: CasinoError) -> Response:
        message = error_message(error)
        shared.figures.refusals[message["code"]] += 1
        return error_response(message)

    app.register_error_handler(CasinoError, error)


def error_response(message: dict[str, Any]) -> Response:
    """Return an error message as a response with the HTTP status for its code."""
    response = _json(message, STATUS.get(message["code"], CONFLICT))
    if message["code"] == "rate_limited":
        response.headers["Retry-After"] = message["values"]["n"]
    return response


def _answering(answer: Callable[..., Any]) -> Callable[..., Response]:
    def view(**arguments: str) -> Response:
        return _json({"ok": True, **answer(**arguments)})

    return view


def _json(value: Any, status: int = 200) -> Response:
    response = Response(msgspec.json.encode(value), status, content_type="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response


def _body() -> Any:
    return parse_object(request.get_data())


def _number(name: str, otherwise: int, least: int, most: int) -> int:
    text = request.args.get(name)
    if text is None:
        return otherwise
    number = int(text) if _WHOLE.fullmatch(text) else least - 1
    if not least <= number <= most:
        raise Refused(BAD_NUMBER, field=name, least=least, most=most)
    return number
