"""Every bot by name, the weakest first: a new bot is one file and one line here.

A bot's module is loaded only when that bot is asked for, because it may load large tables. The bots
named after people stand between the three with a fixed definition: each wins between 52 and 60
games in 100 against the one before it. docs/solver.md has the figures. What each wins against
`regle` tells people on the pages how strong it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from casino.bots.protocol import Bot
from casino.errors import BadInput


def _made(where: str, *settings: Any) -> Bot:
    """A bot made from a class, given as `module:Class`."""
    module, _, class_name = where.partition(":")
    made: Bot = getattr(import_module(module), class_name)(*settings)
    return made


def _wavering(lapses: int) -> Bot:
    """A player by the rule of thumb, except in this many of 32 decisions."""
    return _made("casino.bots.mixed_bot:MixedBot", get_bot("novice"), get_bot("regle"), lapses)


class _Known(NamedTuple):
    """How to make a bot, and how many of 100 games to five it wins against `regle`."""

    made: Callable[[], Bot]
    wins: int | None = None


_BOTS: Final[Mapping[str, _Known]] = {
    "novice": _Known(partial(_made, "casino.bots.random_bot:RandomBot"), 16),
    "anatole": _Known(partial(_wavering, 26), 20),
    "blanche": _Known(partial(_wavering, 19), 27),
    "clement": _Known(partial(_wavering, 12), 35),
    "delphine": _Known(partial(_wavering, 6), 42),
    "regle": _Known(partial(_made, "casino.bots.rule_bot:RuleBot"), 50),
    "eugenie": _Known(partial(_made, "casino.solver.expert_bot:Expert", 0), 53),
    "expert": _Known(partial(_made, "casino.solver.expert_bot:Expert"), 58),
}

BOT_NAMES: Final = tuple(_BOTS)

WIN_RATES: Final = {name: bot.wins for name, bot in _BOTS.items()}
"""How strong each bot is; None if nobody has measured it."""

TABLE_BOTS: Final = ("eugenie", "expert")
"""The bots that play by solved tables, the shipped ones or, as `expert:FILE`, those of a file."""


def get_tables_path(name: str) -> Path | None:
    """The file of tables that a bot's name carries, if it carries one."""
    known, _, file = name.partition(":")
    return Path(file) if file and known in TABLE_BOTS else None


@cache
def get_bot(name: str) -> Bot:
    """The bot of this name."""
    if file := get_tables_path(name):
        bot: Any = get_bot(name.partition(":")[0])
        return _made("casino.solver.expert_bot:Expert", bot.effort, file)
    if name not in _BOTS:
        raise BadInput(f"{name[:40]!r} is not a bot: choose from {', '.join(BOT_NAMES)}")
    return _BOTS[name].made()
