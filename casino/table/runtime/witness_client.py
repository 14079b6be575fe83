"""Client for witnesses, which cosign the newest checkpoint of the log (L24).

Each witness has its own thread, which sends only the newest checkpoint, so that a slow or
unreachable witness never delays a table. A witness that has seen a longer or different log
proves that the log was rolled back, and the casino must stop.
"""

from __future__ import annotations

import logging
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Final

from casino.errors import CasinoError, FileError
from casino.ledger import tlog
from casino.ledger.side_files import write_private
from casino.ledger.tlog import Hash, WitnessAddress
from casino.table.runtime.service import EventListener

TIMEOUT_SECONDS: Final = 10
MAX_RESPONSE_BYTES: Final = 64 << 10
_MAX_ATTEMPTS: Final = 3

Proof = Callable[[int, int], list[Hash]]  # the consistency proof between two sizes of a log

log = logging.getLogger(__name__)


class RolledBackError(CasinoError):
    """Raised when a witness has seen leaves that the log no longer has."""

    code = "rolled_back"


class WitnessClient:
    """Client for one witness, remembering the log size that the witness last cosigned."""

    def __init__(self, witness: WitnessAddress, prove: Proof) -> None:
        self.witness = witness
        self._prove = prove
        self._seen = 0

    def request_cosignature(self, note: str) -> str | None:
        """Ask the witness to cosign a checkpoint; return the cosigned one, or None on failure."""
        size = tlog.open_checkpoint(note, None).size
        for _ in range(_MAX_ATTEMPTS):
            old = min(self._seen, size)
            request = tlog.WitnessRequest(old, self._prove(old, size) if old else [], note)
            reply, name = self._post(request), self.witness.key.name
            if reply is None:
                return None
            if reply.status == HTTPStatus.OK:
                return self._cosigned(note, size, reply.body)
            if reply.status == HTTPStatus.UNPROCESSABLE_ENTITY:
                text = f"it saw {old} leaves of this log, which the {size} now do not extend"
                raise RolledBackError(f"{name}: {text}")
            # A 409 contains the size that the witness cosigned last.
            seen = reply.body.strip()
            is_size = reply.status == HTTPStatus.CONFLICT and re.fullmatch("[0-9]{1,15}", seen)
            if not is_size or int(seen) == old:
                log.warning("witness %s: it answered %d: %s", name, reply.status, seen[:100])
                return None
            if int(seen) > size:
                text = f"it has seen {seen} leaves of this log, which now has {size}"
                raise RolledBackError(f"{name}: {text}")
            # Try again with a proof from that size.
            self._seen = int(seen)
        return None

    def _cosigned(self, note: str, size: int, body: str) -> str | None:
        try:
            cosigned = tlog.with_cosignatures(note, body.splitlines(), self.witness.key)
        except FileError as error:
            log.warning("witness %s: %s", self.witness.key.name, error)
            return None
        self._seen = size
        return cosigned

    def _post(self, request: tlog.WitnessRequest) -> tlog.WitnessReply | None:
        address = self.witness.address.rstrip("/") + tlog.PATH
        asked = urllib.request.Request(address, request.text().encode(), method="POST")
        try:
            try:
                answer = urllib.request.urlopen(asked, timeout=TIMEOUT_SECONDS)
            except urllib.error.HTTPError as error:
                answer = error  # a response too
            with answer:
                body = answer.read(MAX_RESPONSE_BYTES).decode("utf-8", "replace")
                return tlog.WitnessReply(answer.status, body)
        except OSError as error:
            log.warning("witness %s is away: %s", self.witness.key.name, error)
            return None


class CosignedCheckpointFile:
    """File with the newest checkpoint that a witness has cosigned."""

    def __init__(self, path: Path, witnesses: tuple[WitnessAddress, ...]) -> None:
        self._path = path
        self._keys = [witness.key for witness in witnesses]
        self._lock = threading.Lock()
        self.note = path.read_text("utf-8") if path.is_file() else ""

    def save(self, note: str) -> None:
        """Save a checkpoint unless a newer one is saved; merge cosignatures if sizes are equal."""
        # The threads of all witnesses save their cosignatures here.
        with self._lock:
            kept = tlog.open_checkpoint(self.note, None).size if self.note else -1
            size = tlog.open_checkpoint(note, None).size
            if size < kept:
                return
            if size == kept:
                lines = note.rpartition("\n\n")[2].splitlines()
                note = self.note
                for key in self._keys:
                    if any(line.startswith(f"{tlog.DASH}{key.name} ") for line in lines):
                        note = tlog.with_cosignatures(note, lines, key)
            write_private(self._path, note)
            self.note = note

    def note_with_quorum(self, quorum: int) -> str | None:
        """Return the saved checkpoint, or None if fewer than `quorum` witnesses cosigned it."""
        note = self.note
        is_enough = note and len(tlog.cosigning_times(note, self._keys)) >= max(quorum, 1)
        return note if is_enough else None


class WitnessListener(EventListener):
    """Listener that sends each new checkpoint to all witnesses; `keep` receives cosigned ones."""

    def __init__(
        self,
        witnesses: tuple[WitnessAddress, ...],
        prove: Proof,
        keep: Callable[[str], None],
        stop: Callable[[Exception], None],
    ) -> None:
        self._prove = prove
        self._keep = keep
        self._stop = stop
        self._newest = ""
        self._news = threading.Condition()
        self._closing = False
        self._threads = [
            threading.Thread(target=self._run, args=(witness,), name=f"witness-{witness.key.name}")
            for witness in witnesses
        ]
        for thread in self._threads:
            thread.start()

    def on_signed(self, note: str) -> None:
        """Queue a checkpoint, replacing one that has not been sent yet."""
        with self._news:
            self._newest = note
            self._news.notify_all()

    def close(self) -> None:
        """Stop the threads, each after its current request."""
        with self._news:
            self._closing = True
            self._news.notify_all()
        for thread in self._threads:
            thread.join()

    def _run(self, witness: WitnessAddress) -> None:
        asker, asked = WitnessClient(witness, self._prove), ""
        while note := self._wait_for_other(asked):
            asked = note
            try:
                cosigned = asker.request_cosignature(note)
            # A rollback is final, so this witness is not asked again.
            except RolledBackError as error:
                self._stop(error)
                return
            if cosigned is not None:
                self._keep(cosigned)

    def _wait_for_other(self, asked: str) -> str:
        with self._news:
            # Checkpoints signed while the witness was busy are skipped, except the newest.
            while self._newest == asked and not self._closing:
                self._news.wait()
            return "" if self._closing else self._newest
