"""`casino audit`: check a casino's file, or an export of its log, without writing to it."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import nullcontext
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, cast

import click

from casino.audit import (
    ERROR,
    MAX_ALIKE,
    MAX_FINDINGS,
    ExportSource,
    FileSource,
    Report,
    TrustedEvidence,
    audit,
    audit_game,
    audit_player,
    read_evidence,
    summarize,
)
from casino.bots import BOT_NAMES, Bot, get_bot, is_own_bot
from casino.cli import common
from casino.cli.common import progress
from casino.config import Config
from casino.ecarte import Action, View
from casino.errors import InputError, escape_unprintable
from casino.events.types import BotName
from casino.fairness import SeededRandom
from casino.solver.expert_bot import Expert
from casino.table.domain.state import bot_name

# Checks that name only the first of many leaves: those under a key, a node, or no signature.
_RANGES: Final = ("key", "signed", "tree")


@click.command(epilog="Example: casino audit --db casino.db --json")
@common.config_option
@common.db_option
@click.option(
    "--from",
    "export",
    type=common.PATH,
    metavar="EXPORT",
    help="Audit an export (jsonl) instead; - is stdin.",
)
@click.option("--bots", is_flag=True, help="Recompute every decision of every bot.")
@click.option("--game", type=common.WORDS, metavar="ID", help="Check one game only.")
@click.option(
    "--player", type=common.WORDS, metavar="NAME", help="Check the games of one player only."
)
@click.option(
    "--known",
    "kept",
    type=common.PATH,
    multiple=True,
    metavar="FILE",
    help="A checkpoint or receipt you kept: the log must still contain it. May be repeated.",
)
@common.witness_options()
@click.option(
    "--key",
    type=common.WORDS,
    metavar="KEY",
    help="The log's public key, or the file that holds it, from someone you trust.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
def command(
    config: Config,
    db: str | None,
    export: Path | None,
    bots: bool,
    game: str | None,
    player: str | None,
    kept: tuple[Path, ...],
    witnesses: tuple[str, ...],
    quorum: int | None,
    key: str | None,
    as_json: bool,
) -> int:
    """Check the log, the money and every game; exit with 0 if clean, 1 if not, 2 if unreadable.

    Without --key the log's key is taken from FILE.pub, next to the casino's FILE, else from the log
    itself. The verdict says which, because a key kept next to the log proves only that the log is
    consistent. With --witness, at least one checkpoint must be cosigned: one given with --known, or
    the one next to FILE.
    """
    common.refuse_conflicting("db", "export")
    common.refuse_conflicting("game", "player")
    started = time.perf_counter_ns()
    # Read before the log: a running casino may renew them, for leaves that come later.
    evidence = tuple(map(read_evidence, kept))
    elsewhere = TrustedEvidence(evidence, *common.parse_witnesses(witnesses, quorum), key)
    decide = partial(decide_again, trusted=_own_bots(config)) if bots else None
    with common.stdin_as_file(export) if export else nullcontext() as file:
        source = ExportSource(file) if file else FileSource(common.log_location(config, db))
        if game is not None:
            report = audit_game(source, common.full_game_name(game), decide, elsewhere)
        elif player is not None:
            report = audit_player(source, player, decide, elsewhere)
        else:
            total = source.size if isinstance(source, FileSource) else None
            with progress(total, "leaves", quiet=as_json) as update:
                report = audit(
                    source, lambda leaves: update(advance=leaves), None, decide, elsewhere
                )
    seconds = (time.perf_counter_ns() - started) // 1_000_000 / 1000
    print_report(report, seconds, as_json=as_json)
    return 0 if report.is_clean else 1


def _own_bots(config: Config) -> frozenset[str]:
    """Return the auditor's own bots, from the settings: a log could name any module."""
    tables = (config, *map(config.for_table, config.tables))
    seats = (seat for own in tables for seat in (own.table.house, own.table.challenger))
    return frozenset(filter(is_own_bot, seats))


def decide_again(
    bot: BotName,
    view: View,
    legal: Sequence[Action],
    draws: SeededRandom,
    trusted: Collection[str] = (),
) -> Action:
    """Recompute a bot's decision. Raise `InputError` for a bot of another version.

    An operator's own bot is imported only if it is in `trusted`.
    """
    own = bot.name not in BOT_NAMES and is_own_bot(bot.name)
    if own and bot.name not in trusted:
        raise InputError(
            f"{bot.name} is the operator's own bot, so its decisions cannot be checked: audit with"
            " its module and settings that name it"
        )
    if not (own or bot.name in BOT_NAMES) or bot != bot_name(bot.name):
        description = " ".join(filter(None, ("bot", bot.name, bot.version, bot.strength)))
        raise InputError(
            f"this program has no {description}, so its decisions cannot be checked:"
            " audit with the program that played, or without --bots"
        )
    try:
        return _quick_bot(bot.name).choose(view, legal, cast("Any", draws))
    except Exception as error:
        if own:
            raise InputError(f"{bot.name} fails with {error!r}") from error
        raise


@cache
def _quick_bot(name: str) -> Bot:
    """Return a bot, compiled if it samples hands and numba is installed."""
    bot = get_bot(name)
    if type(bot) is not Expert or not bot.effort:
        return bot
    try:
        from casino.solver.policy.compiled_tables import CompiledExpert
    # Without numba, the plain bot makes the same decisions, but more slowly.
    except ImportError:
        return bot
    return CompiledExpert(bot.effort, bot.file)


def print_report(report: Report, seconds: float, *, as_json: bool) -> None:
    """Print the verdict, what it rests on, and the findings."""
    if as_json:
        click.echo(json.dumps({"clean": report.is_clean, **report.json(), "seconds": seconds}))
        return
    click.echo(_verdict(report))
    nothing = "nothing else, so an older copy passes too: --known gives what you kept"
    click.echo(f"compared with {escape_unprintable(', '.join(report.known) or nothing)}")
    signed = f"{report.signed:,} of {report.leaves:,} leaves signed"
    click.echo(escape_unprintable(f"{signed} by key {report.key}, read from {report.key_from}"))
    if report.unchecked:
        click.echo(report.unchecked)
    if report.witnessed is not None:
        click.echo(f"witnesses have seen {report.witnessed:,} of {report.leaves:,} leaves")
    click.echo(f"root {report.root or 'not computed'}; {seconds} s")
    wrong = [finding for finding in report.findings if finding.severity == "error"]
    at = [f.leaf for f in wrong if f.leaf is not None and f.check not in _RANGES]
    first = min(at, default=None)
    if first is not None and len(wrong) > MAX_ALIKE:
        click.echo(f"the first error is at leaf {first:,}: later ones may follow from it")
    for line in summarize(report.findings):
        click.echo(line)


def _verdict(report: Report) -> str:
    counts = Counter(finding.severity for finding in report.findings)
    games = f"{report.games:,} game{'s' * (report.games != 1)}"
    size = f"{report.leaves:,} leaves, {games}, {report.entries:,} entries"
    listed = ", ".join(f"{n:,} {kind}{'s' * (n > 1)}" for kind, n in sorted(counts.items()))
    if report.is_clean:
        return f"CLEAN: no error in {size}" + (f"; {listed}" if listed else "")
    ended = "; the audit stopped there" * (counts[ERROR] >= MAX_FINDINGS[ERROR])
    return f"NOT CLEAN: {listed} in {size}{ended}"
