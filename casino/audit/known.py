"""What somebody kept must still be in the log: it shows a tail cut off, or an old copy restored.

A file alone cannot tell that it was once longer. Whoever holds a later checkpoint or receipt
can; the casino itself keeps its newest checkpoint beside the file, as `FILE.checkpoint`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from casino.audit.findings import Finding
from casino.audit.sources import ExportSource, FileSource
from casino.bank import notes
from casino.bank.keychain import KeyChain
from casino.errors import BadFile

CHECK = "known"


def check_known(
    source: FileSource | ExportSource, keys: KeyChain, known: Path | None
) -> tuple[list[str], list[Finding]]:
    """The log contains the checkpoint beside it, and what its reader has kept: names, findings."""
    names, findings = [], []
    if source.beside is not None:
        name = f"{source.path.name}.checkpoint"
        names.append(name)
        findings += list(_check(source, keys, name, source.beside))
    if known is not None:
        names.append(str(known))
        findings += list(_check(source, keys, known.name, _text(known)))
    return names, findings


def _text(file: Path) -> str:
    """What somebody has kept."""
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        raise BadFile(f"{file} cannot be read: name a checkpoint or a receipt") from None


def _check(
    source: FileSource | ExportSource, keys: KeyChain, name: str, text: str
) -> Iterator[Finding]:
    """The log begins with what a kept checkpoint or receipt signs."""
    try:
        if text.startswith("c2sp.org/"):
            receipt, _ = notes.verify_receipt(text, None)
            checkpoint = keys.open(receipt.note)
        else:
            checkpoint = keys.open(text)
    except BadFile as error:
        yield Finding(CHECK, f"{name}: {error}")
        return
    try:
        size, root = source.beginning(checkpoint.size)
    except BadFile as error:
        yield Finding(CHECK, f"{name}: {error}")
        return
    if size < checkpoint.size:
        text = f"{checkpoint.size} leaves were signed, but the log has only {size}"
        yield Finding(CHECK, f"{name}: {text}", size)
    elif root != checkpoint.root:
        text = f"the first {checkpoint.size} leaves are not those that were signed"
        yield Finding(CHECK, f"{name}: {text}", checkpoint.size - 1)
