"""Static files: read and compressed at startup, cached by browsers until they change.

URLs contain a hash of all files, so a module and its imports always have the same version. Scripts
are bundled by `bundler`. Style sheets are concatenated: css/base+cards.css is base.css followed by
cards.css.
"""

from __future__ import annotations

import gzip
import mimetypes
import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from flask import Flask, Response, request
from werkzeug.exceptions import NotFound

from casino.web.assets.bundler import bundle_name, make_bundles, preload_names
from casino.web.assets.scripts import Scripts, minify, minify_css

MIN_GZIP_BYTES: Final = 500
_SQUEEZABLE: Final = ("text/", "application/json", "application/javascript", "image/svg")
_MARK: Final = 12
_EVERYWHERE: Final = "base+cards"
_SHEETS: Final = re.compile(r"\{% block sheets %\}([+\w]*)\{%")
# Indentation in HTML, which is removed: no page has preformatted text when it is sent.
_MARGIN: Final = re.compile(rb"\n\s+")
_FOREVER: Final = "public, max-age=31536000, immutable"


def _where_pages_lie() -> Path:
    package = Path(__file__).parents[2]
    return package if (package / "templates").is_dir() else package.parent


PAGES: Final = _where_pages_lie()


class StaticFile(NamedTuple):
    """A file's contents, plain and gzipped, with its content type."""

    body: bytes
    squeezed: bytes
    kind: str


class StaticFiles:
    """Files of a directory and generated files, by name, in memory."""

    def __init__(self, directory: Path, made: Mapping[str, bytes], scripts: Scripts) -> None:
        paths = sorted(path for path in directory.rglob("*") if _is_asked_for(path))
        bodies = {path.relative_to(directory).as_posix(): path.read_bytes() for path in paths}
        bodies |= made
        self._files = {name: _file(name, body) for name, body in bodies.items()}
        marks = sha256()
        for name, file in self._files.items():
            marks.update(name.encode() + sha256(file.body).digest())
        self.mark = marks.hexdigest()[:_MARK]
        self._scripts = scripts

    def url(self, name: str) -> str:
        """Return a file's URL, which changes whenever any file changes."""
        return url_for_path(f"/static/{self.mark}/{name}")

    def preload_urls(self, page: str) -> list[str]:
        """Return the URLs of the scripts that a page should preload."""
        return [self.url(script) for script in preload_names(self._scripts, page)]

    def texts_url(self, html: str, language: str) -> str:
        """Return the URL of the translated texts for the page whose bundle is named in `html`."""
        (page,) = (candidate for candidate in self._scripts.pages if bundle_name(candidate) in html)
        return self.url(f"js/texts/{language}/{page}.json")

    def send(self, mark: str, name: str) -> Response:
        """Return the response for a file, cacheable forever if `mark` is the current hash."""
        if name not in self._files:
            raise NotFound
        file = self._files[name]
        squeeze = len(file.squeezed) < len(file.body) and _accepts_gzip()
        response = Response(file.squeezed if squeeze else file.body, content_type=file.kind)
        if squeeze:
            response.headers["Content-Encoding"] = "gzip"
        response.headers["Vary"] = "Accept-Encoding"
        # An old URL is served the current file, which must not be cached under it.
        response.headers["Cache-Control"] = _FOREVER if mark == self.mark else "no-cache"
        return response


def url_for_path(path: str) -> str:
    """Return a site path prefixed with the path under which a proxy serves the casino."""
    return request.script_root + path


def serve_files(app: Flask, made: Mapping[str, bytes], scripts: Scripts) -> None:
    """Register the route of static and generated files, and compress all other responses."""
    static, templates = PAGES / "static", PAGES / "templates"
    files = StaticFiles(
        static, {**made, **make_bundles(scripts), **join_styles(static, templates)}, scripts
    )
    app.add_url_rule("/static/<mark>/<path:name>", "file", files.send)
    app.jinja_env.globals.update(at=url_for_path, static=files.url, needed_by=files.preload_urls)
    app.jinja_env.globals.update(texts_of=files.texts_url)
    app.after_request(_squeezed)


def join_styles(static: Path, templates: Path) -> dict[str, bytes]:
    """Return the concatenated style sheets that the templates refer to, by file name."""
    pages = "".join(path.read_text("utf-8") for path in sorted(templates.glob("*.html")))
    wanted = sorted({_EVERYWHERE + more for more in _SHEETS.findall(pages)})
    return {f"css/{names}.css": _joined(static / "css", names) for names in wanted}


def _joined(folder: Path, names: str) -> bytes:
    return b"".join((folder / f"{name}.css").read_bytes() for name in names.split("+"))


def _squeezed(response: Response) -> Response:
    fits = (response.mimetype or "").startswith(_SQUEEZABLE) and not response.direct_passthrough
    if fits and "Content-Encoding" not in response.headers and _accepts_gzip():
        body = response.get_data()
        if len(body) >= MIN_GZIP_BYTES:
            if response.mimetype == "text/html":
                body = _MARGIN.sub(b"\n", body)
            response.set_data(gzip.compress(body, 6))
            response.headers["Content-Encoding"] = "gzip"
            response.vary.add("Accept-Encoding")
    return response


def _accepts_gzip() -> bool:
    return request.accept_encodings.quality("gzip") > 0


def _is_asked_for(path: Path) -> bool:
    # Type declarations are of no use to browsers.
    return path.is_file() and path.suffix != ".ts" and not path.name.startswith(".")


def _file(name: str, body: bytes) -> StaticFile:
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    if name.endswith(".js"):
        kind = "text/javascript"
        if name.startswith("js/"):
            body = minify(body.decode()).encode()
    elif name.startswith("css/"):
        body = minify_css(body.decode()).encode()
    if kind.startswith(_SQUEEZABLE):
        return StaticFile(body, gzip.compress(body, 9), f"{kind}; charset=utf-8")
    return StaticFile(body, body, kind)
