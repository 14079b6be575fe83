"""Copy a casino's log, back it up into a file, even while it runs, and restore one (L22).

`copy_log` copies from one store to another. The tree is rebuilt from the leaves and compared with
every published signature before a batch is stored, so that a copy never differs from the original.
Because batches end at published checkpoints, an interrupted copy can be continued, and an older one
brought up to date.

If a backup contains everything published, its log is continued. Otherwise a new log begins under a
new key and name, and its first leaf states which log it replaces and how much of it is lost.
Balances and people's accounts are carried over. Running games are void, and their secrets are never
used again.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from itertools import islice, takewhile
from pathlib import Path
from typing import Final, NamedTuple

from casino.errors import FileError, InvariantError, already_exists
from casino.ledger import startup_checks
from casino.ledger.accounts import HOUSE
from casino.ledger.entries import Origin
from casino.ledger.ledger import Ledger, grant
from casino.ledger.log_reader import LogReader, sum_entries
from casino.ledger.side_files import (
    DEFAULT_NAME,
    NEW_MASTER,
    CasinoFiles,
    make_private,
    read_note,
    sync_folder,
    write_private,
)
from casino.ledger.storage import sqlite
from casino.ledger.storage.location import LogLocation, SqliteLocation, as_location, open_log
from casino.ledger.storage.store import SqlStore
from casino.ledger.tlog import Checkpoint, Frontier, Hash, KeyChain, SigningKey, leaf_hash
from casino.ledger.transaction import NodeRow, Rows, StoredCheckpoint
from casino.ledger.writer import Clock

LEAVES_AT_A_TIME: Final = 20_000


def copy_log(source: LogReader, target: SqlStore, *, with_secrets: bool = True) -> tuple[int, Hash]:
    """Copy the leaves that the target lacks; return the size and root of the complete log."""
    with source.snapshot():
        newest = source.signed_head()
        if newest is None or newest.size != source.size():
            raise FileError("the log to copy has unsigned leaves: audit it first")
        size = target.size()
        if size > source.size() or target.root(size) != source.root(size):
            raise FileError(
                f"the target has {size} leaves that are not the beginning of the log to copy:"
                " give an empty target with --to"
            )
        if not target.identity():
            target.store_identity(source.identity())
        tree, chain = target.frontier(size), source.keys()
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


def backup(where: Path | LogLocation, out: Path, *, with_keys: bool) -> None:
    """Copy a log and its side files; include keys, people and secrets only if `with_keys`."""
    location = as_location(where)
    files, copy = CasinoFiles(location.path), CasinoFiles(out)
    if copy.existing():
        raise already_exists(out)
    with closing(open_log(location)) as log:
        startup_checks.check_public_key(log, files)
    if isinstance(location, SqliteLocation):
        copy_file(location.path, out, without=() if with_keys else ("secret", "people"))
    else:
        target = SqliteLocation(out).reopen_store()
        with closing(target), closing(location.open_queries()) as source:
            copy_log(source, target, with_secrets=with_keys)
            target.flush_journal()
            target.execute("PRAGMA journal_mode = DELETE")  # as `copy_file` does
    with closing(open_log(out)) as log:
        if (newest := log.signed_head()) is not None:
            write_private(copy.checkpoint, newest.note)
            copy.save_public_key(log.keys().newest)
    for secret, copied in ((files.key, copy.key), (files.master, copy.master)):
        if with_keys and secret.is_file():
            write_private(copied, secret.read_bytes())


def copy_file(path: Path, out: Path, *, without: Collection[str]) -> None:
    """Copy the database file; in the copy, erase the contents of the tables in `without`."""
    with closing(sqlite.open_reader(path)) as source:
        make_private(out)
        try:
            with closing(sqlite3.connect(out, isolation_level=None)) as target:
                source.backup(target)
                # One file, without a WAL: by this `sqlite.is_backup` knows it.
                target.execute("PRAGMA journal_mode = DELETE")
                if without:
                    # Overwrite deleted rows and rebuild the file, so that none can be recovered.
                    target.execute("PRAGMA secure_delete = ON")
                    for table in without:
                        target.execute(f"DELETE FROM {table}")
                    target.execute("VACUUM")
        except sqlite3.Error as error:
            raise FileError(
                f"cannot write {out} ({error}): free some space, or choose another file"
            ) from None


RESTORED = "restored"  # the reason given in grants that carry balances over


class RestoredCopy(NamedTuple):
    """Result of a restore; `after` is the replaced log, or None if the copy's log continues.

    `void` names the games and poules that were running.
    """

    leaves: int
    after: Origin | None
    void: tuple[str, ...]
    moved: tuple[Path, ...] = ()


def restore(
    source: Path, path: Path, clock: Clock, published: Iterable[str], name: str = DEFAULT_NAME
) -> RestoredCopy:
    """Restore a casino from a copy, after comparing it with checkpoints that others have saved."""
    files, copy = CasinoFiles(path), CasinoFiles(source)
    wal, index = files.journals
    for file in (path, wal):
        # An empty journal is ignored, since every reader of the file leaves one.
        if file.exists() and (file == path or file.stat().st_size):
            raise FileError(f"{file} already exists: move it away, or give another file with --db")
    with closing(open_log(source)) as log:
        startup_checks.check_not_rolled_back(log, SqliteLocation(source).label, copy)
        keys, size, void = log.keys(), log.size(), tuple(log.open_subjects())
        beside = read_note(files.checkpoint)
        notes = [*published, *([] if beside is None else [beside])]
        newest = _newest(log, source.name, keys, notes)
        for file in (wal, index):
            file.unlink(missing_ok=True)
        # The copy contains every known checkpoint: continue its log.
        if newest is not None and newest.size <= size:
            _move_into_place(log, source, files, copy, _key(files, copy, keys))
            return RestoredCopy(size, None, void)
        # Without any checkpoint, only the copy itself is known of the log.
        lost = newest or Checkpoint(keys.newest.name, size, log.root(size))
        after = Origin(kept=size, origin=lost.origin, root=lost.root.hex(), size=lost.size)
        moved = files.move_aside()
        _begin(log, path, clock, name, after)
        return RestoredCopy(size, after, void, tuple(moved))


def _newest(log: LogReader, name: str, keys: KeyChain, notes: Iterable[str]) -> Checkpoint | None:
    newest: Checkpoint | None = None
    for note in notes:
        try:
            signed = keys.open(note)
        except FileError as error:
            fault, advice = "is of another log than", "of that log"
            if note.startswith(f"{keys.newest.name}\n"):
                fault, advice = "does not belong to", "made after the last casino rotate-key"
            raise FileError(
                f"the published checkpoint {fault} {name} ({error}): restore a copy {advice},"
                " or move the checkpoint away for a new log"
            ) from None
        if signed.size <= log.size() and log.root(signed.size) != signed.root:
            raise FileError(
                f"the first {signed.size} leaves of {name} are not those that were published:"
                " restore another copy, and keep both as evidence"
            )
        if newest is None or signed.size > newest.size:
            newest = signed
    return newest


def _key(files: CasinoFiles, copy: CasinoFiles, keys: KeyChain) -> SigningKey:
    beside = files if files.key.is_file() else copy
    if beside.key.is_file() and (key := beside.load_key()).public == keys.newest:
        return key
    raise FileError(
        f"the log can only be continued with its key, {keys.newest.text()}: put it back as"
        f" {files.key}, or restore a copy made with --with-keys"
    )


def _move_into_place(
    log: LogReader, source: Path, files: CasinoFiles, copy: CasinoFiles, key: SigningKey
) -> None:
    newest = log.signed_head()
    assert newest is not None
    halfway = files.path.with_name(files.path.name + ".restored")
    halfway.unlink(missing_ok=True)
    copy_file(source, halfway, without=["secret"])
    sqlite.open_writer(halfway).close()  # with a WAL, so it is no backup any more
    files.save_public_key(key.public)
    write_private(files.key, key.text() + "\n")
    write_private(files.checkpoint, newest.note)
    # The master secret only reveals old seeds, and tables begin new seed chains: set it aside.
    masters = [file.read_text("utf-8") for file in (files.master, copy.master) if file.is_file()]
    if secrets := [text for text in masters if text != NEW_MASTER]:
        write_private(files.former_master, secrets[0])
    write_private(files.master, NEW_MASTER)
    # Rename last: a crash before this line leaves no log, so the restore can be repeated.
    halfway.rename(files.path)
    sync_folder(files.path)


def _begin(log: LogReader, path: Path, clock: Clock, name: str, after: Origin) -> None:
    chips: Counter[str] = Counter()
    for account, cents in log.balances().items():
        kind, _, rest = account.partition("/")
        owner = rest.rpartition("/")[2]
        # Running games are void: chips in escrow go back to their owners.
        if kind in ("wallet", "escrow") and owner != HOUSE:
            chips[owner] += cents
    with closing(Ledger(path, clock, name, after=after)) as ledger:
        ledger.location.save_people(log.people())
        for owner, cents in sorted(chips.items()):
            grant(ledger, owner, cents, f"{RESTORED}/{owner}", RESTORED).result()
