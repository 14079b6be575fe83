"""Nginx and the web processes behind it that go away and come back."""

from __future__ import annotations

import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from tests.test_deploy import asked, certify, needs_nginx, nginx, site, until_open
from tests.web.processes import free_port

MAX_SECONDS = 5


class _Yes(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Be quiet."""


@needs_nginx
def test_web_processes_that_were_all_away_are_found_again(tmp_path: Path) -> None:
    certify(tmp_path)
    one, other, http, https = (free_port() for _ in range(4))
    text = site(tmp_path, f"127.0.0.1:{one}", http, https).replace("#server", "server", 1)
    with nginx(tmp_path, text.replace("127.0.0.1:5010", f"127.0.0.1:{other}")):
        until_open(https)
        url = f"https://127.0.0.1:{https}/healthz"
        # On a slow machine an answer may take its time: then it is tried again.
        assert any(back_after(url, one) < MAX_SECONDS for _ in range(5))


def back_after(url: str, port: int) -> float:
    """How long until a web process that was away is found when it is back."""
    assert [asked(url)[0] for _ in range(3)] == [502] * 3
    with HTTPServer(("127.0.0.1", port), _Yes) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        began = time.monotonic()
        while asked(url)[0] != 204:
            time.sleep(0.05)
        took = time.monotonic() - began
        server.shutdown()
    return took
