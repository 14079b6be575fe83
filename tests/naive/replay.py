"""Replay a record with the naive rules: its outcome, or the place of its first fault.

Faults are looked for in reading order: the record's head, then deal after deal, then the
result and the fairness; the first one found is the one reported.
"""

from __future__ import annotations

import json
from typing import Any

from .basics import PACK, IllegalToken, Laws
from .fair import fault_of
from .game import NaiveDeal, NaiveGame

SEATS = ("house", "challenger")
ALLOWED: dict[str, list[Any]] = {
    "target": [5, 7, 11],
    "play": ["strict", "ordinary"],
    "vole_unexchanged": [1, 2],
    "packets": [[3, 2], [2, 3]],
    "deal": ["alternate", "house"],
    "first_dealer": ["cut", "loser", "house", "challenger"],
    "enforcement": ["strict", "claims"],
}
"""Each law's values, the default first."""


class BadRecord(Exception):
    """A fault in a record, at a token (deal and token from 1) or outside the actions."""

    def __init__(self, text: str, deal: int | None = None, token: int | None = None) -> None:
        super().__init__(text)
        self.deal = deal
        self.token = token


def demand(fine: bool, text: str) -> None:
    """Refuse a record, outside its actions, unless all is fine."""
    if not fine:
        raise BadRecord(text)


def same(one: Any, other: Any) -> bool:
    """Return True if two JSON values are written alike, so that 1, 1.0 and true differ."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def read_laws(given: Any) -> Laws:
    demand(isinstance(given, dict), "laws must be an object")
    laws = {name: values[0] for name, values in ALLOWED.items()}
    for name, value in given.items():
        demand(name in ALLOWED, f"unknown law {name!r}")
        demand(any(same(value, allowed) for allowed in ALLOWED[name]), f"bad law {name}")
        laws[name] = value
    return laws


def read_deck(given: Any) -> list[str]:
    demand(isinstance(given, str), "deck must be a text")
    demand(len(given) == 64, "deck must have 64 characters")
    deck = [given[at : at + 2] for at in range(0, 64, 2)]
    demand(sorted(deck) == sorted(PACK), "deck must be the 32 different cards")
    return deck


def open_game(record: Any) -> NaiveGame:
    """Check a record's head and return its game, before any deal."""
    demand(isinstance(record, dict), "a record must be an object")
    demand("egr" in record and same(record["egr"], 1), "egr must be 1")
    demand(isinstance(record.get("game", ""), str), "game must be a text")
    demand(isinstance(record.get("players", {}), dict), "players must be an object")
    demand("laws" in record, "laws are missing")
    laws = read_laws(record["laws"])
    first = record.get("first_dealer")
    demand(first in SEATS, "first_dealer must be house or challenger")
    if laws["deal"] == "house":
        demand(first == "house", "the house always deals")
    elif laws["first_dealer"] in SEATS:
        demand(first == laws["first_dealer"], "first_dealer does not agree with the laws")
    demand(isinstance(record.get("deals"), list), "deals must be a list")
    return NaiveGame(laws, first)


def play_deal(game: NaiveGame, entry: Any, number: int) -> None:
    demand(isinstance(entry, dict), "a deal must be an object")
    demand(not game.over(), "a deal after the end of the game")
    demand(game.may_deal(), "a deal after an unfinished one")
    demand(same(entry.get("dealer"), game.next_dealer()), "the wrong dealer")
    deal = game.start_deal(read_deck(entry.get("deck")))
    demand(isinstance(entry.get("actions"), str), "actions must be a text")
    tokens = entry["actions"].split(" ") if entry["actions"] else []
    for position, token in enumerate(tokens, start=1):
        try:
            deal.play(token)
        except IllegalToken as refusal:
            raise BadRecord(str(refusal), number, position) from None


def outcome(game: NaiveGame) -> dict[str, Any]:
    return {"score": game.score(), "winner": game.winner(), "stake": game.stake()}


def check_result(given: Any, game: NaiveGame) -> None:
    """Compare the keys of a stated result with the replay."""
    demand(isinstance(given, dict), "result must be an object")
    for key, value in outcome(game).items():
        if key in given:
            demand(same(given[key], value), f"result {key} does not agree with the replay")


def summary(deal: NaiveDeal) -> dict[str, Any]:
    """Return points and tricks of a deal; an annulled one has neither."""
    return {"points": deal.points(), "tricks": dict(deal.tricks)}


def played(record: Any) -> NaiveGame:
    game = open_game(record)
    for number, entry in enumerate(record["deals"], start=1):
        play_deal(game, entry, number)
    if "result" in record:
        check_result(record["result"], game)
    if "fairness" in record:
        decks = [entry["deck"] for entry in record["deals"]]
        first = record["first_dealer"]
        fault = fault_of(record["fairness"], record.get("game"), game.laws, first, decks)
        demand(not fault, fault)
    return game


def replay(record: Any) -> dict[str, Any]:
    try:
        game = played(record)
    except BadRecord as fault:
        return {"ok": False, "deal": fault.deal, "token": fault.token}
    return {"ok": True, "deals": [summary(deal) for deal in game.deals], **outcome(game)}
