"""A table's messages over the socket, without gaps even if the connection is lost."""

from __future__ import annotations

import queue
import threading
from typing import Final

from casino.client.client import CasinoClient
from casino.client.table_view import Message
from casino.errors import Refused

WAIT_SECONDS: Final = 0.5


class TableWatcher:
    """Follows a table's messages by version, and requests any that it missed."""

    def __init__(self, client: CasinoClient, table: str) -> None:
        self._client = client
        self.table = table
        self.version: int | None = None
        # Filled by the socket's thread, drained by the main thread.
        self._heard: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._must_join = threading.Event()
        self._must_join.set()
        self._is_broken = False

    def connect(self) -> None:
        """Connect the client, and follow the messages that it receives."""
        self._client.connect(
            event=self._heard.put,
            you=lambda you: self._heard.put({**you, "type": "you"}),
            # The client library reconnects: `join` then fetches the messages that were missed.
            connect=self._must_join.set,
            disconnect=lambda *_: self._heard.put({"type": "broken"}),
        )

    def request_snapshot(self) -> None:
        """Schedule a request for a full snapshot."""
        self.version = None
        self._must_join.set()

    def next_messages(self) -> list[Message]:
        """Return new messages (events, a snapshot, private state), waiting briefly for them.

        Two more say that the connection is "broken" and that the casino is "back".
        """
        # What is in the queue came before the connection was lost.
        if self._must_join.is_set() and self._heard.empty():
            self._must_join.clear()
            if news := self._join():
                return news
        try:
            news = self._take(self._heard.get(timeout=WAIT_SECONDS))
        except queue.Empty:
            return []
        for _ in range(self._heard.qsize()):
            news += self._take(self._heard.get())
        return news

    def _take(self, event: Message) -> list[Message]:
        if event["type"] == "broken":
            self._is_broken = True
        if event["type"] in ("broken", "you"):
            return [event]
        if self.version is None or event["table"] != self.table:
            return []
        if event["type"] == "restored":
            self.request_snapshot()
            return [event]
        # A notice carries the current version; only an event increments it.
        ahead = event["version"] - self.version - (event["type"] not in ("checkpoint", "notice"))
        if ahead > 0:
            # A gap in the versions: events were missed.
            return self._join()
        if ahead < 0:
            return []
        self.version = event["version"]
        return [event]

    def _join(self) -> list[Message]:
        since = {} if self.version is None else {"since": self.version}
        try:
            answer = self._client.request("join", table=self.table, **since)
        except Refused as refusal:
            if refusal.code != "unavailable":
                raise
            self._must_join.set()
            return []
        self.version = answer["version"]
        back: list[Message] = [{"type": "back"}] if self._is_broken else []
        self._is_broken = False
        own = [{**answer["you"], "type": "you"}] if "you" in answer else []
        snapshot = {"type": "snapshot", **answer.get("snapshot", {})}
        return [*back, *answer.get("events", [snapshot]), *own]
