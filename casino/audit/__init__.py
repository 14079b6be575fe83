"""The audit of the casino's file, or of an export of its log: reads, checks, never writes."""

from casino.audit.bots import Decide
from casino.audit.findings import Finding, Report
from casino.audit.known import Elsewhere
from casino.audit.narrow import audit_game, audit_player
from casino.audit.run import audit
from casino.audit.sources import ExportSource, FileSource

__all__ = ["Decide", "Elsewhere", "ExportSource", "FileSource", "Finding", "Report", "audit"]
__all__ += ["audit_game", "audit_player"]
