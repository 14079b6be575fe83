"""A raw WebSocket, for sending what no client would send."""

from __future__ import annotations

import json
import time
from typing import Any
from urllib.parse import urlsplit

import websocket

TIMEOUT_SECONDS = 240
PATH = "/socket.io/?EIO=4&transport=websocket"


def address(url: str) -> str:
    return f"ws://{urlsplit(url).netloc}{PATH}"


class RawSocket:
    """A WebSocket after the Socket.IO handshake that keeps every frame it receives."""

    def __init__(self, url: str, **options: Any) -> None:
        self.socket = websocket.create_connection(address(url), timeout=TIMEOUT_SECONDS, **options)
        self.frames: list[str] = []
        self._asked = 0
        try:
            self.receive()
            self.socket.send("40")
            self.receive()
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> RawSocket:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.shutdown()  # type: ignore[no-untyped-call]

    def receive(self) -> str:
        frame = self.socket.recv()
        text = frame if isinstance(frame, str) else frame.decode()
        self.frames.append(text)
        if text == "2":
            self.socket.send("3")
        return text

    def ask(self, message: str, payload: Any) -> Any:
        self._asked += 1
        self.socket.send(f"42{self._asked}{json.dumps([message, payload])}")
        start = f"43{self._asked}["
        while not (frame := self.receive()).startswith(start):
            pass
        return json.loads(frame[len(start) - 1 :])[0]

    def listen(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.socket.settimeout(max(0.01, end - time.monotonic()))
            try:
                self.receive()
            except websocket.WebSocketTimeoutException:
                break
        self.socket.settimeout(TIMEOUT_SECONDS)
