"""The JSON API: tables, games, statistics, log, chart, and the signed-in player's account.

Its OpenAPI 3.1 document is generated from the routes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final, NamedTuple

import msgspec
from flask import Flask, Response, request, session
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from casino.errors import CardsError, RefusalReason, Refused
from casino.solver.evaluation import hand_chart
from casino.table.domain.commands import SetLimit
from casino.table.public.state import Message
from casino.web.accounts.store import Browser, hash_of_key
from casino.web.backend import queries
from casino.web.backend.interface import Backend
from casino.web.broadcast.broadcaster import Broadcaster
from casino.web.context import AppContext
from casino.web.schemas import messages, requests, responses
from casino.web.schemas.requests import parse
from casino.web.services.odds import review
from casino.web.services.practice import PracticeGames

VERSION: Final = "1"
_SCHEMAS: Final = "#/components/schemas/{model}"
_SESSION: Final = "session"


class Route(NamedTuple):
    """A route of the API: its path, its view (whose docstring is the summary) and its models.

    The view receives the body if that has fields, then the player if `is_personal`, then the values
    in the path and the query; it returns the response's fields. `query` pairs the name of each
    query parameter with its schema.
    """

    path: str
    view: Callable[..., dict[str, Any]]
    answer: type[messages.Form]
    body: type[requests.Payload] | None = None
    is_personal: bool = False
    query: tuple[tuple[str, dict[str, Any]], ...] = ()

    @property
    def method(self) -> str:
        """The HTTP method: POST for a route with a body."""
        return "GET" if self.body is None else "POST"


def description(routes: Sequence[Route]) -> dict[str, Any]:
    """Return the OpenAPI document as JSON values."""
    models: set[type[BaseModel]] = {messages.Refusal}
    for route in routes:
        models |= {route.answer} | ({route.body} if route.body else set())
    _, schemas = models_json_schema(
        [(model, "serialization") for model in sorted(models, key=lambda kind: kind.__name__)],
        ref_template=_SCHEMAS,
    )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "A casino table for Écarté",
            "version": VERSION,
            "description": "Amounts are whole cents, hundredths of a chip. Fields may be added. "
            "A path that is not listed has status 404 and the code unknown_address.",
        },
        "paths": {route.path: _path(route) for route in routes},
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {
                _SESSION: {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "casino",
                    "description": "Set by /api/enter; over HTTPS its name is __Host-casino.",
                }
            },
        },
    }


def _path(route: Route) -> dict[str, Any]:
    text = {"type": "string"}
    parameters = [(name, "path", text) for name in re.findall(r"\{(\w+)\}", route.path)]
    parameters += [(name, "query", schema) for name, schema in route.query]
    operation: dict[str, Any] = {
        "summary": (route.view.__doc__ or "").partition("\n")[0],
        "parameters": [
            {"name": name, "in": where, "required": where == "path", "schema": schema}
            for name, where, schema in parameters
        ],
        "responses": {
            "200": {"description": "OK", **_content(route.answer)},
            "default": {"description": "Refused", **_content(messages.Refusal)},
        },
    }
    if route.is_personal:
        operation["security"] = [{_SESSION: []}]
    if route.body is not None:
        operation["requestBody"] = {"required": True, **_content(route.body)}
    return {route.method.lower(): operation}


def _content(model: type[BaseModel]) -> dict[str, Any]:
    schema = {"$ref": _SCHEMAS.format(model=model.__name__)}
    return {"content": {"application/json": {"schema": schema}}}


_WHOLE: Final = re.compile("-?[0-9]{1,16}", re.ASCII)

BAD_NUMBER: Final = RefusalReason(
    "bad_number", "bad_request", "{field} must be a whole number from {least} to {most}"
)
NOT_A_HAND: Final = RefusalReason(
    "not_a_hand",
    "unknown_hand",
    "give a hand of five different cards, such as 7HKCQCJC7S, and a turn-up that is not among them",
)


@dataclass(eq=False)
class ApiViews:
    """The views that do more than call the backend."""

    shared: AppContext
    broadcaster: Broadcaster

    def enter(self, asked: requests.Enter) -> Message:
        """Sign the browser in to an account; create the account if it does not exist."""
        self.shared.ensure_session()
        fresh, browser = self._new_key()
        code = hash_of_key(asked.code or "")
        name, key, recovery = self.shared.backend.enter(asked.name, asked.password, browser, code)
        # A browser that is signed in to the account already keeps its key.
        if key == browser.fresh:
            session["key"] = fresh
        return {**self._signed_in(name), "recovery": recovery}

    def leave(self) -> Message:
        """End the session, which also closes its sockets."""
        fresh, browser = self._new_key()
        self.shared.backend.sign_out(browser)
        session["key"] = fresh
        return {}

    def password(self, asked: requests.Password, _: str) -> Message:
        """Set or change the player's password, which ends their other sessions."""
        fresh, browser = self._new_key()
        name = self.shared.backend.change_password(browser, asked.password, asked.new_password)
        session["key"] = fresh
        return self._signed_in(name)

    def _new_key(self) -> tuple[str, Browser]:
        fresh = self.shared.chance().hex()
        return fresh, Browser(self.shared.session_key(), hash_of_key(fresh), request.remote_addr)

    def _signed_in(self, name: str) -> Message:
        return {"name": name, "balance_cents": self.shared.backend.balances([name])[name]}

    def refill(self, player: str) -> Message:
        """Refill the player's wallet, or refuse if they have enough chips."""
        try:
            return self.shared.backend.refill(player)
        finally:
            # Also without an answer: the refill may be in the log.
            self.broadcaster.push_balance(player)

    def set_limit(self, asked: requests.SetLimit, player: str) -> Message:
        """Set one of the player's own limits."""
        return self.shared.submit(SetLimit(player, asked.key, asked.value))

    def open_table(self, asked: requests.OpenTable, player: str) -> Message:
        """Open a table for the player, under a name that the casino chooses."""
        return self.shared.backend.open_table(player, asked.table_id, asked.order())

    def change_table(self, asked: requests.ChangeTable, player: str, table: str) -> Message:
        """Change a table that the player hosts; the change takes effect ten games later."""
        return self.shared.backend.change_table(player, table, asked.order())

    def order_games(self, asked: requests.OrderGames, player: str, table: str) -> Message:
        """Have bots play games at a table that the player hosts, without pauses."""
        return self.shared.backend.order_games(player, table, asked.games)

    def tables(self) -> Message:
        """Return a summary of every table, for the lobby."""
        watching, titles = self.shared.registry.watchers, self.shared.table_titles()
        tables = [
            {**feed.summary(), "watching": watching(feed.name), "title": titles.get(feed.name, "")}
            for feed in self.shared.visible_feeds()
        ]
        return {"tables": tables, **self.shared.seat_to_play()}

    def table(self, table: str) -> Message:
        """Return a table's public snapshot."""
        return self.shared.feeds[table].snapshot(self.shared.now())

    def review(self, game: str) -> Message:
        """Return what each decision of a finished game cost in win probability."""
        backend = self.shared.backend
        steps = backend.replay(game)["steps"]
        actions = sum(step["message"]["type"] == "action" for step in steps)
        return self.shared.loop.run_in_thread(review, backend.game(game)["record"], actions)

    def chart(self, hand: str | None, turn_up: str | None) -> Message:
        """Return the chart's entry for a hand and a turn-up."""
        try:
            return self.shared.loop.run_in_thread(hand_chart.lookup, hand or "", turn_up or "")
        except CardsError:
            raise Refused(NOT_A_HAND) from None

    def receipt(self, bet: str, player: str | None) -> Message:
        """Return the receipt for a bet, by default one placed by the signed-in player."""
        return self.shared.backend.receipt(player or self.shared.current_player(), bet)


