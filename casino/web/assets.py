"""Static files that tools/build_assets.py has built under hashed names, served by WhiteNoise.

A file's URL contains the hash of its content, so browsers keep the file until that changes.
WhiteNoise runs inside a Flask route, so that files get the same limits and headers as pages.
"""

from __future__ import annotations

import gzip
import json
import re
from functools import cache
from pathlib import Path
from typing import Any, Final

from flask import Flask, Response, request, send_file
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as BaseResponse
from whitenoise import WhiteNoise

from casino.errors import InputError

BUILT: Final = Path(__file__).parent / "built"
MIN_GZIP_BYTES: Final = 500
_COMPRESSIBLE: Final = ("text/", "application/json", "application/manifest+json")
# A page that was open during an upgrade imports scripts from the previous build. It is reloaded,
# but at most once a minute: workers of both versions may answer while the upgrade goes on.
_OF_OLD_BUILD: Final = re.compile(r"js/\w+-[\w-]{8}\.js")
_LOAD_AGAIN: Final = """\
const now = Date.now(), key = "casino.loaded_again";
if (now - sessionStorage.getItem(key) < 60_000) throw new Error("a script of another version");
sessionStorage.setItem(key, now);
location.reload();
await new Promise(() => {});
"""


def templates_folder() -> Path:
    """Return the templates folder: inside the package in a wheel, next to it in a checkout."""
    package = Path(__file__).parents[1]
    return (package if (package / "templates").is_dir() else package.parent) / "templates"


@cache
def load_manifest() -> Any:
    """Return the build's manifest of its files; raise `InputError` if there is no build."""
    try:
        return json.loads((BUILT / "manifest.json").read_bytes())
    except FileNotFoundError:
        raise InputError(
            "the pages are not built: run python3 tools/build_assets.py in the checkout"
        ) from None


def url_for_path(path: str) -> str:
    """Prefix a path on the site with the path under which a proxy serves the casino."""
    return request.script_root + path


def file_url(name: str) -> str:
    """Return a file's URL, which changes whenever the file changes."""
    return url_for_path(f"/static/{load_manifest()['files'][name]}")


def serve_files(app: Flask) -> None:
    """Register the routes for static files and the verifier, and compress all other responses."""
    files = WhiteNoise(
        None,
        BUILT / "static",
        "static",
        allow_all_origins=False,
        immutable_file_test=lambda *_: True,
    )

    def send(name: str) -> BaseResponse:
        if request.path in files.files:
            return Response.from_app(files, request.environ)
        if not _OF_OLD_BUILD.fullmatch(name):
            raise NotFound
        return Response(
            _LOAD_AGAIN, mimetype="text/javascript", headers={"Cache-Control": "no-store"}
        )

    def send_verifier() -> Response:
        response = send_file(BUILT / "verify.html")
        response.headers["Content-Security-Policy"] = load_manifest()["verifier_policy"]
        return response

    app.add_url_rule("/static/<path:name>", "file", send)
    app.add_url_rule("/verify.html", "verifier", send_verifier)
    inline = load_manifest()["inline"]
    app.config["INLINE_HASH"] = inline["hash"]
    app.jinja_env.globals.update(at=url_for_path, static=file_url, inline_script=inline["code"])
    app.after_request(_compressed)


def _compressed(response: Response) -> Response:
    fits = (response.mimetype or "").startswith(_COMPRESSIBLE) and not response.direct_passthrough
    accepted = request.accept_encodings.quality("gzip") > 0
    if fits and accepted and "Content-Encoding" not in response.headers:
        body = response.get_data()
        if len(body) >= MIN_GZIP_BYTES:
            response.set_data(gzip.compress(body, 6))
            response.headers["Content-Encoding"] = "gzip"
            response.vary.add("Accept-Encoding")
    return response
