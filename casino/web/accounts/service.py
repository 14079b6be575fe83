"""Accounts: signing up, signing in and out, passwords.

An account belongs to the browsers signed in to it (see `casino.web.accounts.store`). With a
password it can be opened from elsewhere too.

Password guessing is rate-limited without ever locking the owner out. Guesses are counted by
address, by account and by both together; a browser that was signed in to the account before has its
own count, so it can always sign in again, however many strangers guess. From a new browser the
owner has to wait only while guesses from many addresses go on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, NamedTuple

from gevent.lock import Semaphore

from casino.config import Web
from casino.errors import RefusalReason, Refused
from casino.ledger import accounts
from casino.ledger.ledger import Ledger
from casino.ledger.transaction import Answer, Transaction
from casino.table.runtime.casino import Casino
from casino.web.accounts.passwords import PasswordPool
from casino.web.accounts.store import AccountStore
from casino.web.accounts.usernames import UsernameRegistry
from casino.web.backend.concurrency import LogReaderPool
from casino.web.backend.messages import SessionsChanged
from casino.web.server.rate_limit import (
    TOO_MANY_ACCOUNTS,
    TOO_MANY_TRIES,
    RateLimit,
    TokenBuckets,
    client_network,
)

NOT_ENTERED: Final = RefusalReason("not_entered", "not_entered", "enter with a name first")
NAME_TAKEN: Final = RefusalReason(
    "name_taken",
    "name_taken",
    "the name {name} is taken: give its password if it is yours, or choose another name",
)

SUSPENDED: Final = RefusalReason(
    "suspended", "not_entered", "{name} is suspended: ask the operator of this casino"
)

_DAY_MS: Final = 86_400_000

BY_ADDRESS: Final = RateLimit(20, 3_000)
BY_ACCOUNT: Final = RateLimit(100, 10_000)
BY_BOTH: Final = RateLimit(5, 60_000)
BY_BROWSER: Final = RateLimit(5, 20_000)  # password attempts


class SignUpPolicy(NamedTuple):
    """What a new account is given, and how many an address may open in a day."""

    cents: int
    most_a_day: int


def _a_day(most: int) -> RateLimit:
    return RateLimit(most, _DAY_MS // most)


class AccountService:
    """People's accounts, and how they are opened."""

    def __init__(
        self,
        ledger: Ledger,
        bridge: LogReaderPool,
        opening: SignUpPolicy,
        house_names: Iterable[str],
        clock: Callable[[], int],
    ) -> None:
        self._ledger = ledger
        self._bridge = bridge
        self._opening_cents = opening.cents
        self.on_change: Callable[[SessionsChanged], None]
        self._names = UsernameRegistry(house_names, bridge.read(lambda log: log.owners()))
        self._register = AccountStore(ledger.path.with_name(ledger.path.name + ".people"))
        self._passwords = PasswordPool()
        self._writing = Semaphore()
        self._openings = TokenBuckets(_a_day(opening.most_a_day), clock, TOO_MANY_ACCOUNTS)
        self._by_address, self._by_account, self._by_both, self._by_browser = (
            TokenBuckets(rate, clock, TOO_MANY_TRIES)
            for rate in (BY_ADDRESS, BY_ACCOUNT, BY_BOTH, BY_BROWSER)
        )

    def apply_settings(self, settings: Web) -> None:
        """Apply another limit of accounts per address and day."""
        self._openings.rate = _a_day(settings.openings_a_day)

    def player_of(self, key: str | None) -> str | None:
        """Return the player whose browser has a key."""
        return self._register.player_of(key) if key else None

    def enter(
        self, name_given: str, password: str | None, key: str, fresh: str, address: str | None
    ) -> tuple[str, str]:
        """Open or create an account for a browser; return its name and the browser's new key.

        `key` is the browser's current key, `fresh` the new one, both as hashes.
        """
        if (done := self.player_of(fresh)) is not None:
            return done, fresh  # the same was asked before, and the answer was lost
        name = self._names.reserve(name_given)
        if self._register.is_suspended(name):
            raise Refused(SUSPENDED, name=name)
        known = self._register.password(name)
        if password is None and self._register.player_of(key) == name:
            return name, key
        if known is not None and password is not None:
            self._try(name, known, password, key, address)
        elif known is not None or not self._register.has_signed_in(key, name):
            self._open(name, key, address)
        self._names.confirm(name)
        hashed = None
        if known is None and password is not None:
            hashed = self._passwords.hash(password)
        self._save(name, known, key, fresh, hashed)
        return name, fresh

    def is_entered(self, name: str) -> bool:
        """Return True if an account has exactly this name and is in use."""
        return self._register.has(name)

    def has(self, name: str) -> bool:
        """Return True if there is an account of exactly this name."""
        return self._register.has(name) or name in self._bridge.read(lambda log: log.owners())

    def suspend(self, name: str, *, is_suspended: bool) -> None:
        """Suspend a player, or readmit them."""
        with self._writing:
            self._register.suspend(name, is_suspended=is_suspended)
            self._save_changes()

    def reset_password(self, name: str, password: str) -> None:
        """Set a generated password, and end all sessions of the account."""
        hashed = self._passwords.hash(password)
        with self._writing:
            self._register.set_password(name, hashed, "", "")
            self._save_changes()

    def sign_out(self, key: str, fresh: str) -> None:
        """Sign a browser out, under its new key."""
        with self._writing:
            self._register.sign_out(key, fresh)
            self._save_changes()

    def change_password(
        self, key: str, fresh: str, old: str | None, new: str, address: str | None
    ) -> str:
        """Set a person's password, which ends all other sessions; return the name."""
        name = self.player_of(key)
        if name is None:
            raise Refused(NOT_ENTERED)
        known = self._register.password(name)
        if known is not None:
            self._try(name, known, old or "", key, address)
        self._save(name, known, key, fresh, self._passwords.hash(new))
        return name

    def _open(self, name: str, key: str, address: str | None) -> None:
        """Create the account with its opening chips, or find that this session just created it."""
        # Only who is not in the register is asked of the bank: its answer to the key that opened
        # an account never changes, and the key may have ended long ago.
        if self._register.has(name):
            raise Refused(NAME_TAKEN, name=name)

        def work(transaction: Transaction) -> Answer:
            if transaction.balance(accounts.spending_account(name)):
                raise Refused(NAME_TAKEN, name=name)
            transaction.post(accounts.grant(name, self._opening_cents, "opening chips"))
            return {}

        counted = client_network(address)
        try:
            self._openings.take(counted)
            self._bridge.wait(self._ledger.submit(work, f"enter/{name}", f"{name}|{key}".encode()))
        except Refused as refusal:
            if refusal.code == "rate_limited":
                self._names.release(name)
                raise
            self._openings.give_back(counted)
            if refusal.code == "id_reused":
                raise Refused(NAME_TAKEN, name=name) from None
            if refusal.code != "name_taken":
                self._names.release(name)
            raise

    def _try(self, name: str, known: str, password: str, key: str, address: str | None) -> None:
        """Check a password; refuse even a right one after too many wrong ones."""
        counted = client_network(address)
        tries = [(self._by_browser, f"{name}/{key}")]
        if not self._register.has_signed_in(key, name):
            both = self._by_both, f"{name}/{counted}"
            tries = [(self._by_address, counted), both, (self._by_account, name)]
        for buckets, who in tries:
            buckets.take(who)
        if not self._passwords.verify(known, password):
            raise Refused(NAME_TAKEN, name=name)
        for buckets, who in tries:
            buckets.give_back(who)

    def _save(self, name: str, known: str | None, key: str, fresh: str, hashed: str | None) -> None:
        """Sign a browser in, with a new password or none, and wait until it is on the disk.

        While a password was hashed another one may have been set, which ended this session.
        """
        with self._writing:
            is_others = self._register.has(name) and not self._register.has_signed_in(key, name)
            if self._register.password(name) != known or (known is None and is_others):
                raise Refused(NAME_TAKEN, name=name)
            if hashed is None:
                self._register.sign_in(name, key, fresh)
            else:
                self._register.set_password(name, hashed, key, fresh)
            self._save_changes({key: fresh})

    def _save_changes(self, moved: dict[str, str] | None = None) -> None:
        """Save changes, then announce them."""
        news = self._register.unsaved_changes()
        self._bridge.run_in_thread(self._register.save)
        self.on_change(SessionsChanged(news, moved or {}))


