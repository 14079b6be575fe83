"""`casino audit`, `export`, `statement` and `verify-receipt` from the command line."""

from __future__ import annotations

import json
import sqlite3
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from shutil import copyfile

import pytest

from casino.chips import format_chips
from casino.cli import main
from casino.ledger.storage.location import open_log
from casino.reports.statement import statement
from tests.cli.test_run import run_headless
from tests.ledger.test_witnesses import PETER, bet_receipt


def run(capsys: pytest.CaptureFixture[str], *line: object) -> tuple[int, str, str]:
    status = main([str(word) for word in line])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_audit_of_a_good_file_prints_its_report(
    played: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = run(capsys, "audit", "--db", played, "--bots", "--json")
    report = json.loads(out)
    assert status == 0
    assert list(report) == [
        "clean", "leaves", "games", "entries", "findings", "root", "signed", "key", "key_from",
        "known", "witnessed", "seconds",
    ]  # fmt: skip
    silences = [one for one in report["findings"] if one["check"] == "silence"]
    assert silences and {one["severity"] for one in silences} == {"note"}
    (finding,) = [one for one in report["findings"] if one not in silences]
    assert list(finding) == ["check", "severity", "leaf", "game", "entry", "text"]
    assert (finding["severity"], finding["game"]) == ("note", "t1-000006")
    assert run(capsys, "audit", "--db", played)[1].startswith("CLEAN: no error in ")


def test_audit_reads_a_known_checkpoint_before_the_log(
    played: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = tmp_path / "known"
    copyfile(f"{played}.checkpoint", known)
    # As if the running casino renewed its checkpoint.
    later = lambda *_: known.write_text("later") and played  # noqa: E731
    monkeypatch.setattr("casino.cli.common.log_location", later)
    assert run(capsys, "audit", "--db", played, "--known", known)[0] == 0


def test_audit_of_a_corrupt_file_exits_with_1(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "casino.db"
    path.write_bytes(played.read_bytes())
    connection = sqlite3.connect(path)
    connection.execute("UPDATE account SET balance = balance + 1 WHERE name = 'wallet/ann'")
    connection.commit()
    connection.close()
    status, out, _ = run(capsys, "audit", "--db", path)
    assert status == 1
    assert "wallet/ann" in out
    assert [file.name for file in tmp_path.iterdir()] == ["casino.db"]
    assert run(capsys, "audit", "--db", path, "--player", "ann")[0] == 1


def test_audit_of_an_export(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "log.jsonl"
    assert run(capsys, "export", "--db", played, "--format", "jsonl", "-o", file) == (0, "", "")
    report = json.loads(run(capsys, "audit", "--from", file, "--bots", "--json")[1])
    direct = json.loads(run(capsys, "audit", "--db", played, "--json")[1])
    assert report["root"] == direct["root"]
    status, out, _ = run(capsys, "audit", "--from", file, "--game", "t1-1", "--json")
    assert (status, json.loads(out)["games"]) == (0, 1)
    text = file.read_text()
    file.write_text(text.replace('\\"unit_cents\\":', '\\"unit_cents\\":1', 1))
    assert run(capsys, "audit", "--from", file)[0] == 1
    file.write_text(text.replace('{"n":30,', '{"n":930,', 1))
    out = run(capsys, "audit", "--from", file)[1]
    assert "leaves: leaf 30 is missing: leaf 930 is in its place (leaf 30)" in out
    assert "leaf 31" not in out
    cut_off = "the export is cut off here"
    for rest, fault in (("x", "not JSON"), ("{}}\n", "not JSON"), ('{"n":1', cut_off)):
        file.write_text(text[: text.index("\n") + 1] + rest)
        said = run(capsys, "audit", "--from", file)[2]
        assert f"{file}, line 2: {fault}: make an export" in said


def test_verify_receipt_works_offline(
    played: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text, public_key = bet_receipt(played)
    receipt, public = tmp_path / "bet.tlog-proof", played.with_name("casino.db.pub")
    receipt.write_text(text)
    for key in (public, public_key.text()):
        status, out, _ = run(capsys, "verify-receipt", receipt, "--key", key)
        assert (status, "good" in out) == (0, True)
    receipt.write_text(text.replace("\nindex ", "\nindex 9"))
    status, _, err = run(capsys, "verify-receipt", receipt, "--key", public)
    assert (status, ".pub" in err) == (1, False)
    receipt.write_text(text[:-40])
    status, _, err = run(capsys, "verify-receipt", receipt, "--key", public)
    assert status == 1 and "it ends within a line, so it may be cut short: get it again" in err
    receipt.write_bytes(text.replace("\n", "\r\n").encode())
    status, _, err = run(capsys, "verify-receipt", receipt, "--key", public)
    assert status == 2 and "its line ends were changed: get it again as a binary file" in err
    receipt.write_text(text)
    assert run(capsys, "verify-receipt", receipt, "--key", PETER)[0] == 1
    monkeypatch.chdir(tmp_path)
    Path("casino.db.pub").write_text(PETER)
    advice = "give that log's .pub file with --key\n"
    assert run(capsys, "verify-receipt", receipt)[2].endswith(advice)


def test_verify_receipt_accepts_a_former_key_next_to_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, database = run_headless(tmp_path, "--games", "1")
    monkeypatch.chdir(tmp_path)
    log = open_log(database)
    Path("receipt").write_text(log.receipt(2) or "")
    log.close()
    assert "\nMake a backup now, " in run(capsys, "rotate-key", "--db", database)[1]
    status, out, _ = run(capsys, "verify-receipt", "receipt")
    assert status == 0 and ", signed by a former key of " in out
    Path("casino.db.pub").unlink()
    status, _, err = run(capsys, "verify-receipt", "casino.db.checkpoint")
    assert status == 2 and "a receipt begins with the line" in err


def test_a_dash_reads_standard_input(
    played: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    receipt, key = bet_receipt(played)
    exported = run(capsys, "export", "--db", played, "--format", "jsonl")[1]
    for line, text in (("verify-receipt -", receipt), ("audit --from -", exported)):
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(text.encode())))
        status, out, err = run(capsys, *line.split(), "--key", key.text())
        assert (status, err) == (0, "")
        assert "good" in out or out.startswith("CLEAN: ")
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(b'{"casino_log":1}\n{')))
    assert "casino: standard input, line 2: " in run(capsys, "audit", "--from", "-")[2]


def printed(ledger_path: Path, player: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert main(["statement", player, "--db", str(ledger_path)]) == 0
    return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]


def test_statement_lists_every_bet_and_change(
    played: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = statement(played, "t1.p1")
    lines = printed(played, "t1.p1", capsys)
    for bet in told.bets:
        amounts = [bet.unit_cents, bet.matched_cents, bet.gain_cents, bet.commission_cents]
        unit, matched, gain, fee = ["" if one is None else format_chips(one) for one in amounts]
        cells = [bet.game, bet.side, unit, matched, bet.result, gain, fee]
        assert " ".join(filter(None, cells)) in lines
    for change in told.changes:
        cents = (change.cents, change.balance_cents)
        amounts_of = [format_chips(one) for one in cents]
        place = [str(change.entry), "2023-11-14 22:13", change.move, change.game]
        assert " ".join(filter(None, [*place, *amounts_of])) in lines


def test_statement_ends_with_balance_and_escrow(
    played: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = statement(played, "ann")
    assert told.escrow_cents == 3_000
    last = printed(played, "ann", capsys)[-1]
    assert last == f"ann: balance {format_chips(told.balance_cents)}, in games 30.00"
    status, out, _ = run(capsys, "statement", "ann", "--db", played, "--json")
    assert (status, json.loads(out)["balance_cents"]) == (0, told.balance_cents)
    assert printed(played, "ANN", capsys)[-1] == last
