"""HTML pages, whose scripts load the content as JSON or over a socket, and files to download.

`/log/` serves the log in C2SP's tlog-tiles format: a checkpoint and immutable tiles. Any client can
mirror the log from there and verify that it is append-only.
"""

from __future__ import annotations

import gzip
from contextlib import suppress
from functools import cache
from typing import Any, Final

import msgspec
from flask import Flask, Response, redirect, render_template, request, url_for
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as BaseResponse

from casino.config import WIN_RATES
from casino.config_tables import (
    MAX_UNFAIR_WINS,
    PRESETS,
    TableOrder,
    count_equal_bots,
    hosted_table,
    min_bet_cents,
)
from casino.ecarte import SEATS
from casino.errors import CasinoError, FileError, RefusalReason, Refused
from casino.ledger.tlog import parse_tile
from casino.solver.evaluation import hand_chart
from casino.table.domain.state import game_id
from casino.table.domain.table_base import game_number
from casino.table.public.state import Message
from casino.web.accounts.usernames import display_name
from casino.web.context import AppContext, admitted
from casino.web.i18n import gettext, language
from casino.web.server.rate_limit import RateLimit, TokenBuckets, client_network

GAMES_OFFERED: Final = (100, 1_000)  # numbers of games that a host can order with one click
MAX_EXPORTED: Final = 1_000  # games of a table in one file
FILES: Final = RateLimit(3, 10_000)  # downloads of such files per address
NO_ADDRESS: Final = RefusalReason(
    "no_address", "unknown_address", "there is nothing at this address: start from the first page"
)
NOT_POSSIBLE: Final = RefusalReason(
    "not_possible", "bad_request", "this request is not possible ({status}): check it"
)
_FOREVER: Final = "public, max-age=31536000, immutable"
_SOON: Final = "no-cache"

BAD_REQUEST, NOT_FOUND, CONFLICT = 400, 404, 409
# Of a refusal by its code; NOT_FOUND for other codes that begin with unknown_, else CONFLICT.
STATUS: Final = {
    "bad_request": BAD_REQUEST, "not_entered": 401, "rate_limited": 429, "unavailable": 503,
}  # fmt: skip


