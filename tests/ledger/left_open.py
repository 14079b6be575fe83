"""Connections to SQLite that somebody opened and nobody closed.

Python warns of them from 3.13 on, and only when it happens to collect them.
"""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def nothing_left_open() -> Iterator[None]:
    before = open_connections()
    yield
    assert [one for one in open_connections() if one not in before] == []


def open_connections() -> list[sqlite3.Connection]:
    return [one for one in gc.get_objects() if type(one) is sqlite3.Connection and _is_open(one)]


def _is_open(connection: sqlite3.Connection) -> bool:
    try:
        return connection.total_changes >= 0
    except sqlite3.ProgrammingError:
        return False
