"""A PostgreSQL server for tests and benchmarks, on a socket in a folder of its own.

It can be killed as a machine that dies kills it, and started again.
"""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

    from casino.ledger.storage.postgres_location import PostgresLocation

FOUND = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
INITDB = str(FOUND[-1]) if FOUND else shutil.which("initdb")

PATIENTLY = ("-w", "-t", "500")
"""Wait until it is done: on a slow machine longer than the minute that pg_ctl has of itself."""

OWNER, HOUSE, STRANGER = "owner", "house", "stranger"


class PostgresServer:
    """The server; databases in it are made ready for casinos.

    Given another one it is that one's replica, and follows it until it is promoted.
    """

    def __init__(self, primary: PostgresServer | None = None) -> None:
        assert INITDB is not None
        self._programs = Path(INITDB).parent
        self.folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
        self._data = self.folder / "data"
        # initdb and the server refuse to run as root.
        self._user: dict[str, Any] = {}
        if os.geteuid() == 0:
            known = {one.pw_name: one for one in pwd.getpwall()}
            user = known.get("postgres") or known["nobody"]
            self._user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
            os.chown(self.folder, user.pw_uid, user.pw_gid)
        self._names = itertools.count(1)
        if primary is not None:
            told = ("-D", self._data, "-h", primary.folder, "-U", OWNER)
            self._run("pg_basebackup", *told, "-R", "-c", "fast", "--no-sync")
            self.start()
            return
        self._run("initdb", "-D", self._data, "-U", OWNER, "-A", "trust", "--no-sync", "-E", "UTF8")
        self.start()
        with self.connect("postgres") as connection:
            for role in (HOUSE, STRANGER):
                connection.execute(f"CREATE ROLE {role} LOGIN")

    def __enter__(self) -> PostgresServer:
        return self

    def __exit__(self, *_: object) -> None:
        if (self._data / "postmaster.pid").exists():
            self.stop("immediate")
        shutil.rmtree(self.folder)

    def _run(self, program: str, *arguments: object) -> None:
        command = [str(self._programs / program), *map(str, arguments)]
        # pg_ctl's server would keep a pipe open.
        with (self.folder / "said").open("w+") as said:
            done = subprocess.run(
                command, stdout=said, stderr=said, stdin=subprocess.DEVNULL, cwd="/", **self._user
            )
            said.seek(0)
            assert done.returncode == 0, said.read()

    def start(self) -> None:
        """Start the server."""
        options = f"-c listen_addresses='' -c unix_socket_directories={self.folder}"
        arguments = ("-D", self._data, "-l", self.folder / "log", "-o", options, *PATIENTLY)
        self._run("pg_ctl", "start", *arguments)

    def promote(self) -> None:
        """Make a replica the primary."""
        self._run("pg_ctl", "promote", "-D", self._data, *PATIENTLY)

    def stop(self, mode: str = "fast") -> None:
        """Stop the server."""
        self._run("pg_ctl", "stop", "-D", self._data, "-m", mode, *PATIENTLY)

    def kill(self) -> None:
        """Kill all its processes, and remove what a start of the machine removes."""
        pid = int((self._data / "postmaster.pid").read_text().split("\n", 1)[0])
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for one in (pid, *map(int, children)):
            os.kill(one, signal.SIGKILL)
        for one in (pid, *map(int, children)):
            while _lives(one):
                os.sched_yield()
        # As after a start of the machine: no process of that number is there, not even a zombie.
        for file in (self._data / "postmaster.pid", *self.folder.glob(".s.PGSQL.*")):
            file.unlink()

    def url(self, database: str, role: str = OWNER) -> str:
        """Return the address of a database."""
        return f"postgresql://{role}@/{database}?host={self.folder}"

    def connect(self, database: str, role: str = OWNER) -> psycopg.Connection[Any]:
        """Connect to a database."""
        import psycopg

        return psycopg.connect(self.url(database, role), autocommit=True)

    def database(self) -> str:
        """Create a database that is ready for a casino; return its name."""
        from casino.ledger.storage.postgres_location import prepare

        name = f"casino{next(self._names)}"
        with self.connect("postgres") as connection:
            connection.execute(f"CREATE DATABASE {name} STRATEGY = FILE_COPY")
        prepare(self.url(name), HOUSE)
        return name

    def place(self, path: Path) -> PostgresLocation:
        """Return the location of a log in a new database, with its files next to a path."""
        from casino.ledger.storage.postgres_location import database_at

        return database_at(self.url(self.database(), HOUSE), path)


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
