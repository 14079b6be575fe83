"""The same crowd at a bare broadcaster: `python -m bench._bare STAMPS MESSAGES SIZE SECONDS`.

It is the `websockets` package with nothing around it. It prints its port, and at a line on
standard input sends so many messages of a size to everybody, one every so often.
"""

import asyncio
import gc
import json
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any


async def main(stamps: str, messages: int, size: int, seconds: float) -> None:
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
        with Path(stamps).open("w", encoding="ascii", buffering=1) as file:
            for number in range(messages):
                text = json.dumps({"table": "bare", "version": number, "more": ""})
                text = text[:-2] + "x" * (size - len(text)) + text[-2:]
                file.write(f"bare {number} {time.monotonic_ns()}\n")
                websockets.broadcast(people, text)
                await asyncio.sleep(seconds)
        print("sent", flush=True)
        await loop.run_in_executor(None, sys.stdin.readline)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])))
