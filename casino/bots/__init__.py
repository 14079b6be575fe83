"""Bots: they see a view of the deal, never its state, and name one legal action.

>>> [name for name in ("novice", "regle", "croesus") if name in BOT_NAMES]
['novice', 'regle']
>>> type(bot_named("regle")).__name__
'Regle'
>>> bot_named("croesus")  # doctest: +ELLIPSIS
Traceback (most recent call last):
    ...
casino.errors.BadInput: 'croesus' is not a bot: choose from ...
"""

from casino.bots.match import Played, play_game
from casino.bots.protocol import Bot
from casino.bots.registry import BOT_NAMES, WINS, bot_named

__all__ = ["BOT_NAMES", "WINS", "Bot", "Played", "bot_named", "play_game"]
