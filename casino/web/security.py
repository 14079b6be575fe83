"""What keeps strangers out: headers of every answer, origins, tokens, rates."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from math import ceil
from typing import Final
from urllib.parse import urlsplit

from flask import Flask, Request, Response, request, session

from casino.errors import Reason, Refused

TOO_MANY_REQUESTS: Final = Reason(
    "too_many_requests",
    "rate_limited",
    "too many requests: wait {n} second",
    plural="too many requests: wait {n} seconds",
)
NOT_JSON: Final = Reason(
    "not_json", "bad_request", "this is not JSON: send it with Content-Type: application/json"
)
OTHER_SITE: Final = Reason(
    "other_site", "bad_request", "another site sent this: open the casino's own page"
)
OLD_PAGE: Final = Reason("old_page", "bad_request", "this page is too old: load it again")

CSRF_HEADER: Final = "X-CSRF-Token"
GREATEST_BODY: Final = 16 * 1024
_SAME: Final = ("same-origin", "none")
_MS: Final = 1000
_MOST_BUCKETS: Final = 10_000

HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; font-src 'self'; media-src 'self'; manifest-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Rates:
    """Buckets by key: each empties by one a request and fills again with time."""

    def __init__(self, most: int, per_second: int, clock: Callable[[], int]) -> None:
        self._most = most
        self._per_second = per_second
        self._clock = clock
        self._buckets: dict[str, tuple[float, int]] = {}

    def take(self, key: str) -> None:
        """Let one more pass, or refuse it."""
        now = self._clock()
        left, at = self._buckets.get(key, (float(self._most), now))
        left = min(self._most, left + (now - at) * self._per_second / _MS)
        if left < 1:
            seconds = ceil((1 - left) / self._per_second)
            raise Refused(TOO_MANY_REQUESTS, n=seconds)
        if len(self._buckets) > _MOST_BUCKETS:
            self._buckets.clear()
        self._buckets[key] = left - 1, now


def secure(app: Flask) -> None:
    """Give every answer its headers, and ask of every POST that the site's own page sends it."""

    @app.after_request
    def headers(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    @app.before_request
    def check() -> None:
        if request.method not in ("GET", "HEAD", "OPTIONS"):
            check_origin(request)
            check_token(request)
            if not request.is_json:
                raise Refused(NOT_JSON)


def check_origin(asked: Request) -> None:
    """Refuse what a browser sends from another site."""
    origin = asked.headers.get("Origin")
    site = asked.headers.get("Sec-Fetch-Site", "none")
    if site not in _SAME or (origin is not None and urlsplit(origin).netloc != asked.host):
        raise Refused(OTHER_SITE)


def check_token(asked: Request) -> None:
    """Refuse a browser's request without the token of its page; programs need none."""
    if "Origin" not in asked.headers and "Sec-Fetch-Site" not in asked.headers:
        return
    known, given = session.get("csrf", ""), asked.headers.get(CSRF_HEADER, "")
    if not known or not hmac.compare_digest(known, given):
        raise Refused(OLD_PAGE)
