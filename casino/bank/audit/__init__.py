"""The audit of the casino's file, or of an export of its log: reads, checks, never writes."""

from casino.bank.audit.bots import Decide
from casino.bank.audit.findings import Finding, Report
from casino.bank.audit.narrow import audit_game, audit_player
from casino.bank.audit.run import audit
from casino.bank.audit.sources import ExportSource, FileSource

__all__ = ["Decide", "ExportSource", "FileSource", "Finding", "Report", "audit", "audit_game"]
__all__ += ["audit_player"]
