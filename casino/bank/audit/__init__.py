"""The audit of the casino's file, or of an export of its log: reads, checks, never writes."""

from casino.bank.audit.findings import Finding, Report
from casino.bank.audit.run import audit
from casino.bank.audit.sources import ExportSource, FileSource

__all__ = ["ExportSource", "FileSource", "Finding", "Report", "audit"]
