"""Decide which key an audit checks signatures by, and where that key comes from (L16).

A key named by the log itself proves consistency, not identity: anyone who writes a log can sign it
again from its first leaf.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from casino.audit.report import Finding
from casino.audit.source import ExportSource, FileSource, parse_key
from casino.errors import FileError
from casino.ledger.side_files import CasinoFiles
from casino.ledger.tlog.key_rotation import KeyChain, Link
from casino.ledger.tlog.note import PublicKey

CHECK = "key"
FROM_LOG = "the log itself: this proves that it is consistent, not whose it is"


class TrustedKeys(NamedTuple):
    """The keys that signatures are checked by, the trusted one among them, and its origin."""

    keys: KeyChain
    key: PublicKey
    origin: str

    @property
    def key_id(self) -> str:
        """The key's id, as its signatures name it."""
        return self.key.key_id.hex()


def find_trusted_key(
    source: FileSource | ExportSource, key_or_file: Path | str | None
) -> tuple[TrustedKeys, list[Finding]]:
    """Return the key to check by, and findings about other keys that do not lead to it."""
    key, origin = _key_and_origin(source, key_or_file)
    findings = []
    if source.keys is None:
        findings.append(Finding(CHECK, "the first leaf does not say whose log this is", 0))
    named = parse_key(source.named)
    keys = source.keys or KeyChain((Link(0, key or named or _unknown(source)),))
    if named != keys.first:
        where = "about" if isinstance(source, FileSource) else "the export's head"
        text = f"{where} does not name the key that the first leaf names"
        findings.append(Finding(CHECK, text, 0))
    if key is None:
        return TrustedKeys(keys, keys.newest, FROM_LOG), findings
    if not keys.contains(key):
        text = f"the log is of the key {keys.newest.text()}, not of {key.text()} ({origin})"
        findings.append(Finding(CHECK, text, 0))
        # Its signatures are then checked by the key that was asked for, and are false.
        keys = KeyChain((Link(0, key),))
    return TrustedKeys(keys, key, origin), findings


def read_key(key_or_file: Path | str) -> PublicKey:
    """Read a key from a text, or from the file it names."""
    path = Path(key_or_file)
    if not path.is_file():
        if "+" in str(key_or_file):
            return PublicKey.parse(str(key_or_file))
        raise FileError(f"{key_or_file} is not there: give the log's public key with --key")
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise FileError(f"{key_or_file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise FileError(f"{key_or_file} is not text, but a key is") from None
    try:
        return PublicKey.parse(text)
    except FileError as error:
        raise FileError(f"{key_or_file}: {error}") from None


def _key_and_origin(
    source: FileSource | ExportSource, key_or_file: Path | str | None
) -> tuple[PublicKey | None, str]:
    if key_or_file is not None:
        return read_key(key_or_file), f"--key {key_or_file}"
    beside = CasinoFiles(source.path).pub
    if isinstance(source, FileSource) and beside.is_file():
        return read_key(beside), f"{beside.name}, which proves no more than the file it lies beside"
    return None, ""


def _unknown(source: FileSource | ExportSource) -> PublicKey:
    raise FileError(f"{source.path} names no key: give the log's public key with --key")
