"""How an error is told to whoever asked."""

from __future__ import annotations

from typing import Final

from casino.errors import CasinoError, RefusalReason, Refused
from casino.table.public.state import Message

INTERNAL_ERROR: Final = RefusalReason("internal_error", "unavailable", "internal error: try again")


def refused(error: CasinoError) -> Message:
    """An error as everybody is told it: a refusal with its code; a fault says no more."""
    if isinstance(error, Refused):
        return {"ok": False, **error.json()}
    return {"ok": False, **Refused(INTERNAL_ERROR).json()}
