"""WSGI server, based on gevent's, that limits connections and sets deadlines for requests.

Even without an account, anyone can open idle connections, send a request byte by byte, or never
read a large response. So connections are limited, in total and per address, before anything is
read, and each step of a request has a deadline. Some file descriptors are reserved, because the
ledger must always be able to open its files. gevent's server has none of these limits.
"""

from __future__ import annotations

import re
import resource
import socket
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from functools import partial
from io import BytesIO
from ipaddress import ip_address, ip_network
from typing import Any, Final
from urllib.parse import quote

import gevent
from gevent.pywsgi import WSGIHandler, WSGIServer

from casino.config import Web
from casino.web.metrics import Counters
from casino.web.server.rate_limit import client_network, parse_address
from casino.web.server.request_log import (
    REQUEST,
    log_request,
    request_numbers,
    use_proxy_request_id,
)
from casino.web.websocket.private_api import raw_socket

HANDLER: Final = "casino.handler"

KEPT_BACK: Final = 128  # descriptors reserved for the ledger, its readers, the log and the audit

MAX_DESCRIPTORS: Final = 1 << 20
MAX_SHUTDOWN_SECONDS: Final = 2.0  # time for connections to end after the server stops

GONE: Final = 499  # nginx's status for a request whose client left before the response

_NEXT_LOOK: Final = 0.01
MAX_HEADER_BYTES: Final = 32 * 1024
_ASCII: Final = bytes(range(0x21, 0x7F))

_TOO_MANY: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 10\r\n"
    b"Content-Type: text/plain\r\nContent-Length: 42\r\n\r\n"
    b"Too many connections: close some, or wait\n"
)

_FOR: Final = "HTTP_X_FORWARDED_FOR"
_PROTO: Final = "HTTP_X_FORWARDED_PROTO"
_HOST: Final = "HTTP_X_FORWARDED_HOST"
_PREFIX: Final = "HTTP_X_FORWARDED_PREFIX"
_SCHEMES: Final = ("http", "https")
_IS_HOST: Final = re.compile(
    r"[A-Za-z0-9._-]{1,253}(:[0-9]{1,5})?|\[[0-9a-fA-F:.]{2,45}\](:[0-9]{1,5})?"
)
_IS_PREFIX: Final = re.compile(r"(/[A-Za-z0-9._~-]{1,64}){1,8}")


class Server(WSGIServer):  # type: ignore[misc]
    """A WSGI server that rejects excess connections without reading from them."""

    def __init__(self, listener: Any, app: Any, settings: Web, figures: Counters) -> None:
        super().__init__(listener, app, log=None, handler_class=RequestHandler)
        self.settings = settings
        self.figures = figures
        self.proxies = TrustedProxies(settings.trusted_proxies)
        self._max_connections = min(settings.connections, raise_descriptor_limit())
        self._open: Counter[str] = Counter()
        self._clients: set[Any] = set()
        self.detached: set[Any] = set()  # connections that a WebSocket has taken over

    @property
    def url(self) -> str:
        """The URL at which the server listens; valid once it has started."""
        host = self.server_host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.server_port}"

    @property
    def connection_count(self) -> int:
        """The number of open connections, WebSockets included."""
        return len(self._clients)

    def serve_forever(self, stop_timeout: float | None = None) -> None:
        """Serve until stopped, then shut down every connection within `MAX_SHUTDOWN_SECONDS`."""
        try:
            super().serve_forever(stop_timeout)
        finally:
            with gevent.Timeout(MAX_SHUTDOWN_SECONDS, exception=False):
                while self._clients:
                    for client in self._clients:
                        shut_down(client)
                    gevent.sleep(_NEXT_LOOK)

    def do_handle(self, client: Any, address: Any) -> None:
        """Serve a connection, or reject it if there are too many."""
        who = client_network(address[0])
        if self.connection_count >= self._max_connections or (
            # A trusted proxy forwards the requests of many clients.
            self._open[who] >= self.settings.address_connections
            and not self.proxies.trusts(address[0])
        ):
            self.figures.refused.inc()
            with closing(client), suppress(OSError):
                raw_socket(client).send(_TOO_MANY)  # this must not wait for the peer
            return
        self._clients.add(client)
        self._open[who] += 1
        super().do_handle(client, address)

    def close_detached(self, client: Any, address: Any) -> None:
        """Close a connection that a WebSocket has taken over."""
        self.detached.discard(client)
        self.do_close(client, address)

    def do_close(self, client: Any, address: Any, *more: Any) -> None:
        """Close a connection and stop counting it, unless a WebSocket has taken it over."""
        # gevent calls this when a handler returns, but a WebSocket outlives its handler.
        if client in self.detached or client not in self._clients:
            return
        super().do_close(client, address, *more)
        who = client_network(address[0])
        self._clients.discard(client)
        self._open[who] -= 1
        if not self._open[who]:
            del self._open[who]


