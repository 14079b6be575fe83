"""Bots: each sees a view of the deal, never its full state, and chooses a legal action.

>>> [name for name in ("novice", "regle", "croesus") if name in BOT_NAMES]
['novice', 'regle']
>>> type(get_bot("regle")).__name__
'RuleBot'
>>> get_bot("croesus")  # doctest: +ELLIPSIS
Traceback (most recent call last):
    ...
casino.errors.InputError: 'croesus' is not a bot: choose from ...
"""

from casino.bots.match import PlayedGame, play_game, play_out
from casino.bots.registry import BOT_NAMES, WIN_RATES, Bot, get_bot, get_tables_path, is_own_bot

__all__ = [
    "BOT_NAMES",
    "WIN_RATES",
    "Bot",
    "PlayedGame",
    "get_bot",
    "get_tables_path",
    "is_own_bot",
    "play_game",
    "play_out",
]
