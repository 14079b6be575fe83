"""`casino replay`: replay game records as text or JSON, reading one line at a time."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from casino.cli.common import DASH, PATH, config_checked
from casino.ecarte import outcome_json, replay
from casino.ecarte.records.commentary import narrate, plain
from casino.ecarte.records.record import MAX_LINE_BYTES, Record, read_record
from casino.errors import FileError, InputError, RecordError
from casino.fairness import verify


@click.command(epilog="Example: casino replay --json games.egr.jsonl | head")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON for each record.")
@click.argument("files", nargs=-1, type=PATH, metavar="[FILE ...]")
@config_checked
def command(as_json: bool, files: Sequence[Path]) -> int:
    """Replay every record in the FILES and check it to the last card.

    Without a file, or with -, it reads standard input. It exits with 0 if all records are good, 1
    if any is bad, 2 if a file cannot be read.
    """
    status, good, bad, first_bad = 0, 0, 0, ""
    tell_one = _tell_json if as_json else _tell_person
    for file in files or (DASH,):
        try:
            name = str(file) if len(files) > 1 else ""
            for number, line in read_lines(file):
                if tell_one(name, number, line):
                    good += 1
                else:
                    bad, status = bad + 1, max(status, 1)
                    first_bad = first_bad or f"{name}, line {number}".removeprefix(", ")
        except InputError as error:
            click.echo(f"casino: {error}", err=True)
            status = error.exit_status
    if not as_json and good + bad > 1:
        first = f"; the first is {first_bad}" if bad else ""
        click.echo(f"{good:,} good, {bad:,} bad{first}", err=True)
    return status


def _tell_json(file: str, number: int, line: bytes) -> bool:
    values: dict[str, Any] = {"file": file} if file else {}
    values |= {"line": number, "game": None, "ok": False}
    try:
        record = read_record(line)
        values["game"] = record.game
        verify(record)
        values |= {"ok": True, **outcome_json(replay(record))}
    except RecordError as error:
        fault = {"code": error.code, "deal": error.deal, "token": error.token, "text": error.text}
        values["error"] = fault
    sys.stdout.write(json.dumps(values) + "\n")
    return "error" not in values


def _tell_person(file: str, number: int, line: bytes) -> bool:
    record: Record | None = None
    try:
        record = read_record(line)
        for sentence in narrate(record):
            sys.stdout.write(sentence + "\n")
        verify(record)
        replay(record)
    except RecordError as error:
        name = f"{file}, line {number}" if file else f"line {number}"
        if record is not None and record.game is not None:
            name += f", game {record.game}"
        sys.stdout.write(plain(f"{error.locate(name)}: {error.text}") + "\n\n")
        return False
    sys.stdout.write("\n")
    return True


def read_lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the numbered lines of a file, skipping empty ones; refuse a file without records.

    A line longer than `MAX_LINE_BYTES` is cut just above that limit: memory stays bounded, and
    `read_record` rejects the line.
    """
    name = "standard input" if file == DASH else file
    number, is_known = 0, False
    try:
        with nullcontext(sys.stdin.buffer) if file == DASH else file.open("rb") as stream:
            while line := stream.readline(MAX_LINE_BYTES + 1):
                if not is_known and line.strip():
                    is_known = line.strip()[:1] in b"{[" and b'{"casino_log"' not in line
                    if not is_known:
                        break
                number += 1
                rest = line
                while len(rest) > MAX_LINE_BYTES and not rest.endswith(b"\n"):
                    rest = stream.readline(MAX_LINE_BYTES + 1)
                if line.strip():
                    yield number, line.removesuffix(b"\n")
    except OSError as error:
        raise FileError(f"cannot read {name} ({error.strerror}): choose another file") from None
    if not is_known:
        how = "casino export --format egr or casino simulate --records"
        raise FileError(f"{name} is not a file of game records: make one with {how}")
