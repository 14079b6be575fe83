"""`casino replay`: replay game records as text or JSON, reading one line at a time."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO

import click

from casino.cli.common import DASH, config_checked, progress
from casino.ecarte import ReplayResult, outcome_json, replay
from casino.ecarte.records.commentary import narrate, plain
from casino.ecarte.records.record import MAX_LINE_BYTES, Record, read_record
from casino.errors import InputError, RecordError
from casino.fairness import verify


class UnreadableFileError(InputError):
    """Raised if a file of records cannot be read."""

    def __init__(self, file: Path, error: OSError) -> None:
        name = "standard input" if file == DASH else file
        super().__init__(f"cannot read {name} ({error.strerror}): choose another file")


@click.command(epilog="Example: casino replay --json games.egr.jsonl | head")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON for each record.")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE ...]")
@config_checked
def command(as_json: bool, files: Sequence[Path]) -> int:
    """Replay every record in the FILES and check it to the last card.

    Without a file, or with -, it reads standard input. It exits with 0 if all records are good, 1
    if any is bad, 2 if a file cannot be read.
    """
    status, counts = 0, Counter[bool]()
    tell_one = _tell_json if as_json else _tell_person
    sizes = [file.stat().st_size for file in files if file.is_file()]
    total = sum(sizes) if len(sizes) == len(files) > 0 else None
    with progress(total, "bytes replayed") as update:
        for file in files or (DASH,):
            try:
                name = str(file) if len(files) > 1 else ""
                for number, line in read_lines(file, update):
                    counts[is_good := tell_one(name, number, line)] += 1
                    status = max(status, 0 if is_good else 1)
            except UnreadableFileError as error:
                click.echo(f"casino: {error}", err=True)
                status = error.exit_status
    if not as_json and counts.total() > 1:
        click.echo(f"{counts[True]:,} good, {counts[False]:,} bad", err=True)
    return status


def _tell_json(file: str, number: int, line: bytes) -> bool:
    game, named = None, {"file": file} if file else {}
    try:
        record = read_record(line)
        game = record.game
        values = {
            **named,
            "line": number,
            "game": game,
            "ok": True,
            **outcome_json(_replayed(record)),
        }
    except RecordError as error:
        fault = {"code": error.code, "deal": error.deal, "token": error.token, "text": error.text}
        values = {**named, "line": number, "game": game, "ok": False, "error": fault}
    sys.stdout.write(json.dumps(values) + "\n")
    return values["ok"] is True


def _tell_person(file: str, number: int, line: bytes) -> bool:
    record: Record | None = None
    try:
        record = read_record(line)
        for sentence in narrate(record):
            sys.stdout.write(sentence + "\n")
        _replayed(record)
    except RecordError as error:
        name = f"{file}, line {number}" if file else f"line {number}"
        if record is not None and record.game is not None:
            name += f", game {record.game}"
        sys.stdout.write(plain(f"{error.locate(name)}: {error.text}") + "\n\n")
        return False
    sys.stdout.write("\n")
    return True


def _replayed(record: Record) -> ReplayResult:
    verify(record)
    return replay(record)


def read_lines(
    file: Path, update: Callable[..., object] = lambda **_: None
) -> Iterator[tuple[int, bytes]]:
    """Yield the numbered lines of a file, skipping empty ones; refuse a file without records.

    A line longer than `MAX_LINE_BYTES` is cut just above that limit: memory stays bounded, and
    `read_record` rejects the line.
    """
    with _opened(file) as stream:
        number, is_known = 0, False
        while line := stream.readline(MAX_LINE_BYTES + 1):
            if not is_known and line.strip():
                is_known = line.strip()[:1] in b"{[" and b'{"casino_log"' not in line
                if not is_known:
                    break
            number += 1
            size = len(line)
            rest = line
            while len(rest) > MAX_LINE_BYTES and not rest.endswith(b"\n"):
                rest = stream.readline(MAX_LINE_BYTES + 1)
                size += len(rest)
            update(advance=size)
            if line.strip():
                yield number, line.removesuffix(b"\n")
        if not is_known:
            how = "casino export --format egr or casino simulate --records"
            name = "standard input" if file == DASH else file
            raise InputError(f"{name} is not a file of game records: make one with {how}")


@contextmanager
def _opened(file: Path) -> Iterator[BinaryIO]:
    try:
        with nullcontext(sys.stdin.buffer) if file == DASH else file.open("rb") as stream:
            yield stream
    except OSError as error:
        raise UnreadableFileError(file, error) from None
