"""Share images, stream overlays and the web app manifest."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, cast

from flask import Flask, Response, current_app, render_template
from werkzeug.exceptions import NotFound

from casino.web.assets.static_files import url_for_path
from casino.web.context import AppContext
from casino.web.i18n import language
from casino.web.routes.chart import as_csv, compressed_chart
from casino.web.services.og_image import render, table_picture

ICON_SIZES: Final = (192, 512)
ROOM: Final = "#efe9dc"  # the colour around the table, as in base.css

_A_DAY: Final = "public, max-age=86400"


def register_routes(app: Flask, shared: AppContext) -> None:
    """Register the routes."""

    def overlay(table: str) -> str:
        if table not in shared.feeds:
            raise NotFound
        return render_template("overlay.html", lang=language(), table=table)

    def preview(game: str) -> Response:
        table_shown = table_picture(shared.ask("game", game), shared.ask("steps", game)["steps"])
        response = Response(
            shared.loop.run_in_thread(render, table_shown), content_type="image/png"
        )
        response.headers["Cache-Control"] = _A_DAY
        return response

    def chart_csv() -> Response:
        shared.loop.run_in_thread(compressed_chart)
        return as_csv()

    app.add_url_rule("/overlay/<table>", "overlay", overlay)
    app.add_url_rule("/game/<game>/picture.png", "preview", preview)
    app.add_url_rule("/chart.csv", "chart_csv", chart_csv)
    app.add_url_rule("/manifest.webmanifest", "manifest", manifest)


def manifest() -> Response:
    """Return the web app manifest."""
    files = file_url()
    icons = [
        {"src": files(f"icon-{size}.png"), "sizes": f"{size}x{size}", "type": "image/png"}
        for size in ICON_SIZES
    ]
    body = {
        "name": "Écarté",
        "short_name": "Écarté",
        "id": url_for_path("/"),
        "start_url": url_for_path("/"),
        "scope": url_for_path("/"),
        "display": "standalone",
        "background_color": ROOM,
        "theme_color": ROOM,
        "icons": [
            {"src": files("icon.svg"), "sizes": "any", "type": "image/svg+xml"},
            *icons,
            *({**icon, "purpose": "maskable"} for icon in icons),
        ],
    }
    return Response(json.dumps(body), content_type="application/manifest+json")


def file_url() -> Callable[[str], str]:
    """Return the function that returns a static file's URL."""
    return cast(Callable[[str], str], current_app.jinja_env.globals["static"])
