"""Terminal client that watches a table and bets, over HTTP and Socket.IO."""

import re
from typing import Final
from urllib.parse import urlsplit

from casino.errors import InputError

DEFAULT_URL: Final = "http://127.0.0.1:5000"
SECONDS: Final = 10  # to wait for a response
# The end of the link of a table: its name and, if it is private, its key.
TABLE_PAGE: Final = re.compile(r"/table/([a-z0-9]+)/?(?:\?link=([\w-]+))?(?:#.*)?$")


def parse_casino_url(text: str) -> str:
    """Return a casino's URL, also from a table's link; raise `InputError` for any other text."""
    url = TABLE_PAGE.sub("", text).rstrip("/")
    if re.match(r"[\w.-]+:\d+(/|$)", url):
        url = f"http://{url}"
    try:
        parts = urlsplit(url)
        # Reading the port checks it.
        is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        raise not_a_casino(url)
    return url


def not_a_casino(url: str) -> InputError:
    """Return the error for a URL that does not lead to a casino."""
    advice = f"try {DEFAULT_URL}"
    if root := re.match(r"(https://|\w+://|)([\w-]+(?:\.[\w-]+|:\d+)+)(?=/|$)", url):
        address = f"{root[1] if root[1] == 'https://' else 'http://'}{root[2]}"
        advice = "check its host and port" if address == url else f"try {address}"
    elif re.fullmatch("[a-z0-9]+", url):
        advice += f", and --table {url} if the command takes it"
    return InputError(f"{url!r} is not the address of a casino: {advice}")
