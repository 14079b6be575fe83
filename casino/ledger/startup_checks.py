"""Startup checks that a log is the one that was published (L13, L14).

A log that is shorter than its checkpoint or differs from it is never continued, because there would
be two signed logs and no one could tell which is valid. The checks write nothing. They compare the
stored hashes of the tree, so that a start stays fast: an audit recomputes these from the leaves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from casino.errors import FileError, InvariantError
from casino.ledger.log_reader import LogReader, sum_entries
from casino.ledger.side_files import CasinoFiles, read_note
from casino.ledger.tlog import SigningKey, open_checkpoint, read_key

WHAT_TO_DO: Final = (
    "restore a backup with casino restore, put the newest copy of all its files back, or begin a"
    " new log with casino run --new, which moves these files aside"
)


class LogLabel(NamedTuple):
    """Name of a log, and advice, for use in error messages."""

    log: str
    what_to_do: str = WHAT_TO_DO


def check_not_rolled_back(store: LogReader, named: LogLabel, files: CasinoFiles) -> None:
    """Raise `FileError` unless the log's tree contains the one that its checkpoint signs (L14)."""
    size, kept, checkpoint = store.size(), read_note(files.checkpoint), files.checkpoint.name
    if size == 0:
        check_not_lost(named, files)
        return
    if kept is None:
        raise FileError(
            f"{named.log} has {size} leaves, but {checkpoint} is missing, so others"
            f" may have been lost: {named.what_to_do}"
        )
    chain = store.keys()
    try:
        signed = chain.open(kept)
    except FileError as error:
        raise FileError(
            f"{checkpoint} does not belong to this log: {error}; {named.what_to_do}"
        ) from None
    if signed.size > size:
        raise FileError(
            f"{named.log} has {size} leaves, but {checkpoint} signs {signed.size}:"
            f" {signed.size - size} are lost; {named.what_to_do}"
        )
    if signed.size and store.root(signed.size) != signed.root:
        raise FileError(
            f"{named.log} has {size} leaves, but the first {signed.size} are not those that"
            f" {checkpoint} signs: {named.what_to_do}"
        )
    # The newest signature must cover all leaves (L15).
    newest = store.signed_head()
    covered = 0 if newest is None else newest.size
    if newest is None or covered != size:
        raise FileError(
            f"{named.log} has {size} leaves, but only {covered} are signed: {size - covered} were"
            f" appended by another program; {named.what_to_do}"
        )
    if chain.open(newest.note).root != store.root(size):
        raise InvariantError(
            f"{named.log}: the {size} leaves are not those that were signed; {named.what_to_do}"
        )


def check_not_lost(named: LogLabel, files: CasinoFiles, journals: Sequence[Path] = ()) -> None:
    """Raise `FileError` if the files next to a missing or empty log show that it had leaves."""
    there = [file for file in (files.key, files.checkpoint, *journals) if file.is_file()]
    kept, signed = read_note(files.checkpoint), None
    with suppress(FileError):
        signed = None if kept is None else open_checkpoint(kept, None).size
    if there and signed != 0:
        promised = "" if signed is None else f" with {signed} signed leaves"
        names = ", ".join(file.name for file in there)
        raise FileError(
            f"{named.log} is missing or empty, but it had a log{promised} (see {names}):"
            f" {named.what_to_do}"
        )


def check_key(store: LogReader, name: str, key: SigningKey, key_file: str) -> None:
    """Raise `FileError` if the log belongs to another key."""
    own = key.public.text()
    expected = store.keys().newest.text() if store.size() else store.identity().get("key", own)
    if expected != own:
        raise FileError(
            f"{name} belongs to the key {expected}, not to {own}:"
            f" put that key back as {key_file}, from the newest copy of the file"
        )


def check_public_key(store: LogReader, files: CasinoFiles) -> None:
    """Raise `FileError` if `FILE.pub` holds the key of another log: audits would trust it."""
    is_there = store.size() > 0 and files.pub.is_file()
    if is_there and not store.keys().contains(read_key(files.pub)):
        text = "is the key of another log: move it away, and the next start writes the right one"
        raise FileError(f"{files.pub} {text}")


def check_balances(store: LogReader, named: LogLabel) -> None:
    """Raise `InvariantError` unless the balances are the sums of all entries."""
    for text in wrong_balances(store, sum_entries(store.entry_leaves())):
        raise InvariantError(
            f"{named.log}: {text}: another program has written there; {named.what_to_do}"
        )


def wrong_balances(store: LogReader, expected: Mapping[str, int]) -> Iterator[str]:
    """Describe each account whose stored balance is not the expected one."""
    stored = store.balances()
    for account in sorted(expected.keys() | stored.keys()):
        has_cents, must_cents = stored.get(account, 0), expected.get(account, 0)
        if has_cents != must_cents:
            yield f"{account} holds {has_cents} cents, but its entries make {must_cents}"
