"""Token-bucket rate limiter (GCRA) with bounded keys.

Flask-Limiter has no token bucket and no bound on keys.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final, NamedTuple

from casino.errors import RefusalReason, Refused

TOO_MANY_REQUESTS: Final = RefusalReason(
    "too_many_requests",
    "rate_limited",
    "too many requests: wait {n} second",
    plural="too many requests: wait {n} seconds",
)
TOO_MANY_TRIES: Final = RefusalReason(
    "too_many_tries",
    "rate_limited",
    "too many passwords were tried: wait {n} second",
    plural="too many passwords were tried: wait {n} seconds",
)
TOO_MANY_ACCOUNTS: Final = RefusalReason(
    "too_many_accounts",
    "rate_limited",
    "too many new accounts come from your address: wait {n} second",
    plural="too many new accounts come from your address: wait {n} seconds",
)

_SECOND_MS: Final = 1000
_MAX_KEYS: Final = 100_000
_FORGOTTEN_AT_ONCE: Final = 2
_PREFIX: Final = 64


class RateLimit(NamedTuple):
    """A burst size in tokens, and the milliseconds after which one token is refilled."""

    most: int
    every_ms: int


def per_second(number: int) -> RateLimit:
    """Return a limit of `number` requests a second, with bursts of ten seconds' worth."""
    return RateLimit(10 * number, _SECOND_MS // number)


class TokenBuckets:
    """A token bucket for each key.

    A bucket is stored as the time at which it is full again, after which it is dropped. If there
    are too many keys, the least recently used buckets are dropped.
    """

    def __init__(
        self, rate: RateLimit, clock: Callable[[], int], why: RefusalReason = TOO_MANY_REQUESTS
    ) -> None:
        self._rate = rate
        self._clock = clock
        self._why = why
        self._full_at: OrderedDict[str, int] = OrderedDict()

    def take(self, key: str) -> None:
        """Take a token; raise `Refused` with the seconds to wait if the bucket is empty."""
        now = self._clock()
        most, every_ms = self._rate
        # If the clock was set back, wait no longer than for an empty bucket.
        full_at = min(max(self._full_at.get(key, now), now), now + most * every_ms)
        over_ms = full_at + every_ms - (now + most * every_ms)
        # A refused request costs no token.
        self._full_at[key] = full_at if over_ms > 0 else full_at + every_ms
        self._full_at.move_to_end(key)
        self._drop_old(now)
        if over_ms > 0:
            raise Refused(self._why, n=-(-over_ms // _SECOND_MS))

    def give_back(self, key: str) -> None:
        """Put one token back, for example after a correct password."""
        if key in self._full_at:
            self._full_at[key] -= self._rate.every_ms

    def _drop_old(self, now: int) -> None:
        """Drop up to two of the least recently used buckets, if they are full or too many."""
        for _ in range(_FORGOTTEN_AT_ONCE):
            key, full_at = next(iter(self._full_at.items()))
            if full_at <= now or len(self._full_at) > _MAX_KEYS:
                del self._full_at[key]


def client_network(address: str | None) -> str:
    """Return the key under which an address is rate-limited; for IPv6, its /64 network."""
    parsed = parse_address(address or "")
    if isinstance(parsed, IPv6Address):
        return str(IPv6Network((parsed, _PREFIX), strict=False))
    return "" if parsed is None else str(parsed)


def parse_address(address: str) -> IPv4Address | IPv6Address | None:
    """Parse an IP address without its zone, an IPv4-mapped one as IPv4; None if it is invalid."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return getattr(parsed, "ipv4_mapped", None) or parsed
