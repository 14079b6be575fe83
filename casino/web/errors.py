"""JSON error messages for clients."""

from __future__ import annotations

from typing import Final

from casino.errors import CasinoError, RefusalReason, Refused
from casino.table.public.state import Message

INTERNAL_ERROR: Final = RefusalReason("internal_error", "unavailable", "internal error: try again")


def error_message(error: CasinoError) -> Message:
    """Return an error's JSON message, without details unless the error is a refusal."""
    if isinstance(error, Refused):
        return {"ok": False, **error.json()}
    return {"ok": False, **Refused(INTERNAL_ERROR).json()}
