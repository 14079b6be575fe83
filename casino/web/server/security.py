"""Request security: response headers, origin checks, rate limits.

Other sites cannot send requests for a visitor: browsers state the origin of every POST, and JSON
from another origin needs a permission that the casino never gives. So pages carry no CSRF token.
"""

from __future__ import annotations

from typing import Final

from flask import Flask, Request, Response, g, request
from flask.sessions import SecureCookieSessionInterface

from casino.errors import RefusalReason, Refused
from casino.web.context import AppContext
from casino.web.server.fair_queue import FairQueue
from casino.web.server.rate_limit import TokenBuckets, client_network, per_second
from casino.web.server.request_log import REQUEST

NOT_JSON: Final = RefusalReason(
    "not_json", "bad_request", "this is not JSON: send it with Content-Type: application/json"
)
OTHER_SITE: Final = RefusalReason(
    "other_site", "bad_request", "another site sent this: open the casino's own page"
)

STATIC: Final = "/static/"
# Exempt from the fair queue: monitoring matters most under load.
AT_ONCE: Final = ("/healthz", "/readyz", "/metrics")

MAX_BODY_BYTES: Final = 16 * 1024
_SAME: Final = ("same-origin", "none")

HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self' '{inline}'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; font-src 'self'; media-src 'self'; manifest-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

# Browsers ignore this header, with a warning, over plain http.
ALONE: Final = {"Cross-Origin-Opener-Policy": "same-origin"}


class SessionCookies(SecureCookieSessionInterface):
    """Session cookies that are `Secure` and named `__Host-…` when the site is served over https."""

    def get_cookie_name(self, app: Flask) -> str:
        """Return the cookie's name; over https, `__Host-` binds it to the host."""
        name = super().get_cookie_name(app)
        return f"__Host-{name}" if request.is_secure else name

    def get_cookie_secure(self, app: Flask) -> bool:
        """Return True if the browser must not send the cookie over plain http."""
        return request.is_secure


def secure(app: Flask, shared: AppContext, fair_queue: FairQueue) -> None:
    """Register security headers, rate limits, the fair queue and origin checks for all requests."""
    settings = shared.config.web
    # The pages have a single inline script, which is allowed by its hash.
    own = {name: value.format(inline=app.config["INLINE_HASH"]) for name, value in HEADERS.items()}
    addresses = TokenBuckets(per_second(settings.address_per_second), shared.now)
    persons = TokenBuckets(per_second(settings.person_per_second), shared.now)

    @app.after_request
    def headers(response: Response) -> Response:
        # A route's own headers take precedence: other sites may read the log.
        for name, value in {**own, **(ALONE if request.is_secure else {})}.items():
            response.headers.setdefault(name, value)
        response.headers["X-Request-ID"] = request.environ[REQUEST]
        return response

    @app.teardown_request
    def leave(_: BaseException | None = None) -> None:
        if "entered" in g:
            fair_queue.leave(g.pop("entered"))

    @app.before_request
    def check() -> None:
        who = client_network(request.remote_addr)
        addresses.take(who)
        is_asked = request.path not in AT_ONCE and not request.path.startswith(STATIC)
        person = shared.current_player_or_none() if is_asked else None
        if person is not None:
            persons.take(person)
        if request.path not in AT_ONCE:
            fair_queue.enter(who)
            g.entered = who
        # Flask would raise a 404 or 405 only after the checks below, which would hide it.
        if request.routing_exception is not None:
            raise request.routing_exception
        if request.method not in ("GET", "HEAD", "OPTIONS"):
            check_origin(request)
            if not request.is_json:
                raise Refused(NOT_JSON)


def check_origin(asked: Request) -> None:
    """Refuse a request that a browser sends on behalf of another site."""
    origin = asked.headers.get("Origin")
    site = asked.headers.get("Sec-Fetch-Site", "none")
    if site not in _SAME or (origin is not None and origin.partition("://")[2] != asked.host):
        raise Refused(OTHER_SITE)
