"""Naive reader of a game in the log, from plain JSON, following docs/log.md."""

from __future__ import annotations

from typing import Any

from tests.naive.fair import cut_of, deck_of, first_dealer_of

Leaf = dict[str, Any]


def terms_of(leaves: list[Leaf], game: str) -> Leaf:
    table, _, number = game.rpartition("-")
    mine = [leaf for leaf in leaves if leaf["type"] == "terms" and leaf["table"] == table]
    return [leaf for leaf in mine if leaf["from_game"] <= int(number)][-1]


def record_of(leaves: list[Leaf], game: str) -> Leaf:
    mine = [leaf for leaf in leaves if leaf.get("game") == game]
    (opened,) = (leaf for leaf in mine if leaf["type"] == "game_opened")
    (end,) = (leaf for leaf in mine if leaf["type"] in ("game_over", "game_void"))
    seals = [leaf for leaf in mine if leaf["type"] in ("bet", "cut") and "seal" in leaf]
    texts = {leaf["number"]: leaf["text"] for leaf in mine if leaf["type"] == "cut_opened"}
    numbers = sorted(texts)
    cut, seed = cut_of([texts[number] for number in numbers]), end["server_seed"]
    laws = terms_of(leaves, game)["laws"]
    first = opened.get("loser_deals") if laws["first_dealer"] == "loser" else None
    if laws["first_dealer"] in ("house", "challenger"):
        first = laws["first_dealer"]
    exchanged = list(end.get("exchanges", []))
    deals: list[Leaf] = []
    for leaf in mine:
        if leaf["type"] == "dealt":
            deck = deck_of(seed, game, leaf["deal"], cut)
            deals.append({"dealer": leaf["dealer"], "deck": deck, "actions": []})
        elif leaf["type"] == "action":
            token = leaf["action"]
            token = "X" + exchanged.pop(0) if token.startswith("X") else token
            deals[-1]["actions"].append(token)
    assert not exchanged
    record = {
        "egr": 1,
        "game": game,
        "laws": laws,
        "players": opened["players"],
        "first_dealer": first or first_dealer_of(seed, game, cut),
        "deals": [{**deal, "actions": " ".join(deal["actions"])} for deal in deals],
        "fairness": {
            "chain": opened["chain"],
            "number": opened["number"],
            "commitment": opened["commitment"],
            "server_seed": seed,
            "cut": cut,
            "cuts": [[seals[number - 1]["player"], texts[number]] for number in numbers],
            "withheld": [one["player"] for n, one in enumerate(seals, 1) if n not in texts],
        },
    }
    if end["type"] == "game_over":
        record["result"] = {key: end[key] for key in ("score", "winner", "stake")}
    return record