class RequestHandler(WSGIHandler):  # type: ignore[misc]
    """Handles one connection with deadlines, until it closes or a WebSocket takes it over."""

    server: Server
    socket: Any
    environ: dict[str, Any] | None

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._alarm: Any = None

    def handle(self) -> None:
        """Serve a connection; ignore the errors of a peer that is gone."""
        reader = self.rfile
        try:
            super().handle()
        except OSError:
            return  # the peer is gone or was disconnected
        finally:
            reader.close()  # the socket stays open while its reader is open
            self.clear_deadline()
            # The environ refers to this handler: such a cycle lives until a full collection.
            self.environ = None

    def detach(self) -> tuple[Any, Callable[[], None]]:
        """Release the connection; return its socket and a function that closes the socket."""
        client, self.socket, self.close_connection = self.socket, None, True
        self.server.detached.add(client)
        return client, partial(self.server.close_detached, client, self.client_address)

    def clear_deadline(self) -> None:
        """Cancel the deadline, if there is one."""
        if self._alarm is not None:
            self._alarm.stop()
            self._alarm.close()
            self._alarm = None

    def read_requestline(self) -> str:
        """Return the next request's first line, which must arrive within the idle limit."""
        self._set_deadline(self.server.settings.idle_seconds)
        line: str = super().read_requestline()
        self._set_deadline(self.server.settings.head_seconds)
        return line

    def MessageClass(self, file: Any, *more: Any) -> Any:  # noqa: N802 - gevent's name
        """Return the parsed headers; fail if they are incomplete or over `MAX_HEADER_BYTES`."""
        head = b""
        while (line := file.readline(MAX_HEADER_BYTES)) not in (b"\r\n", b"\n"):
            head += line
            # At its deadline, the connection is shut down, which ends the line.
            if not line.endswith(b"\n") or len(head) > MAX_HEADER_BYTES:
                raise ValueError("the headers are incomplete or too long")
        return super().MessageClass(BytesIO(head), *more)

    def handle_one_response(self) -> None:
        """Handle one request within the deadline for responses."""
        self._set_deadline(self.server.settings.answer_seconds)
        super().handle_one_response()

    def get_environ(self) -> dict[str, Any]:
        """Return the WSGI environ, with the request's id, this handler and the client's address."""
        environ = {**super().get_environ(), HANDLER: self, REQUEST: f"r{next(request_numbers)}"}
        # Flask cannot read bytes here that are not UTF-8.
        environ["QUERY_STRING"] = quote(environ["QUERY_STRING"].encode("latin-1"), _ASCII)
        if "upgrade" not in environ.get("HTTP_CONNECTION", "").lower():
            environ.pop("HTTP_UPGRADE", None)  # ignored unless `Connection` lists it
        self.server.proxies.apply(environ)
        return environ

    def log_request(self) -> None:
        """Count and log a completed request, unless it became a WebSocket."""
        if self.environ and self.code and not self.connection_upgraded:
            # gevent negates the status of a response that could not be sent.
            status = self.code if self.code > 0 else GONE
            self.server.figures.requests.labels(status).inc()
            seconds = self.time_finish - self.time_start
            log_request(self.environ, status, self.response_length, seconds)

    def log_error(self, *_: Any) -> None:
        """Ignore invalid HTTP, because logging it would let anyone fill the log."""

    def _set_deadline(self, seconds: int) -> None:
        self.clear_deadline()
        self._alarm = gevent.get_hub().loop.timer(seconds)
        self._alarm.start(shut_down, self.socket)


class TrustedProxies:
    """Apply `X-Forwarded-*` headers sent by trusted proxies.

    Only the proxies in the settings are trusted, and only for the values that they added. The
    client is the last address of the chain that is not a trusted proxy, so it cannot be forged.
    Werkzeug's ProxyFix trusts a number of hops instead. The application never sees the headers.
    """

    def __init__(self, trusted: Iterable[str]) -> None:
        self._networks = [ip_network(network, strict=False) for network in trusted]

    def trusts(self, address: str) -> bool:
        """Return True if a peer's headers are trusted."""
        parsed = parse_address(address)
        return parsed is not None and any(parsed in network for network in self._networks)

    def client_address(self, peer: str, chain: str) -> str:
        """Return the client's address, given the peer's and the `X-Forwarded-For` header."""
        for hop in reversed(chain.split(",")):
            if not self.trusts(peer):
                break
            try:
                peer = str(ip_address(hop.strip()))
            except ValueError:
                break
        return peer

    def apply(self, environ: dict[str, Any]) -> None:
        """Restore the address, scheme, host and path prefix that a trusted proxy's client used."""
        headers = {name: environ.pop(name, "") for name in (_FOR, _PROTO, _HOST, _PREFIX)}
        peer = environ.get("REMOTE_ADDR", "")
        if not self.trusts(peer):
            return
        use_proxy_request_id(environ)
        environ["REMOTE_ADDR"] = self.client_address(peer, headers[_FOR])
        # The last value is the one that the nearest proxy added.
        headers = {name: text.split(",")[-1].strip() for name, text in headers.items()}
        if headers[_PROTO] in _SCHEMES:
            environ["wsgi.url_scheme"] = headers[_PROTO]
        if _IS_HOST.fullmatch(headers[_HOST]):
            environ["HTTP_HOST"] = headers[_HOST]
        if _IS_PREFIX.fullmatch(headers[_PREFIX]):
            environ["SCRIPT_NAME"] = headers[_PREFIX]


def shut_down(sock: Any) -> None:
    """Shut a connection down without closing its descriptor; reading from it then ends."""
    with suppress(OSError):
        raw_socket(sock).shutdown(socket.SHUT_RDWR)


def raise_descriptor_limit() -> int:
    """Raise the soft limit of open files; return how many connections it allows.

    It is raised to the hard limit, or to `MAX_DESCRIPTORS`; `KEPT_BACK` of them are reserved.
    """
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    soft, hard = (MAX_DESCRIPTORS if n == unlimited else min(n, MAX_DESCRIPTORS) for n in limits)
    if soft < hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, limits[1]))
    return max(hard - KEPT_BACK, hard // 2)
