"""What a table has told everybody, by version: the events of its game, its road, its snapshot.

Versions grow by one for each event sent. Bets come in crowds, so they are gathered: the book is
told four times a second, and in a crowd it names the bets itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, Final

from casino.events.kinds import BetAccepted, BookLocked, CutSealed, Event, GameOpened
from casino.table.croupier import Pace
from casino.table.playing import waits_for_person
from casino.table.state import GameState, TableState
from casino.table.told import Told, snapshot, tell

BOOK_EVERY_MS: Final = 250
MOST_SINGLY: Final = 4
"""More bets than these between two books are told by the book."""

KEPT: Final = 2_000
MOST_MISSED: Final = 500
"""Who has missed more gets a snapshot."""

ROAD: Final = 60
_MS: Final = 1000
_BET: Final = ("order", "player", "side", "unit_cents", "seal_number")
_CUT: Final = ("number", "player")
_CROWDED: Final = (("new_bets", "bet_accepted", _BET), ("new_cuts", "cut", _CUT))


class Board:
    """One table, as it has been told; belongs to the loop of the browsers."""

    def __init__(self, state: TableState, pace: Pace, now: int, road: Iterable[Told]) -> None:
        self.table = state.rules.name
        self.state = state
        self.version = state.version
        self.taking = True
        self.road: deque[Told] = deque(road, maxlen=ROAD)
        self._pace = pace
        self._since_at = now
        self._history: deque[Told] = deque(maxlen=KEPT)
        self._own_versions: deque[int] = deque([state.version], maxlen=KEPT)
        self._held: list[Told] = []
        self._book_at = 0
        self._proof = ""

    def take(
        self, event: Event, before: TableState, after: TableState, now: int, proof: str = ""
    ) -> list[Told]:
        """The events to send for what has happened, numbered; bets may wait for the next book."""
        if after.since != self.state.since or after.running is None:
            self._since_at = now
        self.state = after
        told = tell(before, event, after)
        if isinstance(event, (BetAccepted, CutSealed)):
            self._held += told
            return self.flush(now) if now - self._book_at >= BOOK_EVERY_MS else []
        events = self.flush(now)
        if isinstance(event, (GameOpened, BookLocked)):
            told[0]["seconds"] = self.seconds(now)
        if isinstance(event, BookLocked):
            self._proof = told[0]["proof"] = proof
        return events + [self._numbered(event) for event in told]

    def restore(self, state: TableState, now: int) -> list[Told]:
        """The table as it was read from the log again: everybody is to look at it anew."""
        events = self.flush(now)
        self.state, self._since_at = state, now
        return [*events, self._numbered({"type": "restored"})]

    def flush(self, now: int) -> list[Told]:
        """The events of the bets and cuts that wait, the book last."""
        held, self._held = self._held, []
        if not held:
            return []
        self._book_at = now
        books = [event for event in held if event["type"] == "book"]
        others = [event for event in held if event["type"] != "book"]
        book = books[-1] if books else None
        if len(others) > MOST_SINGLY and book is not None:
            for name, kind, keys in _CROWDED:
                told = [event for event in others if event["type"] == kind]
                book[name] = [{key: event[key] for key in keys} for event in told]
            others = []
        if book is not None:
            others.append({**book, "seconds": self.seconds(now)})
        return [self._numbered(event) for event in others]

    def wait_ms(self, now: int) -> int | None:
        """How long what is held may still wait; None if nothing is held."""
        return max(0, self._book_at + BOOK_EVERY_MS - now) if self._held else None

    def announce(self, event: Told) -> Told:
        """An event that is about more than this table: a checkpoint, a notice."""
        return self._numbered(event)

    def seconds(self, now: int) -> float | None:
        """How long the book stays open, or the person to act has left."""
        running = self.state.running
        if running is None:
            return None
        if running.closing is None:
            most = self._pace.betting_ms if running.locked is None else self._pace.reveal_ms
        elif waits_for_person(running):
            most = self._pace.turn_ms
        else:
            return None
        return max(0, self._since_at + most - now) / _MS

    def missed(self, since: int, now: int) -> list[Told] | None:
        """The events after a version, with the seconds that are left now; None if too many."""
        number = self.version - since
        if not 0 <= number <= min(len(self._history), MOST_MISSED):
            return None
        clock = {"seconds": self.seconds(now)}
        events = (self._history[place] for place in range(-number, 0))
        return [{**event, **clock} if "seconds" in event else event for event in events]

    def snapshot(self, now: int) -> Told:
        """All that somebody needs who comes in now."""
        return {
            **snapshot(self.state),
            "proof": self._proof if self.is_opening else "",
            "version": self.version,
            "taking": self.taking,
            "seconds": self.seconds(now),
            "road": list(self.road),
        }

    def prove(self, proof: str) -> None:
        """Keep the proof of a book that was locked before this table was read from the log."""
        self._proof = proof

    @property
    def game(self) -> str:
        """The running game; nothing if none is."""
        return "" if self.state.running is None else self.state.running.id

    @property
    def is_opening(self) -> bool:
        """Whether sealed texts are waited for."""
        running = self.state.running
        return running is not None and running.locked is not None and running.closing is None

    def summary(self) -> Told:
        """The table in a line of the lobby."""
        state, running = self.state, self.state.running
        said: Told = {
            "table": self.table,
            "version": self.version,
            "house": state.rules.house,
            "holder": state.holder,
            "queue": len(state.queue),
            "stake_cents": state.rules.stake_cents,
            "limits": state.rules.limits._asdict(),
            "taking": self.taking,
            "road": list(self.road)[-20:],
            "game": None,
        }
        if running is not None:
            deal = running.deal
            score = (0, 0) if deal is None else deal.score
            said |= {
                "game": running.id,
                "challenger": running.challenger,
                "phase": _phase(running),
                "score": {"house": score[0], "challenger": score[1]},
                "deal": 0 if deal is None else running.number,
                "bets": len(running.book.bets),
            }
        return said

    def own_version(self, told: int) -> int:
        """The table's own version when a version was told; 0 for one nobody remembers."""
        number = self.version - told
        return self._own_versions[-1 - number] if 0 <= number < len(self._own_versions) else 0

    def _numbered(self, event: Mapping[str, Any]) -> Told:
        """An event with its table and version, remembered."""
        self.version += 1
        numbered = {**event, "table": self.table, "version": self.version}
        self._history.append(numbered)
        self._own_versions.append(self.state.version)
        if event["type"] == "game_over":
            self.road.append(road_mark(event["game"], event["winner"], event["stake"]))
        elif event["type"] == "game_void":
            self.road.append(road_mark(event["game"], None, 0))
        return numbered


def _phase(running: GameState) -> str:
    """What a game is at: bets are taken, sealed texts are opened, or it is played."""
    if running.closing is not None:
        return "playing"
    return "betting" if running.locked is None else "opening"


def road_mark(game: str, winner: str | None, stake: int) -> Told:
    """A game on the road: who won it, how high; a void one was won by nobody."""
    return {"game": game, "winner": winner, "stake": stake}
