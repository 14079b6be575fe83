"""`casino replay`: good and bad records, for a person and as JSON, however long the file."""

from __future__ import annotations

import json
import os
import pty
import random
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from casino.cli import main
from casino.ecarte.records.record import MAX_LINE_BYTES
from tests.naive.generate import random_record
from tests.naive.replay import replay as naive_replay

GOLDEN = Path(__file__).parent.parent / "golden" / "deals.egr.jsonl"
PACK = "KSQSJSASTS9S8S7SKHQHJHAHTH9H8H7HKDQDJDADTD9D8D7DKCQCJCACTC9C8C7C"
CASINO = [sys.executable, "-c", "import sys; from casino.cli import main; sys.exit(main())"]

Replayed = Callable[..., tuple[int, list[dict[str, Any]]]]


def record_line(actions: str = "", **keys: Any) -> str:
    deal = {"dealer": "house", "deck": PACK, "actions": actions}
    return json.dumps({"egr": 1, "laws": {}, "first_dealer": "house", "deals": [deal], **keys})


@pytest.fixture
def replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Replayed:
    """A function that replays lines as JSON and gives the exit status and what was printed."""

    def run(*lines: str | bytes) -> tuple[int, list[dict[str, Any]]]:
        file = tmp_path / "some.egr.jsonl"
        file.write_bytes(
            b"".join((line.encode() if isinstance(line, str) else line) + b"\n" for line in lines)
        )
        status = main(["replay", "--json", str(file)])
        return status, [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return run


def test_a_good_record_comes_to_its_points_tricks_and_score(replayed: Replayed) -> None:
    status, told = replayed(GOLDEN.read_text("utf-8").splitlines()[0])
    assert status == 0
    assert told == [
        {
            "line": 1,
            "game": "seed-deal-1",
            "ok": True,
            "deals": [
                {"points": {"house": 1, "challenger": 0}, "tricks": {"house": 3, "challenger": 2}}
            ],
            "score": {"house": 1, "challenger": 0},
            "winner": None,
            "stake": None,
        }
    ]


@pytest.mark.parametrize(
    ("line", "code", "deal", "token", "text"),
    [
        (record_line("S KS"), None, None, None, ""),
        (record_line("S KS KH"), "illegal_action", 1, 3, "must follow suit to K♠: 9♠ is held"),
        (record_line("S KH"), "illegal_action", 1, 2, "K♥ is not in the hand"),
        (record_line("S  KS"), "illegal_action", 1, 2, "'' is not an action: see"),
        (record_line("P A XKSKS"), "illegal_action", 1, 3, "KS is repeated"),
        (record_line(deals=[{}]), "bad_record", None, None, "deals[1].dealer is missing"),
        (record_line(laws={"trumps": 1}), "bad_laws", None, None, "law trumps: unknown"),
        (record_line(result={"stake": 1}), "wrong_result", None, None, "result.stake is not"),
        (record_line(fairness={}), "bad_fairness", None, None, "game: its id"),
        ("[" * 100_000, "bad_json", None, None, "nested too deeply"),
        ("{", "bad_json", None, None, "no JSON at column 2"),
        (b'{"egr": "\xff"}', "bad_json", None, None, "byte 10 is not UTF-8"),
    ],
)
def test_each_fault_has_its_code_and_place(
    replayed: Replayed, line: str | bytes, code: str | None, deal: int, token: int, text: str
) -> None:
    status, told = replayed(line, record_line())
    assert status == (0 if code is None else 1)
    error = told[0].get("error", {"code": None, "deal": None, "token": None, "text": ""})
    assert (error["code"], error["deal"], error["token"]) == (code, deal, token)
    assert text in error["text"]
    assert told[1]["ok"]


def test_it_agrees_with_the_naive_replay(replayed: Replayed) -> None:
    rng = random.Random(11)
    records = [random_record(rng) for _ in range(200)]
    status, told = replayed(*map(json.dumps, records))
    assert status == 0
    assert told == [naive_replay(record, line) for line, record in enumerate(records, 1)]


def test_empty_lines_count_but_are_no_records(replayed: Replayed) -> None:
    _, told = replayed("", record_line(), "   ", record_line())
    assert [one["line"] for one in told] == [2, 4]


def test_a_line_too_long_costs_no_memory(tmp_path: Path) -> None:
    file = tmp_path / "long.egr.jsonl"
    with file.open("wb") as out:
        for _ in range(100):
            out.write(b"[" * 1_000_000)
        out.write(b"\n" + record_line().encode() + b"\n")
    done = subprocess.run(
        [*CASINO, "replay", "--json", str(file)],
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (10**8, 10**8)),
    )
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["ok"] for one in told] == [False, True]
    assert told[0]["error"]["text"] == f"the line is longer than {MAX_LINE_BYTES} bytes"
    assert (done.returncode, told[1]["line"]) == (1, 2)