def cookie_secret(path: Path, fresh: Callable[[], bytes]) -> bytes:
    """Return the key that signs cookies, kept in a file so that restarts keep sessions."""
    file = path.with_name(path.name + ".cookies")
    if not file.exists():
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as made:
            made.write(fresh())
    return file.read_bytes()


NO_REFILLS: Final = RefusalReason("no_refills", "over_limit", "this casino gives no refills")
CHIPS_LEFT: Final = RefusalReason(
    "chips_left",
    "over_limit",
    "you have {has_cents:chips} chips, bets included: "
    "a refill is for less than {least_cents:chips}",
)
REFILL_TOO_SOON: Final = RefusalReason(
    "refill_too_soon",
    "rate_limited",
    "you had a refill not long ago: ask again in {n} second",
    plural="you had a refill not long ago: ask again in {n} seconds",
)

REFILL: Final = "refill"


def refill_threshold_cents(house: Casino) -> int:
    """Return the funds, bets included, that allow a refill if lower; 0 if none are given."""
    if house.chips.refill_cents == 0:
        return 0
    return min(rules.limits.least_cents for rules in house.service.rules.values())


def refill(house: Casino, bridge: LogReaderPool, player: str) -> Answer:
    """Refill a wallet; return the chips granted and the balance."""
    chips = house.chips
    if chips.refill_cents == 0:
        raise Refused(NO_REFILLS)
    has_cents, last, last_at = bridge.read(lambda log: log.funds_and_last_grant(player, REFILL))
    least_cents = refill_threshold_cents(house)
    granted_cents = chips.refill_cents - has_cents
    if has_cents >= least_cents or granted_cents <= 0:
        raise Refused(CHIPS_LEFT, has_cents=has_cents, least_cents=least_cents)
    wait_ms = last_at + chips.refill_ms - house.clock()
    if last and wait_ms > 0:
        raise Refused(REFILL_TOO_SOON, n=-(-wait_ms // 1000))

    def work(transaction: Transaction) -> Answer:
        transaction.post(accounts.grant(player, granted_cents, REFILL))
        balance_cents = transaction.balance(accounts.spending_account(player))
        return {"granted_cents": granted_cents, "balance_cents": balance_cents}

    # The command's id names the refill before it, so of two simultaneous ones one is granted. A
    # player with too little at the check can only have gained since by such a grant.
    command = f"{REFILL}/{player}/{last}"
    return bridge.wait(house.service.ledger.submit(work, command, player.encode()))
