"""The description of the JSON addresses, in OpenAPI 3.1."""

from __future__ import annotations

from typing import Any


def description() -> dict[str, Any]:
    """The description."""
    return {"openapi": "3.1.0", "info": {"title": "Écarté casino", "version": "1"}, "paths": {}}
