"""Copy a log from one store to another, with its responses, signatures and secrets.

The tree is rebuilt from the leaves and compared with every published signature before a batch is
stored, so that a copy never differs from the original. Because batches end at published
checkpoints, an interrupted copy can be continued, and an older one brought up to date.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, takewhile
from typing import Final

from casino.errors import FileError, InvariantError
from casino.ledger.log_reader import LogReader, sum_entries
from casino.ledger.storage.store import SqlStore
from casino.ledger.tlog import Frontier, Hash, KeyChain, keys_of, leaf_hash
from casino.ledger.transaction import NodeRow, Rows, StoredCheckpoint

LEAVES_AT_A_TIME: Final = 20_000


def copy_log(source: LogReader, target: SqlStore, *, with_secrets: bool = True) -> tuple[int, Hash]:
    """Copy the leaves that the target lacks; return the size and root of the complete log."""
    with source.snapshot():
        newest = source.signed_head()
        if newest is None or newest.size != source.size():
            raise FileError("the log to copy has unsigned leaves: audit it first")
        _begin(source, target)
        tree, chain = target.frontier(target.size()), keys_of(source)
        kept = target.published_size()
        for end in _ends(source, tree.size, newest):
            last = end.size == newest.size
            rows = _rows(source, target, tree, end, kept)
            rows.nodes = _extend(tree, rows, chain)
            kept = end.size
            if last:  # subjects and secrets have no history: copy their final state
                changed = source.subjects() - target.subjects()
                rows.subjects = {(name, first): last for name, first, last in changed}
                rows.secrets = [(subject, None, None) for subject in target.secrets()]
                for subject, secrets in source.secrets().items() if with_secrets else ():
                    rows.secrets += [(subject, *secret) for secret in secrets.items()]
            target.append(rows, lambda _: None)
        if with_secrets:
            # Sessions may have ended since an earlier copy.
            target.save_people(dict.fromkeys(target.people()) | source.people())
        if target.balances() != source.balances():
            raise InvariantError(
                "the balances of copy and log differ: audit both, and start neither"
            )
        return tree.size, tree.root()


def _begin(source: LogReader, target: SqlStore) -> None:
    size = target.size()
    if size > source.size() or target.root(size) != source.root(size):
        raise FileError(
            f"the target has {size} leaves that are not the beginning of the log to copy:"
            " give an empty target with --to"
        )
    if not target.identity():
        target.store_identity(source.identity())


def _ends(source: LogReader, size: int, newest: StoredCheckpoint) -> Iterator[StoredCheckpoint]:
    for checkpoint in source.checkpoints(size):
        if checkpoint.size - size >= LEAVES_AT_A_TIME and checkpoint.size < newest.size:
            size = checkpoint.size
            yield checkpoint
    yield newest


def _rows(
    source: LogReader, target: SqlStore, tree: Frontier, signed: StoredCheckpoint, kept: int
) -> Rows:
    first, end = tree.size, signed.size
    leaves = list(source.leaves(first, end - first))
    moved = sum_entries(leaf for leaf in leaves if leaf.kind == "entry")
    published = takewhile(lambda checkpoint: checkpoint.size <= end, source.checkpoints(kept))
    return Rows(
        first=first,
        leaves=[leaf.body for leaf in leaves],
        balances={account: target.balance(account) + cents for account, cents in moved.items()},
        replies=list(source.answers(first, end)),
        checkpoints=list(published),
        newest=signed,
    )


def _extend(tree: Frontier, rows: Rows, chain: KeyChain) -> list[NodeRow]:
    """Add the leaves in `rows` to the tree, checking each signature; return the new nodes."""
    nodes: list[NodeRow] = []
    leaves = iter(rows.leaves)
    for size, note in (*rows.checkpoints, *([] if rows.newest is None else [rows.newest])):
        nodes += tree.extend([leaf_hash(body) for body in islice(leaves, size - tree.size)])
        if chain.open(note).root != tree.root():
            raise FileError(
                f"the first {size} leaves to copy are not those that were signed:"
                " audit the log, and copy from a backup"
            )
    return nodes
