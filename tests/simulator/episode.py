"""One episode: run a world for a while, let it settle, and check it."""

from __future__ import annotations

import itertools
import json
import logging
import os
import shutil
import tempfile
import traceback
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec
from gevent import get_hub

from casino.audit import audit
from casino.audit.check import ERROR
from casino.audit.source import FileSource
from casino.ecarte import CHALLENGER
from casino.errors import CasinoError
from casino.events.types import BetAccepted, GameOpened, GameOver, HostedTable, TermsSet, decode
from casino.ledger import accounts
from casino.ledger.storage.location import open_log
from casino.web.backend.queries import finished_game
from tests.simulator.virtual_time import VirtualLoop
from tests.simulator.visitor import Visitor
from tests.simulator.world import World
from tests.table.naive_client import without_clock
from tests.web.card_leaks import LeakDetector, Truth, card_names_in, held, truths

CALM_SECONDS = 120.0
"""Time without faults, until every request is answered."""

CLOSING_SECONDS = 4 * 3600.0
"""Longest time until the last games of closed tables, and poules with a person, are over."""

REST_SECONDS = 15.0
"""Time without play, until every message has arrived."""


Hosted: TypeAlias = dict[str, list[tuple[HostedTable, int]]]
"""The host and the stake of each of a table's terms."""


class Result(NamedTuple):
    """Findings of an episode, and figures of what happened in it."""

    findings: list[str]
    seconds: float
    games: int
    faults: int


