"""`casino audit`, `export`, `statement` and `verify-receipt` from the command line."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from casino.cli import main
from casino.ledger.ledger import open_log
from tests.ledger.night import play_night


@pytest.fixture(scope="module")
def casino(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "casino.db"
    play_night(path, games=2)
    return path


def run(capsys: pytest.CaptureFixture[str], *line: object) -> tuple[int, str, str]:
    """A command's exit status, its output, and what it said on stderr."""
    status = main([str(word) for word in line])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_audit_of_a_good_file_prints_its_report(
    casino: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = run(capsys, "audit", "--db", casino, "--bots", "--json")
    report = json.loads(out)
    assert status == 0
    assert list(report) == [
        "leaves", "games", "entries", "findings", "root", "signed", "key", "key_from", "known",
        "witnessed", "seconds",
    ]  # fmt: skip
    silences = [one for one in report["findings"] if one["check"] == "silence"]
    assert silences and {one["severity"] for one in silences} == {"note"}
    (finding,) = [one for one in report["findings"] if one not in silences]
    assert list(finding) == ["check", "severity", "leaf", "game", "entry", "text"]
    assert (finding["severity"], finding["game"]) == ("note", "t1-000004")
    assert run(capsys, "audit", "--db", casino)[1].endswith("clean\n")


def test_audit_of_a_spoilt_file_exits_with_1(
    casino: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "casino.db"
    path.write_bytes(casino.read_bytes())
    connection = sqlite3.connect(path)
    connection.execute("UPDATE account SET balance = balance + 1 WHERE name = 'wallet/ann'")
    connection.commit()
    connection.close()
    status, out, _ = run(capsys, "audit", "--db", path)
    assert status == 1
    assert "wallet/ann" in out
    assert run(capsys, "audit", "--db", path, "--player", "ann")[0] == 1


def test_audit_of_an_export(
    casino: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "log.jsonl"
    assert run(capsys, "export", "--db", casino, "--format", "jsonl", "-o", file)[0] == 0
    report = json.loads(run(capsys, "audit", "--from", file, "--bots", "--json")[1])
    direct = json.loads(run(capsys, "audit", "--db", casino, "--json")[1])
    assert report["root"] == direct["root"]
    status, out, _ = run(capsys, "audit", "--from", file, "--game", "t1-000001", "--json")
    assert (status, json.loads(out)["games"]) == (0, 1)
    file.write_text(file.read_text().replace('\\"unit_cents\\":', '\\"unit_cents\\":1', 1))
    assert run(capsys, "audit", "--from", file)[0] == 1


def test_what_cannot_be_read_exits_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    foreign = tmp_path / "foreign"
    foreign.write_text("hello\n")
    lines = [
        ("audit", "--db", tmp_path / "no.db"),
        ("audit", "--db", foreign),
        ("audit", "--from", tmp_path / "no.jsonl"),
        ("audit", "--from", foreign),
        ("export", "--db", foreign, "--format", "csv"),
        ("statement", "ann", "--db", foreign),
        ("verify-receipt", tmp_path / "no", "--key", "x"),
        ("export", "--format", "pdf"),
    ]
    for line in lines:
        status, _, err = run(capsys, *line)
        assert status == 2, line
        assert err.startswith("casino: ")
        assert "Traceback" not in err


def test_statement_of_a_player(
    casino: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plot = tmp_path / "plot.svg"
    line = ("statement", "t1.p1", "--db", casino, "--plot", plot, "--json")
    status, out, _ = run(capsys, *line)
    told = json.loads(out)
    assert status == 0
    assert [bet["game"] for bet in told["bets"]] == [f"t1-00000{n}" for n in (1, 2, 3, 4)]
    assert told["bets"][2]["result"] == "void"
    assert told["bets"][3]["result"] == "open"
    settled = told["bets"][:2]
    gains = sum(bet["gain_cents"] - bet["commission_cents"] for bet in settled)
    assert told["balance_cents"] + told["escrow_cents"] == 100_000_000 + gains
    assert told["changes"][-1]["balance_cents"] == told["balance_cents"]
    assert "<svg" in plot.read_text()
    assert "t1-000002" in run(capsys, "statement", "t1.p1", "--db", casino)[1]
    status, _, err = run(capsys, "statement", "nobody", "--db", casino)
    assert (status, "nobody has no account" in err) == (1, True)


def test_verify_receipt_works_offline(
    casino: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = open_log(casino)
    text = log.receipt(20)
    log.close()
    assert text is not None
    receipt, public = tmp_path / "bet.tlog-proof", casino.with_name("casino.db.pub")
    receipt.write_text(text)
    for key in (public, public.read_text().strip()):
        status, out, _ = run(capsys, "verify-receipt", receipt, "--key", key)
        assert (status, "good" in out) == (0, True)
    receipt.write_text(text.replace("index 20", "index 21"))
    assert run(capsys, "verify-receipt", receipt, "--key", public)[0] == 1
    other = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    receipt.write_text(text)
    assert run(capsys, "verify-receipt", receipt, "--key", other)[0] == 1
