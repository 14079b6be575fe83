"""Spoil a good record in one of many ways, and say where the naive replay finds the fault.

Every kind is a small function that changes a record in place. Some changes can leave a
record legal by chance; `corrupt` then tries again until the replay refuses the record.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

from .basics import PACK
from .replay import ALLOWED, replay

Record = dict[str, Any]
Place = tuple[int | None, int | None]
Kind = Callable[[Record, random.Random], object]

BAD_TOKENS = ["ZZ", "kh", "KHH", "10H", "", "p", "X", "E", "L", "XKH7", "KH,", "é", "\t", "V"]
ODD_VALUES: list[Any] = [None, True, 0, -1, 1.5, "", "nobody", [], {}, [[]], {"house": 1}]


def on_tokens(change: Callable[[list[str], random.Random], object]) -> Kind:
    """Return a kind that changes the tokens of one deal."""

    def kind(record: Record, rng: random.Random) -> None:
        deal = rng.choice([deal for deal in record["deals"] if deal["actions"]])
        tokens = deal["actions"].split(" ")
        change(tokens, rng)
        deal["actions"] = " ".join(tokens)

    return kind


def on_deal(change: Callable[[dict[str, Any], random.Random], object]) -> Kind:
    """Return a kind that changes one deal."""
    return lambda record, rng: change(rng.choice(record["deals"]), rng)


def card_at(tokens: list[str], rng: random.Random) -> int:
    places = [at for at, token in enumerate(tokens) if token in PACK]
    return rng.choice(places or list(range(len(tokens))))


@on_tokens
def other_card(tokens: list[str], rng: random.Random) -> None:
    tokens[card_at(tokens, rng)] = rng.choice(PACK)


@on_tokens
def card_twice(tokens: list[str], rng: random.Random) -> None:
    tokens[card_at(tokens, rng)] = tokens[card_at(tokens, rng)]


@on_tokens
def swapped(tokens: list[str], rng: random.Random) -> None:
    at = rng.randrange(len(tokens))
    tokens[at - 1], tokens[at] = tokens[at], tokens[at - 1]


@on_tokens
def dropped(tokens: list[str], rng: random.Random) -> None:
    del tokens[rng.randrange(len(tokens))]


@on_tokens
def doubled(tokens: list[str], rng: random.Random) -> None:
    at = rng.randrange(len(tokens))
    tokens.insert(at, tokens[at])


@on_tokens
def slipped_in(tokens: list[str], rng: random.Random) -> None:
    """Insert a token of the game where it may not belong."""
    token = rng.choice(["P", "S", "A", "R", "K", "C", "N", "O", "W", "V", "X", "LKH", "E7S"])
    tokens.insert(rng.randrange(len(tokens) + 1), token)


@on_tokens
def garbage(tokens: list[str], rng: random.Random) -> None:
    tokens[rng.randrange(len(tokens))] = rng.choice(BAD_TOKENS)


@on_tokens
def exchange_spoilt(tokens: list[str], rng: random.Random) -> None:
    """Exchange a card not held, one card twice, nothing, or too many."""
    places = [at for at, token in enumerate(tokens) if token[0] == "X"]
    if places:
        at = rng.choice(places)
        token = tokens[at]
        spoilt = [token + rng.choice(PACK), token + token[1:3], "X", "X" + rng.choice(PACK)]
        tokens[at] = rng.choice(spoilt)


@on_deal
def bad_spacing(deal: dict[str, Any], rng: random.Random) -> None:
    spaced = [" " + deal["actions"], deal["actions"] + " ", deal["actions"].replace(" ", "  ", 1)]
    deal["actions"] = rng.choice(spaced)


@on_deal
def token_after_end(deal: dict[str, Any], rng: random.Random) -> None:
    token = rng.choice(["P", "S", "C", "K", "W", "V", *PACK])
    deal["actions"] = (deal["actions"] + " " + token).strip()


def deal_after_end(record: Record, rng: random.Random) -> None:
    last = copy.deepcopy(record["deals"][-1])
    if rng.random() < 0.5:
        last["dealer"] = rng.choice(["house", "challenger"])
    record["deals"].append(last)


@on_deal
def unfinished_before_another(deal: dict[str, Any], rng: random.Random) -> None:
    tokens = deal["actions"].split(" ")
    deal["actions"] = " ".join(tokens[: rng.randrange(len(tokens))])


def deal_left_out(record: Record, rng: random.Random) -> None:
    del record["deals"][rng.randrange(len(record["deals"]))]


@on_deal
def deck_spoilt(deal: dict[str, Any], rng: random.Random) -> None:
    """Spoil a deck: a card twice, too many, too few, small letters, or none of the pack."""
    deck = deal["deck"]
    at = 2 * rng.randrange(32)
    others = (rng.choice(PACK), "6S", "\N{BLACK SPADE SUIT}K")
    spoilt = [deck[:at] + other + deck[at + 2 :] for other in others]
    spoilt += [deck[:at] + " " + deck[at + 1 :], deck[:-2], deck + rng.choice(PACK), deck[1:]]
    deal["deck"] = rng.choice([*spoilt, deck.lower(), ""])


@on_deal
def deck_swapped(deal: dict[str, Any], rng: random.Random) -> None:
    cards = [deal["deck"][at : at + 2] for at in range(0, 64, 2)]
    one, other = rng.sample(range(32), 2)
    cards[one], cards[other] = cards[other], cards[one]
    deal["deck"] = "".join(cards)


@on_deal
def wrong_dealer(deal: dict[str, Any], rng: random.Random) -> None:
    other = "house" if deal["dealer"] == "challenger" else "challenger"
    deal["dealer"] = rng.choice([other, other, other, "House", "elder"])


def wrong_first_dealer(record: Record, rng: random.Random) -> None:
    other = "house" if record["first_dealer"] == "challenger" else "challenger"
    record["first_dealer"] = rng.choice([other, other, "nobody"])


def other_law(record: Record, rng: random.Random) -> None:
    name = rng.choice(list(ALLOWED))
    record["laws"][name] = rng.choice(ALLOWED[name])


def unknown_law(record: Record, rng: random.Random) -> None:
    record["laws"][rng.choice(["", "targets", "Target", "stake"])] = 5


def bad_law(record: Record, rng: random.Random) -> None:
    values: list[Any] = [6, "5", 5.0, True, None, [3, 2, 0], [5], [3.0, 2], "Strict", {}, "house "]
    record["laws"][rng.choice(list(ALLOWED))] = rng.choice(values)


def wrong_result(record: Record, rng: random.Random) -> None:
    good = replay(record)
    result = {key: copy.deepcopy(good[key]) for key in ("score", "winner", "stake")}
    key = rng.choice(["house", "challenger", "winner", "stake"])
    if key in ("house", "challenger"):
        result["score"][key] += rng.choice([-1, 1, 2])
    elif key == "winner":
        result[key] = rng.choice(["house", "challenger", None, "nobody"])
    else:
        result[key] = rng.choice([None, 1, 2, 3, "1", 2.0])
    record["result"] = result


def odd_value(record: Record, rng: random.Random) -> None:
    """A value of the wrong type for a key that must be there."""
    deal = rng.choice(record["deals"])
    places: list[tuple[dict[str, Any], str]] = [
        *((record, key) for key in ("egr", "laws", "first_dealer", "deals", "result")),
        *((deal, key) for key in ("dealer", "deck", "actions")),
    ]
    where, key = rng.choice(places)
    value = rng.choice(ODD_VALUES)
    if key != "result" or value is not None:
        where[key] = value


def odd_deal(record: Record, rng: random.Random) -> None:
    record["deals"][rng.randrange(len(record["deals"]))] = rng.choice([None, 7, "P S", [], True])


def missing_key(record: Record, rng: random.Random) -> None:
    deal = rng.choice(record["deals"])
    places = [(record, key) for key in ("egr", "laws", "first_dealer", "deals")]
    places += [(deal, key) for key in ("dealer", "deck", "actions")]
    where, key = rng.choice(places)
    del where[key]


def other_version(record: Record, rng: random.Random) -> None:
    record["egr"] = rng.choice([0, 2, "1", 1.0, True, None])


def unfair(record: Record, rng: random.Random) -> None:
    """A seed, a commitment, a cut, its texts or a game's name that does not give these decks."""
    if "fairness" not in record:
        record["fairness"] = {"commitment": "00", "server_seed": "00" * 32, "cut": "00"}
        return
    fairness = record["fairness"]
    key = rng.choice(["commitment", "server_seed", "cut", "game", "cuts", "number"])
    if key == "game":
        record["game"] += "x"
    elif key == "cuts":
        fairness[key] = rng.choice([[], [["ann", "x" * 32]], [["ann"]], "ann", {}, [[1, "x"]]])
    elif key == "number":
        fairness[rng.choice(["chain", "number"])] = rng.choice([0, -1, "1", 1.0, True, None])
    elif rng.random() < 0.3:
        del fairness[key]
    else:
        digit = fairness[key][-1]
        fairness[key] = fairness[key][:-1] + rng.choice([d for d in "0123456789ab" if d != digit])


KINDS: list[Kind] = [
    other_card, other_card, card_twice, swapped, swapped, dropped, doubled, slipped_in, garbage,
    exchange_spoilt, bad_spacing, token_after_end, deal_after_end, unfinished_before_another,
    deal_left_out, deck_spoilt, deck_swapped, wrong_dealer, wrong_first_dealer, other_law,
    unknown_law, bad_law, wrong_result, odd_value, odd_deal, missing_key, other_version, unfair,
]  # fmt: skip


def spoil(record: Record, kind: Kind, rng: random.Random) -> tuple[Any, Place] | None:
    bad = copy.deepcopy(record)
    if kind is not unfair:  # else a changed deck would be two faults, and either might be named
        bad.pop("fairness", None)
    if bad["deals"] and any(deal["actions"] for deal in bad["deals"]):
        kind(bad, rng)
    else:
        other_version(bad, rng)
    answer = replay(bad)
    if answer["ok"]:
        return None
    return bad, (answer["deal"], answer["token"])


def corrupt(record: Record, rng: random.Random) -> tuple[Any, Place]:
    """Return a record spoilt in a random way, and the deal and token of the first fault."""
    while True:
        spoilt = spoil(record, rng.choice(KINDS), rng)
        if spoilt:
            return spoilt
