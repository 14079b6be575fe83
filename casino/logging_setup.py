"""Where the running casino writes about itself: standard error, as text or one object a line."""

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
    """A record as an object in one line."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        return orjson.dumps({**_common(record), **_fields(record)}, default=str).decode()


class TextFormatter(logging.Formatter):
    """A record as a line for people; the traceback of a fault follows it."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        said = " ".join(f"{key}={value}" for key, value in _fields(record).items() if value != "")
        return " ".join(filter(None, (*_common(record).values(), said)))


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
    """Keeps what is logged until it is written, each record with the form that it is to have."""

    form: logging.Formatter

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        """The record as it is, and its form."""
        record.__dict__["form"] = self.form
        return record


class SwitchableFormatter(logging.Formatter):
    """Each record in the form that was in force when it was logged."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        form: logging.Formatter = record.__dict__["form"]
        return form.format(record)


def write_as(settings: Log) -> None:
    """Write as much, and in the form, that the settings say."""
    for keeper in logging.getLogger().handlers:
        if isinstance(keeper, QueuedHandler):
            keeper.form = JsonFormatter() if settings.form == "json" else TextFormatter()
    logging.getLogger().setLevel(settings.level.upper())
    for name in EACH_REQUEST:
        logging.getLogger(name).setLevel(logging.INFO if settings.access else logging.ERROR)


@contextmanager
def logging_to_stderr(settings: Log) -> Iterator[None]:
    """Write what is logged, in a thread of its own: nobody waits for a slow reader of the log."""
    lines: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
    out = logging.StreamHandler()
    out.setFormatter(SwitchableFormatter())
    keeper = QueuedHandler(lines)
    writer = QueueListener(lines, out)
    before = {name: logging.getLogger(name).level for name in ("", *EACH_REQUEST)}
    logging.getLogger().addHandler(keeper)
    write_as(settings)
    writer.start()
    try:
        yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)
        logging.getLogger().removeHandler(keeper)
        writer.stop()
