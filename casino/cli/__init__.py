"""Command-line interface, with a module for each command.

A command's module is imported only when the command is called. The exit status is 0 for success, 1
for a failed check or a refusal, 2 for wrong usage, unreadable input or a name that is not there,
130 if interrupted, and 141 if the output's reader has gone. Each error is printed to stderr as one
sentence.
"""

from __future__ import annotations

import sys

try:
    import re
    import signal
    from collections.abc import Mapping, Sequence
    from difflib import get_close_matches
    from errno import ENOSPC
    from importlib import import_module
    from typing import Final

    import click

    from casino import __version__
    from casino.cli.common import (
        INTERRUPTED,
        discard,
        escape_unencodable,
        open_closed_streams,
        refuse_repeated,
    )
    from casino.errors import (
        EXTRAS,
        CasinoError,
        ConfigError,
        DeceptionError,
        MissingExtraError,
        Refused,
        already_exists,
        escape_unprintable,
        suggest,
    )
except KeyboardInterrupt:
    # `main`, which reports later interrupts, is not defined yet.
    sys.stderr.write("casino: interrupted\n")
    sys.exit(130)

# The summary of each command, which is `command` in the module of the same name (_ for -). A group
# is a subpackage with its title in the help.
GROUPS: Final[Mapping[tuple[str, str], Mapping[str, str]]] = {
    ("play", "Play and bet"): {
        "watch": "Watch a table from the terminal.",
        "bet": "Bet on the next game at a table.",
        "bot": "Let your own bot play at a live table.",
        "account": "Show your account at a running casino.",
        "statement": "Show a player's account from the casino's file.",
        "odds": "Show the exact odds of a hand, or the chart of all hands.",
        "replay": "Replay game records, as text or JSON.",
        "review": "Rate each decision in a game.",
    },
    ("verify", "Audit"): {
        "audit": "Check every card and every cent of a casino's file.",
        "follow": "Audit another casino live, over the network.",
        "verify-receipt": "Check a bet's receipt offline.",
        "export": "Write the ledger or the log for other programs.",
    },
    ("host", "Run a casino"): {
        "run": "Open the casino, in the browser or headless.",
        "web": "Serve pages for a casino running in another process.",
        "config": "Check the settings and show those in force.",
        "admin": "Give an order to the casino running on this machine.",
        "table": "Open, change, close or list tables while the casino runs.",
        "top": "Show the load of a running casino.",
        "backup": "Copy a casino, running or stopped, and audit the copy.",
        "restore": "Restore a casino from a backup.",
        "rotate-key": "Replace the key that signs the log.",
        "prepare": "Set up a database for a casino.",
        "copy": "Copy a log between files and databases.",
    },
    ("research", "Simulate"): {
        "simulate": "Play many games in memory and report the results.",
        "arena": "Measure which of two bots is stronger.",
        "solve": "Solve the expert's exchange tables.",
        "rng": "Write random bytes or shuffled decks to standard output.",
    },
}
MODULES: Final = {
    name: f"casino.cli.{folder}.{name.replace('-', '_')}"
    for (folder, _), summaries in GROUPS.items()
    for name in summaries
}

UNREAD, USAGE = 141, 2  # 141, as if killed by SIGPIPE


