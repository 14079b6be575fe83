"""A spectator's view of a table, built from the casino's messages."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, Final

from casino.client.narration import TELL, describe

if TYPE_CHECKING:
    from casino.table.public.state import Message

SEATS: Final = ("house", "challenger")
MAX_LINES: Final = 100

# Messages that neither change the view nor print a line.
_SILENT: Final = ("cut", "cuts_opened", "checkpoint", "notice")

_PLAYED: Final = re.compile(r"L?([KQJAT987][SHDC])")


class TableView:
    """A table as one spectator sees it, updated by each message."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.known = False
        self.line_open = True
        self.game: Message = {}
        self.deal: Message = {}
        self.score: Message = {"house": 0, "challenger": 0}
        self.trick: list[tuple[str, str]] = []
        self.taker = ""
        self.words: dict[str, str] = {}
        self.result: Message = {}
        self.own: Message = {}
        self.own_gain_cents: int | None = None
        self.lines: deque[str] = deque(maxlen=MAX_LINES)
        self._ends_at: float | None = None

    def apply(self, event: Message, now: float) -> bool:
        """Apply a message; return False if its type is unknown."""
        if "seconds" in event:
            self._ends_at = None if event["seconds"] is None else now + event["seconds"]
        if not self._change(event):
            return False
        self.line_open = event["type"] != "broken"
        if line := describe(event):
            self.lines.append(line)
        return True

    def seconds_left(self, now: float) -> int | None:
        """Return the whole seconds left in the current countdown, or None."""
        return None if self._ends_at is None else max(0, round(self._ends_at - now))

    def hand(self, seat: str) -> list[str | None]:
        """Return the cards of a seat, with None for each hidden one."""
        shown: str = self.deal.get("hands", {}).get(seat, "")
        if not shown and seat == "challenger":
            shown = "".join(self.own.get("hand", ()))
        if shown:
            return list(re.findall("..", shown))
        return [None] * self.deal["sizes"][seat] if self.deal else []

    def _look(self, snapshot: Message) -> None:
        self.known = True
        self.game = dict(snapshot) if "game" in snapshot else {}
        self.result, self.own_gain_cents = {}, None
        self._lay(self.game.get("deal") or {})

    def _lay(self, deal: Message) -> None:
        self.deal = {**deal, "sizes": dict(deal["sizes"])} if deal else {}
        self.trick, self.taker, self.words = [], "", {}
        self.score = deal.get("score", {"house": 0, "challenger": 0})
        if deal.get("led"):
            self.trick = [(_other(deal["turn"]), deal["led"])]

    def _open(self, event: Message) -> None:
        empty = {"bets": [], "totals_cents": [0, 0], "matched_cents": 0, "closed": False}
        self._look({**event, **empty})
        self.own = {**self.own, "bets": [], "hand": []}

    def _bet(self, event: Message) -> None:
        if all(bet["order"] != event["order"] for bet in self.game["bets"]):
            self.game["bets"] = [*self.game["bets"], event]

    def _book(self, event: Message) -> None:
        for bet in event.get("new_bets", ()):
            self._bet(bet)
        keys = ("totals_cents", "matched_cents", "closed", "bets")
        self.game |= {key: event[key] for key in keys if key in event}

    def _act(self, event: Message) -> None:
        seat, action = event["seat"], event["action"]
        self.deal["turn"] = event.get("turn")
        self._ends_at = None
        if "deal" in event:
            self._lay(event["deal"])
        if played := _PLAYED.fullmatch(action):
            self._play(seat, played[1])
        else:
            self.words[seat] = action
        if action.startswith("X"):
            self.deal["stock"] -= len(action) // 2

    def _play(self, seat: str, card: str) -> None:
        if self.taker:
            self.trick, self.taker = [], ""
        self.words = {}
        self.trick.append((seat, card))
        self.deal["sizes"][seat] -= 1
        self.own = {**self.own, "hand": [held for held in self.own.get("hand", ()) if held != card]}

    def _change(self, event: Message) -> bool:
        match event["type"]:
            case "snapshot":
                self._look(event)
            case "you":
                self.own = {**self.own, **event}
            case "game_opened":
                self._open(event)
            case "bet_accepted":
                self._bet(event)
            case "book":
                self._book(event)
            case "betting_closed":
                self._book(event)
                self._ends_at = None
            case "dealt":
                self._lay(event["deal"])
            case "turned_up":
                self.deal |= {"turn_up": event["card"], "turn": event["turn"]}
            case "action":
                self._act(event)
            case "trick":
                # `self.trick` stays visible until the next lead.
                self.taker = event["taker"]
                self.deal["tricks"] = event["tricks"]
            case "points":
                self.score = event["score"]
            case "deal_over":
                hands = event.get("hands", {})
                self.deal |= {"turn": None, "tricks": event["tricks"], "hands": hands}
            case "settled":
                name = self.own.get("name")
                gains = [bet["gain_cents"] for bet in event["bets"] if bet["player"] == name]
                self.own_gain_cents = sum(gains) if gains else None
            case "game_over" | "game_void":
                self.result, self._ends_at = event, None
            case kind:
                return kind in TELL or kind in _SILENT
        return True


def _other(seat: str) -> str:
    return SEATS[1 - SEATS.index(seat)]
