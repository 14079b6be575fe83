"""Background audit of the log, at regular intervals in a low-priority process.

Findings are logged as errors and exported as metrics, so that either can alert the operator. The
casino keeps running after a finding, because whether to stop it is the operator's decision.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, Final

from casino.audit.check import ERROR, Finding, summarize
from casino.ledger.storage.location import LogLocation

UNDONE: Final = -1
_LOWEST: Final = 19
_MINUTE: Final = 60
_CLEAN, _FOUND = 0, 1

log = logging.getLogger(__name__)


class BackgroundAudit:
    """Runs an audit every `every_minutes` minutes in a thread, or never if that is 0.

    `record` is called with the number of findings of each audit, or `UNDONE` if it failed.
    """

    def __init__(
        self, location: LogLocation, every_minutes: int, record: Callable[[int], None]
    ) -> None:
        self._location = location
        self._seconds = every_minutes * _MINUTE
        self._record = record
        self._closing = threading.Event()
        self._running: subprocess.Popen[str] | None = None
        self._thread = threading.Thread(target=self._run, name="inspector", daemon=True)

    def __enter__(self) -> BackgroundAudit:
        if self._seconds:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        running = self._running
        if running is not None:
            running.kill()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._closing.wait(self._seconds):
            self.run_once()

    def run_once(self) -> None:
        """Run one audit and wait for it; log its findings and store its result."""
        # Not on the command line, where a password in the database URL would be visible.
        settings = {"BANK_DB": str(self._location.path), "BANK_URL": self._location.url}
        environment = os.environ | {f"CASINO_{name}": text for name, text in settings.items()}
        command = [sys.executable, "-m", "casino", "audit", "--json"]
        self._running = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        os.setpriority(os.PRIO_PROCESS, self._running.pid, _LOWEST)
        output, complaint = self._running.communicate()
        status, self._running = self._running.returncode, None
        if not self._closing.is_set():
            self._tell(status, output, complaint)

    def _tell(self, status: int, output: str, complaint: str) -> None:
        if status not in (_CLEAN, _FOUND):
            log.error("ALERT: the background audit failed: %s", complaint.strip()[-300:])
            self._record(UNDONE)
            return
        verdict: dict[str, Any] = json.loads(output)
        findings = [Finding(**values) for values in verdict["findings"]]
        errors = [finding for finding in findings if finding.severity == ERROR]
        self._record(len(errors))
        if errors:
            log.error("ALERT: the background audit has %d findings", len(errors))
        else:
            log.info("audited: %d leaves, clean", verdict["leaves"])
        for line in summarize(errors):
            log.error("ALERT: %s", line)
