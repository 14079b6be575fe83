"""Logs of requests and commands, linked by request ids.

The id is returned in `X-Request-ID`; a trusted proxy may set it. A command is logged with its
request's id, and a bet also with its ledger id and the number of its leaf.
"""

from __future__ import annotations

import logging
import re
from itertools import count
from typing import Any, Final

from flask import has_request_context, request

from casino.table.domain.commands import PlaceBet, PlayerCommand, bet_command_id

REQUEST: Final = "casino.request"
_GIVEN: Final = "HTTP_X_REQUEST_ID"
_IS_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
request_numbers: Final = count(1)  # of all requests to this process

access: Final = logging.getLogger("casino.access")
commands: Final = logging.getLogger("casino.commands")


def use_proxy_request_id(environ: dict[str, Any]) -> None:
    """Use the `X-Request-ID` header of a trusted proxy as the request's id, if it is valid."""
    request_id = environ.get(_GIVEN, "")
    if _IS_ID.fullmatch(request_id):
        environ[REQUEST] = request_id


def log_request(environ: dict[str, Any], status: int, size: int, seconds: float) -> None:
    """Log a request without its query string, which may be private."""
    if access.isEnabledFor(logging.INFO):
        fields = {
            "request": environ.get(REQUEST, ""),
            "address": environ.get("REMOTE_ADDR", ""),
            "method": environ.get("REQUEST_METHOD", ""),
            "path": environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", ""),
            "status": status,
            "bytes": size,
            "ms": round(seconds * 1000, 1),
        }
        access.info("request", extra={"fields": fields})


def log_command(command: PlayerCommand, code: str, answer: dict[str, Any], seconds: float) -> None:
    """Log a command with its outcome and the id of the current request, if there is one."""
    if commands.isEnabledFor(logging.INFO):
        bet = answer.get("bet") or {}
        known = (
            bet_command_id(command.player, command.bet_id) if isinstance(command, PlaceBet) else ""
        )
        fields = {
            "request": request.environ.get(REQUEST, "") if has_request_context() else "",
            "command": type(command).__name__,
            "table": getattr(command, "table", ""),
            "game": getattr(command, "game", ""),
            "player": getattr(command, "player", ""),
            "id": known,
            "leaf": bet.get("leaf", ""),
            "code": code,
            "ms": round(seconds * 1000, 1),
        }
        commands.info("command", extra={"fields": fields})