class FaultLog(logging.Handler):
    """Collects the errors that the program logs with their traceback."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._faults = faults

    def emit(self, record: logging.LogRecord) -> None:
        """Keep an error, unless the failing disk explains it."""
        if record.exc_info and not isinstance(record.exc_info[1], CasinoError):
            self._faults.append(self.format(record))


def run_episode(loop: VirtualLoop, seed: int, seconds: float) -> Result:
    """Run a world for some simulated seconds, and check it."""
    base = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="simulator-", dir=base))
    faults: list[str] = []
    hub: Any = get_hub()
    log = FaultLog(faults)
    logging.getLogger().addHandler(log)
    world = World(loop, seed, folder)
    hub.handle_error = lambda context, kind, error, trace: faults.append(
        "".join(traceback.format_exception(kind, error, trace)[-6:])
    )
    games = 0
    try:
        while loop.now < seconds:
            loop.pass_time(loop.now + 10)
            if world.findings or faults:
                break  # what is already found explains what later checks would find
        else:
            _settle(world)
            games = _check_log(world)
    except Exception:  # noqa: BLE001 - reported with its seed
        faults.append(traceback.format_exc())
    logging.getLogger().removeHandler(log)
    shutil.rmtree(folder)
    return Result(world.findings + faults, loop.now, games, sum(world.counts.values()))


def _settle(world: World) -> None:
    """End the faults, let tables and requests end, and close the casino."""
    loop = world.loop
    world.is_calm = True
    for visitor in world.visitors:
        visitor.is_leaving = True
    world.redis.loss = 0.0
    world.free = 1 << 40
    world.house.disk.mend()  # a quiet house may reach a planned power cut only as it closes
    world.offset_ms = world.max_offset_ms  # tables wait for a clock that was set back
    ends = loop.now + CALM_SECONDS
    while loop.now < ends or (world.hosted() and loop.now < ends + CLOSING_SECONDS):
        loop.pass_time(loop.now + 10)
    world.check(not world.hosted(), f"tables are open to the end: {world.hosted()}")
    for visitor in world.visitors:
        visitor.is_resting = True
    world.house.stop_tables()
    loop.pass_time(loop.now + REST_SECONDS)
    world.house.close()


def _check_visitors(world: World, balances: dict[str, int]) -> None:
    for visitor in world.visitors:
        world.check(not visitor.open_bets(), f"{visitor.name}: no answer to {visitor.open_bets()}")
        assert world.house.backend is not None
        for table, fold in visitor.folds.items():
            shown = visitor.private[table]["balance_cents"]
            is_right = shown == balances.get(accounts.spending_account(visitor.name))
            world.check(is_right, f"{visitor.name} is shown {shown} cents at {table}: {balances}")
            feed = world.house.backend.feeds[table]
            public = without_clock(json.loads(msgspec.json.encode(feed.snapshot(world.clock()))))
            if fold.known["version"] == feed.version:
                wrong = [k for k in {*fold.known, *public} if fold.known.get(k) != public.get(k)]
                world.check(not wrong, f"{visitor.name}'s fold of {table} differs in {wrong}")
            else:
                world.check(False, f"{visitor.name} did not hear of {table}'s last messages")


def _check_log(world: World) -> int:
    path = world.folder / "examined.db"
    for file in world.house.folder.iterdir():
        shutil.copy(file, path.with_name(file.name.replace("casino.db", path.name)))
    world.house.disk.export(path)
    report = audit(FileSource(path), workers=1)
    for finding in report.findings:
        world.check(finding.severity != ERROR, f"audit: {finding}")
    log = open_log(path)
    bets: dict[tuple[str, str], list[int]] = {}
    games: dict[str, list[Truth]] = {}
    challengers: dict[str, str] = {}
    hosted: Hosted = {}
    for leaf in log.leaves(0, log.size()):
        event = decode(leaf.body)
        if isinstance(event, BetAccepted):
            bets.setdefault((event.player, event.game), []).append(leaf.n)
        elif isinstance(event, GameOpened):
            challengers[event.game] = event.players.challenger
        elif isinstance(event, TermsSet) and event.hosted is not None:
            hosted.setdefault(event.table, []).append((event.hosted, event.stake_cents))
        elif isinstance(event, GameOver) and world.is_strict(event.game):
            # Where revokes are claimed, cards go back to the hand: the record tells it otherwise.
            games[event.game] = truths(finished_game(log, event.game)["record"])
    # The log's balances leave out an empty wallet.
    balances = {accounts.spending_account(name): 0 for name in log.owners()} | log.balances()
    unpaid = [*log.open_subjects(), *log.balances("escrow/")]
    log.close()
    _check_visitors(world, balances)
    left = [name for name in unpaid if name.removeprefix("escrow/").rpartition("-")[0] in hosted]
    world.check(not left, f"chips are left at tables that are closed: {left}")
    for visitor in world.visitors:
        _check_hosted(world, visitor, hosted)
        _check_bets(world, visitor, bets)
        _check_private_messages(world, visitor, games, challengers)
    for table in (*world.config.tables, *hosted):
        _check_hidden_cards(world, table, games)
    return report.games


def _check_hosted(world: World, visitor: Visitor, tables: Hosted) -> None:
    """Check that each opening is in the log once, as answered, and private tables are hidden."""
    first = {table: terms[0][0] for table, terms in tables.items()}
    there = sorted(table for table, hosted in first.items() if hosted.host == visitor.name)
    answered = sorted(filter(None, visitor.opened.values()))
    world.check(there == answered, f"{visitor.name} opened {answered}, but the log has {there}")
    for table in visitor.closed:
        world.check(tables[table][-1][0].closed is not None, f"{table} is not closed in the log")
    for table, cents in visitor.changed:
        stakes = [stake_cents for _, stake_cents in tables[table]]
        world.check(cents in stakes, f"{table}'s stake {cents} is not in the log, but {stakes}")
    for table in visitor.reached & {t for t, hosted in first.items() if hosted.audience == "link"}:
        may_see = first[table].host, *world.invited.get(table, ())
        world.check(visitor.name in may_see, f"{visitor.name} was shown {table}")


def _check_bets(world: World, visitor: Visitor, bets: dict[tuple[str, str], list[int]]) -> None:
    """Check that acknowledged and published bets are in the log once, and refused ones are not."""
    for bet, payload in visitor.wanted.items():
        # A visitor bets once on a game, so the game names the bet in the log.
        there = bets.get((visitor.name, payload["game"]), [])
        answer = visitor.acknowledged.get(bet)
        expected = [answer["bet"]["leaf"]] if answer else []
        world.check(there == expected, f"{visitor.name}'s {bet}: {answer}, but leaves {there}")
    for _, payload in itertools.chain(*visitor.heard.values()):
        if payload.get("type") == "bet_accepted":
            there = bets.get((payload["player"], payload["game"]), [])
            world.check(bool(there), f"{visitor.name} heard of a bet not in the log: {payload}")


def _check_private_messages(
    world: World, visitor: Visitor, games: dict[str, list[Truth]], challengers: dict[str, str]
) -> None:
    """Check that private messages name only cards from the recipient's hand."""
    for kind, payload in itertools.chain(*visitor.heard.values()):
        cards = set(card_names_in([payload["hand"], payload["legal"]])) if kind == "you" else set()
        if not cards:
            continue
        game = payload["game"]
        hands = (held(deal, CHALLENGER, len(deal.actions)) for deal in games.get(game, ()))
        is_own = game not in games or any(cards <= hand for hand in hands)
        world.check(
            challengers[game] == visitor.name and is_own,
            f"{visitor.name} was sent cards of {game}: {payload}",
        )


def _check_hidden_cards(world: World, table: str, games: dict[str, list[Truth]]) -> None:
    """Check that public messages name no hidden card and are the same for every reader."""
    watcher = LeakDetector(games)
    leaks = []
    for kind, payload in max((v.heard[table] for v in world.visitors), key=len):
        if kind == "snapshot":
            leaks += watcher.leaks
            watcher = LeakDetector(games)
        elif kind == "event":
            watcher.read("", payload)
    for leak in leaks + watcher.leaks:
        world.check(False, f"{table}: {leak.card} was told before it was shown")
