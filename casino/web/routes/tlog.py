"""The log under `/log/` in C2SP's tlog-tiles format: a checkpoint, and immutable tiles.

Any client can mirror the log from here and verify that it is append-only.
"""

from __future__ import annotations

from typing import Final

from flask import Flask, Response, request

from casino.errors import FileError
from casino.ledger.tlog import parse_tile
from casino.web.context import AppContext

_FOREVER: Final = "public, max-age=31536000, immutable"
_SOON: Final = "no-cache"
_BYTES: Final = "application/octet-stream"
_TEXT: Final = "text/plain; charset=utf-8"


def register_routes(app: Flask, shared: AppContext) -> None:
    """Register the routes of the checkpoint and the tiles."""

    def checkpoint() -> Response:
        text = shared.backend.published_checkpoint()
        if text is None:
            return _missing("nothing is signed yet: ask again in a minute")
        return _open(Response(text, content_type=_TEXT), _SOON)

    def tile(name: str) -> Response:
        try:
            asked = parse_tile(name)
        except FileError as error:
            return _missing(str(error))
        # Only data tiles: hashes do not compress.
        packed = asked.level is None and request.accept_encodings.quality("gzip") > 0
        data = shared.backend.tile(name, packed)
        if data is None:
            return _missing(f"{name} is not under the newest checkpoint")
        response = _open(Response(data, content_type=_BYTES), _FOREVER)
        if packed:
            response.headers["Content-Encoding"] = "gzip"
        response.headers["Vary"] = "Accept-Encoding"
        return response

    app.add_url_rule("/log/checkpoint", "checkpoint", checkpoint)
    app.add_url_rule("/log/<path:name>", "tile", tile)


def _open(response: Response, keep: str) -> Response:
    response.headers["Cache-Control"] = keep
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def _missing(why: str) -> Response:
    return _open(Response(f"{why}\n", 404, content_type=_TEXT), _SOON)