def _whole(least: int, most: int, default: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": least, "maximum": most, "default": default}


_TEXT: Final = {"type": "string"}
_CHART: Final = (
    ("hand", {**_TEXT, "pattern": "^([KQJAT987][SHDC]){5}$"}),
    ("turn_up", {**_TEXT, "pattern": "^[KQJAT987][SHDC]$"}),
)
_GAMES: Final = (("before", _TEXT), ("limit", _whole(1, queries.MAX_GAMES, 50)), ("table", _TEXT))
_LOG: Final = ("after", _whole(-1, 2**53, -1)), ("limit", _whole(1, queries.MAX_LEAVES, 100))

_HOST: Final = "/api/hosted/{table}"
_PRACTICE: Final = "/api/tables/{table}/practice"

ROUTES: Final = (
    Route("/api/enter", ApiViews.enter, responses.Entered, requests.Enter),
    Route("/api/leave", ApiViews.leave, messages.Good, requests.Payload),
    Route("/api/password", ApiViews.password, responses.Entered, requests.Password, True),
    Route("/api/refill", ApiViews.refill, messages.Refilled, requests.Payload, True),
    Route("/api/limits", ApiViews.set_limit, responses.Limited, requests.SetLimit, True),
    Route("/api/me", Backend.account, responses.Me, None, True),
    Route("/api/statement", Backend.statement, responses.Statement, None, True),
    Route("/api/hosted", ApiViews.open_table, responses.TableOpened, requests.OpenTable, True),
    Route(
        _HOST + "/change", ApiViews.change_table, responses.TableChanged, requests.ChangeTable, True
    ),
    Route(_HOST + "/close", Backend.close_table, responses.TableClosing, requests.Payload, True),
    Route(
        _HOST + "/games", ApiViews.order_games, responses.GamesOrdered, requests.OrderGames, True
    ),
    Route("/api/tables", ApiViews.tables, responses.Tables),
    Route("/api/tables/{table}", ApiViews.table, responses.TableSnapshot),
    Route("/api/chart", ApiViews.chart, responses.HandChart, query=_CHART),
    Route("/api/leaders", Backend.leaders, responses.Leaders),
    Route("/api/statistics", Backend.statistics, responses.Statistics, query=(("table", _TEXT),)),
    Route("/api/players/{player}", Backend.player_record, responses.PublicPlayer),
    Route(_PRACTICE, PracticeGames.messages, responses.PracticeUpdate, requests.Practise),
    Route(_PRACTICE + "/hint", PracticeGames.hint, responses.Hinted, requests.Practise),
    Route("/api/games", Backend.games, responses.Games, query=_GAMES),
    Route("/api/games/{game}", Backend.game, responses.FinishedGame),
    Route("/api/games/{game}/steps", Backend.replay, responses.Replay),
    Route("/api/games/{game}/review", ApiViews.review, responses.ReviewedGame),
    Route("/api/log", Backend.leaves, responses.Log, query=_LOG),
    Route("/api/checkpoint", Backend.checkpoint, responses.Checkpoint),
    Route("/api/receipts/{bet}", ApiViews.receipt, responses.Receipt, query=(("player", _TEXT),)),
)


def register_routes(
    app: Flask, shared: AppContext, broadcaster: Broadcaster, secret: bytes
) -> None:
    """Register the API's routes; the cards of practice games are derived from `secret`."""
    own = ApiViews(shared, broadcaster), PracticeGames(shared, secret)
    views = {type(owner).__name__: owner for owner in own}
    for route in ROUTES:
        address = route.path.replace("{", "<").replace("}", ">")
        owner, _, name = route.view.__qualname__.partition(".")
        view = getattr(views.get(owner, shared.backend), name)
        respond = partial(_respond, route, shared, view)
        app.add_url_rule(address, f"api_{name}", respond, methods=[route.method])
    document = cache(partial(description, ROUTES))
    app.add_url_rule("/api/openapi.json", "openapi", lambda: _json(document()))


def _respond(
    route: Route, shared: AppContext, view: Callable[..., Message], **in_path: str
) -> Response:
    arguments: list[Any] = []
    if route.body is not None:
        body = parse(route.body, request.get_data())
        arguments += [body] if route.body.model_fields else []
    if route.is_personal:
        arguments.append(shared.current_player())
    if "table" in in_path:
        shared.visible_feed(in_path["table"])
    arguments += in_path.values()
    arguments += [_query_value(name, schema) for name, schema in route.query]
    return _json({"ok": True, **view(*arguments)})


def _json(value: Any) -> Response:
    response = Response(msgspec.json.encode(value), content_type="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response


def _query_value(name: str, schema: dict[str, Any]) -> str | int | None:
    text = request.args.get(name)
    if "maximum" not in schema:
        return text or None
    if text is None:
        return int(schema["default"])
    least, most = schema["minimum"], schema["maximum"]
    number = int(text) if _WHOLE.fullmatch(text) else least - 1
    if not least <= number <= most:
        raise Refused(BAD_NUMBER, field=name, least=least, most=most)
    return number
