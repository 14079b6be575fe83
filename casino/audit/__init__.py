"""Audit a casino's log file, or an export of it, without writing to it."""

from casino.audit.checks.bots import Decide
from casino.audit.partial import audit_game, audit_player
from casino.audit.report import ERROR, NOTE, WARNING, Finding, Report
from casino.audit.source import ExportSource, FileSource
from casino.audit.trusted import TrustedEvidence
from casino.audit.whole import audit

__all__ = [
    "ERROR", "NOTE", "WARNING", "Decide", "ExportSource", "FileSource", "Finding", "Report",
    "TrustedEvidence", "audit", "audit_game", "audit_player",
]  # fmt: skip
