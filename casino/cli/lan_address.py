"""Addresses that people can type, for a casino that listens on all interfaces."""

from __future__ import annotations

import socket
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

HERE: Final = "127.0.0.1"
_ELSEWHERE: Final = ("192.0.2.1", 9)


def reachable_url(url: str, own: str) -> str:
    """Return the URL to open in a browser: the LAN address if the casino listens on all.

    >>> reachable_url("http://0.0.0.0:5000", "192.168.1.7")
    'http://192.168.1.7:5000'
    >>> reachable_url("http://127.0.0.1:5000", "192.168.1.7")
    'http://127.0.0.1:5000'
    """
    parts = urlsplit(url)
    try:
        everywhere = ip_address(parts.hostname or "").is_unspecified
    except ValueError:
        everywhere = False
    return f"http://{own}:{parts.port}" if everywhere else url


def lan_address() -> str:
    """Return this machine's address in the local network; no packet is sent for it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        try:
            sock.connect(_ELSEWHERE)
            address: str = sock.getsockname()[0]
        except OSError:
            return HERE
    return address
