"""The OpenAPI 3.1 document of the JSON API."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from casino.web.backend import queries
from casino.web.routes import chart
from casino.web.schemas import requests, responses

VERSION: Final = "1"
_SCHEMAS: Final = "#/components/schemas/{model}"


_TEXT: Final = {"type": "string"}
_SESSION: Final = "session"


def _whole(least: int, most: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": least, "maximum": most}


class Address(NamedTuple):
    """A route of the API: its path, summary, response model and request model.

    `asked` has the schemas of the query parameters; `is_personal` routes need a session.
    """

    path: str
    about: str
    answer: type[responses.Form]
    takes: type[requests.Payload] | None = None
    asked: tuple[tuple[str, dict[str, Any]], ...] = ()
    is_personal: bool = False


ADDRESSES: Final = (
    Address(
        "/api/enter",
        "Make or open an account and be known by a cookie; opening chips are granted once.",
        responses.Entered,
        requests.Enter,
    ),
    Address("/api/leave", "End the session and its sockets.", responses.Good, requests.Payload),
    Address(
        "/api/password",
        "Set or change the password of one's account, and end all its other sessions.",
        responses.Entered,
        requests.Password,
        is_personal=True,
    ),
    Address(
        "/api/refill",
        "Chips for a player with less than the least bet, once in some hours.",
        responses.Refilled,
        requests.Payload,
        is_personal=True,
    ),
    Address("/api/limits", "Limit oneself.", responses.Limited, requests.SetLimit, (), True),
    Address("/api/me", "Name, balance, limits, open bets.", responses.Me, None, (), True),
    Address(
        "/api/statement",
        "Every change of one's balance, every bet.",
        responses.Statement,
        is_personal=True,
    ),
    Address(
        "/api/open",
        "Open the text behind one's seal in a game whose lock has been verified.",
        responses.Opened,
        requests.OpenCut,
        is_personal=True,
    ),
    Address("/api/tables", "The lobby.", responses.Tables),
    Address("/api/tables/{table}", "A table's public snapshot.", responses.Snapshot),
    Address("/api/tables/{table}/chance", "Both sides' chances now.", responses.Chance),
    Address(
        "/api/chart",
        "A hand in the chart of all hands: exact odds with open cards, the expert's words.",
        chart.ChartAnswer,
        asked=(
            ("hand", {"type": "string", "pattern": f"^{chart.CARDS}$"}),
            ("turn_up", {"type": "string", "pattern": f"^{chart.CARD}$"}),
        ),
    ),
    Address("/api/leaders", "Who has won most certainly, by public facts.", responses.Leaders),
    Address("/api/statistics", "How all finished games ended.", responses.Statistics),
    Address("/api/players/{player}", "What is public of a player.", responses.PublicPlayer),
    Address(
        "/api/tables/{table}/practice",
        "A game of practice against a bot, as far as you have played it; nothing of it is kept.",
        responses.Practised,
        requests.Practise,
    ),
    Address(
        "/api/tables/{table}/practice/hint",
        "What each of your choices in a game of practice is worth.",
        responses.Hinted,
        requests.Practise,
    ),
    Address(
        "/api/games",
        "Finished games: those after one, the oldest first; or before one, the newest first.",
        responses.Games,
        asked=(("after", _TEXT), ("before", _TEXT), ("limit", _whole(1, queries.MAX_GAMES))),
    ),
    Address("/api/games/{game}", "A finished game, all that checks it.", responses.Game),
    Address(
        "/api/games/{game}/steps", "A finished game, told again step by step.", responses.Steps
    ),
    Address("/api/games/{game}/review", "What each decision was worth.", responses.Review),
    Address(
        "/api/log",
        "Leaves of the log behind a number, as they were hashed.",
        responses.Log,
        asked=(("after", _whole(-1, 2**53)), ("limit", _whole(1, queries.MAX_LEAVES))),
    ),
    Address("/api/checkpoint", "The newest signed checkpoint.", responses.Checkpoint),
    Address(
        "/api/receipts/{bet}",
        "The receipt of a bet, once it is signed: your own, or that of the player named.",
        responses.Receipt,
        asked=(("player", _TEXT),),
    ),
)


@cache
def description() -> dict[str, Any]:
    """Return the OpenAPI document as JSON values."""
    models: set[type[BaseModel]] = {responses.Refusal}
    for address in ADDRESSES:
        models |= {address.answer} | ({address.takes} if address.takes else set())
    _, schemas = models_json_schema(
        [(model, "serialization") for model in sorted(models, key=lambda kind: kind.__name__)],
        ref_template=_SCHEMAS,
    )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "A casino table for Écarté",
            "version": VERSION,
            "description": "Amounts are whole cents, hundredths of a chip. More may be added.",
        },
        "paths": {address.path: _path(address) for address in ADDRESSES},
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {
                _SESSION: {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "casino",
                    "description": "Set by /api/enter; behind https it is called __Host-casino.",
                }
            },
        },
    }


def _path(address: Address) -> dict[str, Any]:
    asked: dict[str, Any] = {
        "summary": address.about,
        "parameters": [
            *_in_path(address.path),
            *(_in_query(*parameter) for parameter in address.asked),
        ],
        "responses": {
            "200": _content("OK", address.answer),
            "default": _content("Refused", responses.Refusal),
        },
    }
    if address.is_personal:
        asked["security"] = [{_SESSION: []}]
    if address.takes is None:
        return {"get": asked}
    asked["requestBody"] = {"required": True, **_content("", address.takes, described=False)}
    return {"post": asked}


def _content(about: str, model: type[BaseModel], described: bool = True) -> dict[str, Any]:
    schema = {"$ref": _SCHEMAS.format(model=model.__name__)}
    content = {"content": {"application/json": {"schema": schema}}}
    return {"description": about, **content} if described else content


def _in_path(path: str) -> list[dict[str, Any]]:
    names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in names
    ]


def _in_query(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": schema}
