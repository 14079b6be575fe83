"""Find hidden cards in the frames sent to a client.

A `LeakDetector` replays the recorded game along with the frames, and so knows which cards the
client has been shown. Any other card in a frame is a leak.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from casino.ecarte import (
    EXCHANGE,
    EXPOSE,
    LEAD_OUT,
    Action,
    Laws,
    cards_in,
    format_card,
    parse_token,
    read_record,
)
from casino.ecarte.observation.view import deck_positions

CARDS = re.compile("[XEL]?((?:[KQJAT987][SHDC])+)")
"""Match a string of cards, or an action with cards."""

TURN_UP = 10
"""Index of the turn-up in the deck."""

JsonObject = dict[str, Any]


class Leak(NamedTuple):
    card: str
    frame: str


class Truth(NamedTuple):
    """A finished deal from a record."""

    dealer: int
    deck: tuple[int, ...]
    actions: tuple[Action, ...]
    laws: Laws = Laws()


def truths(record: Mapping[str, Any]) -> list[Truth]:
    read = read_record(json.dumps(record))
    return [
        Truth(deal.dealer, deal.deck, tuple(map(parse_token, deal.actions.split())), read.laws)
        for deal in read.deals
    ]


def card_names_in(said: Any) -> Iterator[str]:
    if isinstance(said, dict):
        for key, value in said.items():
            yield from card_names_in(key)
            yield from card_names_in(value)
    elif isinstance(said, list):
        for value in said:
            yield from card_names_in(value)
    elif isinstance(said, str) and (found := CARDS.fullmatch(said)):
        yield from re.findall("..", found[1])


class LeakDetector:
    """Checks the frames sent to a spectator."""

    def __init__(self, games: Mapping[str, list[Truth]]) -> None:
        self.leaks: list[Leak] = []
        self._games = games
        self._deals: list[Truth] = []
        self._deal: Truth | None = None
        self._done = 0
        self._shown: set[str] = set()

    def read(self, frame: str, event: JsonObject) -> None:
        """Check one event for hidden cards."""
        self._follow(event)
        if self._deals:
            self.leaks += [Leak(card, frame) for card in {*card_names_in(event)} - self._shown]

    def _follow(self, event: JsonObject) -> None:
        kind = event.get("type")
        if kind == "game_opened":
            self._deals = list(self._games.get(event["game"], []))
            self._shown, self._deal = set(), None
        elif kind == "dealt" and self._deals:
            self._deal = self._deals[event["deal"]["number"] - 1]
            self._shown, self._done = set(), 0
        elif kind == "turned_up" and self._deal is not None:
            self._shown.add(format_card(self._deal.deck[TURN_UP]))
        elif kind == "action" and self._deal is not None:
            action = self._deal.actions[self._done]
            self._done += 1
            if not action & EXCHANGE:
                self._shown |= played(action)
        elif kind in ("deal_over", "game_over") and self._deal is not None:
            self._shown |= self._kept()

    def _kept(self) -> set[str]:
        assert self._deal is not None
        self._done = len(self._deal.actions)
        return kept(self._deal)


def held(deal: Truth, seat: int, done: int) -> set[str]:
    """Return the cards that a seat has been dealt after a number of actions."""
    places = deck_positions(deal.laws, deal.dealer, deal.actions[:done], seat)
    return {format_card(deal.deck[place]) for place in places}


def kept(deal: Truth) -> set[str]:
    """Return both hands at the start of play, without the discards."""
    away = 0
    for action in deal.actions:
        away |= action & (EXCHANGE - 1) if action & EXCHANGE else 0
    done = len(deal.actions)
    return {one for seat in (0, 1) for one in held(deal, seat, done)} - set(
        map(format_card, cards_in(away))
    )


def played(action: Action) -> set[str]:
    if 0 <= action < 32:
        return {format_card(action)}
    return {format_card(action - EXPOSE)} if EXPOSE <= action < LEAD_OUT else set()
