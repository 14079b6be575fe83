"""Terminal client that watches a table and bets, over HTTP and Socket.IO."""

from typing import Final

from casino.errors import InputError

DEFAULT_URL: Final = "http://127.0.0.1:5000"


def not_a_casino(url: str) -> InputError:
    """Return the error for a URL that does not lead to a casino."""
    return InputError(f"{url!r} is not the address of a casino: try {DEFAULT_URL}")
