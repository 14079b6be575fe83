"""Who may speak for which account.

An account belongs to the browser that opened it, known by a random key in its signed cookie; the
bank remembers a hash of the key under the command that opened the account. With a password the
account can be opened from elsewhere. Passwords' hashes lie in a file of their own beside the
casino's: whoever is given the log to check it is not given them.
"""

from __future__ import annotations

import json
import os
import threading
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from casino.bank import ledger
from casino.bank.bank import Bank
from casino.bank.transaction import Answer, Transaction
from casino.errors import BadFile, Reason, Refused
from casino.table.spectators import STAR
from casino.web.bridge import Bridge

NAME_TAKEN: Final = Reason(
    "name_taken",
    "name_taken",
    "the name {name} is taken: give its password if it is yours, or choose another name",
)


class People:
    """The accounts of persons, and how they are opened."""

    def __init__(
        self, bank: Bank, bridge: Bridge, opening_cents: int, reserved: Iterable[str]
    ) -> None:
        self._bank = bank
        self._bridge = bridge
        self._opening_cents = opening_cents
        self._reserved = frozenset(reserved)
        self._file = bank.path.with_name(bank.path.name + ".people")
        self._hashes = _load(self._file)
        self._hasher = PasswordHasher()
        self._writing = threading.Lock()

    def enter(self, name: str, password: str | None, key: str) -> tuple[str, Answer]:
        """Open or make an account for the browser with a key: its name, and the bank's answer."""
        name = unicodedata.normalize("NFC", name.strip())
        ledger.check_name(name)
        if name in self._reserved or STAR in name:
            raise _taken(name)
        known = self._hashes.get(name)
        if known is not None:
            if password is None or not self._bridge.aside(self._verifies, known, password):
                raise _taken(name)
            return name, {}
        answer = self._open(name, key)
        if password is not None:
            self._bridge.aside(self._keep, name, password)
        return name, answer

    def _open(self, name: str, key: str) -> Answer:
        """Make the account with its opening chips, or find that this browser has made it."""

        def work(transaction: Transaction) -> Answer:
            purse = ledger.purse(name)
            if transaction.balance(purse):
                raise _taken(name)
            transaction.post(ledger.grant(name, self._opening_cents, "opening chips"))
            return {"balance_cents": transaction.balance(purse)}

        try:
            future = self._bank.submit(work, f"enter/{name}", f"{name}|{key}".encode())
            return self._bridge.wait(future)
        except Refused as refusal:
            if refusal.code == "id_reused":
                raise _taken(name) from None
            raise

    def _verifies(self, known: str, password: str) -> bool:
        """Whether a password is the one that was hashed."""
        try:
            return self._hasher.verify(known, password)
        except (VerificationError, InvalidHashError):
            return False

    def _keep(self, name: str, password: str) -> None:
        """Hash a password and write it down."""
        hashed = self._hasher.hash(password)
        with self._writing:
            descriptor = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(descriptor, "a", encoding="utf-8") as file:
                file.write(json.dumps({"name": name, "password": hashed}) + "\n")
                file.flush()
                os.fsync(file.fileno())
            self._hashes[name] = hashed


def cookie_secret(path: Path, fresh: Callable[[], bytes]) -> bytes:
    """The key that signs cookies, kept beside the casino's file so that a restart keeps them."""
    file = path.with_name(path.name + ".cookies")
    if not file.exists():
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as made:
            made.write(fresh())
    return file.read_bytes()


def _load(file: Path) -> dict[str, str]:
    """The passwords' hashes by name; a later line counts more."""
    if not file.exists():
        return {}
    try:
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        return {row["name"]: row["password"] for row in rows}
    except (ValueError, KeyError, TypeError):
        raise BadFile(f"{file} is damaged: restore it, or take it away") from None


def _taken(name: str) -> Refused:
    """The refusal of a name that is somebody else's."""
    return Refused(NAME_TAKEN, name=name)