def register_routes(app: Flask, shared: AppContext) -> None:
    """Register the routes for pages and downloads, and the handlers for errors."""
    app.jinja_env.globals.update(bot_name=display_name, table_link=shared.backend.table_link)

    def page(name: str, **more: Any) -> str:
        shared.ensure_session()
        player = shared.current_player_or_none()
        person = None
        if player is not None:
            person = {"name": player, "balance_cents": shared.backend.balances([player])[player]}
        more |= {"lang": language(), "me": person, "titles": shared.table_titles()}
        return render_template(f"{name}.html", **more)

    hosting = {
        "config": shared.config,
        "bots": WIN_RATES,
        "equal_bots": count_equal_bots,
        "max_unfair_wins": MAX_UNFAIR_WINS,
        "min_bet_cents": min_bet_cents(shared.config),
        "may_open": shared.may_open_table,
        "needs_password": shared.needs_password,
        "presets": {name: hosted_table(shared.config, None, TableOrder(name)) for name in PRESETS},
    }

    @app.get("/<any(table, practice, overlay):name>/<table>")
    def table_page(name: str, table: str) -> str | BaseResponse:
        if link := request.args.get("link"):
            shared.admit(table, link)
        moves = table not in shared.feeds or "new" in request.args
        if moves and (successor := shared.backend.successor(table)):
            # An invitation to a private table is one to the table that replaces it.
            link = shared.backend.table_link(successor) if table in admitted() else None
            return redirect(url_for("table_page", name=name, table=successor, link=link))
        state = shared.visible_feed(table).table
        closes = state.newest_settings.is_closed
        moved = closes and shared.backend.successor(table)
        return page(name, table=table, state=state, closes=closes, moved=moved, **hosting)

    @app.get("/")
    def lobby() -> str:
        tables = {feed.name: feed.table for feed in shared.visible_feeds()}
        return page("lobby", tables=tables, play=shared.seat_to_play(), **hosting)

    @app.get("/audit")
    def audit() -> str:
        return page("audit", signed=shared.backend.published_checkpoint() is not None)

    @app.get("/game/<game>")
    def game_page(game: str) -> str:
        finished = shared.backend.game(game)
        players, about = _result(finished)
        return page("game", game=game, host=finished["host"], players=players, about=about)

    @app.get("/player/<player>")
    def player_page(player: str) -> str:
        return page("player", player=player)

    @app.get("/<any(account, rules, leaders):name>")
    def plain_page(name: str) -> str:
        return page(name)

    @app.get("/chart")
    def chart_page() -> str:
        return page("chart", families=shared.loop.run_in_thread(hand_chart.chart, True).families)

    @app.get("/<any(games, stats):name>")
    def about_table(name: str) -> str:
        table = request.args.get("table", "")
        # A closed table no longer has a feed, but its games can still be listed.
        tables = dict.fromkeys([feed.name for feed in shared.visible_feeds()] + [table])
        tables.pop("", None)
        rules = shared.feeds[table].table.newest_settings if table in shared.feeds else None
        is_for_bots = rules and rules.challenger and not rules.is_closed
        is_host = rules and rules.hosted and rules.hosted.host == shared.current_player_or_none()
        most = shared.config.hosting.games_ordered if is_for_bots and is_host else 0
        numbers = [n for n in GAMES_OFFERED if n <= most] or [most]
        return page(name, table=table, tables=tables, numbers=list(filter(None, numbers)))

    @app.get("/chart.csv")
    def chart_csv() -> Response:
        """Return the whole chart as a CSV download, compressed if the client accepts gzip."""
        squeezed = request.accept_encodings.quality("gzip") > 0
        body = shared.loop.run_in_thread(_compressed_chart)
        response = Response(body if squeezed else gzip.decompress(body), mimetype="text/csv")
        if squeezed:
            response.headers["Content-Encoding"] = "gzip"
        response.vary.add("Accept-Encoding")
        response.headers["Content-Disposition"] = 'attachment; filename="ecarte-chart.csv"'
        response.headers["Cache-Control"] = "public, max-age=86400"
        return response

    @app.get("/manifest.webmanifest")
    def manifest() -> Response:
        """Return the web app manifest, which lets browsers install the site."""
        text = render_template("manifest.webmanifest")
        return Response(text, content_type="application/manifest+json")

    files = TokenBuckets(FILES, shared.now)

    @app.get("/games/<table>.jsonl")
    def games_file(table: str) -> Response:
        """Return a table's newest games, one per line, in the JSON format of /api/games/ID."""
        files.take(client_network(request.remote_addr))
        newest = shared.backend.games(None, 1, table)["games"]
        last = game_number(newest[0]["game"]) if newest else 0
        games = (game_id(table, n) for n in range(max(1, last - MAX_EXPORTED + 1), last + 1))
        lines = (msgspec.json.encode(shared.backend.game(game)) + b"\n" for game in games)
        response = Response(lines, content_type="application/x-ndjson")
        response.headers["Cache-Control"] = "no-store"
        return response

    @app.get("/log/checkpoint")
    def checkpoint() -> Response:
        text = shared.backend.published_checkpoint()
        if text is None:
            return _log_file("nothing is signed yet: try again in a minute\n", _SOON, 404)
        return _log_file(text, _SOON)

    @app.get("/log/<path:name>")
    def tile(name: str) -> Response:
        try:
            asked = parse_tile(name)
        except FileError as error:
            return _log_file(f"{error}\n", _SOON, 404)
        # Only data tiles: hashes do not compress.
        packed = asked.level is None and request.accept_encodings.quality("gzip") > 0
        data = shared.backend.tile(name, packed)
        if data is None:
            return _log_file(f"{name} is not covered by the newest checkpoint\n", _SOON, 404)
        response = _log_file(data, _FOREVER)
        if packed:
            response.headers["Content-Encoding"] = "gzip"
        response.headers["Vary"] = "Accept-Encoding"
        return response

    def failure(message: Message, status: int, headers: dict[str, Any]) -> Any:
        if request.accept_mimetypes.accept_html and not request.path.startswith("/api/"):
            with suppress(Refused):  # while the house is away, for a balance
                return page("error", code=status), status, headers
        return message, status, {**headers, "Cache-Control": "no-store"}

    @app.errorhandler(CasinoError)
    def refused(error: CasinoError) -> Any:
        message = shared.error_message(error)
        code = message["code"]
        status = STATUS.get(code, NOT_FOUND if code.startswith("unknown_") else CONFLICT)
        wait = {"Retry-After": message["values"]["n"]} if code == "rate_limited" else {}
        return failure(message, status, wait)

    @app.errorhandler(HTTPException)
    def wrong(error: HTTPException) -> Any:
        status = error.code or BAD_REQUEST
        reason = NO_ADDRESS if status == NOT_FOUND else NOT_POSSIBLE
        headers = {name: text for name, text in error.get_headers() if name == "Allow"}
        return failure({"ok": False, **Refused(reason, status=status).json()}, status, headers)


def _result(game: Message) -> tuple[str, str]:
    """Return a finished game's players, and a line with their score for link previews."""
    score = game["score"] or dict.fromkeys(SEATS, "–")
    house, challenger = (game["players"][seat] for seat in SEATS)
    if "challenger" in game["opened"]["bots"]:
        challenger = gettext(display_name(challenger, house))
    house = gettext(display_name(house))
    about = f"{house} {score['house']} : {score['challenger']} {challenger}"
    return f"{house} – {challenger}", about


@cache
def _compressed_chart() -> bytes:
    return gzip.compress("".join(hand_chart.as_csv(hand_chart.classes())).encode(), 6)


def _log_file(body: str | bytes, keep: str, status: int = 200) -> Response:
    kind = "text/plain; charset=utf-8" if isinstance(body, str) else "application/octet-stream"
    response = Response(body, status, content_type=kind)
    response.headers["Cache-Control"] = keep
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response
