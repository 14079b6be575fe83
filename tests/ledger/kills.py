"""A casino's bank killed with -9 again and again: `python -m tests.ledger.kills --kills 1000`.

Every life is a process of its own under load. It dies at a random moment, or at one of the files
it opens, renames or removes: between COMMIT and each file that is written after it, while it
starts for the first time, while it hands its log on to another key. The next life must begin as
if nothing had been: no answer that was given is lost, no command is done twice, no leaf is
without a signature, and the signature beside the file covers all that was answered.
"""

from __future__ import annotations

import multiprocessing
import signal
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

import click

from casino.audit import FileSource, audit
from casino.errors import FileError
from casino.ledger.side_files import CasinoFiles, read_note
from casino.ledger.storage import sqlite
from casino.ledger.storage.location import open_log
from casino.ledger.tlog.note import open_checkpoint
from tests.ledger.load import CLIENTS, ROTATING, SERVING, live

START_MS = 1_700_000_000_000
LIVES_OF_A_FILE = 25
"""After so many lives another casino begins, so that first starts are killed as well."""


@dataclass
class Casino:
    path: Path
    random: Random
    answered: list[int] = field(default_factory=lambda: [0] * CLIENTS)
    leaf: int = -1
    lives: int = 0

    def live_and_die(self) -> str:
        self.lives += 1
        by_file = self.random.random() < 0.6
        does = ROTATING if self.random.random() < 0.15 else SERVING
        # A life opens a dozen files before it serves anybody, and a few at each commit.
        dies_at = self.random.randrange(1, 60) if by_file else 0
        ours, theirs = CONTEXT.Pipe(duplex=False)
        arguments = (self.path, START_MS + self.lives * 1000, self.answered, theirs, does, dies_at)
        process = CONTEXT.Process(target=live, args=arguments)
        process.start()
        theirs.close()
        if not by_file:
            # The first word of a life that hands its log on is that it now begins to.
            self._take(ours, 1 if does == ROTATING else self.random.randrange(1, 60))
            time.sleep(self.random.randrange(8) / 1000)
            process.kill()
        self._take(ours, None)
        process.join()
        assert process.exitcode in (0, -signal.SIGKILL), "a life ended by itself: it was refused"
        lived = process.exitcode == 0
        process.close()
        self._look()
        return f"{does}, {'to its end' if lived else 'at a file' if by_file else 'at a moment'}"

    def _take(self, pipe: Connection, enough: int | None) -> None:
        try:
            while enough is None or enough > 0:
                said = pipe.recv()
                enough = None if enough is None else enough - 1
                if said == ROTATING:
                    continue
                number, turn, balance, leaf = said
                assert turn == self.answered[number]
                assert balance == 10**9 - (turn + 1) * (turn + 2) // 2
                self.answered[number] += 1
                self.leaf = max(self.leaf, leaf)
        except EOFError:
            return

    def _look(self) -> None:
        """Every leaf is signed, and what was answered is so by the checkpoint beside the file."""
        signed = read_note(CasinoFiles(self.path).checkpoint)
        covered = 0 if signed is None else open_checkpoint(signed, None).size
        assert covered > self.leaf, "an answer was given before its leaf was signed beside the file"
        try:
            log = open_log(self.path)
        except FileError:
            assert covered == 0, "leaves that were signed are gone"
            return
        newest = log.signed_head()
        assert log.size() == (0 if newest is None else newest.size)
        assert covered <= log.size()
        log.close()

    def check(self) -> None:
        """One more start; then wallets fit the commands done, and the audit finds nothing."""
        _, theirs = CONTEXT.Pipe(duplex=False)
        arguments = (self.path, START_MS + self.lives * 2000, self.answered, theirs, ROTATING, 0)
        process = CONTEXT.Process(target=live, args=arguments)
        process.start()
        process.join()
        assert process.exitcode == 0
        reader = sqlite.open_reader(self.path)
        for number, count in enumerate(self.answered):
            sql = "SELECT count(*) FROM command WHERE id GLOB ? || '.[0-9]*'"
            (done,) = reader.execute(sql, (f"p{number}",)).fetchone()
            assert done in (count, count + 1), f"p{number}: {count} answered, {done} done"
            sql = "SELECT coalesce(max(balance), 0) FROM account WHERE name = ?"
            (balance,) = reader.execute(sql, (f"wallet/p{number}",)).fetchone()
            assert balance in (0 if done == 0 else -1, 10**9 - done * (done + 1) // 2)
        reader.close()
        report = audit(FileSource(self.path), workers=1)
        assert [str(f) for f in report.findings if f.check not in ("escrow", "games")] == []


CONTEXT = multiprocessing.get_context("forkserver")


def kill(folder: Path, kills: int, seed: int) -> Counter[str]:
    """Kill so many lives, of one casino after another; how many died how, and the answers."""
    CONTEXT.set_forkserver_preload(["tests.ledger.load"])
    random, deaths, answers = Random(seed), Counter[str](), 0
    while kills > 0:
        name = folder / f"{kills}"
        name.mkdir()
        casino = Casino(name / "casino.db", random)
        for _ in range(min(kills, LIVES_OF_A_FILE)):
            deaths[casino.live_and_die()] += 1
        casino.check()
        kills -= casino.lives
        answers += sum(casino.answered)
    deaths["answers"] = answers
    return deaths


@click.command()
@click.option("--kills", default=1_000, show_default=True, help="How many lives end so.")
@click.option("--seed", default=1, show_default=True, help="Where they do.")
def main(kills: int, seed: int) -> None:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for how, number in sorted(kill(Path(folder), kills, seed).items()):
            click.echo(f"{how}: {number}")
    click.echo(f"{kills} kills in {time.monotonic() - began:.0f} s: nothing was lost")


if __name__ == "__main__":
    main()
