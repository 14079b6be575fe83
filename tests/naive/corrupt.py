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
Kind = Callable[[Record, random.Random], None]

BAD_TOKENS = ["ZZ", "kh", "KHH", "10H", "", "p", "X", "E", "L", "XKH7", "KH,", "é", "\t", "V"]
ODD_VALUES: list[Any] = [None, True, 0, -1, 1.5, "", "nobody", [], {}, [[]], {"house": 1}]


def some_deal(record: Record, rng: random.Random) -> dict[str, Any]:
    deal: dict[str, Any] = rng.choice(record["deals"])
    return deal


def change_tokens(record: Record, rng: random.Random, change: Callable[[list[str]], None]) -> None:
    deals = [deal for deal in record["deals"] if deal["actions"]]
    deal = rng.choice(deals)
    tokens = deal["actions"].split(" ")
    change(tokens)
    deal["actions"] = " ".join(tokens)


def card_at(tokens: list[str], rng: random.Random) -> int:
    places = [at for at, token in enumerate(tokens) if token in PACK]
    return rng.choice(places or list(range(len(tokens))))


def other_card(record: Record, rng: random.Random) -> None:
    """Another card in the place of one that was played."""

    def change(tokens: list[str]) -> None:
        tokens[card_at(tokens, rng)] = rng.choice(PACK)

    change_tokens(record, rng, change)


def card_twice(record: Record, rng: random.Random) -> None:
    """A card played a second time."""

    def change(tokens: list[str]) -> None:
        tokens[card_at(tokens, rng)] = tokens[card_at(tokens, rng)]

    change_tokens(record, rng, change)


def swapped(record: Record, rng: random.Random) -> None:
    """Two neighbouring tokens in the wrong order."""

    def change(tokens: list[str]) -> None:
        at = rng.randrange(len(tokens))
        tokens[at - 1], tokens[at] = tokens[at], tokens[at - 1]

    change_tokens(record, rng, change)


def dropped(record: Record, rng: random.Random) -> None:
    """A token left out."""

    def change(tokens: list[str]) -> None:
        del tokens[rng.randrange(len(tokens))]

    change_tokens(record, rng, change)


def doubled(record: Record, rng: random.Random) -> None:
    """A token said twice."""

    def change(tokens: list[str]) -> None:
        at = rng.randrange(len(tokens))
        tokens.insert(at, tokens[at])

    change_tokens(record, rng, change)


def slipped_in(record: Record, rng: random.Random) -> None:
    """A token of the game where it may not belong."""
    token = rng.choice(["P", "S", "A", "R", "K", "C", "N", "O", "W", "V", "X", "LKH", "E7S"])
    change_tokens(record, rng, lambda tokens: tokens.insert(rng.randrange(len(tokens) + 1), token))


def garbage(record: Record, rng: random.Random) -> None:
    def change(tokens: list[str]) -> None:
        tokens[rng.randrange(len(tokens))] = rng.choice(BAD_TOKENS)

    change_tokens(record, rng, change)


def exchange_spoilt(record: Record, rng: random.Random) -> None:
    """An exchange of a card not held, of one card twice, of nothing, or of too many."""

    def change(tokens: list[str]) -> None:
        places = [at for at, token in enumerate(tokens) if token[0] == "X"]
        if places:
            at = rng.choice(places)
            token = tokens[at]
            spoilt = [token + rng.choice(PACK), token + token[1:3], "X", "X" + rng.choice(PACK)]
            tokens[at] = rng.choice(spoilt)

    change_tokens(record, rng, change)


def bad_spacing(record: Record, rng: random.Random) -> None:
    """One space too many, at an end or between two tokens."""
    deal = some_deal(record, rng)
    spaced = [" " + deal["actions"], deal["actions"] + " ", deal["actions"].replace(" ", "  ", 1)]
    deal["actions"] = rng.choice(spaced)


def token_after_end(record: Record, rng: random.Random) -> None:
    """One more token in a deal that was over."""
    deal = some_deal(record, rng)
    token = rng.choice(["P", "S", "C", "K", "W", "V", *PACK])
    deal["actions"] = (deal["actions"] + " " + token).strip()


def deal_after_end(record: Record, rng: random.Random) -> None:
    last = copy.deepcopy(record["deals"][-1])
    if rng.random() < 0.5:
        last["dealer"] = rng.choice(["house", "challenger"])
    record["deals"].append(last)


def unfinished_before_another(record: Record, rng: random.Random) -> None:
    """A deal that stops on the way, and another after it."""
    deal = some_deal(record, rng)
    tokens = deal["actions"].split(" ")
    deal["actions"] = " ".join(tokens[: rng.randrange(len(tokens))])


def deal_left_out(record: Record, rng: random.Random) -> None:
    del record["deals"][rng.randrange(len(record["deals"]))]


def deck_spoilt(record: Record, rng: random.Random) -> None:
    """A deck with a card twice, too many, too few, in small letters, or none of the pack."""
    deal = some_deal(record, rng)
    deck = deal["deck"]
    at = 2 * rng.randrange(32)
    spoilt = [
        deck[:at] + rng.choice(PACK) + deck[at + 2 :],
        deck[:-2],
        deck + rng.choice(PACK),
        deck[1:],
        deck.lower(),
        deck[:at] + "6S" + deck[at + 2 :],
        deck[:at] + " " + deck[at + 1 :],
        deck[:at] + "\N{BLACK SPADE SUIT}K" + deck[at + 2 :],
        "",
    ]
    deal["deck"] = rng.choice(spoilt)


def deck_swapped(record: Record, rng: random.Random) -> None:
    deal = some_deal(record, rng)
    cards = [deal["deck"][at : at + 2] for at in range(0, 64, 2)]
    one, other = rng.sample(range(32), 2)
    cards[one], cards[other] = cards[other], cards[one]
    deal["deck"] = "".join(cards)


def wrong_dealer(record: Record, rng: random.Random) -> None:
    deal = some_deal(record, rng)
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
    deal = some_deal(record, rng)
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
    deal = some_deal(record, rng)
    required = ("egr", "laws", "first_dealer", "deals")
    places = [(record, key) for key in required] + [(deal, key) for key in ("dealer", "deck")]
    places.append((deal, "actions"))
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
    return bad, (answer["error"]["deal"], answer["error"]["token"])


def corrupt(record: Record, rng: random.Random) -> tuple[Any, Place]:
    """Return a record spoilt in a random way, and the deal and token of the first fault."""
    while True:
        spoilt = spoil(record, rng.choice(KINDS), rng)
        if spoilt:
            return spoilt
