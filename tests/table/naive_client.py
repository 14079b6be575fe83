"""Table client written from the API documentation alone: it knows no rule of the game.

It folds messages into the form of a snapshot by plain arithmetic: a card played leaves a hand, an
exchange leaves the stock, a count in a message is the count. A message without a method here
changes nothing; comparing the client with snapshots would show it if it should.
"""

from __future__ import annotations

import re
from typing import Any

from casino.events.types import Event
from casino.table.domain.state import Transition
from casino.table.public.messages import messages
from casino.table.public.state import Message, PublicTable, apply_event
from casino.table.runtime.service import EventListener

NOTICES = ("checkpoint", "notice", "restored")
_TERMS = ("laws", "gallery", "limits", "stake_cents", "house", "challenger", "holder")
_OPENED = ("game", "commitment", "players", "bots", "cover")
_BOOK = ("totals_cents", "matched_cents", "closed", "cover")
_BET = ("order", "player", "side", "unit_cents")
_CUTS = ("seals", "locked", "cuts_opened", "opened", "withheld", "cut")
_RUNNING = (*_CUTS, "game", "commitment", "players", "bots", "cover", "bets", "deal")
_LOCK = ("bets", "seals", "cover")
_PLAYED = re.compile("L?([KQJAT987][SHDC])")


class Client:
    """Client that joined with a snapshot and receives every later message."""

    def __init__(self, snapshot: Message) -> None:
        self.known = {name: one for name, one in snapshot.items() if name != "seconds"}

    def hear(self, message: Message) -> None:
        """Apply the next message; its version must be the next one, or for a notice the same."""
        kind = message["type"]
        assert message["version"] == self.known["version"] + (kind not in NOTICES), (
            self.known["version"],
            message,
        )
        self.known["version"] = message["version"]
        if change := getattr(self, f"_{kind}", None):
            change(message)

    def _game_opened(self, told: Message) -> None:
        self.known |= {name: told[name] for name in (*_TERMS, *_OPENED)}
        book = {"totals_cents": [0, 0], "matched_cents": 0, "closed": False}
        cuts: Message = {"seals": [], "locked": None, "cuts_opened": 0}
        cuts |= {"opened": [], "withheld": []}
        self.known |= {**book, **cuts, "cut": "", "proof": "", "bets": [], "deal": None}

    def _cut(self, told: Message) -> None:
        self._seal(told["number"], told["player"])

    def _seal(self, number: int, player: str) -> None:
        self.known["seals"] = [*self.known["seals"], {"number": number, "player": player}]

    def _bet_accepted(self, told: Message) -> None:
        self.known["bets"] = [*self.known["bets"], {name: told[name] for name in _BET}]
        if told["seal_number"] is not None:
            self._seal(told["seal_number"], told["player"])

    def _book(self, told: Message) -> None:
        self.known |= {name: told[name] for name in _BOOK}
        for bet in told.get("new_bets", ()):
            self._bet_accepted(bet)
        for cut in told.get("new_cuts", ()):
            self._cut(cut)
        self.known["seals"] = sorted(self.known["seals"], key=lambda seal: seal["number"])

    def _book_locked(self, told: Message) -> None:
        self.known |= {name: told[name] for name in _BOOK}
        self.known["locked"] = {name: told[name] for name in _LOCK}
        self.known["proof"] = told.get("proof", "")

    def _cuts_opened(self, told: Message) -> None:
        self.known["cuts_opened"] = told["opened"]

    def _betting_closed(self, told: Message) -> None:
        names = (*_BOOK, "bets", "opened", "withheld", "cut")
        self.known |= {name: told[name] for name in names}

    def _dealt(self, told: Message) -> None:
        self.known["deal"] = told["deal"]

    def _turned_up(self, told: Message) -> None:
        self._deal(turn_up=told["card"], turn=told["turn"])

    def _action(self, told: Message) -> None:
        if "deal" in told:
            self.known["deal"] = told["deal"]
            return
        deal, said = self.known["deal"], told["action"]
        self._deal(actions=[*deal["actions"], said], turn=told["turn"])
        if said.startswith("E"):
            self._deal(exposed=deal["exposed"] + said[1:])
        elif said.startswith("X"):
            self._deal(stock=deal["stock"] - len(said) // 2)
        elif played := _PLAYED.fullmatch(said):
            seat = told["seat"]
            self._deal(sizes={**deal["sizes"], seat: deal["sizes"][seat] - 1})
            self._deal(led=deal["led"] or played[1])

    def _trick(self, told: Message) -> None:
        self._deal(tricks=told["tricks"], led=None)

    def _points(self, told: Message) -> None:
        self._deal(score=told["score"])

    def _deal_over(self, told: Message) -> None:
        self._deal(turn=None, hands=told.get("hands", {}))

    def _game_over(self, told: Message) -> None:
        self._mark(told["game"], told["winner"], told["stake"])

    def _settled(self, _: Message) -> None:
        self._between_games()

    def _game_void(self, told: Message) -> None:
        self._mark(told["game"], None, 0)
        self._between_games()

    def _seat(self, told: Message) -> None:
        self.known |= {"holder": told["holder"], "queue": told["queue"]}

    def _poule(self, told: Message) -> None:
        self.known["poule"] = told["poule"]

    def _notice(self, told: Message) -> None:
        self.known["taking"] = told["taking"]

    def _deal(self, **changed: Any) -> None:
        self.known["deal"] = {**self.known["deal"], **changed}

    def _mark(self, game: str, winner: str | None, stake: int) -> None:
        mark = {"game": game, "winner": winner, "stake": stake}
        self.known["road"] = [*self.known["road"], mark][-60:]

    def _between_games(self) -> None:
        for name in (*_RUNNING, *_BOOK):
            self.known.pop(name, None)
        self.known["proof"] = ""


def without_clock(snapshot: Message) -> Message:
    return {name: one for name, one in snapshot.items() if name != "seconds"}


class Recorder(EventListener):
    """Listener that keeps every event and every signed checkpoint."""

    def __init__(self) -> None:
        self.heard: list[Transition] = []
        self.signed: list[str] = []

    def on_event(self, happening: Transition) -> None:
        self.heard.append(happening)

    def on_signed(self, note: str) -> None:
        self.signed.append(note)

    def events(self, *kinds: type) -> list[Any]:
        return [one.event for one in self.heard if isinstance(one.event, kinds)]

    def times(self, *kinds: type) -> list[int]:
        return [event.at for event in self.events(*kinds)]


def told_of(heard: list[Transition]) -> list[tuple[Event, list[Message], PublicTable]]:
    """Return each event with its messages and the table after it."""
    table = PublicTable(heard[0].after.rules)
    course = []
    for one in heard:
        before, table = table, apply_event(table, one.event)
        course.append((one.event, messages(before, one.event, table), table))
    return course
