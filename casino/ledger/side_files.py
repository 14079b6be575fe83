"""Side files of a casino's file, such as its keys and its newest checkpoint.

`FILE.key` signs the log, and the seeds of every table derive from `FILE.master`; only the owner may
read them. `FILE.pub` is public. `FILE.checkpoint` covers all leaves ever shown to anyone, so that
an old copy of the log, or one that lost its write-ahead log, is detected.
"""

from __future__ import annotations

import fcntl
import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from socket import gethostname
from typing import Final

from casino.errors import FileError
from casino.ledger.tlog import EMPTY_ROOT, PublicKey, SigningKey, sign_checkpoint

log = logging.getLogger(__name__)

# The name of a log if none is chosen; host and key make it unique.
DEFAULT_NAME: Final = "ecarte-casino"

# The text of `FILE.master` that makes the next start create a new master secret: if the file is
# missing, it may only be mislaid, and the running games need it.
NEW_MASTER: Final = "new\n"

SECTOR: Final = 512  # bytes that a disk writes whole or not at all


class CasinoFiles:
    """Paths of a casino's file and its side files."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.key = self._beside(".key")
        self.next_key = self._beside(".key.next")
        self.master = self._beside(".master")
        self.former_master = self._beside(".master.former")
        self.pub = self._beside(".pub")
        self.checkpoint = self._beside(".checkpoint")
        self.cosigned = self._beside(".cosigned")
        self.journals = self._beside("-wal"), self._beside("-shm")

    def _beside(self, end: str) -> Path:
        return self.path.with_name(self.path.name + end)

    def existing(self) -> list[Path]:
        """Return the casino's existing files, except its lock and files moved aside."""
        keys = self.key, self.next_key, self.pub, self.master, self.former_master
        journals = *self.journals, self._beside("-journal")
        files = self.path, *journals, *keys, self.checkpoint, self.cosigned
        return [file for file in files if file.exists()]

    def move_aside(self) -> list[Path]:
        """Move all existing files aside for a new log; return their new paths."""
        number = 1
        there = self.existing()
        while any(_aside(file, number).exists() for file in there):
            number += 1
        moved = [file.rename(_aside(file, number)) for file in there]
        sync_folder(self.path)
        return moved

    def load_key(self) -> SigningKey:
        """Return the signing key, or raise `FileError` if its file is missing."""
        if not self.key.exists():
            raise FileError(
                f"{self.key} is missing: the log can only be continued with its key;"
                " put it back from a copy with keys; a backup itself needs casino restore"
            )
        return SigningKey.read(self.key)

    def create_key(self, name: str = DEFAULT_NAME) -> SigningKey:
        """Create a key, and a checkpoint of size 0 as proof that nothing was published yet."""
        key = SigningKey.generate(name)
        if name == DEFAULT_NAME:
            # As public witnesses require: a URL without its scheme (L23). The hash of the random
            # key distinguishes logs created on machines with the same name.
            host = re.sub("[^a-z0-9.-]", "-", gethostname().lower())
            mark = sha256(key.public.raw).hexdigest()[:8]
            key = SigningKey(f"{host}/{DEFAULT_NAME}/{mark}", key.secret)
        # The key comes last: after a crash `startup_checks` would refuse a key alone.
        write_private(self.checkpoint, sign_checkpoint(key, 0, EMPTY_ROOT))
        self.save_public_key(key.public)
        write_private(self.key, key.text() + "\n")
        return key

    def adopt_next_key(self) -> SigningKey:
        """Replace the signing key with the one that the log was rotated to."""
        key = SigningKey.read(self.next_key)
        self.next_key.replace(self.key)
        self.save_public_key(key.public)
        return key

    def save_public_key(self, key: PublicKey) -> None:
        """Write a log's newest public key to `FILE.pub`."""
        write_private(self.pub, key.text() + "\n")


class CheckpointFile:
    """`FILE.checkpoint`, updated at every commit.

    A checkpoint that will be published replaces the file and is synced to disk before anyone sees
    it. Any other overwrites the last one in place, which is much cheaper: a power cut may lose it,
    but no one has seen it. The old and the new one have the same length and fit into a disk sector,
    so a crash leaves one of the two, and the log contains the leaves that either of them signs.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1
        self._length = 0

    def renew(self, note: str, publish: bool) -> None:
        """Save a newer checkpoint, synced to disk if it will be published."""
        data = note.encode()
        if publish or len(data) != self._length or len(data) > SECTOR:
            self.close()
            write_private(self._path, note)
            self._file = os.open(self._path, os.O_WRONLY)  # to overwrite in place
            self._length = len(data)
        else:
            os.pwrite(self._file, data, 0)

    def close(self) -> None:
        """Close the file; the next checkpoint replaces it."""
        if self._file >= 0:
            os.close(self._file)
        self._file, self._length = -1, 0


def write_private(path: Path, text: str | bytes) -> None:
    """Replace a file atomically and durably; only the owner may read it."""
    new = path.with_name(path.name + ".new")
    file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        # Unbuffered, because this runs at every commit that is published.
        data = text.encode() if isinstance(text, str) else text
        while data:
            data = data[os.write(file, data) :]
        os.fsync(file)
    except OSError as error:
        new.unlink()
        # A failed write does not name its file.
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        os.close(file)
    # The content was synced first, so a crash leaves the old file or the new one, whole.
    new.replace(path)
    sync_folder(path)


def make_private(path: Path) -> None:
    """Create an empty file that only the owner may read, unless the file exists."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


@contextmanager
def lock_file(path: Path, refusal: str) -> Iterator[None]:
    """Hold a file's lock. If it is taken, raise a `FileError`, or wait if `refusal` is empty."""
    if not path.absolute().parent.is_dir():
        raise FileError(
            f"there is no folder {path.parent}: create it, or correct --db or [bank] db"
        )
    lock = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        # Not flock: forked children would inherit the lock, and keep it if this process is killed.
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if refusal:
                raise FileError(refusal) from None
            log.warning("another casino uses %s: waiting to take over", path)
            fcntl.lockf(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def sync_folder(path: Path) -> None:
    """Sync a file's folder so that a rename or creation in it is durable."""
    folder = os.open(path.absolute().parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read_note(path: Path) -> str | None:
    """Return the text of a checkpoint's file, or None if there is no such file."""
    return path.read_text("utf-8", "replace") if path.is_file() else None


def _aside(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.aside-{number}")
