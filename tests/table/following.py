"""A client of a table written from the page of the interface alone: it knows no rule of the game.

It folds messages into the form of a snapshot. What it does is arithmetic on what it is told: a
card played leaves a hand, an exchange leaves the stock, a number said is the number.
"""

from __future__ import annotations

import re
from typing import Any

from casino.events.kinds import Event
from casino.table.clerk import Happening, Listener
from casino.table.messages import messages
from casino.table.public_table import Message, PublicTable, fold

NOTICES = ("checkpoint", "notice", "restored")
_TERMS = ("laws", "gallery", "limits", "stake_cents", "house", "challenger", "holder")
_OPENED = ("game", "commitment", "players", "bots", "cover")
_BOOK = ("totals_cents", "matched_cents", "closed", "cover")
_BET = ("order", "player", "side", "unit_cents")
_RUNNING = ("game", "commitment", "players", "bots", "cover", "cuts", "cut", "bets", "deal")
_PLAYED = re.compile("L?([KQJAT987][SHDC])")


class Client:
    """Somebody who has joined with a snapshot and hears every message since."""

    def __init__(self, snapshot: Message) -> None:
        self.known = {name: one for name, one in snapshot.items() if name != "seconds"}

    def hear(self, message: Message) -> None:
        """The next message; its version must be the next, or a notice's the same."""
        kind = message["type"]
        assert message["version"] == self.known["version"] + (kind not in NOTICES), (
            self.known["version"],
            message,
        )
        self.known["version"] = message["version"]
        getattr(self, f"_{kind}")(message)

    def _game_opened(self, told: Message) -> None:
        """A game opens by the terms that are told."""
        self.known |= {name: told[name] for name in (*_TERMS, *_OPENED)}
        book = {"totals_cents": [0, 0], "matched_cents": 0, "closed": False}
        self.known |= {**book, "cuts": [], "cut": "", "bets": [], "deal": None}

    def _cut(self, told: Message) -> None:
        """One more text."""
        self.known["cuts"] = [*self.known["cuts"], told["text"]]

    def _bet_accepted(self, told: Message) -> None:
        """One more bet."""
        self.known["bets"] = [*self.known["bets"], {name: told[name] for name in _BET}]

    def _book(self, told: Message) -> None:
        """The book as it stands, and the bets of a crowd."""
        self.known |= {name: told[name] for name in _BOOK}
        for bet in told.get("new_bets", ()):
            self._bet_accepted(bet)
        for cut in told.get("new_cuts", ()):
            self._cut(cut)

    def _betting_closed(self, told: Message) -> None:
        """How every bet stands."""
        self.known |= {name: told[name] for name in (*_BOOK, "bets", "cuts", "cut")}

    def _dealt(self, told: Message) -> None:
        """A new deal."""
        self.known["deal"] = told["deal"]

    def _turned_up(self, told: Message) -> None:
        """The turn-up, and who speaks."""
        self._deal(turn_up=told["card"], turn=told["turn"])

    def _action(self, told: Message) -> None:
        """What was said or played, and who is next."""
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
        """The trick leaves the table."""
        self._deal(tricks=told["tricks"], led=None)

    def _points(self, told: Message) -> None:
        """The score."""
        self._deal(score=told["score"])

    def _deal_over(self, told: Message) -> None:
        """The deal is over, its hands are open."""
        self._deal(turn=None, hands=told.get("hands", {}))

    def _game_over(self, told: Message) -> None:
        """The game is won."""
        self._mark(told["game"], told["winner"], told["stake"])

    def _settled(self, _: Message) -> None:
        """The game is paid."""
        self._between_games()

    def _game_void(self, told: Message) -> None:
        """The game does not count."""
        self._mark(told["game"], None, 0)
        self._between_games()

    def _seat(self, told: Message) -> None:
        """Who sits, and who waits."""
        self.known |= {"holder": told["holder"], "queue": told["queue"]}

    def _notice(self, told: Message) -> None:
        """Whether bets are taken."""
        self.known["taking"] = told["taking"]

    def _checkpoint(self, _: Message) -> None:
        """Nothing changes."""

    def _deal(self, **changed: Any) -> None:
        """Something of the deal has changed."""
        self.known["deal"] = {**self.known["deal"], **changed}

    def _mark(self, game: str, winner: str | None, stake: int) -> None:
        """One more game on the road."""
        mark = {"game": game, "winner": winner, "stake": stake}
        self.known["road"] = [*self.known["road"], mark][-60:]

    def _between_games(self) -> None:
        """No game runs."""
        for name in (*_RUNNING, *_BOOK):
            self.known.pop(name, None)


def clockless(snapshot: Message) -> Message:
    """A snapshot without what only the reader's clock says."""
    return {name: one for name, one in snapshot.items() if name != "seconds"}


class Ear(Listener):
    """Keeps all that happens."""

    def __init__(self) -> None:
        self.heard: list[Happening] = []

    def happened(self, happening: Happening) -> None:
        """Keep it."""
        self.heard.append(happening)


def told_of(heard: list[Happening]) -> list[tuple[Event, list[Message]]]:
    """Each event with its messages, from a table that nothing has happened at."""
    table = PublicTable(heard[0].before.rules)
    course = []
    for one in heard:
        before, table = table, fold(table, one.event)
        course.append((one.event, messages(before, one.event, table)))
    return course
