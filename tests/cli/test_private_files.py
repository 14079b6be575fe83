"""A running casino leaks no secret, and only its owner can read its files."""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from casino.cli import main
from casino.errors import Refused
from casino.fairness import SeedChain
from casino.ledger.side_files import CasinoFiles
from casino.ledger.storage.location import open_log
from casino.reports.export import FORMATS, export
from casino.table.runtime.seed_chains import load_master
from casino.web.accounts.store import COOKIE_KEY
from tests.cli.test_run import run_headless
from tests.web.processes import until
from tests.web.server import FAST, Visitor, open_server

CHAIN: Final = 10_000
SETTINGS = """
[table]
challenger = "nobody"
betting_ms = 700
reveal_ms = 700
pace_ms = 0
deal_ms = 0
game_ms = 500
turn_ms = 600000
[spectators]
number = 3
[web]
openings_a_day = 1000
"""
PAGES = (
    "/", "/api/tables", "/api/tables/t1", "/api/me", "/api/games", "/api/games/t1-000001",
    "/api/checkpoint", "/api/stats", "/api/health", "/table/t1", "/log/checkpoint",
    "/api/games/t1-000001/steps", "/api/openapi.json", "/trust", "/api/bets", "/nothing",
)  # fmt: skip


@contextmanager
def running(folder: Path) -> Iterator[tuple[str, Path, Path]]:
    """Run a casino as a process of its own; yield its address, its log and what it prints."""
    database, settings, printed = (folder / name for name in ("casino.db", "house.toml", "printed"))
    settings.write_text(SETTINGS)
    command = [sys.executable, "-m", "casino", "run", "--tables", "1", "--port", "0"]
    command += ["--db", str(database), "--config", str(settings)]
    with printed.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
    try:
        until(lambda: b"http://" in printed.read_bytes())
        found = re.search(r"http://[0-9.]+:[0-9]+", printed.read_text())
        assert found
        yield found[0], database, printed
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def exchange(ann: Visitor) -> str:
    """Play as Ann until she has exchanged two cards or more; return that action."""
    while True:
        you = ann.until(lambda: ann.yous[-1] if ann.yous and ann.yous[-1]["legal"] else None)
        legal = you["legal"]
        said = max(
            (one for one in legal if one.startswith("X") and len(one) > 3), key=len, default=""
        )
        token = said or next(one for one in (*"PA", *legal) if one in legal)
        ann.yous.clear()
        try:
            ann.request("act", table="t1", version=you["version"], action=token)
        except Refused:
            continue  # It was no longer her turn: the next message has the legal actions.
        if said:
            return said


def read_pages(url: str, visitor: Visitor) -> bytes:
    """Return all responses of pages and API to a visitor, including refusals."""
    told = []
    for page in PAGES:
        try:
            told.append(visitor.read(page))
        except Exception as error:  # noqa: BLE001 - a refusal is an answer as well
            told.append(str(error).encode())
    return b"".join(told)


def test_no_secret_leaves_a_running_casino(tmp_path: Path) -> None:
    """No seed of this or a later game, no key, no exchanged card, in any encoding."""
    with running(tmp_path) as (url, database, printed_file):
        ann, ben = Visitor(url, "ann"), Visitor(url, "ben")
        ann.request("join", table="t1")
        ben.request("join", table="t1")
        ann.request("take_seat", table="t1")
        said = exchange(ann)
        heard = json.dumps([ben.frames, ben.join("t1"), ben.request("join", table="t1")]).encode()
        own = json.dumps(ann.frames).encode()
        answers = read_pages(url, ben) + read_pages(url, ann)
        printed = printed_file.read_bytes()
        exported = "".join("".join(export(database, form)) for form in FORMATS).encode()
        public = [CasinoFiles(database).pub, CasinoFiles(database).checkpoint]
        files = b"".join(file.read_bytes() for file in public)
        told = b"\n".join([heard, answers, printed, exported, files])
        assert b"game_opened" in exported and b"book_locked" in heard and b"t1" in answers
        master = load_master(database)
        chain = SeedChain(master, "t1", 1, CHAIN)
        key = CasinoFiles(database).load_key().secret.private_bytes_raw()
        log = open_log(database)
        people = log.people().items()
        log.close()
        (cookies,) = [bytes.fromhex(value) for (kind, _), value in people if kind == COOKIE_KEY]
        # Earlier games, in which she may have had nothing to exchange, are over and public.
        running_now = int(ann.join("t1")["snapshot"]["game"].removeprefix("t1-"))
        places = (running_now, running_now + 1, running_now + 2, CHAIN)
        secrets = [chain.seed(number) for number in places] + [master, key, cookies]
        for secret in secrets:
            for written in (secret, secret.hex().encode(), base64.b64encode(secret).rstrip(b"=")):
                assert written not in told + own
        cards = re.findall("..", said[1:])
        for exchanged in (said, f"|{said}", said[1:], json.dumps(cards)):
            assert exchanged.encode() not in told
        ann.close()
        ben.close()
        CasinoFiles(database).journals[0].unlink()
        until(lambda: b"was moved, replaced or deleted" in printed_file.read_bytes())
    assert b"Traceback" not in printed_file.read_bytes()
    assert b"could not be written at the end" in printed_file.read_bytes().splitlines()[-1]


def modes(folder: Path) -> dict[str, int]:
    return {
        str(file.relative_to(folder)): stat.S_IMODE(file.stat().st_mode)
        for file in folder.rglob("*")
        if file.is_file()
    }


@pytest.fixture
def open_umask() -> Iterator[None]:
    """A process whose files are open to everyone unless it restricts them."""
    before = os.umask(0)
    yield
    os.umask(before)


def test_l22_every_file_is_readable_by_its_owner_only(
    tmp_path: Path, open_umask: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A headless run, a live casino, backups, a restore, a follower's state, cookies: mode 600."""
    made = tmp_path / "made"
    made.mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(made / "config"))
    settings = tmp_path / "settings"
    settings.mkdir()
    _, database = run_headless(settings, "--games", "1")
    monkeypatch.chdir(tmp_path)
    (settings / "house.toml").unlink()
    with open_server(made / "live.db", {"fast": {**FAST, "number": 2}}) as server:
        visitor = server.visitor("ann")
        visitor.post("/api/password", {"new_password": "correct horse battery"})
        visitor.join("fast")
        visitor.until(lambda: any(e["type"] == "game_over" for e in visitor.events))
        state = ["--once", "--state", str(made / "state")]
        assert main(["follow", server.url, *state]) == 0
        visitor.close()
        seen = modes(made)
        assert {f"live.db{end}" for end in ("", "-wal", "-shm", ".key")} <= set(seen)
        assert set(seen.values()) == {0o600}, seen
    for arguments in (
        ["backup", "--db", str(database), str(made / "copy.db")],
        ["backup", "--db", str(database), "--with-keys", str(made / "keys.db")],
        ["restore", str(made / "keys.db"), "--db", str(made / "again.db")],
        ["rotate-key", "--db", str(made / "again.db")],
    ):
        assert main(arguments) == 0, arguments
    found = modes(made) | {f"night/{name}": mode for name, mode in modes(settings).items()}
    ends = (".db", ".db.key", ".db.master", ".db.pub", ".db.checkpoint")
    assert all(any(name.endswith(end) for name in found) for end in ends), found
    assert {"state/state.json", "state/checkpoint", "keys.db.key", "again.db"} <= set(found)
    assert {name: oct(mode) for name, mode in found.items() if mode != 0o600} == {}
