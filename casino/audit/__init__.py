"""Audit a casino's log file, or an export of it, without writing to it."""

from casino.audit.audits import Report, audit, audit_game, audit_player
from casino.audit.check import ERROR, MAX_ALIKE, Decide, Finding, summarize
from casino.audit.pipeline import MAX_FINDINGS
from casino.audit.source import ExportSource, FileSource
from casino.audit.trusted import TrustedEvidence, read_evidence
