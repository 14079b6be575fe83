"""Copy a log from one store to another, with its responses, signatures and secrets.

The tree is rebuilt from the leaves, and its root is compared with the checkpoint that ends each
batch, so that a copy never differs from the original. Because batches end at published checkpoints,
an interrupted copy can be continued, and an older one brought up to date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, takewhile
from operator import attrgetter
from typing import Final

from casino.errors import FileError, InvariantError
from casino.ledger.entries import Entry, as_entry
from casino.ledger.log_reader import LogReader
from casino.ledger.storage.base import LogQueries, Store, StoredCheckpoint, StoredLeaf
from casino.ledger.tlog import note
from casino.ledger.tlog.merkle import Frontier, Hash, leaf_hash
from casino.ledger.transaction import CommandRow, Rows, SignedHead

LEAVES_AT_A_TIME: Final = 20_000
UNSEALED: Final = bytes(32)  # placeholder for the balance seal: only the last batch needs it

Progress = Callable[[int], None]


def copy_log(
    source: LogQueries,
    target: Store,
    *,
    with_secrets: bool = True,
    progress: Progress = lambda _: None,
    at_a_time: int = LEAVES_AT_A_TIME,
) -> tuple[int, Hash]:
    """Copy the leaves that the target lacks; return the size and root of the complete log."""
    with source.snapshot():
        newest = source.signed_head()
        if newest is None or newest.size != source.size():
            raise FileError("the log to copy has leaves that are not signed: audit it first")
        _begin(source, target)
        stands = target.load()
        tree, kept = stands.tree, stands.covered
        for end in _ends(source, tree.size, newest, at_a_time):
            last = end.size == newest.size
            signed = newest if last else SignedHead(end.size, end.note, UNSEALED)
            rows = _rows(source, tree, signed, kept)
            kept = end.size
            # `_rows` has extended the tree: compare its root before anything is stored.
            if note.open_checkpoint(end.note, None).root != tree.root():
                raise FileError(
                    f"the first {end.size} leaves to copy are not those that were signed:"
                    " audit the log, and copy from a backup"
                )
            if last:  # open subjects and secrets have no history: copy their final state
                begun, ended = source.open_subjects(), target.open_subjects()
                rows = rows._replace(
                    begun=sorted(begun - ended),
                    ended=sorted(ended - begun),
                    secrets=_secrets(source, target, with_secrets=with_secrets),
                )
            target.append(rows, lambda _: None, lambda: None)
            progress(end.size)
        if target.balances() != source.balances():
            raise InvariantError(
                "the copy has other balances than the log: audit both, and start neither"
            )
        return tree.size, tree.root()


def _begin(source: LogQueries, target: Store) -> None:
    size = target.size()
    if size > source.size() or LogReader(target).root(size) != LogReader(source).root(size):
        raise FileError(
            f"what is there already, {size} leaves, is no beginning of the log to copy:"
            " name an empty place with --to"
        )
    if not target.identity():
        target.store_identity(source.identity())


def _ends(
    source: LogQueries, size: int, newest: SignedHead, at_a_time: int
) -> Iterator[StoredCheckpoint]:
    for checkpoint in source.checkpoints(size):
        if checkpoint.size - size >= at_a_time and checkpoint.size < newest.size:
            size = checkpoint.size
            yield checkpoint
    yield StoredCheckpoint(newest.size, newest.note)


def _rows(source: LogQueries, tree: Frontier, signed: SignedHead, kept: int) -> Rows:
    first, end = tree.size, signed.size
    leaves = list(source.leaves(first, end - first))
    entries = [as_entry(leaf.body) for leaf in leaves if leaf.kind == "entry"]
    published = takewhile(lambda checkpoint: checkpoint.size <= end, source.checkpoints(kept))
    return Rows(
        first=first,
        leaves=[leaf.body for leaf in leaves],
        nodes=tree.extend([leaf_hash(leaf.body) for leaf in leaves]),
        postings=[
            (number, account, cents)
            for number, parts in groupby(entries, attrgetter("entry"))
            for part in parts
            for account, cents in part.postings
        ],
        entries=list(_entry_rows(leaves)),
        commands=[
            CommandRow(checkpoint.id, checkpoint.content, checkpoint.leaf, bound, checkpoint.answer)
            for bound, checkpoint in source.answers(first, end)
        ],
        begun=(),
        ended=(),
        secrets=(),
        checkpoints=list(published),
        newest=signed,
    )


def _entry_rows(leaves: Sequence[StoredLeaf]) -> Iterator[tuple[int, int]]:
    for leaf in leaves:
        if leaf.kind == "entry":
            entry: Entry = as_entry(leaf.body)
            if entry.part in (None, 1):
                yield entry.entry, leaf.n


def _secrets(
    source: LogQueries, target: Store, *, with_secrets: bool
) -> list[tuple[str, str | None, bytes | None]]:
    rows: list[tuple[str, str | None, bytes | None]]
    rows = [(subject, None, None) for subject in target.all_secrets()]
    if with_secrets:
        rows += [
            (subject, name, value)
            for subject, values in source.all_secrets().items()
            for name, value in values.items()
        ]
    return rows
