"""Check the order in which players take the challenger's seat, and who deals in a rematch."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from casino.audit.check import Check, Finding, table_of
from casino.events.types import GameOpened, GameOver, GameVoid, PouleOpened, SeatChanged, TermsSet


class TableSeat(msgspec.Struct):
    """The challenger's seat at a table: its holder, its queue, and the latest game's challenger.

    `last` holds the challenger and the winning side of the last game, or None if it was void.
    `remote_bots` lists those in the seat or the queue who have their own program play.
    """

    holder: str = ""
    queue: list[str] = []
    challenger: str = ""
    last: tuple[str, str] | None = None
    remote_bots: list[str] = []


class SeatsCheck(Check):
    """Check who sits at each table; `in_force` returns a table's current settings."""

    name = "seats"

    tables: dict[str, TableSeat]

    def __init__(self, in_force: Callable[[str], TermsSet | None]) -> None:
        self.tables = {}
        self._in_force = in_force
        self.handlers = {
            SeatChanged: self._changed,
            PouleOpened: self._poule,
            GameOpened: self._opened,
            GameOver: self._ended,
            GameVoid: self._ended,
        }

    def _changed(self, number: int, leaf: SeatChanged) -> Iterable[Finding]:
        text = _change(self._seat(leaf.table), leaf)
        return [Finding("seats", f"{leaf.player} {text}", number)] if text else ()

    def _poule(self, number: int, leaf: PouleOpened) -> Iterable[Finding]:
        waiting = self._waiting(leaf.table)
        if waiting[:1] == [leaf.player] or not (waiting or leaf.player):
            return ()
        text = f"{leaf.player or 'no person'} enters, not {(*waiting, 'no person')[0]}"
        return [Finding("seats", text, number, leaf.game)]

    def _ended(self, _: int, leaf: GameOver | GameVoid) -> tuple[()]:
        seat = self._seat(table_of(leaf.game))
        seat.last = (seat.challenger, leaf.winner) if isinstance(leaf, GameOver) else None
        return ()

    def _seat(self, table: str) -> TableSeat:
        # Not `setdefault`, which would construct a seat each time.
        seat = self.tables.get(table)
        if seat is None:
            seat = self.tables[table] = TableSeat()
        return seat

    def _waiting(self, table: str) -> list[str]:
        seat = self._seat(table)
        return [name for name in (seat.holder, *seat.queue) if name]

    def _opened(self, number: int, leaf: GameOpened) -> list[Finding]:
        texts = list[str]()
        seat, challenger = self._seat(leaf.table), leaf.players.challenger
        waiting, terms = self._waiting(leaf.table), self._in_force(leaf.table)
        is_poule = terms is not None and terms.hosted is not None and bool(terms.hosted.poule)
        if leaf.bots.challenger is None and challenger != seat.holder:
            texts.append(f"{challenger} challenges without the seat")
            seat.holder = challenger
        elif leaf.bots.challenger is not None and waiting and not is_poule:
            texts.append(f"a bot challenges, but {waiting[0]} has the seat or waits for it")
        is_remote = leaf.bots.challenger is None and challenger in seat.remote_bots
        if is_remote != (leaf.played_by is not None):
            sat, plays = ("bot", "person") if is_remote else ("person", "bot")
            texts.append(f"{challenger} took the seat as a {sat}, but plays as a {plays}")
        # A poule has no rematches: its players change with every game.
        dealer = None if is_poule else _loser(seat, challenger, terms)
        if leaf.loser_deals != dealer:
            expected = dealer or "no one"
            texts.append(f"{leaf.loser_deals or 'no one'} deals as the last loser, not {expected}")
        seat.challenger = challenger
        return [Finding("seats", text, number, leaf.game) for text in texts]


def _loser(seat: TableSeat, challenger: str, terms: TermsSet | None) -> str | None:
    """Return the side that must deal first in a rematch because it lost, or None (R2.1)."""
    if terms is None or (terms.laws.deal, terms.laws.first_dealer) != ("alternate", "loser"):
        return None
    before, winner = seat.last or ("", "")
    if before != challenger:
        return None
    return "house" if winner == "challenger" else "challenger"


def _change(seat: TableSeat, leaf: SeatChanged) -> str:
    """Apply a seat change; return its fault, or "" if it was allowed."""
    player, queue = leaf.player, seat.queue
    has_seat, is_waiting = player == seat.holder, player in queue
    is_next = is_waiting and queue[0] == player
    if is_waiting:
        queue.remove(player)
    if leaf.what == "queued":
        queue.append(player)
        if leaf.played_by:
            seat.remote_bots.append(player)
        return "already has the seat or waits for it" if has_seat or is_waiting else ""
    if leaf.what == "seated":
        is_free, seat.holder = not seat.holder, player
        return "" if is_free and is_next else "takes the seat out of turn"
    if leaf.what == "left":
        if player in seat.remote_bots:
            seat.remote_bots = [name for name in seat.remote_bots if name != player]
        seat.holder = "" if has_seat else seat.holder
    return "" if has_seat or is_waiting else "has no seat to give up"
