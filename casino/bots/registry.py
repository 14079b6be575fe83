"""The interface of a bot, and the registry of bots, weakest first.

Adding a bot takes one module and one line here. A bot's module is imported on first use, because it
may load large tables. The bots with people's names fill the gaps between `novice`, `regle` and
`expert`: each bot wins 52 to 60 games in 100 against the one before it (see docs/solver.md). Web
pages show a bot's strength by its wins against `regle`.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol

from casino.ecarte import Action, Rng, View
from casino.errors import InputError, suggest


class Bot(Protocol):
    """A program that plays a seat.

    All its randomness comes from `rng`: the same view and the same `rng` give the same action. It
    never revokes, and claims every revoke that the cards on the table prove.
    """

    def choose(self, view: View, legal_actions: Sequence[Action], rng: Rng) -> Action:
        """Return one of the legal actions of the seat that sees this view."""


def _create(path: str, *arguments: Any) -> Bot:
    module, _, class_name = path.partition(":")
    bot: Bot = getattr(import_module(module), class_name)(*arguments)
    return bot


def _import_own_bot(path: str) -> Bot:
    """Return the user's own bot, an instance of `module:Class` created without arguments."""
    module, _, class_name = path.partition(":")
    # An installed command does not search the folder it is started in. Workers inherit the path.
    if (folder := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, folder)
    try:
        imported = import_module(module)
    except ModuleNotFoundError as error:
        if not f"{module}.".startswith(f"{error.name}."):
            text = f"{module} imports {error.name}, which is not installed: install it"
            raise InputError(f"bot {path}: {text}") from None
        raise InputError(
            f"bot {path}: there is no module {error.name}: run the command in the folder that "
            "contains it"
        ) from None
    except SyntaxError as error:
        file = Path(error.filename or module).name
        raise InputError(f"bot {path}: {file}, line {error.lineno}: {error.msg}") from None
    except (Exception, SystemExit) as error:
        raise InputError(f"bot {path}: {module} cannot be imported: {error!r}") from error
    own_class: Any = getattr(imported, class_name, None)
    if not hasattr(own_class, "choose"):
        raise InputError(f"bot {path}: {module} has no class {class_name} with a method choose")
    try:
        bot: Bot = own_class()
    except (Exception, SystemExit) as error:
        raise InputError(f"bot {path}: {class_name}() failed: {error!r}") from error
    return bot


@cache
def own_bot_version(name: str) -> str:
    """Return a digest of the module that defines the user's own bot."""
    return sha256(Path(inspect.getfile(type(get_bot(name)))).read_bytes()).hexdigest()[:16]


def _mixed(error_rate: int) -> Bot:
    return _create(
        "casino.bots.random_bot:MixedBot", get_bot("novice"), get_bot("regle"), error_rate
    )


# Each bot's factory, and its wins in 100 games to five against `regle`.
_BOTS: Final[Mapping[str, tuple[Callable[[], Bot], int]]] = {
    "novice": (partial(_create, "casino.bots.random_bot:RandomBot"), 16),
    "anatole": (partial(_mixed, 26), 20),
    "blanche": (partial(_mixed, 19), 27),
    "clement": (partial(_mixed, 12), 35),
    "delphine": (partial(_mixed, 6), 42),
    "regle": (partial(_create, "casino.bots.rule_bot:RuleBot"), 50),
    "eugenie": (partial(_create, "casino.solver.expert_bot:Expert", 0), 53),
    "expert": (partial(_create, "casino.solver.expert_bot:Expert"), 58),
}

BOT_NAMES: Final = tuple(_BOTS)

WIN_RATES: Final = {name: wins for name, (_, wins) in _BOTS.items()}

# Bots that play by solved tables, which are shipped or come from a file: `expert:FILE`.
TABLE_BOTS: Final = ("eugenie", "expert")


def get_tables_path(name: str) -> Path | None:
    """Return the path in a name such as `expert:FILE`, or None if the name has no path."""
    bot, _, file = name.partition(":")
    return Path(file) if file and bot in TABLE_BOTS else None


def is_own_bot(name: str) -> bool:
    """Return True for a name such as `mymodule:MyBot`."""
    module, _, class_name = name.partition(":")
    names = (*module.split("."), class_name)
    return module not in TABLE_BOTS and all(part.isidentifier() for part in names)


@cache
def get_bot(name: str) -> Bot:
    """Return the bot with this name, such as `regle`, `expert:FILE` or `module:Class`.

    Raises `InputError` if there is none.
    """
    # Cached: bots keep no state between decisions, so one serves all games.
    if file := get_tables_path(name):
        bot: Any = get_bot(name.partition(":")[0])
        return _create("casino.solver.expert_bot:Expert", bot.effort, file)
    if is_own_bot(name):
        return _import_own_bot(name)
    if name not in _BOTS:
        known = *BOT_NAMES, "your own module:Class"
        raise InputError(f"there is no bot {name[:40]!r}: {suggest(name, known)}")
    return _BOTS[name][0]()
