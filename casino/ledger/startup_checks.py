"""Startup checks that a log is the one that was published (L13, L14).

A log that is shorter than its checkpoint or differs from it is never continued, because there would
be two signed logs and no one could tell which is valid. The checks write nothing.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from casino.errors import FileError, InvariantError
from casino.ledger.log_reader import LogReader, sum_entries
from casino.ledger.storage.queries import SqlQueries
from casino.ledger.tlog.key_rotation import KeyChain, keys_of
from casino.ledger.tlog.merkle import EMPTY_ROOT
from casino.ledger.tlog.note import PublicKey, SigningKey

WHAT_TO_DO: Final = (
    "put the newest copy of all its files back,"
    " or begin a new log with casino run --new, which moves these files aside"
)


class LogLabel(NamedTuple):
    """Names of a log and its checkpoint, and advice, for use in error messages."""

    log: str
    checkpoint: str
    what_to_do: str = WHAT_TO_DO


def check_not_rolled_back(store: SqlQueries, named: LogLabel, kept: str | None) -> None:
    """Raise `FileError` unless the log contains all leaves that its checkpoint signs (L14)."""
    size = store.size()
    if size == 0:
        check_not_emptied(named, kept)
        return
    if kept is None:
        raise FileError(
            f"{named.log} has {size} leaves, but {named.checkpoint} is missing, so no one"
            f" can tell whether it had more: {named.what_to_do}"
        )
    chain = keys_of(store)
    try:
        signed = chain.open(kept)
    except FileError as error:
        raise FileError(
            f"{named.checkpoint} is not of this log: {error}; {named.what_to_do}"
        ) from None
    if signed.size > size:
        raise FileError(
            f"{named.log} has {size} leaves, but {named.checkpoint} signs {signed.size}:"
            f" {signed.size - size} are lost; {named.what_to_do}"
        )
    if signed.size and LogReader(store).root(signed.size) != signed.root:
        raise FileError(
            f"{named.log} has {size} leaves, but the first {signed.size} are not those that"
            f" {named.checkpoint} signs: {named.what_to_do}"
        )
    _check_newest(store, named, chain, size)


def check_not_emptied(named: LogLabel, kept: str | None) -> None:
    """Raise `FileError` if the checkpoint of an empty log signs any leaves."""
    if kept is not None and (signed := _claimed(kept)):
        raise FileError(
            f"{named.log} has 0 leaves, but {named.checkpoint} signs {signed}: {named.what_to_do}"
        )


def check_key(store: SqlQueries, name: str, key: SigningKey, key_file: str) -> None:
    """Raise `FileError` if the log belongs to another key."""
    own = key.public.text()
    expected = newest_key(store).text() if store.size() else store.identity().get("key", own)
    if expected != own:
        raise FileError(
            f"{name} belongs to the key {expected}, not to {own}:"
            f" put that key back as {key_file}, from the newest copy of the file"
        )


def newest_key(store: SqlQueries) -> PublicKey:
    """Return the current signing key of a log that is not empty."""
    return keys_of(store).newest


def check_balances(store: SqlQueries, named: LogLabel) -> None:
    """Raise `InvariantError` unless the balances are the sums of all entries."""
    stored = store.balances()
    expected = sum_entries(store.entry_leaves())
    for account in sorted(expected.keys() | stored.keys()):
        if expected[account] != stored.get(account, 0):
            raise InvariantError(
                f"{named.log}: {account} holds {stored.get(account, 0)} cents, its entries make"
                f" {expected[account]}: something else than this program wrote there;"
                f" {named.what_to_do}"
            )


def _check_newest(store: SqlQueries, named: LogLabel, chain: KeyChain, size: int) -> None:
    """Check that the newest signature covers all leaves (L15)."""
    newest = store.signed_head()
    covered = 0 if newest is None else newest.size
    if newest is None or covered != size:
        raise FileError(
            f"{named.log} has {size} leaves, but only {covered} are signed: {size - covered} were"
            f" appended by something else than this program; {named.what_to_do}"
        )
    root = LogReader(store).root(size) if size else EMPTY_ROOT
    if chain.open(newest.note).root != root:
        raise InvariantError(
            f"{named.log}: the {size} leaves are not those that were signed; {named.what_to_do}"
        )


def _claimed(note: str) -> int:
    lines = note.split("\n")
    return int(lines[1]) if len(lines) > 1 and lines[1].isdigit() else 1
