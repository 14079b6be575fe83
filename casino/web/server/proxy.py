"""Apply `X-Forwarded-*` headers sent by trusted proxies.

Only the proxies in the settings are trusted, and only for the values that they added. The client
is the last address of the chain that is not a trusted proxy, so it cannot be forged. Werkzeug's
ProxyFix trusts a number of hops instead. The application never sees the headers themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import ip_address, ip_network
from typing import Any, Final

from casino.web.server.rate_limit import parse_address
from casino.web.server.request_log import use_proxy_request_id

_FOR: Final = "HTTP_X_FORWARDED_FOR"
_PROTO: Final = "HTTP_X_FORWARDED_PROTO"
_HOST: Final = "HTTP_X_FORWARDED_HOST"
_PREFIX: Final = "HTTP_X_FORWARDED_PREFIX"
_SCHEMES: Final = ("http", "https")
_IS_HOST: Final = re.compile(
    r"[A-Za-z0-9._-]{1,253}(:[0-9]{1,5})?|\[[0-9a-fA-F:.]{2,45}\](:[0-9]{1,5})?"
)
_IS_PREFIX: Final = re.compile(r"(/[A-Za-z0-9._~-]{1,64}){1,8}")


class TrustedProxies:
    """The networks whose forwarding headers are trusted."""

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
