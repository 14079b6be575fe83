"""The audit of the casino's file, or of an export of its log: reads, checks, never writes."""

from casino.audit.checks.bots import Decide
from casino.audit.partial import audit_game, audit_player
from casino.audit.pipeline import audit
from casino.audit.report import Finding, Report
from casino.audit.source import ExportSource, FileSource
from casino.audit.trusted_checkpoints import TrustedEvidence

__all__ = ["Decide", "ExportSource", "FileSource", "Finding", "Report", "TrustedEvidence", "audit"]
__all__ += ["audit_game", "audit_player"]
