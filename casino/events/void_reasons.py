"""Why a game is void: stable names, used by the log and the messages, and their English sentences.

Pages translate the names. Anything else is an operator's own sentence.
"""

from __future__ import annotations

from typing import Final

LEFT: Final = "challenger_left"
OUT_OF_TIME: Final = "challenger_out_of_time"
BOT_FAILED: Final = "bot_failed"
SECRETS_LOST: Final = "secrets_lost"

ENGLISH: Final = {
    LEFT: "the challenger left",
    OUT_OF_TIME: "the challenger ran out of time",
    BOT_FAILED: "the bot failed",
    SECRETS_LOST: "the secret or the cards of this game are lost",
}


def void_reason_text(reason: str) -> str:
    """Return why a game is void, in English.

    >>> void_reason_text(BOT_FAILED), void_reason_text("the lights went out")
    ('the bot failed', 'the lights went out')
    """
    return ENGLISH.get(reason, reason)
