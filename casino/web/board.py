"""What a table has told everybody, by version: the events of its game, its road, its snapshot.

Versions grow by one for each event sent. Bets come in crowds, so they are gathered: the book is
told four times a second, and in a crowd it names the bets itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, Final

from casino.table.croupier import Pace
from casino.table.messages import BetTaken, CutGiven, Fact, GameOpened
from casino.table.playing import waits_for_person
from casino.table.state import TableState
from casino.table.told import Event, book_event, tell

BOOK_EVERY_MS: Final = 250
MOST_SINGLY: Final = 4
"""More bets than these between two books are told by the book."""

KEPT: Final = 2_000
MOST_MISSED: Final = 500
"""Who has missed more gets a snapshot."""

ROAD: Final = 60
_MS: Final = 1000
_OUT_OF_GAME: Final = frozenset({"checkpoint", "notice", "seat"})
_BETTING: Final = frozenset({"bet_accepted", "book", "cut"})


class Board:
    """One table, as it has been told; belongs to the loop of the browsers."""

    def __init__(self, state: TableState, pace: Pace, now: int, road: Iterable[Event]) -> None:
        self.table = state.rules.name
        self.state = state
        self.version = state.version
        self.taking = True
        self.road: deque[Event] = deque(road, maxlen=ROAD)
        self._pace = pace
        self._since_at = now
        self._history: deque[Event] = deque(maxlen=KEPT)
        self._game: list[Event] = []
        self._held: list[Event] = []
        self._book_at = 0

    def recall(self, facts: Iterable[tuple[TableState, Fact, TableState]]) -> None:
        """Tell again, to nobody, what happened in the running game before a restart."""
        told = [event for fact in facts for event in tell(*fact)]
        self._game = [{"table": self.table, "version": self.version, **event} for event in told]

    def take(self, fact: Fact, before: TableState, after: TableState, now: int) -> list[Event]:
        """The events to send for what has happened, numbered; bets may wait for the next book."""
        if after.since != self.state.since or after.running is None:
            self._since_at = now
        self.state = after
        told = tell(before, fact, after)
        if isinstance(fact, (BetTaken, CutGiven)):
            self._held.append(told[0])
            return self.flush(now) if now - self._book_at >= BOOK_EVERY_MS else []
        events = self.flush(now)
        if isinstance(fact, GameOpened):
            self._game = []
            told[0]["seconds"] = self.seconds(now)
        return events + [self._numbered(event) for event in told]

    def flush(self, now: int) -> list[Event]:
        """The events of the bets and cuts that wait, the book last."""
        held, self._held = self._held, []
        if not held:
            return []
        self._book_at = now
        bets = [event["bet"] for event in held if event["type"] == "bet_accepted"]
        single = held if len(held) <= MOST_SINGLY else []
        events = [self._numbered(event) for event in single]
        running = self.state.running
        if bets and running is not None and running.closing is None:
            book = book_event(running)
            if not single:
                book["bets"] = bets
            events.append(self._numbered({**book, "seconds": self.seconds(now)}))
        return events

    def wait_ms(self, now: int) -> int | None:
        """How long what is held may still wait; None if nothing is held."""
        return max(0, self._book_at + BOOK_EVERY_MS - now) if self._held else None

    def announce(self, event: Event) -> Event:
        """An event that is about more than this table: a checkpoint, a notice."""
        return self._numbered(event)

    def seconds(self, now: int) -> float | None:
        """How long the book stays open, or the person to act has left."""
        running = self.state.running
        if running is None:
            return None
        if running.closing is None:
            most = self._pace.betting_ms
        elif waits_for_person(running):
            most = self._pace.turn_ms
        else:
            return None
        return max(0, self._since_at + most - now) / _MS

    def missed(self, since: int) -> list[Event] | None:
        """The events after a version; None if they are too many or no longer known."""
        number = self.version - since
        if not 0 <= number <= min(len(self._history), MOST_MISSED):
            return None
        return [self._history[place] for place in range(-number, 0)]

    def snapshot(self, now: int) -> Event:
        """All that somebody needs who comes in now."""
        state = self.state
        return {
            "table": self.table,
            "version": self.version,
            "holder": state.holder,
            "queue": [name for name, _ in state.queue],
            "house": state.rules.house,
            "stake_cents": state.rules.stake_cents,
            "taking": self.taking,
            "seconds": self.seconds(now),
            "road": list(self.road),
            "events": _compact(self._game),
        }

    def summary(self) -> Event:
        """The table in a line of the lobby."""
        state, running = self.state, self.state.running
        said: Event = {
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
                "phase": "betting" if running.closing is None else "playing",
                "score": {"house": score[0], "challenger": score[1]},
                "deal": 0 if deal is None else running.number,
                "bets": len(running.book.bets),
            }
        return said

    def lag(self) -> int:
        """What is to be added to a version told to get the table's own."""
        return self.state.version - self.version

    def _numbered(self, event: Mapping[str, Any]) -> Event:
        """An event with its table and version, remembered."""
        self.version += 1
        numbered = {"table": self.table, "version": self.version, **event}
        self._history.append(numbered)
        if event["type"] not in _OUT_OF_GAME:
            self._game.append(numbered)
        if event["type"] == "game_over":
            self.road.append(road_mark(event["game"], event["winner"], event["stake"]))
        elif event["type"] == "game_void":
            self.road.append(road_mark(event["game"], None, 0))
        return numbered


def road_mark(game: str, winner: str | None, stake: int) -> Event:
    """A game on the road: who won it, how high; a void one was won by nobody."""
    return {"game": game, "winner": winner, "stake": stake}


def _compact(events: list[Event]) -> list[Event]:
    """A game's events without what later ones say again."""
    if any(event["type"] == "betting_closed" for event in events):
        return [event for event in events if event["type"] not in _BETTING]
    books = [event for event in events if event["type"] == "book"]
    return [event for event in events if event["type"] != "book" or event is books[-1]]
