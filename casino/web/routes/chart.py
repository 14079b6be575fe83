"""The chart of all hands over HTTP: one hand as JSON, the whole chart as CSV."""

from __future__ import annotations

import gzip
from functools import cache
from typing import Final

from flask import Response, request

from casino.errors import CardsError, RefusalReason, Refused
from casino.solver.evaluation import hand_chart
from casino.table.public.state import Message

CARDS: Final = r"([KQJAT987][SHDC]){5}"
CARD: Final = r"[KQJAT987][SHDC]"
_A_DAY: Final = "public, max-age=86400"

NOT_A_HAND: Final = RefusalReason(
    "not_a_hand",
    "unknown_hand",
    "give a hand of five different cards, such as 7HKCQCJC7S, and a turn-up that is not among them",
)


def hand() -> Message:
    """Return the entry for the hand and the turn-up in the query string."""
    try:
        return hand_chart.lookup(request.args.get("hand", ""), request.args.get("turn_up", ""))
    except CardsError:
        raise Refused(NOT_A_HAND) from None


def as_csv() -> Response:
    """Return the whole chart as a CSV download, compressed if the client accepts gzip."""
    squeezed = request.accept_encodings.quality("gzip") > 0
    body = compressed_chart() if squeezed else gzip.decompress(compressed_chart())
    response = Response(body, content_type="text/csv; charset=utf-8")
    if squeezed:
        response.headers["Content-Encoding"] = "gzip"
    response.vary.add("Accept-Encoding")
    response.headers["Content-Disposition"] = 'attachment; filename="ecarte-chart.csv"'
    response.headers["Cache-Control"] = _A_DAY
    return response


@cache
def compressed_chart() -> bytes:
    """Return the whole chart as gzipped CSV, built on the first call."""
    return gzip.compress("".join(hand_chart.as_csv()).encode(), 6)
