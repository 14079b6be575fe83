"""The HTML pages: each a template; what they show they ask for themselves, as JSON or live."""

from __future__ import annotations

from typing import Any, Final

from flask import Flask, Response, render_template, request, session
from werkzeug.exceptions import BadRequest, HTTPException, NotFound

from casino.errors import Reason, Refused
from casino.web.floor import Floor
from casino.web.languages import language

PAGES: Final = ("games", "account", "rules", "chart", "stats")
NO_ADDRESS: Final = Reason(
    "no_address", "unknown_game", "there is nothing at this address: begin at the first page"
)
NOT_POSSIBLE: Final = Reason(
    "not_possible", "bad_request", "this request is not possible ({status}): check it"
)
KEPT: Final = ("Allow", "Retry-After")
"""Headers of an error that its answer keeps."""
METRICS_KIND: Final = "text/plain; version=0.0.4; charset=utf-8"


def connect(app: Flask, floor: Floor, watching: Any) -> None:
    """Give every page its address."""

    def page(name: str, **more: Any) -> str:
        floor.visit()
        player = floor.somebody()
        person = None
        if player is not None:
            person = {"name": player, "balance_cents": floor.balance(player)}
        return render_template(
            f"{name}.html", lang=language(), csrf_token=session["csrf"], me=person, **more
        )

    def table(table: str) -> str:
        if table not in floor.boards:
            raise NotFound
        return page("table", table=table)

    def audit() -> str:
        signed = floor.bridge.read(lambda log: log.checkpoint()) is not None
        return page("audit", signed=signed)

    app.add_url_rule("/audit", "audit", audit)
    app.add_url_rule("/", "lobby", lambda: page("lobby", tables=list(floor.boards)))
    app.add_url_rule("/table/<table>", "table", table)
    app.add_url_rule("/game/<game>", "game", lambda game: page("game", game=game))
    for name in PAGES:
        app.add_url_rule(f"/{name}", name, lambda name=name: page(name))
    app.add_url_rule("/healthz", "healthz", lambda: _health(floor))
    app.add_url_rule("/metrics", "metrics", lambda: _metrics(floor, watching))

    @app.errorhandler(HTTPException)
    def wrong(error: HTTPException) -> Any:
        headers = {name: text for name, text in error.get_headers() if name in KEPT}
        if request.path.startswith("/api/") or not request.accept_mimetypes.accept_html:
            reason = NO_ADDRESS if error.code == NotFound.code else NOT_POSSIBLE
            status = error.code or BadRequest.code
            return {"ok": False, **Refused(reason, status=status).json()}, error.code, headers
        return page("error", code=error.code), error.code, headers


def _health(floor: Floor) -> Any:
    """Whether the casino can write."""
    well = floor.clerk.bank.takes_bets
    return {"ok": well, "tables": len(floor.boards)}, 200 if well else 503


def _metrics(floor: Floor, watching: Any) -> Response:
    """Figures for who watches over the casino."""
    lines = [
        "# TYPE casino_games_finished_total counter",
        f"casino_games_finished_total {floor.house.finished}",
        "# TYPE casino_takes_bets gauge",
        f"casino_takes_bets {int(floor.clerk.bank.takes_bets)}",
        "# TYPE casino_watching gauge",
    ]
    for table in floor.boards:
        lines.append(f'casino_watching{{table="{table}"}} {watching(table)}')
    return Response("\n".join(lines) + "\n", content_type=METRICS_KIND)
