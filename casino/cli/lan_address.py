"""Addresses a person can type, of a casino that listens on all of a machine's."""

from __future__ import annotations

import socket
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

HERE: Final = "127.0.0.1"
_ELSEWHERE: Final = ("192.0.2.1", 9)


def typed(url: str, own: str) -> str:
    """What to open in a browser: the address in the network, if the casino listens on all.

    >>> typed("http://0.0.0.0:5000", "192.168.1.7")
    'http://192.168.1.7:5000'
    >>> typed("http://127.0.0.1:5000", "192.168.1.7")
    'http://127.0.0.1:5000'
    """
    parts = urlsplit(url)
    try:
        everywhere = ip_address(parts.hostname or "").is_unspecified
    except ValueError:
        everywhere = False
    return f"http://{own}:{parts.port}" if everywhere else url


def own_address() -> str:
    """The address under which others in the network find this machine; nothing is sent for it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        try:
            sock.connect(_ELSEWHERE)
            found: str = sock.getsockname()[0]
        except OSError:
            return HERE
    return found
