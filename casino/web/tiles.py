"""The log under `/log/`, as the C2SP's tlog-tiles: a checkpoint, and tiles that never change.

Programs of any make can mirror the log from here and prove for themselves that it only grows.
"""

from __future__ import annotations

import gzip
from typing import Final

from flask import Blueprint, Flask, Response, request

from casino.bank.eventlog import EventLog
from casino.bank.notes import open_checkpoint
from casino.bank.tiles import Tile, bundle, hash_tile, parse_tile
from casino.errors import BadFile
from casino.web.shared import Shared

_FOREVER: Final = "public, max-age=31536000, immutable"
_SOON: Final = "no-cache"
_BYTES: Final = "application/octet-stream"
_TEXT: Final = "text/plain; charset=utf-8"


def connect(app: Flask, shared: Shared) -> None:
    """Serve the log."""
    routes = Blueprint("log", __name__, url_prefix="/log")

    def checkpoint() -> Response:
        note = shared.bridge.read(_published)
        if note is None:
            return _missing("nothing is signed yet: ask again in a minute")
        size, text = note
        cosigned = shared.cosigned()
        if cosigned is not None and open_checkpoint(cosigned, None).size == size:
            text = cosigned
        return _open(Response(text, content_type=_TEXT), _SOON)

    def tile(name: str) -> Response:
        try:
            asked = parse_tile(name)
        except BadFile as error:
            return _missing(str(error))
        packed = asked.level is None and request.accept_encodings.quality("gzip") > 0
        data = shared.bridge.read(lambda log: _contents(log, asked, packed))
        if data is None:
            return _missing(f"{name} is not under the newest checkpoint")
        response = _open(Response(data, content_type=_BYTES), _FOREVER)
        if packed:
            response.headers["Content-Encoding"] = "gzip"
        response.headers["Vary"] = "Accept-Encoding"
        return response

    routes.add_url_rule("/checkpoint", "checkpoint", checkpoint)
    routes.add_url_rule("/<path:name>", "tile", tile)
    app.register_blueprint(routes)


def _published(log: EventLog) -> tuple[int, str] | None:
    """Size and text of the newest checkpoint."""
    newest = log.checkpoint()
    return None if newest is None else (newest.size, newest.note)


def _contents(log: EventLog, tile: Tile, packed: bool) -> bytes | None:
    """What a tile holds, if a published checkpoint covers it."""
    published = _published(log)
    if published is None or tile.end > published[0]:
        return None
    if tile.level is not None:
        return hash_tile(tile, log.subtree)
    data = bundle(leaf.body for leaf in log.leaves(tile.first, tile.width))
    return gzip.compress(data, 1) if packed else data


def _open(response: Response, keep: str) -> Response:
    """An answer that pages and programs anywhere may read."""
    response.headers["Cache-Control"] = keep
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def _missing(why: str) -> Response:
    """What is not there, or not yet."""
    return _open(Response(f"{why}\n", 404, content_type=_TEXT), _SOON)
