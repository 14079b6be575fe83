"""Accounts: signing up, signing in and out, passwords.

An Argon2 hash takes memory and time by design. In the thread pool that all requests share, 16
clients guessing passwords used 700 MB and delayed everyone for seconds. So at most `THREADS`
hashes are computed at a time, and requests beyond `MAX_WAITING` are refused.

An account belongs to the browsers that are signed in to it (see `casino.web.accounts.store`). Once
it has a password, other browsers can sign in too. Until then, a recovery code, which the first
browser made and keeps, restores access if that browser loses its cookie.

Rate limits on password guesses never lock the owner out. Guesses are counted by address, by account
and by both together. A browser that has been signed in to the account before is counted separately,
so others' guesses cannot keep it out. In a new browser, the owner has to wait only while clients
at many addresses are guessing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from gevent.lock import Semaphore
from gevent.threadpool import ThreadPool

from casino.errors import RefusalReason, Refused
from casino.ledger import accounts
from casino.ledger.transaction import Answer, Transaction
from casino.table.runtime.casino import Casino
from casino.web.accounts.store import RECOVERY, SUSPENDED, AccountStore, Browser
from casino.web.accounts.usernames import UsernameRegistry, bot_names
from casino.web.backend.concurrency import LogReaderPool, run_in_pool
from casino.web.backend.interface import SessionsChanged
from casino.web.server.rate_limit import (
    TOO_MANY_ACCOUNTS,
    TOO_MANY_TRIES,
    RateLimit,
    TokenBuckets,
    client_network,
)

T = TypeVar("T")

THREADS: Final = 2
MAX_WAITING: Final = 16
_SECONDS: Final = 2

# The minimum that OWASP recommends: 19 MiB, two passes, one lane. More lanes would only take
# processor time from the tables.
_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


def _verifies(known: str, password: str) -> bool:
    try:
        return _HASHER.verify(known, password)
    except (VerificationError, InvalidHashError):
        return False


NOT_ENTERED: Final = RefusalReason("not_entered", "not_entered", "enter with a name first")
NAME_TAKEN: Final = RefusalReason(
    "name_taken",
    "name_taken",
    "the name {name} is taken: give its password or recovery code if it is yours, or choose another"
    " name",
)

ACCOUNT_SUSPENDED: Final = RefusalReason(
    "suspended", "not_entered", "{name} is suspended: ask the operator of this casino"
)


def require_player(player: str | None) -> str:
    """Return a browser's player, or raise `Refused` with code `not_entered` if there is none."""
    if player is None:
        raise Refused(NOT_ENTERED)
    return player


_DAY_MS: Final = 86_400_000

# Password attempts.
BY_ADDRESS: Final = RateLimit(20, 3_000)
BY_ACCOUNT: Final = RateLimit(100, 10_000)
BY_BOTH: Final = RateLimit(5, 60_000)
BY_BROWSER: Final = RateLimit(5, 20_000)