class LazyGroup(click.Group):
    """A command group that imports a command's module only when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the command names in the order of the help text."""
        return list(MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command and return it, or None if its name is unknown."""
        if cmd_name not in MODULES:
            return None
        command: click.Command = import_module(MODULES[cmd_name]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve the command; raise `UsageError` if it is unknown, or an option is repeated."""
        name, *rest = args
        command = self.get_command(ctx, name)
        if command is None:
            parts = {part: name for name in MODULES for part in (*name.split("-"), name)}
            close = get_close_matches(name, parts, 1)  # "reciept" means verify-receipt
            meant = parts[close[0]] if close else name
            ctx.fail(f"there is no command {name!r}: {suggest(meant, MODULES)}")
        refuse_repeated(command, click.Context(command, ctx, name), rest)
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing their modules."""
        for (_, title), summaries in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(list(summaries.items()))


casino: Final = click.version_option(__version__, prog_name="casino")(
    LazyGroup(
        name="casino",
        help="A casino table for Écarté.",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
)


def main(args: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit status; print any error to stderr."""
    try:
        open_closed_streams()
        escape_unencodable()
        status = _run(args)
    except KeyboardInterrupt:
        status = INTERRUPTED  # Ctrl-C again, while the first one was being reported
    if args is None:
        # The program is about to exit: let another Ctrl-C kill it without a traceback.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return status


def _run(args: Sequence[str] | None) -> int:
    try:
        status = casino.main(args, prog_name="casino", standalone_mode=False)
        sys.stdout.flush()
    except (ConfigError, DeceptionError) as error:
        return _say(*str(error).split("\n"), status=error.exit_status)
    except Refused as refusal:
        return _say(str(refusal.__cause__ or refusal), status=refusal.exit_status)
    except CasinoError as error:
        return _say(str(error), status=error.exit_status)
    except ModuleNotFoundError as error:
        if error.name is None or error.name not in EXTRAS:
            raise
        return _say(str(MissingExtraError(error.name)), status=USAGE)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return USAGE
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "casino"
        message = re.sub(r"\s*\n\s*", " ", error.format_message()).removesuffix(".")
        if isinstance(error, click.NoSuchOption) and error.possibilities:
            closest = error.possibilities[0]
            message = f"no such option {error.option_name!r}: did you mean {closest}?"
        message += _hint(error, message)
        # Our messages begin in lower case, click's do not.
        if message[1:2].islower():
            message = message[0].lower() + message[1:]
        end = "" if message.endswith(("?", "?)")) else "."
        return _say(f"{message}{end} See '{path} --help'.", status=USAGE)
    except click.ClickException as error:
        return _say(error.format_message(), status=error.exit_code)
    except (click.Abort, KeyboardInterrupt) as error:
        return _say("; ".join(map(str, ("interrupted", *error.args))), status=INTERRUPTED)
    except (BrokenPipeError, SystemExit) as error:
        # click turns a broken pipe into an exit with 1, which no command uses.
        if isinstance(error, SystemExit) and error.code != 1:
            raise
        discard(sys.stdout)
        return UNREAD
    except OSError as error:
        discard(sys.stdout)
        return _say(_unusable(error), status=USAGE)
    return status if isinstance(status, int) else 0


def _hint(error: click.UsageError, message: str) -> str:
    """Return the question whether another value or option was meant, or ""."""
    close: list[str] = []
    if wrong := re.search("'([^']+)' is not one of (.*)", message):
        close = get_close_matches(wrong[1], re.findall("'(.+?)'", wrong[2]), 1)
    elif error.ctx and (extra := re.search(r"extra argument \((\S+)\)", message)):
        meant = {"--table", "--db"} if "." in extra[1] else {"--table"}
        close = [o for p in error.ctx.command.params for o in p.opts if o in meant]
    return f": did you mean {close[0]}?" if close else ""


def _unusable(error: OSError) -> str:
    """Return an error message that names the file, or the output if the error has no file."""
    if error.filename:
        file = str(error.filename).removesuffix(".lock")
        if isinstance(error, FileExistsError):
            return str(already_exists(file))
        advice = "free some space" if error.errno == ENOSPC else "choose another file"
        return f"cannot use {file} ({error.strerror}): {advice}"
    return f"cannot write the output ({error.strerror}): free some space or write it elsewhere"


def _say(*lines: str, status: int) -> int:
    try:
        click.echo("casino: " + "\n".join(map(escape_unprintable, lines)), err=True)
    except OSError:
        discard(sys.stderr)
    return status
