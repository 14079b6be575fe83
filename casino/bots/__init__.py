"""Bots: each sees a view of the deal, never its full state, and chooses a legal action."""

from casino.bots.match import play_game
from casino.bots.registry import BOT_NAMES, WIN_RATES, Bot, get_bot, is_own_bot

__all__ = ["BOT_NAMES", "WIN_RATES", "Bot", "get_bot", "is_own_bot", "play_game"]
