"""Logging of the running casino to standard error, as text or one JSON object a line."""

from __future__ import annotations

import logging
import queue
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from logging.handlers import QueueHandler, QueueListener
from typing import Any, Final

import orjson

from casino.config import Log

EACH_REQUEST: Final = ("casino.access", "casino.commands")


class JsonFormatter(logging.Formatter):
    """Formats a record as a JSON object in one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        return orjson.dumps({**_common(record), **_fields(record)}, default=str).decode()


class TextFormatter(logging.Formatter):
    """Formats a record as a line for people, with the traceback of a fault."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        fields = " ".join(f"{key}={value}" for key, value in _fields(record).items() if value != "")
        return " ".join(filter(None, (*_common(record).values(), fields)))


def _common(record: logging.LogRecord) -> dict[str, str]:
    at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
    message = record.getMessage()
    if record.exc_info:
        message += "\n" + logging.Formatter().formatException(record.exc_info)
    return {
        "at": at.replace("+00:00", "Z"),
        "level": record.levelname.lower(),
        "from": record.name,
        "message": message,
    }


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    fields: dict[str, Any] = getattr(record, "fields", {})
    return fields


class QueuedHandler(QueueHandler):
    """Queues records until they are written, each with its formatter."""

    form: logging.Formatter

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        """Return the record with its formatter."""
        record.__dict__["form"] = self.form
        return record


class SwitchableFormatter(logging.Formatter):
    """Formats each record by the formatter in force when it was logged."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        form: logging.Formatter = record.__dict__["form"]
        return form.format(record)


def apply_log_settings(settings: Log) -> None:
    """Apply the log level and format of the settings."""
    for keeper in logging.getLogger().handlers:
        if isinstance(keeper, QueuedHandler):
            keeper.form = JsonFormatter() if settings.form == "json" else TextFormatter()
    logging.getLogger().setLevel(settings.level.upper())
    for name in EACH_REQUEST:
        logging.getLogger(name).setLevel(logging.INFO if settings.access else logging.ERROR)


@contextmanager
def logging_to_stderr(settings: Log) -> Iterator[None]:
    """Log to stderr in a separate thread, so that a slow reader of the log delays no one."""
    lines: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
    out = logging.StreamHandler()
    out.setFormatter(SwitchableFormatter())
    keeper = QueuedHandler(lines)
    writer = QueueListener(lines, out)
    before = {name: logging.getLogger(name).level for name in ("", *EACH_REQUEST)}
    logging.getLogger().addHandler(keeper)
    apply_log_settings(settings)
    writer.start()
    try:
        yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)
        logging.getLogger().removeHandler(keeper)
        writer.stop()
