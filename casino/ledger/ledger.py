"""Public interface of the ledger: open and read a log, and submit commands to it.

Opening loads or creates the log and its side files, and checks them against each other before
anything is written (L13, L14). The first leaf of a new log states its key and name.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Final

from casino.errors import RefusalReason, Refused
from casino.ledger import accounts, startup_checks
from casino.ledger.entries import LogOpened, Origin, RunStarted, RunStopped
from casino.ledger.log_reader import LogReader
from casino.ledger.side_files import DEFAULT_NAME, CasinoFiles, CheckpointFile, write_private
from casino.ledger.storage.location import LogLocation, as_location, open_log
from casino.ledger.tlog import SigningKey, make_rotation, signatures_by
from casino.ledger.transaction import Answer, Transaction
from casino.ledger.writer import MAX_GROUP_SIZE, Clock, Writer, WriterListener

VERSION: Final = 3  # the log format: see docs/log.md

# With less free space, bets are refused so that running games can still be logged (L12).
MIN_FREE_BYTES: Final = 64 << 20

log = logging.getLogger(__name__)

NO_BETS_NOW: Final = RefusalReason(
    "no_bets_now", "unavailable", "the casino takes no bets while its disk is full or failing: wait"
)


class Ledger(Writer):
    """A casino's log, open for writing; the side files are named after `path`."""

    def __init__(
        self,
        where: Path | LogLocation,
        clock: Clock,
        name: str = DEFAULT_NAME,
        watch: WriterListener | None = None,
        least_free_bytes: int = MIN_FREE_BYTES,
        after: Origin | None = None,
        max_group_size: int = MAX_GROUP_SIZE,
    ) -> None:
        self.location = as_location(where)
        self.path = self.location.path
        self.files = CasinoFiles(self.path)
        self.location.check_not_rolled_back()
        key = _key(self.location, self.files, name)
        folder = str(self.path.absolute().parent)
        self._free_bytes: Callable[[], int] = lambda: shutil.disk_usage(folder).free
        self._least_free_bytes, self._had_room = least_free_bytes, True
        first = self.location.open_store_at_start()
        try:
            first.check()
            startup_checks.check_key(first, self.location.label.log, key, self.files.key.name)
            startup_checks.check_public_key(first, self.files)
            startup_checks.check_balances(first, self.location.label)
            if not first.identity():
                first.store_identity({"name": key.name, "key": key.public.text()})
            newest = first.checkpoint()
            stale = newest is None or not signatures_by(newest.note, key.public)
        except BaseException:
            first.close()
            raise
        self.files.save_public_key(key.public)
        checkpoint = CheckpointFile(self.files.checkpoint)
        reopen = self.location.reopen_store
        super().__init__(first, reopen, key, clock, watch, max_group_size, checkpoint)
        # Wait until the first leaves are durable, or raise the error that prevented it.
        self.submit(lambda transaction: self._begin(transaction, after, stale)).result()

    @property
    def can_take_bets(self) -> bool:
        """Whether the log is writable and the disk has room for more than the running games."""
        return self.is_writable and self.has_room

    @property
    def has_room(self) -> bool:
        """Whether the disk has room for more than the running games."""
        free, least = self._free_bytes(), self._least_free_bytes
        if self._had_room != (free >= least):
            self._had_room = free >= least
            bets = "taken again" if self._had_room else "refused"
            text = "%d MiB are free, and [bank] least_free_mib = %d: bets are %s"
            log.warning(text, free >> 20, least >> 20, bets)
        return self._had_room

    def require_room(self) -> None:
        """Raise `Refused` while the disk is full or failing (L12)."""
        if not self.can_take_bets:
            raise Refused(NO_BETS_NOW)

    def reader(self) -> LogReader:
        """Return a reader with its own read-only connection."""
        return open_log(self.location)

    def close(self) -> None:
        """Commit queued commands, log the end of the run, sign the log and close it."""
        self._stop(lambda transaction: {"leaf": transaction.log(RunStopped())})

    def rotate_key(self) -> SigningKey:
        """Log a rotation to a new key, signed by both keys; close the log and return the new key.

        After a crash, the next start uses the new key if the leaf was stored, the old one if not.
        """
        # Save the new key before the log names it, so that a crash cannot lose it.
        new = SigningKey.generate(self.key.name)
        write_private(self.files.next_key, new.text() + "\n")

        def work(transaction: Transaction) -> Answer:
            transaction.log(make_rotation(transaction.next_leaf, self.key, new))
            return {}

        handed_on = self.submit(work)
        # The rotation must be the last leaf under the old key, so no `run_stopped` leaf follows.
        self._stop()
        handed_on.result()
        return self.files.adopt_next_key()

    def _begin(self, transaction: Transaction, after: Origin | None, stale: bool) -> Answer:
        if transaction.next_leaf == 0:
            key = self.key.public.text()
            opened = LogOpened(after=after, key=key, name=self.key.name, version=VERSION)
            transaction.log(opened)
        transaction.log(RunStarted())
        if stale:
            # A new client trusts the newest key, so it must find a checkpoint signed with that key.
            transaction.wants_checkpoint = True
        return {}


def _key(location: LogLocation, files: CasinoFiles, name: str) -> SigningKey:
    if files.next_key.exists():
        # A rotation was interrupted: the log shows whether its leaf was stored.
        store = location.open_queries()
        expected = store.keys().newest
        store.close()
        if SigningKey.read(files.next_key).public == expected:
            return files.adopt_next_key()
        files.next_key.unlink()  # its rotation was not stored
    if not files.key.exists() and not location.exists():
        return files.create_key(name)
    return files.load_key()


def grant(
    ledger: Ledger, player: str, cents: int, command: str, reason: str = "opening chips"
) -> Future[Answer]:
    """Issue chips to a player or the house; repeating the command id has no further effect."""

    def work(transaction: Transaction) -> Answer:
        if player != accounts.HOUSE:
            accounts.check_name(player)
        entry = transaction.post(accounts.grant(player, cents, reason))
        return {
            "entry": entry,
            "balance_cents": transaction.balance(accounts.spending_account(player)),
        }

    return ledger.submit(work, command, f"grant|{player}|{cents}|{reason}".encode())
