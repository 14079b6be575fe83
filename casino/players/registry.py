"""Every bot by its name: a new bot is one file and one line here.

A bot's file is loaded only when somebody asks for that bot, because it may bring tables along.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Final, cast

from casino.errors import BadInput
from casino.players.protocol import Bot

_CLASSES: Final = {
    "novice": "casino.players.novice:Novice",
    "regle": "casino.players.regle:Regle",
    "expert": "casino.expert.bot:Expert",
}

BOT_NAMES: Final = tuple(_CLASSES)


@cache
def bot_named(name: str) -> Bot:
    """The bot of this name."""
    if name not in _CLASSES:
        raise BadInput(f"{name[:40]!r} is not a bot: choose from {', '.join(BOT_NAMES)}")
    module, _, class_name = _CLASSES[name].partition(":")
    return cast(Bot, getattr(import_module(module), class_name)())
