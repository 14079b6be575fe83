"""Write static/js/state/messages.d.ts from the models of messages and of the JSON API.

`python -m tools.message_types` writes it; a test fails if it differs from the models.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from casino.web.routes.api import ROUTES
from casino.web.schemas import messages, requests, responses

FILE = Path(__file__).parent.parent / "static" / "js" / "state" / "messages.d.ts"
WIDTH = 110
UNBROKEN = "\N{NO-BREAK SPACE}"  # inside a field, so that lines break between fields
HEAD = """\
// Messages of the live connection, and answers of the JSON API.
// Made by tools/message_types.py from casino/web/schemas: the models there say what each is for.

/** All scripts know these types as Wire.Seat and so on. */
export as namespace Wire;
export type Seat = "house" | "challenger";
export type BySeat<T> = Record<Seat, T>;
export type Answer<T> = ({ ok: true } & T) | Refusal;
export type EventOf<Type extends Event["type"]> = Extract<Event, { type: Type }>;"""
SCALARS = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}
MODULES = {module.__name__ for module in (requests, messages, responses)}

Schema = Mapping[str, Any]


def types() -> str:
    """Return the text of messages.d.ts."""
    models = {
        name: model
        for module in (requests, messages, responses)
        for name, model in vars(module).items()
        if isinstance(model, type) and issubclass(model, BaseModel) and _is_own(model)
    }
    models |= {event.__name__: event for event in messages.EVENTS}
    schemas = models_json_schema(
        [(model, "serialization") for model in models.values()], ref_template="{model}"
    )[1]["$defs"]
    declared = [_declaration(models[name], schemas[name]) for name in sorted(models)]
    tables = {
        "Requests": {
            name: f"[{kind.__name__}, {answer.__name__}]"
            for name, (kind, answer) in messages.MESSAGES.items()
        },
        "GetAnswers": {
            _path(route.path): route.answer.__name__ for route in ROUTES if route.body is None
        },
        "PostAnswers": {
            _path(route.path): f"[{route.body.__name__}, {route.answer.__name__}]"
            for route in ROUTES
            if route.body is not None
        },
    }
    rows = [
        f"export type {name} = {{\n" + "".join(f"  {key}: {row};\n" for key, row in table.items())
        for name, table in tables.items()
    ]
    return "\n".join([HEAD, *declared, *(f"{row}}};" for row in rows)]) + "\n"


def _is_own(model: type[BaseModel]) -> bool:
    return model.__module__ in MODULES and model.__name__.isidentifier()


def _path(path: str) -> str:
    return json.dumps(re.sub(r"\{\w+\}", "ID", path))


def _declaration(model: type[BaseModel], schema: Schema) -> str:
    bases = [
        base.__name__
        for base in model.__bases__
        if issubclass(base, BaseModel) and _is_own(base) and base.model_fields.keys() - {"ok"}
    ]
    required, own = schema.get("required", ()), model.__annotations__
    fields = [
        f"{field}{'' if field in required else '?'}: {_type(kind)};".replace(" ", UNBROKEN)
        for field, kind in schema.get("properties", {}).items()
        if field in own or f"{field}_ms" in own
    ]
    body = f"{{ {' '.join(fields)} }}" if fields else "{}"
    parts = " & ".join([*bases, *([body] if fields or not bases else [])])
    if "properties" not in schema and "oneOf" in schema:
        parts = _type(schema)
    text = textwrap.fill(f"export type {model.__name__} = {parts};", WIDTH, subsequent_indent="  ")
    return text.replace(UNBROKEN, " ")


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"])
    if options := schema.get("anyOf", schema.get("oneOf")):
        return " | ".join(map(_type, options))
    if schema.get("enum") == ["house", "challenger"]:
        return "Seat"
    if values := schema.get("enum", [schema["const"]] if "const" in schema else None):
        return " | ".join(map(json.dumps, values))
    match schema.get("type"):
        case "array" if "prefixItems" in schema:
            return f"[{', '.join(map(_type, schema['prefixItems']))}]"
        case "array":
            return f"Array<{_type(schema['items'])}>"
        case "object" if "propertyNames" in schema:
            return f"Partial<BySeat<{_type(schema['additionalProperties'])}>>"
        case "object":
            return f"Record<string, {_type(schema.get('additionalProperties', {}))}>"
    return SCALARS.get(schema.get("type", ""), "unknown")


if __name__ == "__main__":
    FILE.write_text(types(), "utf-8")