class AccountService:
    """Creates accounts, and signs browsers in and out."""

    def __init__(
        self,
        house: Casino,
        bridge: LogReaderPool,
        openings_a_day: int,
        publish: Callable[[SessionsChanged], None],
    ) -> None:
        self._ledger, clock = house.service.ledger, house.clock
        self._bridge = bridge
        self._opening_cents = house.chips.opening_cents
        self._publish = publish
        bots = bot_names() | {bot for _, _, bot in house.seats if bot}
        self._names = UsernameRegistry(bots, bridge.read(lambda log: log.owners()))
        people = bridge.read(lambda log: log.people())
        self._register = AccountStore(people, self._ledger.location.save_people)
        self.cookie_key, self.is_entered = self._register.cookie_key, self._register.has
        self.player_of = self._register.player_of
        self._pool = ThreadPool(THREADS)
        self._hashing = 0  # requests that use or wait for the pool
        # Saving yields to other greenlets, so changes and their announcements are serialised.
        self._writing = Semaphore()
        rate = RateLimit(openings_a_day, _DAY_MS // openings_a_day)
        self._openings = TokenBuckets(rate, clock, TOO_MANY_ACCOUNTS)
        self._by_address, self._by_account, self._by_both, self._by_browser = (
            TokenBuckets(rate, clock, TOO_MANY_TRIES)
            for rate in (BY_ADDRESS, BY_ACCOUNT, BY_BOTH, BY_BROWSER)
        )

    def enter(
        self, name: str, password: str | None, browser: Browser, code: str = ""
    ) -> tuple[str, str, bool]:
        """Sign a browser in, creating the account if needed; see `Backend.enter`."""
        key, fresh, _ = browser
        if (done := self.player_of(fresh)) is not None:
            # A retry: the first reply was lost.
            return done, fresh, self._is_recovery(done, code)
        name = self._names.check(name)
        if self._register.is_suspended(name):
            raise Refused(ACCOUNT_SUSPENDED, name=name)
        known = self._register.password(name)
        if password is None and self._register.player_of(key) == name:
            return name, key, self._is_recovery(name, code)
        recovery = self._register.recovery(name)
        if known is not None and password is not None:
            self._try(name, lambda: self._run_in_pool(_verifies, known, password), browser)
        elif known is not None or not self._register.has_signed_in(key, name):
            if known is None and recovery is not None and code:
                self._try(name, lambda: code == recovery, browser)
            else:
                self._open(name, browser)
        hashed = None
        if known is None and password is not None:
            hashed = self._run_in_pool(_HASHER.hash, password)
        self._save(name, known, browser, hashed, code)
        return name, fresh, self._is_recovery(name, code)

    def check_entered(self, name: str) -> None:
        """Raise `Refused` unless an account with this name can be signed in to."""
        if not self.is_entered(name):
            raise Refused(NOT_ENTERED)

    def players_of(self, keys: Sequence[str]) -> dict[str, str | None]:
        """Return the player who is signed in with each hashed session key, or None."""
        return {key: self.player_of(key) for key in keys}

    def has_password(self, name: str) -> bool:
        """Return True if the account has a password."""
        return self._register.password(name) is not None

    def has(self, name: str) -> bool:
        """Return True if an account has exactly this name, even one that no one can sign in to."""
        return self._register.has(name) or name in self._bridge.read(lambda log: log.owners())

    def suspend(self, name: str, *, is_suspended: bool) -> None:
        """Suspend or readmit a player, and save the change durably."""
        with self._writing:
            self._save_changes({(SUSPENDED, name): "yes" if is_suspended else None})

    def reset_password(self, name: str, password: str) -> None:
        """Replace an account's password and end all its sessions."""
        hashed = self._run_in_pool(_HASHER.hash, password)
        with self._writing:
            self._save_changes(self._register.set_password(name, hashed, "", ""))

    def sign_out(self, browser: Browser) -> None:
        """Sign a browser out and replace its session key with a new one."""
        with self._writing:
            self._save_changes(self._register.sign_out(browser.key, browser.fresh))

    def change_password(self, browser: Browser, old: str | None, new: str) -> str:
        """Set the signed-in player's password, end their other sessions, and return their name."""
        name = require_player(self.player_of(browser.key))
        known = self._register.password(name)
        if known is not None:
            self._try(name, lambda: self._run_in_pool(_verifies, known, old or ""), browser)
        self._save(name, known, browser, self._run_in_pool(_HASHER.hash, new))
        return name

    def _run_in_pool(self, work: Callable[..., T], *password: str) -> T:
        """Hash or verify a password without blocking; refuse it if too many are waiting."""
        if self._hashing >= MAX_WAITING:
            raise Refused(TOO_MANY_TRIES, n=_SECONDS)
        self._hashing += 1
        try:
            return run_in_pool(self._pool, work, *password)
        finally:
            self._hashing -= 1

    def _open(self, name: str, browser: Browser) -> None:
        """Create an account with its opening chips; a retry with the same key succeeds too."""
        # The ledger accepts such a retry at any time, even if the session ended long ago. So it is
        # asked only about names that the account store does not contain.
        if self._register.has(name):
            raise Refused(NAME_TAKEN, name=name)

        def work(transaction: Transaction) -> Answer:
            if transaction.balance(accounts.spending_account(name)):
                raise Refused(NAME_TAKEN, name=name)
            transaction.post(accounts.grant(name, self._opening_cents, "opening chips"))
            return {}

        counted = client_network(browser.address)
        self._openings.take(counted)
        # Before the account exists: two look-alikes may sign up at the same time. If the ledger is
        # away, the name is taken until the next start, but its owner can try again.
        self._names.add(name)
        try:
            # If the process dies after this, a retry with the same key still signs in.
            content = f"{name}|{browser.key}".encode()
            self._bridge.wait(self._ledger.submit(work, f"enter/{name}", content))
        except Refused as refusal:
            self._openings.give_back(counted)
            if refusal.code == "id_reused":
                raise Refused(NAME_TAKEN, name=name) from None
            raise

    def _is_recovery(self, name: str, code: str) -> bool:
        return code != "" and self._register.recovery(name) == code

    def _try(self, name: str, is_right: Callable[[], bool], browser: Browser) -> None:
        """Check a password or code; after too many wrong ones, refuse even the right one."""
        counted = client_network(browser.address)
        tries = [(self._by_browser, f"{name}/{browser.key}")]
        if not self._register.has_signed_in(browser.key, name):
            both = self._by_both, f"{name}/{counted}"
            tries = [(self._by_address, counted), both, (self._by_account, name)]
        # Counted before the slow check, so that simultaneous guesses are limited too.
        for buckets, who in tries:
            buckets.take(who)
        if not is_right():
            raise Refused(NAME_TAKEN, name=name)
        for buckets, who in tries:
            buckets.give_back(who)

    def _save(
        self, name: str, known: str | None, browser: Browser, hashed: str | None, code: str = ""
    ) -> None:
        """Sign a browser in, set its new password or first recovery code, and save durably."""
        key, fresh, _ = browser
        with self._writing:
            may_enter = self._register.has_signed_in(key, name) or self._is_recovery(name, code)
            is_others = self._register.has(name) and not may_enter
            # During hashing, the password may have been changed and the session may have ended.
            if self._register.password(name) != known or (known is None and is_others):
                raise Refused(NAME_TAKEN, name=name)
            if hashed is None:
                changes = self._register.sign_in(name, key, fresh)
                # Never replaced: a copied cookie would otherwise outlive its session.
                if code and known is None and self._register.recovery(name) is None:
                    changes = {**changes, (RECOVERY, name): code}
            else:
                changes = self._register.set_password(name, hashed, key, fresh)
            self._save_changes(changes, {key: fresh})

    def _save_changes(
        self, changes: Mapping[tuple[str, str], str | None], moved: dict[str, str] | None = None
    ) -> None:
        self._bridge.run_in_thread(self._register.store, changes)
        self._publish(SessionsChanged(self._register.apply(changes), moved or {}))
