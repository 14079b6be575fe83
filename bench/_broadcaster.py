"""A bare broadcaster of one package: `python -m bench._broadcaster PACKAGE TRACE`.

It prints its port. A line on its standard input says when to start; then it sends what the file
TRACE lists to every client: messages of the same sizes at the same times as another broadcaster.
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
from typing import Any

HOST = "127.0.0.1"
MAX_BYTES = 16 * 1024

Broadcaster = tuple[int, Callable[[str], None]]
"""A port, and a function that sends a text to every client."""


@asynccontextmanager
async def websockets() -> AsyncIterator[Broadcaster]:
    """Open a server of `websockets`, which has a function of its own for broadcasts."""
    package: Any = import_module("websockets.asyncio.server")
    clients: set[Any] = set()

    async def accept(client: Any) -> None:
        clients.add(client)
        await client.wait_closed()

    options = {"compression": None, "ping_interval": None, "max_size": MAX_BYTES}
    async with package.serve(accept, HOST, 0, **options) as server:
        port = server.sockets[0].getsockname()[1]
        yield port, lambda text: package.broadcast(clients, text)


@asynccontextmanager
async def picows() -> AsyncIterator[Broadcaster]:
    """Open a server of `picows`, which is written in Cython and sends to each client in turn."""
    package: Any = import_module("picows")
    clients: list[Any] = []

    class Listener(package.WSListener):  # type: ignore[misc]
        def on_ws_connected(self, transport: Any) -> None:
            clients.append(transport)

    def broadcast(text: str) -> None:
        payload, kind = text.encode(), package.WSMsgType.TEXT
        for client in clients:
            client.send(kind, payload)

    server = await package.ws_create_server(
        lambda _: Listener(), HOST, 0, max_frame_size=MAX_BYTES, backlog=1024
    )
    async with server:
        yield server.sockets[0].getsockname()[1], broadcast


PACKAGES = {"websockets": websockets, "picows": picows}


def message(number: int, size: int) -> str:
    text = json.dumps({"table": "bare", "version": number, "more": ""})
    return text[:-2] + "x" * (size - len(text)) + text[-2:]


async def main(package: str, trace: str) -> None:
    async with PACKAGES[package]() as (port, broadcast):
        print(port, flush=True)
        loop = asyncio.get_running_loop()
        start = int(await loop.run_in_executor(None, sys.stdin.readline))
        gc.freeze()
        for number, (after, size, _) in enumerate(json.loads(Path(trace).read_text())):
            await asyncio.sleep((start + after - time.monotonic_ns()) / 1e9)
            broadcast(message(number, size))
        print("sent", flush=True)
        await loop.run_in_executor(None, sys.stdin.readline)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
