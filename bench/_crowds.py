"""Crowds of spectators, in as many processes as their descriptors need, and what all heard.

The clock is the same in all processes of a machine, so that what several crowds noted is joined: a
message has reached everybody when all of them together heard it as often as there are people.
"""

import json
import pickle
from array import array
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import click

from bench._process import Process

EVENT = b'42["event",'
MESSAGE = b"42["
"""How every message of ours begins; one that is no event is due at no time of its own."""
MAX_EACH = 12_500
"""People whom one process holds, in a crowd or as a bare broadcaster."""

Due = Mapping[tuple[str, int], int]
Heard = dict[bytes, "array[int]"]


class Crowds:
    """The processes of all spectators, and where each notes what it heard."""

    def __init__(self, people: int, notes: dict[Process, Path]) -> None:
        self._people = people
        self._notes = notes

    def go_on(self) -> None:
        """Have all begin to count, or stop."""
        for process in self._notes:
            process.say()

    def found(self, due: Due) -> dict[str, Any]:
        """What all have counted, once they have stopped."""
        lost = sum(int(process.hear()) for process in self._notes)
        heard = joined(pickle.loads(path.read_bytes()) for path in self._notes.values())
        messages = reached(heard, due, self._people)
        if not any(one.due for one in messages):
            raise click.ClickException(f"no message reached all; {lost} people were lost")
        return {"lost": lost, **counted(messages)}


def processes_for(people: int) -> int:
    """How many processes hold so many people."""
    return -(-people // MAX_EACH)


def shares(people: int, parts: int) -> list[int]:
    """So many people in so many parts."""
    return [people // parts + (part < people % parts) for part in range(parts)]


@contextmanager
def crowds(
    host: str, ports: list[int], people: int, folder: Path, *tables: str
) -> Iterator[Crowds]:
    """Spectators at the ports, all there."""
    notes: dict[Process, Path] = {}
    with ExitStack() as stack:
        for number, part in enumerate(shares(people, processes_for(people))):
            path = folder / f"heard.{number}"
            where = ",".join(map(str, ports))
            process = Process("bench._crowd", host, where, part, path, *tables)
            stack.callback(process.end)
            notes[process] = path
        for process in notes:
            process.hear()
        yield Crowds(people, notes)


def joined(parts: Iterator[Heard]) -> Heard:
    """When everybody heard what, of what several crowds heard."""
    heard: Heard = {}
    for part in parts:
        for payload, times in part.items():
            heard.setdefault(payload, array("q")).extend(times)
    return heard


def due_times(stamps: Path) -> Due:
    """When each message of a table was due."""
    found = {}
    for line in stamps.read_text().splitlines():
        table, version, at = line.split()
        found[table, int(version)] = int(at)
    return found


class Reached(NamedTuple):
    """A message that reached everybody: its size, when it was due, or 0, and when it came."""

    size: int
    due: int
    times: "array[int]"


def reached(heard: Heard, due: Due, people: int) -> list[Reached]:
    """The messages that reached everybody."""
    found = []
    for payload, times in heard.items():
        if len(times) != people:
            continue
        at = 0
        if payload.startswith(EVENT) or not payload.startswith(MESSAGE):
            said = json.loads(payload[len(EVENT) : -1] if payload.startswith(EVENT) else payload)
            at = due.get((said["table"], said["version"]), 0)
        found.append(Reached(len(payload), at, times))
    return found


def trace(messages: list[Reached]) -> list[tuple[int, int, bool]]:
    """When each was to be sent, after the first; its size; whether it counts.

    What is no event is due at no time of its own: it was to be sent when the first had it.
    """
    found = sorted((one.due or min(one.times), one.size, one.due > 0) for one in messages)
    return [(at - found[0][0], size, is_counted) for at, size, is_counted in found]


def counted(messages: list[Reached]) -> dict[str, Any]:
    """What the messages came to that were due at a time of their own."""
    events = [one for one in messages if one.due]
    delays = sorted(time - one.due for one in events for time in one.times)
    return {
        "sent": len(messages),
        "messages": len(events),
        "mean_bytes": sum(one.size for one in events) / len(events),
        "last_ms": median(max(one.times) - one.due for one in events) / 1e6,
        "median_ms": delays[len(delays) // 2] / 1e6,
        "p99_ms": delays[len(delays) * 99 // 100] / 1e6,
        "worst_ms": delays[-1] / 1e6,
        "trace": trace(messages),
    }
