"""One episode: a world lives for a while, comes to rest, and is examined."""

from __future__ import annotations

import json
import logging
import os
import shutil
import tempfile
import traceback
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from gevent import get_hub

from casino.audit import audit
from casino.audit.report import ERROR
from casino.audit.source import FileSource
from casino.ecarte import CHALLENGER
from casino.errors import CasinoError
from casino.events.codec import decode
from casino.events.types import BetAccepted, GameOpened, GameOver
from casino.ledger.ledger import open_log
from casino.web.backend.queries import finished_game
from tests.simulator.virtual_time import VirtualLoop
from tests.simulator.visitor import Visitor
from tests.simulator.world import World
from tests.table.following import clockless
from tests.web.secrets_of import Truth, Watcher, card_names_in, held, truths

CALM_SECONDS = 120.0
"""Without faults, until everything that was asked is answered."""

REST_SECONDS = 15.0
"""Without play, until everything is heard."""


class Result(NamedTuple):
    """What an episode found, and how much happened in it."""

    seed: int
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
    """Let a world live for some simulated seconds, and examine it."""
    base = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="simulator-", dir=base))
    faults: list[str] = []
    hub: Any = get_hub()
    log = FaultLog(faults)
    logging.getLogger().addHandler(log)
    loop.reset()
    world = World(loop, seed, folder)
    hub.handle_error = lambda context, kind, error, trace: faults.append(
        "".join(traceback.format_exception(kind, error, trace)[-6:])
    )
    games, trace = 0, ""
    try:
        loop.pass_time(seconds)
        world.is_calm = True
        for visitor in world.visitors:
            visitor.is_leaving = True
        world.redis.loss = 0.0
        world.free = 1 << 40
        loop.pass_time(seconds + CALM_SECONDS)
        for visitor in world.visitors:
            visitor.is_resting = True
        world.house.stop_tables()
        loop.pass_time(loop.now + REST_SECONDS)
        _look_at_visitors(world)
        world.house.close()
        games = _look_at_log(world)
    except Exception:  # noqa: BLE001 - reported with its seed
        trace = traceback.format_exc()
    logging.getLogger().removeHandler(log)
    shutil.rmtree(folder)
    findings = world.findings + faults + ([trace] if trace else [])
    return Result(seed, findings, loop.now, games, sum(world.counts.values()))


def _look_at_visitors(world: World) -> None:
    for visitor in world.visitors:
        world.check(not visitor.open_bets(), f"{visitor.name}: no answer to {visitor.open_bets()}")
        if visitor.wire is None:
            continue
        assert world.house.backend is not None
        for table, fold in visitor.folds.items():
            feed = world.house.backend.feeds[table]
            shown = clockless(json.loads(msgspec.json.encode(feed.snapshot(world.clock()))))
            if fold.known["version"] == feed.version:
                wrong = [k for k in {*fold.known, *shown} if fold.known.get(k) != shown.get(k)]
                world.check(not wrong, f"{visitor.name}'s fold of {table} differs in {wrong}")
            else:
                world.check(False, f"{visitor.name} did not hear of {table}'s last messages")


def _look_at_log(world: World) -> int:
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
    for leaf in log.leaves(0, log.size()):
        event = decode(leaf.body)
        if isinstance(event, BetAccepted):
            bets.setdefault((event.player, event.game), []).append(leaf.n)
        elif isinstance(event, GameOpened):
            challengers[event.game] = event.players.challenger
        elif isinstance(event, GameOver) and world.is_strict(event.game):
            # Where revokes are claimed, cards go back to the hand: the record tells it otherwise.
            games[event.game] = truths(finished_game(log, event.game)["record"])
    log.close()
    for visitor in world.visitors:
        _look_at_bets(world, visitor, bets)
        _look_at_private(world, visitor, games, challengers)
        _look_at_heard(world, visitor, bets)
    for table in world.config.tables:
        _look_for_cards(world, table, games)
    return report.games


def _look_at_bets(world: World, visitor: Visitor, bets: dict[tuple[str, str], list[int]]) -> None:
    """What was acknowledged is in the log, once; what was refused is not."""
    for bet, payload in visitor.wanted.items():
        # A visitor bets once on a game, so the game names the bet in the log.
        there = bets.get((visitor.name, payload["game"]), [])
        answer = visitor.acknowledged.get(bet)
        expected = [answer["bet"]["leaf"]] if answer else []
        world.check(there == expected, f"{visitor.name}'s {bet}: {answer}, but leaves {there}")


def _look_at_heard(world: World, visitor: Visitor, bets: dict[tuple[str, str], list[int]]) -> None:
    """Whatever was told has happened: no bet was heard of that is not in the log."""
    for _, _, payload in visitor.heard:
        if payload.get("type") == "bet_accepted":
            name = payload["player"], payload["game"]
            world.check(
                name in bets, f"{visitor.name} heard of a bet that is not in the log: {name}"
            )


def _look_at_private(
    world: World, visitor: Visitor, games: dict[str, list[Truth]], challengers: dict[str, str]
) -> None:
    """The cards in what only one person is sent were in that person's hand."""
    for table, kind, payload in visitor.heard:
        cards = set(card_names_in([payload["hand"], payload["legal"]])) if kind == "you" else set()
        if not cards:
            continue
        game = payload["game"]
        hands = (held(deal, CHALLENGER, len(deal.actions)) for deal in games.get(game, ()))
        is_own = game not in games or any(cards <= hand for hand in hands)
        world.check(
            challengers[game] == visitor.name and is_own,
            f"{visitor.name} was sent cards of {table}: {payload}",
        )


def _look_for_cards(world: World, table: str, games: dict[str, list[Truth]]) -> None:
    """No message to all names a card that was hidden then; every reader is sent the same ones."""
    readers = ([item for item in v.heard if item[0] == table] for v in world.visitors)
    watcher = Watcher(games, plays=False)
    leaks = []
    for _, kind, payload in max(readers, key=len):
        if kind == "snapshot":
            leaks += watcher.leaks
            watcher = Watcher(games, plays=False)
        elif kind == "event":
            watcher.read("", payload)
    for leak in leaks + watcher.leaks:
        world.check(False, f"{table}: {leak.card} was told before it was shown")
