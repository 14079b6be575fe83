"""Check that the log still contains what someone kept, which reveals a cut tail or a restored copy.

A file alone cannot show that it was once longer. Anyone who holds a later checkpoint or receipt
can. The casino keeps its newest checkpoint beside the file as `FILE.checkpoint`, and the newest one
that witnesses cosigned as `FILE.cosigned`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from casino.audit.report import Finding
from casino.audit.source import ExportSource, FileSource
from casino.errors import FileError
from casino.ledger.storage.base import StorageError
from casino.ledger.tlog import note as notes
from casino.ledger.tlog.cosignature import check_quorum
from casino.ledger.tlog.key_rotation import KeyChain
from casino.ledger.tlog.note import Checkpoint, PublicKey

CHECK = "known"


class TrustedEvidence(NamedTuple):
    """Evidence an auditor brings: kept checkpoints and receipts, trusted witnesses.

    At least `quorum` witnesses must have cosigned each checkpoint compared.
    """

    kept: tuple[Path, ...] = ()
    witnesses: tuple[PublicKey, ...] = ()
    quorum: int = 0


NOTHING: Final = TrustedEvidence()


class EvidenceComparison(NamedTuple):
    """What the log was compared with, how many leaves the quorum has seen, and the findings."""

    names: tuple[str, ...]
    witnessed: int | None
    findings: list[Finding]


def compare_evidence(
    source: FileSource | ExportSource, keys: KeyChain, elsewhere: TrustedEvidence
) -> EvidenceComparison:
    """Check that the log contains the checkpoint beside it and all evidence."""
    texts = {}
    if source.beside is not None:
        texts[f"{source.path.name}.checkpoint"] = source.beside
    if elsewhere.witnesses and source.cosigned is not None:
        texts[f"{source.path.name}.cosigned"] = source.cosigned
    texts |= {str(file): _text(file) for file in elsewhere.kept}
    findings: list[Finding] = []
    sizes, refused = [], []
    for name, text in texts.items():
        try:
            note, checkpoint = _opened(text, keys)
            _compare(source, checkpoint)
        except _Missing as missing:
            findings.append(Finding(CHECK, f"{name}: {missing}", missing.leaf))
            continue
        except (FileError, StorageError) as error:
            findings.append(Finding(CHECK, f"{name}: {error}"))
            continue
        try:
            check_quorum(note, elsewhere.witnesses, elsewhere.quorum)
            sizes.append(checkpoint.size)
        except FileError as error:
            refused.append(f"{name}: {error}")
    if not elsewhere.witnesses:
        return EvidenceComparison(tuple(texts), None, findings)
    if not sizes:
        findings += _unwitnessed(refused)
    return EvidenceComparison(tuple(texts), max(sizes, default=0), findings)


class _Missing(FileError):
    """The log lacks something that was signed."""

    def __init__(self, text: str, leaf: int) -> None:
        super().__init__(text)
        self.leaf = leaf


def _unwitnessed(refused: list[str]) -> Iterator[Finding]:
    for text in refused:
        yield Finding("witnesses", text)
    if not refused:
        text = "there is no sound checkpoint to look for cosignatures on: bring one with --known"
        yield Finding("witnesses", text)


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        raise FileError(f"{file} cannot be read: name a checkpoint or a receipt") from None


def _opened(text: str, keys: KeyChain) -> tuple[str, Checkpoint]:
    note = notes.verify_receipt(text, None)[0].note if text.startswith("c2sp.org/") else text
    return note, keys.open(note)


def _compare(source: FileSource | ExportSource, checkpoint: Checkpoint) -> None:
    size, root = source.beginning(checkpoint.size)
    if size < checkpoint.size:
        text = f"{checkpoint.size} leaves were signed, but the log has only {size}"
        raise _Missing(text, size)
    if root != checkpoint.root:
        text = f"the first {checkpoint.size} leaves are not those that were signed"
        raise _Missing(text, checkpoint.size - 1)
