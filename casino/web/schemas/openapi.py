"""The OpenAPI 3.1 document of the JSON API."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from casino.web.schemas import messages, requests

VERSION: Final = "1"
_SCHEMAS: Final = "#/components/schemas/{model}"


_SESSION: Final = "session"


class Route(NamedTuple):
    """A route of the API: its path, its view, whose docstring is the summary, and its models.

    The view is given the body if there is one, then the player if `is_personal`, then the parts of
    the path, and returns the fields of the response. `query` has the schemas of the parameters.
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
            "description": "Amounts are whole cents, hundredths of a chip. More may be added.",
        },
        "paths": {route.path: _path(route) for route in routes},
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


def _path(route: Route) -> dict[str, Any]:
    asked: dict[str, Any] = {
        "summary": (route.view.__doc__ or "").partition("\n")[0],
        "parameters": [
            *_in_path(route.path),
            *(_in_query(*parameter) for parameter in route.query),
        ],
        "responses": {
            "200": _content("OK", route.answer),
            "default": _content("Refused", messages.Refusal),
        },
    }
    if route.is_personal:
        asked["security"] = [{_SESSION: []}]
    if route.body is not None:
        asked["requestBody"] = {"required": True, **_content("", route.body, described=False)}
    return {route.method.lower(): asked}


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
