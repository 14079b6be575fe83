"""The bank as the rest of the casino meets it: open it, submit commands, read, close it.

Opening finds or makes the file and, beside it, the key that signs the log: `FILE.key` (mode 600,
never in the file itself) and `FILE.pub`, which everybody may have. What is derived is rebuilt
and compared (L13), and the first leaf of a new log says whose it is.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from casino.bank import database, ledger, store
from casino.bank.eventlog import EventLog
from casino.bank.leaves import LogOpened
from casino.bank.merkle import EMPTY_ROOT, Frontier, leaf_hash
from casino.bank.notes import Checkpoint, PublicKey, SigningKey, open_checkpoint
from casino.bank.transaction import Answer, Transaction
from casino.bank.writer import Clock, Watch, Work, Writer
from casino.errors import BadFile, InvariantBroken, Reason, Refused

DEFAULT_NAME: Final = "ecarte-casino"
VERSION: Final = 1
"""The version of the log's format: see docs/log.md."""

LEAST_FREE_BYTES: Final = 64 << 20
"""With less room on the disk no new bets are taken, so that running games can still be told."""

NO_BETS_NOW: Final = Reason(
    "no_bets_now", "unavailable", "no bets are taken while the disk is full or failing: wait"
)


class Keeper(Watch):
    """Keeps the newest checkpoint beside the file, as `FILE.checkpoint`, and passes all on.

    An old copy put in the file's place no longer has what this checkpoint signs.
    """

    def __init__(self, path: Path, watch: Watch) -> None:
        self._file = path.with_name(path.name + ".checkpoint")
        self._new = path.with_name(path.name + ".checkpoint.new")
        self._watch = watch

    def checkpoint(self, note: str) -> None:
        """Replace the checkpoint kept by a newer one."""
        self._new.write_text(note, "utf-8")
        self._new.replace(self._file)
        self._watch.checkpoint(note)

    def committed(self) -> None:
        """Pass it on."""
        self._watch.committed()

    def fault(self, error: Exception) -> None:
        """Pass it on."""
        self._watch.fault(error)

    def reopened(self, log: EventLog) -> None:
        """Pass it on."""
        self._watch.reopened(log)


class Bank:
    """The open file of a casino."""

    def __init__(
        self,
        path: Path,
        clock: Clock,
        name: str = DEFAULT_NAME,
        watch: Watch | None = None,
        free_bytes: Callable[[], int] | None = None,
        open_file: Callable[[], sqlite3.Connection] | None = None,
        least_free_bytes: int = LEAST_FREE_BYTES,
    ) -> None:
        self.path = path
        self.key = load_key(path, name)
        folder = str(path.absolute().parent)
        self._free_bytes = free_bytes or (lambda: shutil.disk_usage(folder).free)
        self._least_free_bytes = least_free_bytes
        opener = open_file or (lambda: database.open_writer(path))
        first = opener()
        try:
            begin(first, self.key.public)
            database.quick_check(first)
            check_derived(first, self.key.public)
        finally:
            first.close()
        self._writer = Writer(opener, self.key, clock, Keeper(path, watch or Watch()))
        self._writer.submit(self._first_leaf).result()

    def submit(
        self, work: Work, command: str | None = None, content: bytes = b""
    ) -> Future[Answer]:
        """Queue a command; see `Writer.submit`."""
        return self._writer.submit(work, command, content)

    @property
    def takes_bets(self) -> bool:
        """Whether the file can be written and there is room for more than the running games."""
        return self._writer.healthy and self._free_bytes() >= self._least_free_bytes

    def require_room(self) -> None:
        """Refuse, for now, what begins something new while the disk is full or failing."""
        if not self.takes_bets:
            raise Refused(NO_BETS_NOW)

    def reader(self) -> EventLog:
        """The log on a connection of its own that only reads."""
        return EventLog(database.open_reader(self.path).conn)

    def close(self) -> None:
        """Finish what waits, sign the log, close the file."""
        self._writer.close()

    def _first_leaf(self, transaction: Transaction) -> Answer:
        """The leaf that begins a new log."""
        if transaction.next_leaf == 0:
            key = self.key.public.text()
            transaction.log(LogOpened(key=key, name=self.key.name, version=VERSION))
        return {}


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Be the only program that writes a casino's file; a second one is refused."""
    if not path.absolute().parent.is_dir() or path.is_dir():
        raise BadFile(f"{path} is no file in a folder: name the casino's file with --db")
    with path.with_name(path.name + ".lock").open("w", encoding="utf-8") as lock:
        try:
            # Not flock: what is killed must not leave the lock to a process it has forked.
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadFile(f"{path} is open already: stop the casino that writes it") from None
        yield


def load_key(path: Path, name: str) -> SigningKey:
    """The key beside a file; at the first start it is made, readable by its owner only."""
    secret = path.with_name(path.name + ".key")
    if secret.exists():
        return SigningKey.parse(secret.read_text("utf-8", "replace"))
    if path.exists():
        raise BadFile(f"{secret} is missing: the log can only be continued with its key")
    key = SigningKey.generate(name)
    path.with_name(path.name + ".pub").write_text(key.public.text() + "\n")
    new = path.with_name(path.name + ".key.new")
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(key.text() + "\n")
        file.flush()
        os.fsync(file.fileno())
    new.replace(secret)
    return key


def begin(connection: sqlite3.Connection, key: PublicKey) -> None:
    """Write down whose log a new file is; an old one must be of the same key."""
    found = store.about(connection)
    if not found:
        store.introduce(connection, {"name": key.name, "key": key.text()})
    elif found.get("key") != key.text():
        raise BadFile(f"the file belongs to the key {found.get('key')}, not to {key.text()}")


def check_derived(connection: sqlite3.Connection, key: PublicKey) -> None:
    """Rebuild the tree and the balances and compare (L13)."""
    log = EventLog(connection)
    newest = log.checkpoint()
    signed = open_checkpoint(newest.note, key) if newest else Checkpoint(key.name, 0, EMPTY_ROOT)
    tree, nodes = Frontier(), log.nodes()
    for leaf in log.leaves():
        for node in tree.append(leaf_hash(leaf.body)):
            if next(nodes, None) != node:
                raise InvariantBroken(f"the stored tree differs from leaf {leaf.n} on")
        if tree.size == signed.size and tree.root() != signed.root:
            raise InvariantBroken(f"the log differs from its checkpoint at {signed.size}")
    if signed.size > tree.size:
        raise InvariantBroken(f"the log has lost leaves: {signed.size} were signed")
    wrong = store.wrong_balance(connection)
    if wrong is not None:
        raise InvariantBroken(f"{wrong}: the balance is not the sum of its postings")


def grant(
    bank: Bank, player: str, cents: int, command: str, reason: str = "opening chips"
) -> Future[Answer]:
    """Issue chips to a player once, whoever asks again."""

    def work(transaction: Transaction) -> Answer:
        if player != ledger.HOUSE:
            ledger.check_name(player)
        entry = transaction.post(ledger.grant(player, cents, reason))
        return {"entry": entry, "balance_cents": transaction.balance(ledger.purse(player))}

    return bank.submit(work, command, f"grant|{player}|{cents}|{reason}".encode())
