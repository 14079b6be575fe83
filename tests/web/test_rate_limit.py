"""Token buckets: a burst, then a steady rate, separately for each key."""

from __future__ import annotations

import pytest

from casino.errors import Refused
from casino.table.runtime.casino import SimulatedClock
from casino.web.server import rate_limit
from casino.web.server.rate_limit import RateLimit, TokenBuckets, client_network, per_second


def count_tokens(buckets: TokenBuckets, key: str, most: int = 1_000) -> int:
    for number in range(most):
        try:
            buckets.take(key)
        except Refused:
            return number
    return most


def test_a_bucket_empties_and_refills() -> None:
    clock = SimulatedClock(0)
    buckets = TokenBuckets(RateLimit(5, 100), clock)
    assert count_tokens(buckets, "a") == 5
    clock.now = 99
    assert count_tokens(buckets, "a") == 0
    clock.now = 250
    assert count_tokens(buckets, "a") == 2
    assert count_tokens(buckets, "b") == 5
    clock.now = 100_000
    assert count_tokens(buckets, "a") == 5


def test_a_refusal_says_when_to_retry() -> None:
    clock = SimulatedClock(0)
    buckets = TokenBuckets(RateLimit(1, 60_000), clock)
    buckets.take("a")
    with pytest.raises(Refused) as refused:
        buckets.take("a")
    assert refused.value.code == "rate_limited"
    seconds = int(refused.value.values["n"])
    clock.now = (seconds - 1) * 1000
    assert count_tokens(buckets, "a") == 0
    clock.now = seconds * 1000
    assert count_tokens(buckets, "a") == 1


def test_returned_tokens_are_not_counted() -> None:
    buckets = TokenBuckets(RateLimit(2, 1000), SimulatedClock(0))
    for _ in range(9):
        buckets.take("a")
        buckets.give_back("a")
    buckets.give_back("never")
    assert count_tokens(buckets, "a") == 2


def test_a_clock_set_back_locks_out_no_client() -> None:
    clock = SimulatedClock(0)
    clock.now = 10**12
    buckets = TokenBuckets(RateLimit(3, 1000), clock)
    count_tokens(buckets, "a")
    clock.now = 0
    assert count_tokens(buckets, "a") == 0
    clock.now = 1000
    assert count_tokens(buckets, "a") == 1


def test_invented_keys_do_not_evict_limited_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limit, "_MAX_KEYS", 50)
    buckets = TokenBuckets(RateLimit(2, 10**9), SimulatedClock(0))
    count_tokens(buckets, "victim")
    passed = 0
    for number in range(500):
        buckets.take(f"invented{number}")
        if number % 40 == 0:
            passed += count_tokens(buckets, "victim")
    assert len(buckets._full_at) <= 51
    assert passed == 0


def test_idle_keys_are_forgotten() -> None:
    clock = SimulatedClock(0)
    buckets = TokenBuckets(RateLimit(10, 1_000), clock)
    count_tokens(buckets, "floods")
    for number in range(150):
        clock.now += 50
        buckets.take(f"stranger{number}")
    assert count_tokens(buckets, "floods") == 7
    for number in range(600):
        clock.now += 50
        buckets.take(f"stranger{number}")
    assert len(buckets._full_at) < 30


@pytest.mark.parametrize(
    ("address", "counts_for"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("unix", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_addresses_are_grouped_by_client_network(address: str | None, counts_for: str) -> None:
    assert client_network(address) == counts_for


def test_per_second_allows_a_burst_of_ten_seconds() -> None:
    assert per_second(20) == RateLimit(200, 50)
