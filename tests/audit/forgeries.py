"""Random composite forgeries: `python -m tests.audit.forgeries --count 10000`.

Each applies a few mutations to a real log, as a file with its side files or as an export: leaves
edited, deleted, inserted, swapped or cut off, rows of any table changed, triggers removed, bytes
flipped in the file, the WAL or the side files, an old copy restored. Every second forger has the
casino's key, and recomputes and signs everything that is derived.

The audit must find the forgery or refuse the file with an error. If it reports a clean log, the
forgery must be harmless: an audit with an honest checkpoint finds it, or leaves, balances, answers
and secrets are the honest ones.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import click
import orjson

from casino.audit import ExportSource, FileSource, TrustedEvidence, audit, read_evidence
from casino.cli.verify.audit import decide_again
from casino.errors import CasinoError
from casino.events.types import decode_or_none
from casino.ledger.entries import Entry
from casino.ledger.side_files import CasinoFiles
from casino.ledger.storage.base import INDEXED_TYPES, look_up
from casino.ledger.storage.location import open_log
from casino.ledger.tlog.merkle import Frontier, leaf_hash
from casino.ledger.tlog.note import SigningKey, sign_checkpoint
from casino.reports.export import export
from tests.audit.mutations import (
    DB,
    FILE_MUTATIONS,
    LEAF_MUTATIONS,
    LINE_MUTATIONS,
    OLD,
    ROW_MUTATIONS,
    Mutator,
)
from tests.ledger.game_simulator import GameSimulator, SimulatedClock, open_ledger

EXPORT: Final = "export.jsonl"
KNOWN: Final = "known"
FOUND, REFUSED = "found", "refused in a sentence"
ELSEWHERE, HARMLESS = "found by a checkpoint from elsewhere", "harmless: nothing is another"


def make_honest_log(folder: Path) -> None:
    """Make an honest log: its live file with a WAL, an older copy, and its export."""
    live = folder / "live"
    live.mkdir()
    bank = open_ledger(live / DB, SimulatedClock())
    night = GameSimulator(bank, bettors=3)
    night.play_game()
    shutil.copytree(live, folder / OLD)
    night.play_game()
    night.play_game("void")
    night.play_game("open")
    shutil.copytree(live, folder / "night")
    (folder / EXPORT).write_text("".join(export(live / DB, "jsonl")))
    shutil.copy(CasinoFiles(live / DB).checkpoint, folder / KNOWN)
    bank.close()


class Forger(Mutator):
    def __init__(self, folder: Path, place: Path, seed: int) -> None:
        super().__init__(folder, seed)
        self.place = place
        self.has_key = self.random.random() < 0.5
        self.deeds: list[str] = []
        key = CasinoFiles(folder / "night" / DB).key.read_text()
        self.key = SigningKey.parse(key)
        if self.has_key and self.random.random() < 0.1:
            self.key = SigningKey.generate(self.key.name)

    def forge(self) -> FileSource | ExportSource:
        self.place.mkdir()
        if self.random.random() < 0.3:
            return self._forge_export()
        shutil.copytree(self.honest / "night", self.place, dirs_exist_ok=True)
        number = self.random.randrange(1, 5)
        if self.random.random() < 0.75:
            self._forge_tables(number)
        if self.random.random() < 0.4 or not self.deeds:
            for _ in range(self.random.randrange(1, 3)):
                self._do(self.pick(FILE_MUTATIONS), self.place)
        return FileSource(self.place / DB)

    def _do(self, deed: Callable[..., None], *given: Any) -> None:
        self.deeds.append(getattr(deed, "__name__", "deed"))
        deed(self, *given)

    def _forge_export(self) -> ExportSource:
        lines = (self.honest / EXPORT).read_bytes().splitlines()
        whole = [orjson.loads(line) for line in lines]
        for _ in range(self.random.randrange(1, 5)):
            if self.random.random() < 0.5:
                self._do(self.pick(LINE_MUTATIONS), whole)
                continue
            sound = [line for line in whole if isinstance(line, dict)]
            leaves = [str(line["leaf"]).encode() for line in sound if "leaf" in line]
            self._do(self.pick(LEAF_MUTATIONS), leaves)
            head = [line for line in sound if "casino_log" in line]
            notes = [line for line in sound if "checkpoint" in line]
            whole = [*head, *_numbered(leaves), *notes]
        if self.has_key:
            whole = _signed_export(whole, self.key)
        file = self.place / EXPORT
        text = b"\n".join(orjson.dumps(line) for line in whole) + b"\n"
        file.write_bytes(self.flipped(text) if self.random.random() < 0.2 else text)
        return ExportSource(file)

    def _forge_tables(self, number: int) -> None:
        """Change rows without triggers; with the key, recompute derived data or sign."""
        connection = sqlite3.connect(self.place / DB, isolation_level=None)
        # A mutation may have to read what an earlier one has damaged.
        connection.text_factory = lambda text: text.decode("utf-8", "replace")
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        sql = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        triggers = connection.execute(sql).fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for _ in range(number):
            if self.random.random() < 0.6:
                sql = "SELECT CAST(body AS BLOB) FROM leaf ORDER BY n"
                leaves = [body or b"" for (body,) in connection.execute(sql).fetchall()]
                self._do(self.pick(LEAF_MUTATIONS), leaves)
                connection.execute("DELETE FROM leaf")
                sql = "INSERT INTO leaf VALUES (?, CAST(? AS TEXT), ?, ?)"
                rows = [(n, body, *look_up(body)[:2]) for n, body in enumerate(leaves)]
                connection.executemany(sql, rows)
            else:
                self._do(self.pick(ROW_MUTATIONS), connection)
        if self.has_key:
            _recompute_derived(connection, self.key)
        for _, body in triggers:
            if self.random.random() < 0.995:
                connection.execute(body)
        if self.random.random() < 0.5:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()


def _numbered(leaves: list[bytes]) -> list[dict[str, Any]]:
    return [{"n": n, "leaf": body.decode("utf-8", "replace")} for n, body in enumerate(leaves)]


def _signed_export(lines: list[Any], key: SigningKey) -> list[Any]:
    """Return the lines with every checkpoint signed again, and one over all leaves."""
    tree, made = Frontier(), []
    for line in lines:
        if isinstance(line, dict) and isinstance(line.get("leaf"), str):
            tree.extend([leaf_hash(line["leaf"].encode("utf-8", "replace"))])
        if isinstance(line, dict) and "checkpoint" in line:
            line = {"checkpoint": sign_checkpoint(key, tree.size, tree.root())}
        made.append(line)
    return [*made, {"checkpoint": sign_checkpoint(key, tree.size, tree.root())}]


def _recompute_derived(connection: sqlite3.Connection, key: SigningKey) -> None:
    """Recompute tree, signatures and balances from the leaves, as an insider could."""
    rows = connection.execute("SELECT CAST(body AS BLOB) FROM leaf ORDER BY n").fetchall()
    is_open = dict(connection.execute("SELECT name, last IS NULL FROM subject ORDER BY first"))
    spans: dict[str | None, tuple[int, int]] = {}
    for n, (body,) in enumerate(rows):
        game = look_up(body)[2]
        spans[game] = spans.get(game, (n, n))[0], n
    for table in ("node", "checkpoint", "newest", "account", "subject"):
        connection.execute(f"DELETE FROM {table}")
    tree, balances = Frontier(), Counter[str]()
    for (body,) in rows:
        for node in tree.extend([leaf_hash(body)]):
            connection.execute("INSERT INTO node VALUES (?, ?, ?)", node)
        leaf = decode_or_none(body)
        if isinstance(leaf, Entry):
            balances.update(dict(leaf.postings))
    kept = [(name, cents) for name, cents in balances.items() if cents]
    try:
        connection.executemany("INSERT INTO account VALUES (?, ?)", kept)
        for game, (first, last) in spans.items():
            values = (game, first, None if is_open.get(game or "") else last)
            connection.execute("INSERT OR IGNORE INTO subject VALUES (?, ?, ?)", values)
    except (sqlite3.Error, OverflowError):
        return
    if tree.size:
        note = sign_checkpoint(key, tree.size, tree.root())
        connection.execute("INSERT INTO newest VALUES (1, ?, ?)", (tree.size, note))
        connection.execute("INSERT INTO checkpoint VALUES (?, ?)", (tree.size, note))


def judge(folder: Path, scratch: Path, seed: int) -> str:
    """Forge and audit; return how the forgery was found, or prove it harmless."""
    place = scratch / f"{seed}"
    forger = Forger(folder, place, seed)
    try:
        return _judged(forger)
    except Exception as error:
        text = f"forgery {seed} ({', '.join(forger.deeds)}; key {forger.has_key}): {error}"
        raise AssertionError(text) from error
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _judged(forger: Forger) -> str:
    try:
        source = forger.forge()
        report = audit(source, workers=1, decide=decide_again)
        if not report.is_clean:
            return FOUND
        known = TrustedEvidence((read_evidence(forger.honest / KNOWN),))
        if not audit(source, workers=1, elsewhere=known).is_clean:
            return ELSEWHERE
    except CasinoError:
        return REFUSED
    honest, made = _told(forger.honest / "night" / DB), None
    leaves = [body for _, body in source.rows()]
    assert leaves[: len(honest[0])] == honest[0], "other leaves are called clean"
    assert forger.has_key or len(leaves) == len(honest[0]), "leaves are clean that nobody signed"
    if isinstance(source, FileSource) and len(leaves) == len(honest[0]):
        made = _told(forger.place / DB)
        assert made == honest, "balances, answers or secrets are others, and are called clean"
    return HARMLESS


def _told(path: Path) -> tuple[Any, ...]:
    with closing(open_log(path)) as log:
        leaves = [leaf.body for leaf in log.leaves()]
        hidden = log.secrets()
        # Secrets are encrypted with a tag: a restart refuses changed ones.
        sizes = {
            game: {name: len(box) for name, box in kept.items()} for game, kept in hidden.items()
        }
        games = {leaf.subject for leaf in log.leaves() if leaf.subject is not None}
        found = [list(log.of_subject(game)) for game in sorted(games)]
        found += [list(log.of_owner(owner)) for owner in log.owners()]
        found.append(list(log.of_kinds(sorted(INDEXED_TYPES))))
        return leaves, log.balances(), list(log.answers()), sizes, found


def forge(count: int, seed: int = 1, workers: int | None = 1) -> Counter[str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_honest_log(folder)
        scratch = folder / "forged"
        scratch.mkdir()
        seeds = range(seed, seed + count)
        work = partial(judge, folder, scratch)
        if workers == 1:
            return Counter(map(work, seeds))
        with get_context("spawn").Pool(workers) as pool:
            return Counter(pool.imap_unordered(work, seeds, 20))


@click.command()
@click.option("--count", default=10_000, show_default=True, help="How many forgeries are made.")
@click.option("--seed", default=1, show_default=True, help="The first one.")
def main(count: int, seed: int) -> None:
    began = time.monotonic()
    for how, number in forge(count, seed, None).most_common():
        click.echo(f"{how}: {number}")
    click.echo(f"{count} forgeries in {time.monotonic() - began:.0f} s: none was believed")


if __name__ == "__main__":
    main()
