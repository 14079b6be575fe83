"""The same crowd at a bare broadcaster: `python -m bench._bare STAMPS TRACE`.

It is the `websockets` package with nothing around it. It prints its port, and at a line on
standard input sends what the file TRACE lists: messages of the same sizes at the same moments as
another broadcaster, to everybody.
"""

import asyncio
import gc
import json
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any


def message(number: int, size: int) -> str:
    """A message of so many bytes."""
    text = json.dumps({"table": "bare", "version": number, "more": ""})
    return text[:-2] + "x" * (size - len(text)) + text[-2:]


async def main(stamps: str, trace: str) -> None:
    """Serve."""
    websockets: Any = import_module("websockets.asyncio.server")
    people: set[Any] = set()

    async def welcome(person: Any) -> None:
        people.add(person)
        await person.wait_closed()

    options = {"compression": None, "ping_interval": None, "max_size": 16 * 1024}
    async with websockets.serve(welcome, "127.0.0.1", 0, **options) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, sys.stdin.readline)
        gc.freeze()
        start = time.monotonic_ns()
        with Path(stamps).open("w", encoding="ascii", buffering=1) as file:
            for number, (after, size, is_counted) in enumerate(json.loads(Path(trace).read_text())):
                await asyncio.sleep((start + after - time.monotonic_ns()) / 1e9)
                if is_counted:
                    file.write(f"bare {number} {start + after}\n")
                websockets.broadcast(people, message(number, size))
        print("sent", flush=True)
        await loop.run_in_executor(None, sys.stdin.readline)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
