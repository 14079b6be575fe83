"""The command line: parse, wire, print, exit code. One module of this package for each command.

A command is loaded when it is called, so that none pays for what another imports. It returns
nothing, or its exit status: 0 good, 1 it found or refused something. Wrong use and what cannot
be read exit with 2, an interruption with 130; each error is one sentence on stderr.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Final

try:
    import click

    from casino.errors import CasinoError
except KeyboardInterrupt:
    # Too early for `main` to say so: a person has changed his mind at once.
    sys.stderr.write("casino: interrupted\n")
    sys.exit(130)

COMMANDS: Final[Mapping[str, str]] = {
    "audit": "Check every card and every cent of a casino's file.",
    "bet": "Place one bet, from a script.",
    "export": "Write the ledger or the log for other programs.",
    "odds": "The exact odds of a hand, or the chart of all hands.",
    "replay": "Replay game records, for a person or as JSON.",
    "rng": "Write the random stream, or decks shuffled with it, to standard output.",
    "run": "Open the casino, in the browser or headless.",
    "simulate": "Play many games in memory and say how they came out.",
    "statement": "Show a player's account.",
    "verify-receipt": "Check a bet's receipt offline.",
    "watch": "Watch a table from the terminal.",
}
"""Each command with its summary; `casino.cli.NAME`, with _ for -, holds it as `command`."""

UNREAD, USAGE, INTERRUPTED = 1, 2, 130


class Commands(click.Group):
    """A group that imports a command's module only when the command is called."""

    def __init__(self, summaries: Mapping[str, str], package: str, **settings: Any) -> None:
        super().__init__(**settings)
        self.summaries = summaries
        self.package = package

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands."""
        return list(self.summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command by its name, loaded now."""
        if cmd_name not in self.summaries:
            return None
        module = import_module(f"{self.package}.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands in the help, written without loading any of them."""
        if self.summaries:
            with formatter.section("Commands"):
                formatter.write_dl(list(self.summaries.items()))


casino: Final = click.version_option(package_name="casino", prog_name="casino")(
    Commands(
        COMMANDS,
        "casino.cli",
        name="casino",
        help="A casino table for Écarté.",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
)


def main(args: Sequence[str] | None = None, group: click.Group = casino) -> int:
    """Run a command line to its exit status; whatever went wrong is one sentence on stderr."""
    try:
        status = group.main(args, prog_name="casino", standalone_mode=False)
        sys.stdout.flush()
    except CasinoError as error:
        return _say(str(error), error.exit_status)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return USAGE
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "casino"
        return _say(f"{error.format_message()} See '{path} --help'.", USAGE)
    except click.ClickException as error:
        return _say(error.format_message(), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return _say("interrupted", INTERRUPTED)
    except BrokenPipeError:
        _forget_output()
        return UNREAD
    except OSError as error:
        _forget_output()
        place = error.filename or "the output"
        return _say(f"{place} cannot be used ({error.strerror}): name another file", USAGE)
    return status if isinstance(status, int) else 0


def _forget_output() -> None:
    """Give the interpreter somewhere else to flush what is left: nobody can read it any more."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(sentence: str, status: int) -> int:
    """Put one sentence on stderr and hand back the exit status that goes with it."""
    click.echo(f"casino: {sentence}", err=True)
    return status
