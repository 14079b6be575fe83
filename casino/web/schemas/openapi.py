"""The OpenAPI 3.1 document of the JSON API."""

from __future__ import annotations

import re
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

    The view is given the body if it has fields, then the player if `is_personal`, then the parts of
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
