"""The crier: what the house's threads report becomes events to rooms, and a word to each person.

He listens in the writer's thread, which must not wait for browsers: there he only notes. A
greenlet of the loop numbers what was noted, sends it, and tells those whom it touches.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

import gevent
from gevent.event import Event as Bell

from casino.errors import CasinoError
from casino.events.kinds import (
    ActionTaken,
    BetAccepted,
    BettingClosed,
    BookLocked,
    CutOpened,
    Event,
    GameOpened,
    GameOver,
    GameVoid,
    PackDealt,
    SeatChanged,
    TurnedUp,
)
from casino.table.board import Board
from casino.table.clerk import Happening, Listener, Restored
from casino.table.grouping import Group, Grouping
from casino.table.public_table import Message, PublicGame, bettors
from casino.web.history import lock_proof
from casino.web.live import Live
from casino.web.shared import Shared

IDLE_SECONDS: Final = 1.0
_MS: Final = 1000
_PLAY: Final = (ActionTaken, PackDealt, TurnedUp)
_MONEY: Final = (BettingClosed, GameOpened, GameOver, GameVoid)

Noted: TypeAlias = Happening | str | dict[str, Restored]

log = logging.getLogger(__name__)


class Crier(Listener):
    """Tells everybody what happens."""

    def __init__(self, shared: Shared, live: Live) -> None:
        self._shared = shared
        self._live = live
        self._noted: deque[tuple[float, Noted]] = deque()
        self._groupings = {
            board.name: Grouping(board.name, board.turn) for board in shared.boards.values()
        }
        self._touched: dict[tuple[str, str], None] = {}
        self._bell = Bell()
        self._purses = Bell()
        shared.clerk.listeners.append(self)

    def start(self) -> None:
        """Begin to tell."""
        gevent.spawn(self._cry)
        gevent.spawn(self._tell_purses)

    # In the writer's thread.

    def happened(self, happening: Happening) -> None:
        """Note it."""
        self._note(happening)

    def restored(self, tables: Mapping[str, Restored]) -> None:
        """Note it."""
        self._note(dict(tables))

    def signed(self, note: str) -> None:
        """Note it."""
        self._note(note)

    def trouble(self, error: Exception) -> None:
        """Look at once whether bets are still taken."""
        log.error("the bank: %s", error)
        self._shared.bridge.post(self._bell.set)

    def _note(self, what: Noted) -> None:
        """Keep something for the loop."""
        self._noted.append((time.perf_counter(), what))
        self._shared.bridge.post(self._bell.set)

    # In the loop.

    def _cry(self) -> None:
        """Send what was noted, and books that are due, for ever."""
        while True:
            self._bell.wait(self._patience())
            self._bell.clear()
            try:
                while self._noted:
                    at, noted = self._noted.popleft()
                    self._tell(noted)
                    self._shared.figures.lag.add(time.perf_counter() - at)
                for board in self._shared.boards.values():
                    self._tell_book(board)
                self._tell_trouble()
            except (CasinoError, AssertionError, KeyError):
                log.exception("an event could not be told")

    def _patience(self) -> float:
        """How long nothing is due."""
        now = self._shared.now()
        waits = [grouping.wait_ms(now) for grouping in self._groupings.values()]
        return min([IDLE_SECONDS, *(wait / _MS for wait in waits if wait is not None)])

    def _tell(self, noted: Noted) -> None:
        """Send what has happened at a table, or at all: the log is signed, or was read again."""
        if isinstance(noted, str):
            for board in self._shared.boards.values():
                self._send(board, [board.notice({"type": "checkpoint", "note": noted})])
            return
        if isinstance(noted, dict):
            for name, (state, standing) in noted.items():
                board = self._shared.board(name)
                self._tell_groups(board, self._groupings[name].flush(self._shared.now()))
                self._shared.states[name] = state
                self._groupings[name].turn = state.turn
                told = board.restore(standing, state.turn)
                if board.sealed_and_locked:
                    board.prove(self._lock_proof(board.sealed_and_locked))
                self._send(board, [told])
            return
        _, event, after = noted
        name = after.rules.name
        board, game = self._shared.board(name), self._shared.board(name).table.running
        self._shared.states[name] = after
        proof = self._proof_of(event)
        groups = self._groupings[name].take(event, after.turn, self._shared.now(), proof)
        has_book = self._tell_groups(board, groups)
        self._touch(board, event, board.table.running or game)
        if has_book:
            self._touch_bettors(board)

    def _tell_groups(self, board: Board, groups: Iterable[Group]) -> bool:
        """Send what groups of events come to; whether there is a book among it."""
        told = [message for group in groups for message in board.tell(group)]
        self._send(board, told)
        return any(one["type"] == "book" for one in told)

    def _proof_of(self, event: Event) -> str:
        """The proof that sealed texts may be opened, if a book was locked over some."""
        if not isinstance(event, BookLocked) or not event.seals:
            return ""
        return self._lock_proof(event.game)

    def _lock_proof(self, game: str) -> str:
        """The proof of a lock, read from the log."""
        return self._shared.bridge.read(lambda log: lock_proof(log, game))

    def _tell_book(self, board: Board) -> None:
        """Send the bets that have waited long enough, and how everybody's stand now."""
        now, grouping = self._shared.now(), self._groupings[board.name]
        if grouping.wait_ms(now) == 0:
            self._tell_groups(board, grouping.flush(now))
            self._touch_bettors(board)

    def _tell_trouble(self) -> None:
        """Say when bets are no longer taken, or are again."""
        taking = self._shared.clerk.bank.takes_bets
        for board in self._shared.boards.values():
            if board.taking != taking:
                board.taking = taking
                self._send(board, [board.notice({"type": "notice", "taking": taking})])

    def _send(self, board: Board, events: list[Message]) -> None:
        """Send events to everybody at a table."""
        if events:
            self._live.tell_all(board.name, events)

    # To one person.

    def _touch(self, board: Board, event: Event, running: PublicGame | None) -> None:
        """Tell those whom an event touches what only they may see."""
        if isinstance(event, BetAccepted):
            self._owe_everywhere(event.player)
        elif isinstance(event, CutOpened) and running is not None:
            self._owe(board, running.seals[event.number - 1])
        elif isinstance(event, SeatChanged):
            self._owe(board, event.player)
            for name in board.table.queue:
                self._owe(board, name)
        elif isinstance(event, _PLAY) and running is not None and not running.is_bot:
            self._live.tell_one(board.name, running.opened.players.challenger, None)
        elif isinstance(event, _MONEY) and running is not None:
            for name in {running.opened.players.challenger, *bettors(running)}:
                self._owe_everywhere(name)

    def _touch_bettors(self, board: Board) -> None:
        """How each bet stands has changed."""
        running = board.table.running
        for name in bettors(running) if running is not None else ():
            self._owe(board, name)

    def _owe_everywhere(self, player: str) -> None:
        """A person's chips have changed, which he sees at every table."""
        for board in self._shared.boards.values():
            self._owe(board, player)

    def _owe(self, board: Board, player: str) -> None:
        """A person is to be told, his balance too, if he is there."""
        if self._live.is_there(board.name, player):
            self._touched[board.name, player] = None
            self._purses.set()

    def _tell_purses(self) -> None:
        """Tell people what they have, many at a time, for ever."""
        while True:
            self._purses.wait()
            self._purses.clear()
            touched, self._touched = list(self._touched), {}
            try:
                found = self._shared.balances(sorted({player for _, player in touched}))
                for table, player in touched:
                    self._live.tell_one(table, player, found[player])
            except CasinoError:
                log.exception("people could not be told what they have")
