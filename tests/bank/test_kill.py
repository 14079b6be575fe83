"""A casino killed with -9 under load, again and again: its clients lose nothing (L5, L10)."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from pathlib import Path
from random import Random

from casino.audit import FileSource, audit
from casino.bank import database
from tests.bank.load import CLIENTS, serve

KILLS = 200
SEED = 11
START_MS = 1_700_000_000_000


def test_l10_a_kill_at_any_moment_loses_no_answer_and_doubles_no_command(tmp_path: Path) -> None:
    """Every answer given before a kill is in the file, every command sent again done once."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.bank.load"])
    random, path = Random(SEED), tmp_path / "casino.db"
    answered = [0] * CLIENTS
    for life in range(KILLS):
        ours, theirs = context.Pipe(duplex=False)
        arguments = (path, START_MS + life * 1000, answered, theirs)
        process = context.Process(target=serve, args=arguments)
        process.start()
        theirs.close()
        take(ours, answered, random.randrange(1, 60))
        time.sleep(random.randrange(8) / 1000)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        take(ours, answered, None)
        process.close()
    assert min(answered) > KILLS // 10, "the clients were hardly served: this tests nothing"
    check(path, answered)


def take(pipe, answered: list[int], enough: int | None) -> None:  # type: ignore[no-untyped-def]
    """Read answers, `enough` of them or all that are left."""
    try:
        while enough is None or enough > 0:
            number, turn, balance = pipe.recv()
            assert turn == answered[number]
            assert balance == 10**9 - (turn + 1) * (turn + 2) // 2
            answered[number] += 1
            enough = None if enough is None else enough - 1
    except EOFError:
        return


def check(path: Path, answered: list[int]) -> None:
    """Wallets fit the commands done, of which at most the last of each client got no answer."""
    reader = database.read_only(path)
    for number, count in enumerate(answered):
        sql = "SELECT count(*) FROM command WHERE id GLOB ? || '.[0-9]*'"
        (done,) = reader.execute(sql, (f"p{number}",)).fetchone()
        assert done in (count, count + 1)
        sql = "SELECT balance FROM account WHERE name = ?"
        (balance,) = reader.execute(sql, (f"wallet/p{number}",)).fetchone()
        assert balance == 10**9 - done * (done + 1) // 2
    reader.close()
    report = audit(FileSource(path), workers=1)
    assert [str(f) for f in report.findings if f.check not in ("escrow", "games")] == []
