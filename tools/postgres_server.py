"""A PostgreSQL server for tests and benchmarks, on a socket in a temporary folder.

It can be killed as by a crash of the machine, and started again.
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

    from casino.ledger.storage.postgres import PostgresLocation

FOUND = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
INITDB = str(FOUND[-1]) if FOUND else shutil.which("initdb")

WAIT = ("-w", "-t", "500")  # on a slow machine a start takes longer than pg_ctl's default, a minute

OWNER, HOUSE, STRANGER = "owner", "house", "stranger"


class PostgresServer:
    """A server with databases for casinos.

    With a `primary` it is a replica, which follows the primary until it is promoted.
    """

    def __init__(self, primary: PostgresServer | None = None) -> None:
        assert INITDB is not None
        self._programs = Path(INITDB).parent
        self.folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
        self._data = self.folder / "data"
        # initdb and the server refuse to run as root.
        self._user: dict[str, Any] = {}
        if os.geteuid() == 0:
            known = {user.pw_name: user for user in pwd.getpwall()}
            user = known.get("postgres") or known["nobody"]
            self._user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
            os.chown(self.folder, user.pw_uid, user.pw_gid)
        self._names = itertools.count(1)
        if primary is not None:
            options = ("-D", self._data, "-h", primary.folder, "-U", OWNER)
            self._run("pg_basebackup", *options, "-R", "-c", "fast", "--no-sync")
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
        # A file, because the server that pg_ctl starts would keep a pipe open.
        with (self.folder / "output").open("w+") as file:
            done = subprocess.run(
                command, stdout=file, stderr=file, stdin=subprocess.DEVNULL, cwd="/", **self._user
            )
            file.seek(0)
            assert done.returncode == 0, file.read()

    def start(self) -> None:
        """Start the server."""
        options = f"-c listen_addresses='' -c unix_socket_directories={self.folder}"
        arguments = ("-D", self._data, "-l", self.folder / "log", "-o", options, *WAIT)
        self._run("pg_ctl", "start", *arguments)

    def promote(self) -> None:
        """Make a replica the primary."""
        self._run("pg_ctl", "promote", "-D", self._data, *WAIT)

    def stop(self, mode: str = "fast") -> None:
        """Stop the server."""
        self._run("pg_ctl", "stop", "-D", self._data, "-m", mode, *WAIT)

    def kill(self) -> None:
        """Kill all its processes, and remove the files that a boot of the machine removes."""
        pid = int((self._data / "postmaster.pid").read_text().split("\n", 1)[0])
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        pids = (pid, *map(int, children))
        for each in pids:
            os.kill(each, signal.SIGKILL)
        # As after a boot, no process may have one of the ids: wait until they are gone.
        for each in pids:
            while _is_alive(each):
                os.sched_yield()
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
        from casino.ledger.storage.postgres import prepare

        name = f"casino{next(self._names)}"
        with self.connect("postgres") as connection:
            connection.execute(f"CREATE DATABASE {name} STRATEGY = FILE_COPY")
        prepare(self.url(name), HOUSE)
        return name

    def place(self, path: Path) -> PostgresLocation:
        """Return the location of a log in a new database, with its files next to a path."""
        from casino.ledger.storage.postgres import PostgresLocation

        return PostgresLocation(self.url(self.database(), HOUSE), path)


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
