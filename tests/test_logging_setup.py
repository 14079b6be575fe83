"""The program's log, as text or JSON, at the levels set."""

from __future__ import annotations

import json
import logging

import pytest

from casino.cli.host import run
from casino.config import Log
from casino.logging_setup import logging_to_stderr

log = logging.getLogger("casino.test")
access = logging.getLogger("casino.access")
Capture = pytest.CaptureFixture[str]


def test_json_log_writes_one_object_per_line(capsys: Capture) -> None:
    with logging_to_stderr(Log(form="json", access=True)):
        log.info("not asked for")
        log.warning("said %s", "so")
        access.info("request", extra={"fields": {"request": "r1", "ms": 1.5}})
        try:
            raise ValueError("odd\nlines")
        except ValueError:
            log.exception("a fault")
    said, seen, fault = map(json.loads, capsys.readouterr().err.splitlines())
    assert (said["level"], said["from"], said["message"]) == ("warning", "casino.test", "said so")
    assert said["at"].endswith("Z")
    assert (seen["request"], seen["ms"], seen["from"]) == ("r1", 1.5, "casino.access")
    assert "ValueError: odd" in fault["message"]


def test_text_log_writes_fields_as_key_value_pairs(capsys: Capture) -> None:
    with logging_to_stderr(Log(access=True)):
        access.info("request", extra={"fields": {"request": "r1", "id": "", "ms": 1.5}})
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(" info casino.access request request=r1 ms=1.5")


def test_log_level_and_access_log_follow_the_settings(capsys: Capture) -> None:
    with logging_to_stderr(Log(level="error")):
        access.info("first")
        log.warning("second")
        log.error("third")
    with logging_to_stderr(Log(level="info", access=True)):
        access.info("fourth")
        log.info("fifth")
    said = [line.rsplit(" ", 1)[1] for line in capsys.readouterr().err.splitlines()]
    assert said == ["third", "fourth", "fifth"]


def test_logging_setup_is_undone_at_the_end(capsys: Capture) -> None:
    before, level = list(logging.getLogger().handlers), access.level
    with logging_to_stderr(Log(access=True)):
        assert access.level == logging.INFO
    assert logging.getLogger().handlers == before
    assert access.level == level
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://0.0.0.0:5000", "http://192.168.1.7:5000"),
        ("http://[::]:5000", "http://192.168.1.7:5000"),
        ("http://127.0.0.1:5000", "http://127.0.0.1:5000"),
        ("http://[::1]:5000", "http://[::1]:5000"),
        ("http://cards.example:80", "http://cards.example:80"),
    ],
)
def test_reachable_url(url: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "lan_address", lambda: "192.168.1.7")
    assert run.reachable_url(url) == said
