"""Choose the key that an audit trusts (L16), and compare the log with evidence from elsewhere.

A key named by the log itself proves consistency, not identity, because anyone can write a log and
sign it with a key of their own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from casino.audit.check import NOTE, Finding
from casino.audit.source import FileSource, Source
from casino.errors import FileError, moment
from casino.ledger import tlog
from casino.ledger.side_files import CasinoFiles
from casino.ledger.storage.base import StorageError
from casino.ledger.tlog import KeyChain, Link, PublicKey

KEY_CHECK = "key"
FROM_LOG = "the log itself: this shows that it is consistent, not whose it is"


class TrustedKeys(NamedTuple):
    """The keys that verify signatures, the trusted key among them, and the origin of that key."""

    keys: KeyChain
    key: PublicKey
    origin: str


def find_trusted_key(
    source: Source, key_or_file: Path | str | None
) -> tuple[TrustedKeys, list[Finding]]:
    """Return the trusted key, and findings about keys in the log that contradict it."""
    key: PublicKey | None = None
    origin, pub = FROM_LOG, CasinoFiles(source.path).pub
    if key_or_file is not None:
        key, origin = tlog.read_key(key_or_file), f"--key {key_or_file}"
    elif isinstance(source, FileSource) and pub.is_file():
        key, origin = tlog.read_key(pub), pub.name
    findings, keys = [], source.keys
    if keys is None:
        findings.append(Finding(KEY_CHECK, "the first leaf does not name the log's key", 0))
        first = key or source.named
        if first is None:
            raise FileError(f"{source.path} names no key: give the log's public key with --key")
        keys = KeyChain((Link(0, first),))
    if source.named != keys.first:
        where = "table about" if isinstance(source, FileSource) else "first line of the export"
        text = f"the {where} and the first leaf name different keys"
        findings.append(Finding(KEY_CHECK, text, 0))
    if key is not None and not keys.contains(key):
        text = f"the log is signed by the key {keys.newest.text()}, not {key.text()} ({origin})"
        findings.append(Finding(KEY_CHECK, text, 0))
        # A false key says nothing about the signatures: one finding is enough.
        key, origin = None, FROM_LOG
    elif key is not None and key_or_file is None:
        origin += ", so this does not show whose log it is"
    return TrustedKeys(keys, key or keys.newest, origin), findings


CHECK = "known"


class TrustedEvidence(NamedTuple):
    """Evidence that the auditor supplies: checkpoints and receipts, witnesses' keys, the log's key.

    `kept` has the name and text of each checkpoint or receipt, from `read_evidence`. A checkpoint
    counts as witnessed if at least `quorum` witnesses have cosigned it. `key` is the log's key or
    the file that holds it.
    """

    kept: tuple[tuple[str, str], ...] = ()
    witnesses: tuple[PublicKey, ...] = ()
    quorum: int = 0
    key: Path | str | None = None


NOTHING: Final = TrustedEvidence()


class EvidenceComparison(NamedTuple):
    """Names of the evidence, number of witnessed leaves (None without witnesses), and findings."""

    names: tuple[str, ...]
    witnessed: int | None
    findings: list[Finding]


def compare_evidence(
    source: Source, keys: KeyChain, elsewhere: TrustedEvidence
) -> EvidenceComparison:
    """Check that the log extends its own published checkpoint and those in the evidence."""
    texts = {}
    if source.beside is not None:
        texts[f"{source.path.name}.checkpoint"] = source.beside
    if elsewhere.witnesses and source.cosigned is not None:
        texts[f"{source.path.name}.cosigned"] = source.cosigned
    texts |= dict(elsewhere.kept)
    findings: list[Finding] = []
    cosigned_at: dict[int, int] = {}  # by the size of the tree
    refused, newest = [], 0
    for name, text in texts.items():
        try:
            is_receipt = text.startswith("c2sp.org/")
            note = tlog.verify_receipt(text, None)[0].note if is_receipt else text
            checkpoint = keys.open(note)
            size, root = source.beginning(checkpoint)
        except (FileError, StorageError) as error:
            findings.append(Finding(CHECK, f"{name}: {error}"))
            continue
        if size < checkpoint.size:
            text = f"{checkpoint.size} leaves were signed, but the log has only {size}"
            findings.append(Finding(CHECK, f"{name}: {text}", size))
            continue
        if root != checkpoint.root:
            text = f"the first {checkpoint.size} leaves are not those that were signed"
            findings.append(Finding(CHECK, f"{name}: {text}", checkpoint.size - 1))
            continue
        newest = max(newest, size)
        try:
            times = tlog.check_quorum(note, elsewhere.witnesses, elsewhere.quorum)
            cosigned_at[size] = max(times.values(), default=0)
        except FileError as error:
            refused.append(f"{name}: {error}")
    if not elsewhere.witnesses:
        return EvidenceComparison(tuple(texts), None, findings)
    seen = max(cosigned_at, default=0)
    if not cosigned_at:
        if source.cosigned is None and not elsewhere.kept:
            # FILE.checkpoint alone was compared, which never has cosignatures.
            advice = "if it has just got witnesses, audit again in a minute, else give one with"
            refused = [f"no cosigned checkpoint lies next to the log: {advice} --known"]
        findings += [Finding("witnesses", text) for text in refused]
    elif seen < newest:
        at = moment(cosigned_at[seen] * 1000)
        text = f"only {seen:,} of the {newest:,} leaves are cosigned so far, the last at {at}"
        findings.append(Finding("cosigned", text, severity=NOTE))
    return EvidenceComparison(tuple(texts), seen, findings)


def read_evidence(file: Path) -> tuple[str, str]:
    """Return a file's name and text; raise `FileError` if it is no checkpoint or receipt."""
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        raise FileError(f"{file} cannot be read: give a checkpoint or a receipt") from None
    if not text.startswith("c2sp.org/") and "\n— " not in text:
        raise FileError(f"{file} is neither a checkpoint nor a receipt: give one")
    return str(file), text
