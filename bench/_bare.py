"""The same crowd at a bare broadcaster: `python -m bench._bare PACKAGE TRACE`.

It is the package with nothing around it. It prints its port, and once a line on standard input says
when to begin, it sends what the file TRACE lists: messages of the same sizes at the same moments as
another broadcaster, to everybody.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

HOST = "127.0.0.1"
MAX_BYTES = 16 * 1024


class Open(NamedTuple):
    """A broadcaster that is open."""

    port: int
    tell_all: Callable[[str], None]


@asynccontextmanager
async def websockets() -> AsyncIterator[Open]:
    """The package `websockets`, with what it has for telling many the same."""
    package: Any = import_module("websockets.asyncio.server")
    people: set[Any] = set()

    async def welcome(person: Any) -> None:
        people.add(person)
        await person.wait_closed()

    options = {"compression": None, "ping_interval": None, "max_size": MAX_BYTES}
    async with package.serve(welcome, HOST, 0, **options) as server:
        port = server.sockets[0].getsockname()[1]
        yield Open(port, lambda text: package.broadcast(people, text))


@asynccontextmanager
async def picows() -> AsyncIterator[Open]:
    """The package `picows`, which is written in Cython and sends to one after the other."""
    package: Any = import_module("picows")
    people: list[Any] = []

    class Listener(package.WSListener):  # type: ignore[misc]
        """Notes who has come."""

        def on_ws_connected(self, transport: Any) -> None:
            """Note it."""
            people.append(transport)

    def tell_all(text: str) -> None:
        said, kind = text.encode(), package.WSMsgType.TEXT
        for person in people:
            person.send(kind, said)

    server = await package.ws_create_server(
        lambda _: Listener(), HOST, 0, max_frame_size=MAX_BYTES, backlog=1024
    )
    async with server:
        yield Open(server.sockets[0].getsockname()[1], tell_all)


PACKAGES = {"websockets": websockets, "picows": picows}


def message(number: int, size: int) -> str:
    """A message of so many bytes."""
    text = json.dumps({"table": "bare", "version": number, "more": ""})
    return text[:-2] + "x" * (size - len(text)) + text[-2:]


async def main(package: str, trace: str) -> None:
    """Serve."""
    async with PACKAGES[package]() as (port, tell_all):
        print(port, flush=True)
        loop = asyncio.get_running_loop()
        start = int(await loop.run_in_executor(None, sys.stdin.readline))
        gc.freeze()
        for number, (after, size, _) in enumerate(json.loads(Path(trace).read_text())):
            await asyncio.sleep((start + after - time.monotonic_ns()) / 1e9)
            tell_all(message(number, size))
        print("sent", flush=True)
        await loop.run_in_executor(None, sys.stdin.readline)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
