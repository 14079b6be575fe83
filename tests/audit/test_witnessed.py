"""L24: an audit asks whether witnesses, whom its reader trusts, have cosigned what it compares."""

from __future__ import annotations

from pathlib import Path

import pytest

from casino.audit import FileSource, Report, TrustedEvidence, audit, audit_game
from casino.cli import main
from casino.ledger.side_files import CasinoFiles
from casino.ledger.tlog.cosignature import cosign
from casino.ledger.tlog.note import COSIGNATURE, SigningKey, open_checkpoint

WITNESSES = [
    SigningKey.from_seed(f"example.org/{name}", bytes([n]) * 32, COSIGNATURE)
    for n, name in enumerate("abc", 1)
]
A, B, C = (witness.public for witness in WITNESSES)
NOW = 1_700_000_000


def cosigned(note: str, *witnesses: SigningKey) -> str:
    return note + "".join(cosign(witness, note, NOW) for witness in witnesses)


def newest(file: Path) -> str:
    note = CasinoFiles(file).checkpoint_note()
    assert note is not None
    return note


def asked(file: Path, *witnesses: object, quorum: int, kept: tuple[Path, ...] = ()) -> Report:
    trusted = tuple(witness.public for witness in WITNESSES if witness.public in witnesses)
    return audit(FileSource(file), elsewhere=TrustedEvidence(kept, trusted, quorum), workers=1)


def found(report: Report) -> list[str]:
    return [finding.text for finding in report.findings if finding.check == "witnesses"]


def test_l24_a_quorum_beside_the_file_is_told(night_file: Path) -> None:
    """How many leaves they have seen is all of them, and the checkpoint is named."""
    CasinoFiles(night_file).cosigned.write_text(cosigned(newest(night_file), *WITNESSES[:2]))
    report = asked(night_file, A, B, C, quorum=2)
    assert (found(report), report.witnessed) == ([], report.leaves)
    assert report.known == ("casino.db.checkpoint", "casino.db.cosigned")
    assert report.is_clean


def test_l24_too_few_cosignatures_are_an_error(night_file: Path) -> None:
    """Each checkpoint that was compared is told with those who cosigned it."""
    CasinoFiles(night_file).cosigned.write_text(cosigned(newest(night_file), WITNESSES[0]))
    report = asked(night_file, A, B, quorum=2)
    assert report.witnessed == 0
    assert [text.partition(":")[0] for text in found(report)] == [
        "casino.db.checkpoint", "casino.db.cosigned",
    ]  # fmt: skip
    assert (
        "1 of 2 known witnesses cosigned it (example.org/a), but 2 are needed" in found(report)[1]
    )
    assert not report.is_clean


def test_l24_a_cosigned_checkpoint_that_was_kept_counts(played: Path, tmp_path: Path) -> None:
    """Also an older one: then so many leaves were seen, and no more."""
    log = FileSource(played).log
    older = next(
        one for one in log.checkpoints() if one.size < open_checkpoint(newest(played), None).size
    )
    kept = tmp_path / "kept"
    kept.write_text(cosigned(older.note, *WITNESSES))
    report = asked(played, A, B, C, quorum=3, kept=(kept,))
    assert (found(report), report.witnessed) == ([], older.size)


def test_l24_a_cosignature_of_another_log_proves_nothing(night_file: Path, tmp_path: Path) -> None:
    """Cosigned or not, what the log does not contain is found as before."""
    size = open_checkpoint(newest(night_file), None).size
    kept = tmp_path / "kept"
    other = newest(night_file).replace(f"\n{size}\n", f"\n{size + 9}\n")
    kept.write_text(cosigned(other, *WITNESSES))
    report = asked(night_file, A, quorum=1, kept=(kept,))
    assert any(one.check == "known" for one in report.findings)
    assert report.witnessed == 0


def test_l24_a_false_cosignature_is_none(night_file: Path) -> None:
    note = newest(night_file)
    false = cosign(WITNESSES[0], note.replace("\n", "x\n", 1), NOW)
    CasinoFiles(night_file).cosigned.write_text(note + false)
    report = asked(night_file, A, quorum=1)
    assert "the cosignature of example.org/a is false" in found(report)[-1]


def test_l24_one_game_is_held_against_witnesses_too(night_file: Path) -> None:
    report = audit_game(FileSource(night_file), "t1-000001", elsewhere=TrustedEvidence((), (A,), 1))
    assert (report.witnessed, len(found(report))) == (0, 1)


def test_l24_without_a_checkpoint_the_reader_is_asked_for_one(night_file: Path) -> None:
    CasinoFiles(night_file).checkpoint.unlink()
    report = asked(night_file, A, quorum=1)
    assert "bring one with --known" in found(report)[0]


def test_l24_the_command_tells_what_witnesses_saw(
    night_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the verdict; a quorum of more than are named is refused (exit 2)."""
    CasinoFiles(night_file).cosigned.write_text(cosigned(newest(night_file), WITNESSES[0]))
    asking = ["audit", "--db", str(night_file), "--witness", A.text()]
    assert main(asking) == 0
    size = open_checkpoint(newest(night_file), None).size
    assert f"witnesses have seen {size} of {size} leaves" in capsys.readouterr().out
    assert main([*asking, "--witness", B.text()]) == 1
    assert main([*asking, "--quorum", "2"]) == 2
