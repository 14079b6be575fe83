"""`casino run`, with a note of when each message was due: `python -m bench._stamped STAMPS …`.

A message is due when what it tells is durable; one about bets, which are gathered on purpose,
when their time is up. The notes are made around the casino's own functions, which stay as they
are; the clock is the same in all processes.
"""

import sys
import time
from collections import deque
from pathlib import Path
from typing import Any

from casino import cli
from casino.table.public.feed import TableFeed
from casino.table.public.state import Message
from casino.table.runtime.service import CommittedEvent, TableService
from casino.web.broadcast.publisher import EventPublisher

GATHERED = ("bet_accepted", "book", "cut", "checkpoint", "notice")


class Stamps:
    """When what was due."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="ascii", buffering=1)
        self._durable_at = 0
        self._noted: deque[int] = deque()
        self._due_at = 0

    def install(self) -> None:
        """Put the notes around the casino's functions."""
        committed, happened = TableService.on_committed, EventPublisher.on_event
        tell, numbered = EventPublisher._tell, TableFeed._numbered

        def noted_commit(service: TableService) -> None:
            self._durable_at = time.monotonic_ns()
            committed(service)

        def noted_happening(crier: EventPublisher, happening: CommittedEvent) -> None:
            self._noted.append(self._durable_at)
            happened(crier, happening)

        def noted_telling(crier: EventPublisher, noted: Any, at_once: bool) -> None:
            self._due_at = time.monotonic_ns() if isinstance(noted, str) else self._noted.popleft()
            tell(crier, noted, at_once)

        def noted_number(board: TableFeed, message: Message, turn: int, at_ms: int) -> Message:
            told = numbered(board, message, turn, at_ms)
            now = time.monotonic_ns()
            at = now if told["type"] in GATHERED else self._due_at
            self._file.write(f"{told['table']} {told['version']} {at}\n")
            return told

        for owner, name, function in (
            (TableService, "on_committed", noted_commit),
            (EventPublisher, "on_event", noted_happening),
            (EventPublisher, "_tell", noted_telling),
            (TableFeed, "_numbered", noted_number),
        ):
            setattr(owner, name, function)


if __name__ == "__main__":
    Stamps(Path(sys.argv[1])).install()
    sys.argv = ["casino", "run", *sys.argv[2:]]
    cli.main()
