"""`casino run` that records when each message was due: `python -m bench._stamped_casino FILE …`.

A message is due when its event is durable; one about bets, which are batched on purpose, when its
batch is sent. The recording wraps functions of the casino; all processes have the same clock.
"""

import sys
import time
from collections import deque
from pathlib import Path
from typing import Any

from casino import cli
from casino.table.domain.state import Transition
from casino.table.public.feed import TableFeed
from casino.table.public.state import Message
from casino.table.runtime.service import TableService
from casino.web.broadcast.publisher import EventPublisher

BATCHED = ("bet_accepted", "book", "cut", "checkpoint", "notice")


def record(path: Path) -> None:
    """Wrap the functions through which events become messages."""
    file = path.open("w", encoding="ascii", buffering=1)
    committed, queued = TableService.on_committed, EventPublisher.on_event
    publish, number = EventPublisher._tell_event, TableFeed._numbered
    durable_at = due_at = 0
    durable_times: deque[int] = deque()

    def on_committed(service: TableService) -> None:
        nonlocal durable_at
        durable_at = time.monotonic_ns()
        committed(service)

    def on_event(publisher: EventPublisher, event: Transition) -> None:
        durable_times.append(durable_at)
        queued(publisher, event)

    def on_publish(publisher: EventPublisher, *arguments: Any) -> None:
        nonlocal due_at
        due_at = durable_times.popleft()
        publish(publisher, *arguments)

    def on_number(feed: TableFeed, message: Message, turn: int, at_ms: int) -> Message:
        numbered = number(feed, message, turn, at_ms)
        at = time.monotonic_ns() if numbered["type"] in BATCHED else due_at
        file.write(f"{numbered['table']} {numbered['version']} {at}\n")
        return numbered

    for owner, name, function in (
        (TableService, "on_committed", on_committed),
        (EventPublisher, "on_event", on_event),
        (EventPublisher, "_tell_event", on_publish),
        (TableFeed, "_numbered", on_number),
    ):
        setattr(owner, name, function)


if __name__ == "__main__":
    record(Path(sys.argv[1]))
    sys.argv = ["casino", "run", *sys.argv[2:]]
    cli.main()
