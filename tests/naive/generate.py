"""Random legal records, of every law and with many irregularities.

Each deal has a mood (eager to exchange, forgetful, clumsy …), so that long exchanges, silent
kings, revokes and leads out of turn cluster, as they do among people.
"""

from __future__ import annotations

import random
from typing import Any

from .basics import PACK, Laws, follows
from .fair import cut_of, deck_of, first_dealer_of, sha
from .game import NaiveDeal, NaiveGame
from .replay import ALLOWED, read_laws, replay

Record = dict[str, Any]
Mood = dict[str, float]


def random_laws(rng: random.Random) -> dict[str, Any]:
    laws = {name: rng.choice(values) for name, values in ALLOWED.items() if rng.random() < 0.7}
    if rng.random() < 0.4:
        laws["enforcement"] = "claims"
    return laws


def random_mood(rng: random.Random) -> Mood:
    """Return weights of the kinds of token in a deal; `big` is the share of large exchanges."""
    rarely = rng.random() < 0.5
    return {
        "P": rng.choice([0.4, 1, 20]),
        "S": 0.5,
        "A": rng.choice([1, 30]),
        "R": 0.5,
        "X": 1,
        "big": rng.choice([0.1, 0.5, 0.9]),
        "E": 0.02 if rarely else rng.choice([0.2, 1.0]),
        "N": 1,
        "O": rng.choice([0.5, 3]),
        "K": rng.choice([0.2, 3, 30]),
        "card": 1,
        "revoke": rng.choice([0, 0.5, 3]),
        "C": 0.005 if rarely else rng.choice([0.05, 0.2]),
        "L": rng.choice([0, 0.05, 0.4]),
        "first L": rng.choice([0, 0.05, 5]),
        "W": 1,
        "V": rng.choice([0.05, 0.5, 2]),
    }


def kind_of(token: str, deal: NaiveDeal) -> str:
    """Return the kind of a legal token; a card that does not follow is a revoke.

    A lead out of turn before any card is a kind of its own, for the king can still be announced.
    """
    if token[0] == "L" and not deal.played_a_card:
        return "first L"
    if token not in PACK:
        return token[0]
    if deal.table:
        hand = deal.hands[deal.to_play()]
        if token not in follows(hand, deal.table[0][1], deal.trump, deal.laws["play"]):
            return "revoke"
    return "card"


def random_token(deal: NaiveDeal, mood: Mood, rng: random.Random) -> str:
    by_kind: dict[str, list[str]] = {}
    for token in deal.legal_tokens():
        by_kind.setdefault(kind_of(token, deal), []).append(token)
    kinds = list(by_kind)
    weights = [mood[kind] for kind in kinds]
    kind = rng.choices(kinds, weights)[0] if sum(weights) > 0 else rng.choice(kinds)
    tokens = by_kind[kind]
    if kind == "X":
        return random_exchange(tokens, mood, rng)
    return rng.choice(tokens)


def random_exchange(tokens: list[str], mood: Mood, rng: random.Random) -> str:
    if rng.random() < mood["big"]:
        most = max(len(token) for token in tokens)
        tokens = [token for token in tokens if len(token) == most]
    token = rng.choice(tokens)
    cards = [token[at : at + 2] for at in range(1, len(token), 2)]
    rng.shuffle(cards)
    return "X" + "".join(cards)


def play_out(deal: NaiveDeal, rng: random.Random) -> list[str]:
    mood = random_mood(rng)
    tokens: list[str] = []
    while not deal.over() or (deal.legal_tokens() and rng.random() < 0.3):
        if tokens.count("V") >= 4:
            mood["revoke"] = 0
        tokens.append(random_token(deal, mood, rng))
        deal.play(tokens[-1])
    return tokens


def random_first_dealer(laws: Laws, rng: random.Random) -> str:
    if laws["deal"] == "house":
        return "house"
    if laws["first_dealer"] in ("house", "challenger"):
        return str(laws["first_dealer"])
    return rng.choice(["house", "challenger"])


def random_fairness(rng: random.Random) -> dict[str, Any]:
    """Return a seed, its commitment, texts and their cut; in one of three the cut alone."""
    seed = rng.randbytes(32).hex()
    names = rng.sample(["ann", "ben", "cyrille", "Zoë"], rng.randrange(5))
    texts = [rng.choice(["", "hop ", "♠ é"]) + rng.randbytes(16).hex() for _ in names]
    fairness = {"commitment": sha(seed), "server_seed": seed, "cut": cut_of(texts)}
    if rng.random() < 1 / 3:
        return fairness
    cuts = [[name, text] for name, text in zip(names, texts, strict=True)]
    where = {"chain": rng.randrange(1, 4), "number": rng.randrange(1, 10001)}
    return {**fairness, **where, "cuts": cuts, "withheld": rng.sample(["dee", "eve"], 1)}


def random_deck(record: Record, rng: random.Random) -> str:
    fair = record.get("fairness")
    if fair:
        number = len(record["deals"]) + 1
        return deck_of(fair["server_seed"], record["game"], number, fair["cut"])
    return "".join(rng.sample(PACK, 32))


def cut_short(record: Record, rng: random.Random) -> None:
    last = rng.randrange(len(record["deals"]))
    del record["deals"][last + 1 :]
    deal = record["deals"][last]
    tokens = deal["actions"].split(" ")
    deal["actions"] = " ".join(tokens[: rng.randrange(len(tokens) + 1)])
    if rng.random() < 0.05:
        record["deals"] = []


def decorate(record: Record, rng: random.Random) -> None:
    """Add optional parts of a record: result, players, unknown keys."""
    if rng.random() < 0.6:
        result = replay(record)
        keys = ["score", "winner", "stake"]
        kept = keys if rng.random() < 0.7 else rng.sample(keys, rng.randrange(3))
        record["result"] = {key: result[key] for key in kept}
    if rng.random() < 0.5:
        record["players"] = {"house": "Regle", "challenger": "alice"}
    if rng.random() < 0.2:
        record["note"] = {"anything": [1, None, "é"]}
        for entry in record["deals"]:
            entry["note"] = "kept and ignored"


def random_record(rng: random.Random) -> Record:
    given = random_laws(rng)
    laws = read_laws(given)
    record: Record = {"egr": 1, "game": f"random-{rng.randrange(10**6):06d}", "laws": given}
    record["first_dealer"] = random_first_dealer(laws, rng)
    record["deals"] = []
    if rng.random() < 0.15:
        record["fairness"] = random_fairness(rng)
        if (laws["deal"], laws["first_dealer"]) == ("alternate", "cut"):
            seed, cut = record["fairness"]["server_seed"], record["fairness"]["cut"]
            record["first_dealer"] = first_dealer_of(seed, record["game"], cut)
    game = NaiveGame(laws, record["first_dealer"])
    while game.may_deal():
        deck = random_deck(record, rng)
        deal = game.start_deal([deck[at : at + 2] for at in range(0, 64, 2)])
        entry = {"dealer": deal.dealer, "deck": deck, "actions": ""}
        entry["actions"] = " ".join(play_out(deal, rng))
        record["deals"].append(entry)
    if rng.random() < 0.2:
        cut_short(record, rng)
    if "fairness" not in record and rng.random() < 0.1:
        del record["game"]
    decorate(record, rng)
    return record
