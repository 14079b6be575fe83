"""`casino replay` and `casino review`: good and bad records, for a person and as JSON."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from casino.bots import play_game
from casino.cli import main
from casino.ecarte import HOUSE, Laws, write_record
from casino.ecarte.records.commentary import narrate
from casino.ecarte.records.record import Record, read_record
from casino.ledger.storage.location import open_log

GOLDEN = Path(__file__).parent.parent / "golden" / "deals.egr.jsonl"
PACK = "KSQSJSASTS9S8S7SKHQHJHAHTH9H8H7HKDQDJDADTD9D8D7DKCQCJCACTC9C8C7C"

Replayed = Callable[..., tuple[int, list[dict[str, Any]]]]


def record_line(actions: str = "", **keys: Any) -> str:
    deal = {"dealer": "house", "deck": PACK, "actions": actions}
    return json.dumps({"egr": 1, "laws": {}, "first_dealer": "house", "deals": [deal], **keys})


@pytest.fixture
def replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Replayed:
    """Return a function that replays lines, and returns the exit status and the parsed output."""

    def run(*lines: str | bytes) -> tuple[int, list[dict[str, Any]]]:
        file = tmp_path / "some.egr.jsonl"
        file.write_bytes(
            b"".join((line.encode() if isinstance(line, str) else line) + b"\n" for line in lines)
        )
        status = main(["replay", "--json", str(file)])
        return status, [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return run


def test_a_valid_record_replays_to_points_tricks_and_score(replayed: Replayed) -> None:
    status, told = replayed(GOLDEN.read_text("utf-8").splitlines()[0])
    assert status == 0
    points, tricks = {"house": 1, "challenger": 0}, {"house": 3, "challenger": 2}
    whole = {"deals": [{"points": points, "tricks": tricks}], "score": points}
    none = {"winner": None, "stake": None}
    assert told == [{"line": 1, "game": "seed-deal-1", "ok": True, **whole, **none}]


@pytest.mark.parametrize(
    ("line", "code", "deal", "token", "text"),
    [
        (record_line("S KS"), None, None, None, ""),
        (record_line("S KS KH"), "illegal_action", 1, 3, "K♠ was led: follow suit with 9♠"),
        (record_line(fairness={}), "bad_fairness", None, None, "game: its id"),
        ("[" * 100_000, "bad_json", None, None, "nested too deeply"),
        (b'{"egr": "\xff"}', "bad_json", None, None, "byte 10 is not UTF-8"),
    ],
)
def test_each_error_has_a_code_and_position(
    replayed: Replayed, line: str | bytes, code: str | None, deal: int, token: int, text: str
) -> None:
    status, told = replayed(line, record_line())
    assert status == (0 if code is None else 1)
    error = told[0].get("error", {"code": None, "deal": None, "token": None, "text": ""})
    assert (error["code"], error["deal"], error["token"]) == (code, deal, token)
    assert text in error["text"]
    assert told[1]["ok"]


def test_memory_does_not_grow_with_the_file() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "casino", "replay", "--json"],
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


def test_unreadable_file_exits_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = tmp_path / "missing"
    assert main(["replay", "--json", str(missing), str(GOLDEN)]) == 2
    said = capsys.readouterr()
    reason = "No such file or directory"
    assert said.err == f"casino: cannot read {missing} ({reason}): choose another file\n"
    assert len(said.out.splitlines()) == 5


def test_text_output_describes_games_and_errors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Callable[[str, str], None]
) -> None:
    file = tmp_path / "some.egr.jsonl"
    bad = record_line("P A X7S8S XTSAS S 9H", game="bad\x1b[2J")
    file.write_text(GOLDEN.read_text("utf-8") + bad + "\n", "utf-8")
    assert main(["replay", str(file)]) == 1
    said = capsys.readouterr()
    golden("commentary.txt", said.out)
    assert said.err == "5 good, 1 bad; the first is line 6\n"


def test_the_bad_file_among_several_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.egr"
    bad.write_text("{", "utf-8")
    assert main(["replay", str(GOLDEN), str(bad)]) == 1
    assert f"{bad}, line 1" in capsys.readouterr().out
    assert main(["replay", "--json", str(GOLDEN), str(bad)]) == 1
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["file"] == str(bad)


def test_other_files_are_refused_as_records(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prose, log, empty = (tmp_path / name for name in ("prose.md", "log.jsonl", "empty"))
    prose.write_text("# Cards\n\nSome words.\n", "utf-8")
    log.write_text('{"casino_log": 1, "name": "a"}\n{"n": 0, "leaf": ""}\n', "utf-8")
    empty.write_text("\n\n")
    for file in (played, prose, log, empty, Path("/dev/null")):
        assert main(["replay", str(file)]) == 2
        assert capsys.readouterr() == (
            "",
            f"casino: {file} is not a file of game records: make one with"
            " casino export --format egr or casino simulate --records\n",
        )


@pytest.mark.parametrize(("cuts", "is_marked"), [([], True), ([["ann", "hop"]], False)])
def test_games_without_a_bettors_cut_are_marked(cuts: list[list[str]], is_marked: bool) -> None:
    (deal,) = read_record(record_line().encode()).deals
    lines = narrate(Record(Laws(), HOUSE, (deal,), fairness={"cuts": cuts}))
    told = "No bettor's text joined the shuffle: the house could foresee the cards."
    assert (told in lines) == is_marked


@pytest.mark.parametrize(
    ("seed", "last"),
    [
        (1, "House wins the game: double."),
        (2, "House wins the game: single."),
        (4, "Challenger wins the game: double."),
    ],
)
def test_narration_ends_with_winner_and_stake(seed: int, last: str) -> None:
    assert list(narrate(play_game(("novice", "regle"), seed).record))[-1] == f"  {last}"


def test_narration_names_exposed_cards_and_leads_out_of_turn() -> None:
    line = record_line("EKS O EAS S LAS", laws={"enforcement": "claims"})
    lines = list(narrate(read_record(line)))
    assert "  House exposes K♠, dealt to Challenger." in lines
    assert "  House exposes A♠, dealt to House." in lines
    assert lines[-1] == "  House leads A♠ out of turn."


@pytest.fixture
def records(tmp_path: Path) -> Path:
    file = tmp_path / "one.egr.jsonl"
    record = play_game(("regle", "novice"), 12).record
    file.write_text(write_record(record._replace(game="g7")) + "\n")
    return file


def test_review_describes_each_decision(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", str(records)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Game g7: ") and "Deal 1" in said and "better: " in said
    assert "The house gave away " in said and "The challenger gave away " in said


def test_review_json_has_a_line_per_game(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records.write_text(2 * records.read_text())
    assert main(["review", str(records), "--json", "--seat", "challenger"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == 2 and lines[0] == lines[1]
    assert lines[0]["game"] == "g7"
    assert {one["seat"] for one in lines[0]["decisions"]} == {"challenger"}


def test_review_finds_a_game_in_the_casinos_log(
    played: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = open_log(played)
    name = next(json.loads(leaf.body)["game"] for leaf in log.of_kinds(("game_over",), 0))
    log.close()
    short = f"{name.partition('-')[0]}-{int(name.partition('-')[2])}"
    assert main(["review", short, "--db", str(played), "--json", "--seat", "house"]) == 0
    assert json.loads(capsys.readouterr().out)["game"] == name


def test_a_bad_record_is_reported_with_its_position(
    records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = records.read_text()
    records.write_text("{nonsense\n")
    assert main(["review", str(records)]) == 2
    assert "line 1" in capsys.readouterr().err
    records.write_text(good.replace('"actions": "', '"actions": "A ', 1))
    assert main(["review", str(records)]) == 2
    assert "game g7" in capsys.readouterr().err
