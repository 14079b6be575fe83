"""A terminal client: watch a table and bet on it over HTTP and Socket.IO."""

from typing import Final

from casino.errors import InputError

DEFAULT_URL: Final = "http://127.0.0.1:5000"


def not_a_casino(url: str) -> InputError:
    """Return the error for a URL at which no casino answers as one."""
    return InputError(f"{url!r} is not the address of a casino: try {DEFAULT_URL}")