@pytest.mark.parametrize(("size", "ok"), [(MAX_LINE_BYTES, True), (MAX_LINE_BYTES + 1, False)])
def test_a_line_may_be_as_long_as_allowed(replayed: Replayed, size: int, ok: bool) -> None:
    long = record_line() + " " * (size - len(record_line()))
    _, told = replayed(long, record_line())
    assert [(one["line"], one["ok"]) for one in told] == [(1, ok), (2, True)]


def test_memory_does_not_grow_with_the_file() -> None:
    with subprocess.Popen(
        [*CASINO, "replay", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (10**8, 10**8)),
    ) as process:
        assert process.stdin is not None
        line = record_line("S KS").encode() + b" " * 20_000 + b"\n"
        for _ in range(20_000):
            process.stdin.write(line)
        process.stdin.close()
        assert process.wait() == 0


def test_a_file_that_cannot_be_read_exits_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "missing"
    assert main(["replay", "--json", str(missing), str(GOLDEN)]) == 2
    said = capsys.readouterr()
    reason = "No such file or directory"
    assert said.err == f"casino: {missing} cannot be read ({reason}): name another file\n"
    assert len(said.out.splitlines()) == 5


def test_a_person_reads_what_happened_and_where_it_went_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Callable[[str, str], None]
) -> None:
    file = tmp_path / "some.egr.jsonl"
    bad = record_line("P A X7S8S XTSAS S 9H", game="bad\x1b[2J")
    file.write_text(GOLDEN.read_text("utf-8") + bad + "\n", "utf-8")
    assert main(["replay", str(file)]) == 1
    golden("commentary.txt", capsys.readouterr().out)


def test_a_reader_who_goes_away_is_no_error(tmp_path: Path) -> None:
    file = tmp_path / "many.egr.jsonl"
    file.write_text((record_line("S KS") + "\n") * 20_000, "utf-8")
    line = f"{CASINO[0]} -c '{CASINO[2]}' replay --json {file} | head -1"
    done = subprocess.run(["sh", "-c", line], capture_output=True, check=True)
    assert done.stderr == b""
    assert json.loads(done.stdout)["line"] == 1


def test_a_bar_shows_only_to_a_person(tmp_path: Path) -> None:
    file = tmp_path / "many.egr.jsonl"
    file.write_text((record_line("S KS") + "\n") * 3_000, "utf-8")
    command = [*CASINO, "replay", "--json", str(file)]
    piped = subprocess.run(command, capture_output=True, check=True)
    assert piped.stderr == b""
    person, terminal = pty.openpty()
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=terminal, env={**os.environ, "TERM": "xterm"}
    ) as process:
        os.close(terminal)
        shown = b""
        try:
            while more := os.read(person, 65_536):
                shown += more
        except OSError:  # the terminal's other end is closed
            pass
        os.close(person)
        assert process.wait() == 0
    assert b"replaying" in shown
    assert b"100%" in shown
