"""Log to standard error from a background thread, as text or as one JSON object per line."""

from __future__ import annotations

import logging
import queue
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from logging.handlers import QueueHandler, QueueListener
from typing import Any, Final

import msgspec

from casino.config import Log

EACH_REQUEST: Final = ("casino.access", "casino.commands")  # loggers with a record per request


class JsonFormatter(logging.Formatter):
    """Formatter that writes a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as a JSON object, with its extra fields next to the standard ones."""
        return msgspec.json.encode({**_common(record), **_fields(record)}, enc_hook=str).decode()


class TextFormatter(logging.Formatter):
    """Human-readable formatter, with extra fields as `key=value` and any traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text, omitting empty fields."""
        fields = " ".join(f"{key}={value}" for key, value in _fields(record).items() if value != "")
        return " ".join(filter(None, (*_common(record).values(), fields)))


def _common(record: logging.LogRecord) -> dict[str, str]:
    at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
    return {
        "at": at.replace("+00:00", "Z"),
        "level": record.levelname.lower(),
        "from": record.name,
        "message": record.getMessage(),  # with any traceback, which the queue's handler adds
    }


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    fields: dict[str, Any] = getattr(record, "fields", {})
    return fields


@contextmanager
def logging_to_stderr(settings: Log) -> Iterator[None]:
    """Log to stderr from a separate thread, so that a blocked stderr cannot block the casino."""
    lines = queue.SimpleQueue[Any]()
    out = logging.StreamHandler()
    out.setFormatter(JsonFormatter() if settings.form == "json" else TextFormatter())
    keeper = QueueHandler(lines)
    writer = QueueListener(lines, out)
    before = {name: logging.getLogger(name).level for name in ("", *EACH_REQUEST)}
    logging.getLogger().addHandler(keeper)
    logging.getLogger().setLevel(settings.level.upper())
    for name in EACH_REQUEST:
        logging.getLogger(name).setLevel(logging.INFO if settings.access else logging.ERROR)
    writer.start()
    try:
        yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)
        logging.getLogger().removeHandler(keeper)
        # Waits until all queued records are written.
        writer.stop()
