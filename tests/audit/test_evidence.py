"""L16, L17, L24: the key a log is checked with, and evidence kept elsewhere."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from msgspec.structs import replace

from casino.audit import ExportSource, FileSource, Report, TrustedEvidence, audit
from casino.audit.trusted import (
    FROM_LOG,
    TrustedKeys,
    compare_evidence,
    find_trusted_key,
    read_evidence,
)
from casino.cli import main
from casino.errors import FileError
from casino.ledger.entries import Leaf, LogOpened, RunStarted, RunStopped, encode
from casino.ledger.side_files import CasinoFiles, read_note
from casino.ledger.tlog.key_rotation import KeyChain, Link, make_rotation
from casino.ledger.tlog.merkle import leaf_hash, verify_inclusion
from casino.ledger.tlog.note import (
    PublicKey,
    Receipt,
    SigningKey,
    open_checkpoint,
    read_key,
    sign_checkpoint,
)
from casino.ledger.tlog.witness import cosign
from tests.ledger.test_witnesses import NOW, WITNESSES
from tests.ledger.tile_server import KEY, root_of

NEXT = SigningKey.from_seed(KEY.name, bytes(range(1, 33)))
STRANGER = SigningKey.from_seed(KEY.name, bytes(32))
OPENED = LogOpened(at=1, key=KEY.public.text(), name=KEY.name, version=3)
LEAVES: list[Leaf] = [OPENED, RunStarted(at=2), RunStopped(at=3), RunStarted(at=4)]
HANDED_ON: list[Leaf] = [*LEAVES, replace(make_rotation(4, KEY, NEXT), at=5)]
KEYS = KeyChain((Link(0, KEY.public),))


def exported(tmp_path: Path, *leaves: Leaf, key: str = KEY.public.text()) -> ExportSource:
    lines = [{"casino_log": 1, "name": KEY.name, "key": key}]
    lines += [{"n": n, "leaf": encode(leaf).decode()} for n, leaf in enumerate(leaves)]
    file = tmp_path / "export.jsonl"
    file.write_bytes(b"\n".join(map(orjson.dumps, lines)) + b"\n")
    return ExportSource(file)


def test_l16_origin_of_the_key_is_recorded(tmp_path: Path) -> None:
    source = exported(tmp_path, *LEAVES)
    assert find_trusted_key(source, None) == (TrustedKeys(KEYS, KEY.public, FROM_LOG), [])
    found, wrong = find_trusted_key(source, KEY.public.text())
    assert (found.key, found.keys, wrong) == (KEY.public, KEYS, [])
    assert found.origin == f"--key {KEY.public.text()}"
    assert found.key == KEY.public


def test_l16_any_key_of_a_rotated_log_is_accepted(tmp_path: Path) -> None:
    source = exported(tmp_path, *HANDED_ON)
    for given in (KEY, NEXT):
        found, wrong = find_trusted_key(source, given.public.text())
        assert (found.key, wrong) == (given.public, [])
        assert [link.least for link in found.keys.links] == [0, 5]
    assert find_trusted_key(source, None)[0].key == NEXT.public


def test_l16_unrelated_given_key_is_the_only_error(tmp_path: Path) -> None:
    source = exported(tmp_path, *HANDED_ON)
    found, wrong = find_trusted_key(source, STRANGER.public.text())
    assert [link.least for link in found.keys.links] == [0, 5]
    assert (found.key, found.origin) == (NEXT.public, FROM_LOG)
    (one,) = wrong
    assert (one.check, one.leaf) == ("key", 0)
    assert f"by the key {NEXT.public.text()}, not {STRANGER.public.text()} (--key" in one.text
    report = audit(source, workers=1, elsewhere=TrustedEvidence(key=STRANGER.public.text()))
    assert [error.check for error in report.findings if error.check != "signed"] == ["key"]


def test_l16_export_head_must_name_the_first_key(tmp_path: Path) -> None:
    for key in (NEXT.public.text(), STRANGER.public.text(), "none"):
        found, wrong = find_trusted_key(exported(tmp_path, *HANDED_ON, key=key), None)
        assert found.key == NEXT.public
        assert [one.text for one in wrong] == [
            "the first line of the export and the first leaf name different keys"
        ]


def test_l16_log_without_first_leaf_is_checked_by_export_head(tmp_path: Path) -> None:
    found, wrong = find_trusted_key(exported(tmp_path, *LEAVES[1:]), None)
    assert (found.keys, found.origin) == (KEYS, FROM_LOG)
    assert [one.text for one in wrong] == ["the first leaf does not name the log's key"]
    nameless = exported(tmp_path, *LEAVES[1:], key="none")
    with pytest.raises(FileError, match="names no key: give the log's public key with --key"):
        find_trusted_key(nameless, None)
    found, wrong = find_trusted_key(nameless, KEY.public.text())
    assert (found.keys, len(wrong)) == (KEYS, 2)


def test_key_is_read_from_text_or_file(tmp_path: Path) -> None:
    file = tmp_path / "their.pub"
    file.write_text(f"{KEY.public.text()}\n")
    assert read_key(file) == read_key(str(file)) == read_key(KEY.public.text()) == KEY.public
    with pytest.raises(FileError, match="does not exist: give the log's public key"):
        read_key(tmp_path / "none.pub")
    with pytest.raises(FileError, match="a public key of a log has the form"):
        read_key("a+b")
    file.write_text("")
    with pytest.raises(FileError, match="their.pub: a public key of a log has the form"):
        read_key(file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(FileError, match="is not text: give the log's public key"):
        read_key(file)


def checkpoint(size: int, key: SigningKey = KEY, leaves: list[Leaf] | None = None) -> str:
    bodies = [encode(leaf) for leaf in leaves or LEAVES]
    return sign_checkpoint(key, size, root_of(bodies[:size]))


def receipt(size: int) -> str:
    bodies = [encode(leaf) for leaf in LEAVES]
    siblings = [leaf_hash(bodies[1])][: size - 1]
    assert verify_inclusion(leaf_hash(bodies[0]), 0, size, siblings, root_of(bodies[:size]))
    return Receipt(bodies[0], 0, siblings, checkpoint(size)).text()


KEPT: dict[str, tuple[str, str, int | None]] = {
    "the whole log": (checkpoint(4), "", None),
    "its beginning": (checkpoint(2), "", None),
    "nothing at all": (checkpoint(0), "", None),
    "a receipt": (receipt(2), "", None),
    "a longer log": (
        checkpoint(5, leaves=HANDED_ON), "5 leaves were signed, but the log has only 4", 4
    ),
    "another log": (
        checkpoint(3, leaves=[OPENED, *LEAVES[2:], *LEAVES]),
        "the first 3 leaves are not those that were signed", 2,
    ),
    "another's checkpoint": (checkpoint(4, STRANGER), "the checkpoint is not signed by", None),
    "a receipt that proves nothing": (
        receipt(2).replace("index 0", "index 1"), "leaf 1 is not covered by the root", None
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "said", "leaf"), KEPT.values(), ids=KEPT)
def test_l17_log_must_extend_kept_evidence(
    tmp_path: Path, text: str, said: str, leaf: int | None
) -> None:
    kept = tmp_path / "kept"
    kept.write_text(text)
    evidence = TrustedEvidence((read_evidence(kept),))
    found = compare_evidence(exported(tmp_path, *LEAVES), KEYS, evidence)
    assert found.names == (str(kept),)
    assert found.witnessed is None
    assert len(found.findings) == (said != "")
    for one in found.findings:
        assert (one.check, one.leaf) == ("known", leaf)
        assert one.text.startswith(f"{kept}: {said}")


def test_l17_unreadable_evidence_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff")
    (tmp_path / "other").write_text("hello")
    for name in ("none", "binary", "other"):
        with pytest.raises(FileError, match=f"{name} (cannot be read|is neither a checkpoint)"):
            read_evidence(tmp_path / name)


A, B, C = (witness.public for witness in WITNESSES)


def cosigned(note: str, *witnesses: SigningKey) -> str:
    return note + "".join(cosign(witness, note, NOW) for witness in witnesses)


def newest(file: Path) -> str:
    note = read_note(CasinoFiles(file).checkpoint)
    assert note is not None
    return note


def asked(
    file: Path, *witnesses: PublicKey, quorum: int, kept: tuple[tuple[str, str], ...] = ()
) -> Report:
    return audit(FileSource(file), elsewhere=TrustedEvidence(kept, witnesses, quorum), workers=1)


def found(report: Report) -> list[str]:
    return [finding.text for finding in report.findings if finding.check == "witnesses"]


def test_l24_cosigned_file_with_quorum_is_reported(db_file: Path) -> None:
    CasinoFiles(db_file).cosigned.write_text(cosigned(newest(db_file), *WITNESSES[:2]))
    report = asked(db_file, A, B, C, quorum=2)
    assert (found(report), report.witnessed) == ([], report.leaves)
    assert report.known == ("casino.db.checkpoint", "casino.db.cosigned")
    assert report.is_clean


def test_l24_too_few_cosignatures_are_an_error(db_file: Path) -> None:
    CasinoFiles(db_file).cosigned.write_text(cosigned(newest(db_file), WITNESSES[0]))
    report = asked(db_file, A, B, quorum=2)
    assert report.witnessed == 0
    assert [text.partition(":")[0] for text in found(report)] == [
        "casino.db.checkpoint", "casino.db.cosigned",
    ]  # fmt: skip
    assert (
        "1 of 2 known witnesses cosigned it (witness.example/a), but 2 are needed"
        in found(report)[1]
    )
    assert not report.is_clean


def test_l24_known_cosigned_checkpoint_counts(played: Path, tmp_path: Path) -> None:
    log = FileSource(played).log
    older = next(
        one for one in log.checkpoints() if one.size < open_checkpoint(newest(played), None).size
    )
    kept = tmp_path / "kept"
    kept.write_text(cosigned(older.note, *WITNESSES))
    report = asked(played, A, B, C, quorum=3, kept=(read_evidence(kept),))
    assert (found(report), report.witnessed, report.is_clean) == ([], older.size, True)
    note = f"only {older.size:,} of the {report.leaves:,} leaves are cosigned so far, the last at"
    assert any(finding.text.startswith(note) for finding in report.findings)


def test_l24_missing_checkpoint_asks_for_known_option(db_file: Path) -> None:
    assert found(asked(db_file, A, quorum=1))[0].startswith("no cosigned checkpoint lies next to")
    CasinoFiles(db_file).checkpoint.unlink()
    report = asked(db_file, A, quorum=1)
    assert "give one with --known" in found(report)[0]


def test_l24_audit_command_reports_witnessed_leaves(
    db_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    CasinoFiles(db_file).cosigned.write_text(cosigned(newest(db_file), WITNESSES[0]))
    asking = ["audit", "--db", str(db_file), "--witness", A.text()]
    assert main(asking) == 0
    size = open_checkpoint(newest(db_file), None).size
    assert f"witnesses have seen {size} of {size} leaves" in capsys.readouterr().out
    assert main([*asking, "--witness", B.text()]) == 1
    assert main([*asking, "--quorum", "2"]) == 2
