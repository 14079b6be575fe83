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


class RecordFormatter(logging.Formatter):
    """Formatter that writes a record with its extra fields, as text or as one JSON object."""

    def __init__(self, form: str) -> None:
        super().__init__()
        self._form = form

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line, or as text with any traceback and without empty fields."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        common = {
            "at": at.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "from": record.name,
            "message": record.getMessage(),  # the queue's handler adds any traceback
        }
        fields: dict[str, Any] = getattr(record, "fields", {})
        if self._form == "json":
            return msgspec.json.encode({**common, **fields}, enc_hook=str).decode()
        extra = (f"{key}={value}" for key, value in fields.items() if value != "")
        return " ".join((*common.values(), *extra))


@contextmanager
def logging_to_stderr(settings: Log) -> Iterator[None]:
    """Log to stderr from a separate thread, so that a blocked stderr cannot block the casino."""
    lines = queue.SimpleQueue[Any]()
    out = logging.StreamHandler()
    out.setFormatter(RecordFormatter(settings.form))
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
