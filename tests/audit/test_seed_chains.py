"""L18: every commitment is the seed before it, in chains that were fixed before their games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from casino.audit import FileSource, audit
from casino.audit.checks.seed_chains import MIN_CHAIN_LENGTH, SeedChainsCheck
from casino.audit.report import Finding
from casino.events.types import GameOpened, GameVoid, SeedChain
from tests.audit.by_hand import chain, opened, seed, texts
from tests.ledger.night import Night, Play, open_bank

NOT_NEXT = "the game has seed {} of chain {}, not the next one"
ASTRAY = "the commitment does not follow the chain of seeds"

CASES: dict[str, tuple[list[GameOpened | SeedChain], list[str]]] = {
    "nine games of nine": ([chain(), *map(opened, range(1, 10))], []),
    "no chain": ([opened(1)], ["the table has no chain of seeds"]),
    "another table's chain": ([chain(1, "t2"), opened(1)], ["the table has no chain of seeds"]),
    "a game more than the chain has": (
        [chain(length=2), opened(1), opened(2), opened(3)], [NOT_NEXT.format(3, 1)]
    ),
    "a seed left out": ([chain(), opened(2)], [NOT_NEXT.format(2, 1)]),
    "a seed used twice": (
        [chain(), opened(1), opened(1, commitment=seed(2).hex())], [NOT_NEXT.format(1, 1)]
    ),
    "a seed of another chain": ([chain(), opened(1, chain=2)], [NOT_NEXT.format(1, 2)]),
    "a commitment that is no hash": (
        [chain(), opened(1, commitment="ab")], ["the commitment is no hash"]
    ),
    "a first commitment that is not the anchor": (
        [chain(anchor=seed(2).hex()), opened(1)], [ASTRAY]
    ),
    "a later commitment that leads elsewhere": (
        [chain(), opened(1), opened(2, commitment=seed(3).hex())], [ASTRAY]
    ),
    "a seed shown before its game": (
        [chain(), opened(1), opened(2, commitment=seed(1).hex())], [ASTRAY]
    ),
    "the first chain is number 1": ([chain(2)], ["chain 1 of t1 must begin here"]),
    "a chain of no game": ([chain(length=0)], ["chain 1 of t1 must begin here"]),
    "an anchor that is no hash": ([chain(anchor="x")], ["chain 1 of t1 must begin here"]),
    "a chain used up that was short": (
        [chain(length=2), opened(1), opened(2), chain(2), opened(1, chain=2)],
        ["chain 2 of t1 begins after only 2 games: seeds could be chosen game by game"],
    ),
    "a short chain for each game": (
        [chain(length=1), opened(1), chain(2, length=1), opened(1, chain=2), chain(3)],
        [f"chain {n} of t1 begins after only 1 games: seeds could be chosen game by game"
         for n in (2, 3)],
    ),
    "a chain given up": (
        [chain(), opened(1), chain(2)],
        ["chain 1 of t1 was given up after 1 of 9 games without a reason"],
    ),
    "a chain given up for a reason": (
        [chain(), chain(2, reason="the secret is lost")],
        ["chain 1 of t1 was given up after 0 of 9 games: the secret is lost"],
    ),
    "a chain begun twice": (
        [chain(length=1), opened(1), chain(1)], ["chain 2 of t1 must begin here"]
    ),
    "a chain of another table besides": ([chain(), chain(1, "t2"), opened(1)], []),
}  # fmt: skip


def in_turn(chains: SeedChainsCheck, n: int, leaf: GameOpened | SeedChain) -> list[Finding]:
    """What is found of a leaf whose table has no game that runs."""
    chains.kept.running.clear()
    return list(chains.on_event(n, leaf))


@pytest.mark.parametrize("name", CASES)
def test_l18_each_game_has_the_next_seed_of_its_chain(name: str) -> None:
    """What is wrong is said where it stands; a reason makes giving up a chain a note."""
    steps, said = CASES[name]
    chains = SeedChainsCheck()
    found = [one for n, leaf in enumerate(steps) for one in in_turn(chains, n, leaf)]
    assert texts(found) == said
    assert all(one.check == "chains" for one in found)
    for one in found:
        wrong = steps[one.leaf or 0]
        assert one.game == (wrong.game if isinstance(wrong, GameOpened) else None)
        is_note = isinstance(wrong, SeedChain) and wrong.reason is not None
        severity = "warning" if "begins after only" in one.text else "error"
        assert one.severity == ("note" if is_note else severity)


def test_a_chain_used_up_after_many_games_is_followed_by_the_next_one() -> None:
    chains = SeedChainsCheck()
    assert list(chains.on_event(0, chain(length=MIN_CHAIN_LENGTH))) == []
    last = chains.kept.chains["t1"]._replace(number=MIN_CHAIN_LENGTH)
    chains.kept.chains["t1"] = last
    assert list(chains.on_event(1, chain(2, length=1))) == []
    assert list(chains.on_event(2, opened(1, chain=2))) == []
    (told,) = chains.on_event(3, chain(3, reason="the secret is lost"))
    assert (told.severity, told.check) == ("note", "chains")


def test_a_wrong_game_spoils_no_other() -> None:
    """The chain goes on from what the game said, so that one lie is one finding."""
    chains = SeedChainsCheck()
    steps: list[GameOpened | SeedChain] = [chain(), opened(2), opened(3), opened(4)]
    assert [len(in_turn(chains, n, leaf)) for n, leaf in enumerate(steps)] == [0, 1, 0, 0]
    assert chains.kept.chains["t1"].number == 4
    assert chains.kept.chains["t1"].commitment == seed(4).hex()


def test_no_game_opens_before_the_one_before_it_is_over(tmp_path: Path) -> None:
    """Its commitment is the seed of the game that still runs: everybody could know those cards."""
    path = tmp_path / "casino.db"
    bank = open_bank(path)
    night = Night(bank, bettors=1)
    Play(night, "t1-000001").open()
    assert audit(FileSource(path), workers=1).is_clean
    Play(night, "t1-000002").open()
    bank.close()
    found = [one for one in audit(FileSource(path), workers=1).findings if one.severity == "error"]
    text = "the game opens before t1-000001 is over, whose seed its commitment is"
    assert [(one.text, one.game) for one in found] == [(text, "t1-000002")]


def test_games_of_several_tables_run_beside_each_other() -> None:
    """Each table has one; a game that is over, by its end or as void, makes room for the next."""
    chains = SeedChainsCheck()
    over = GameVoid(at=0, game="t1-000001", reason="enough")
    steps: list[Any] = [chain(), chain(1, "t2"), opened(1), opened(1, "t2"), over]
    assert [len(list(chains.on_event(n, one))) for n, one in enumerate(steps)] == [0] * 5
    assert chains.kept.running == {"t2": "t2-000001"}
    assert list(chains.on_event(5, opened(2))) == []
    (found,) = chains.on_event(6, opened(3))
    assert (found.leaf, found.game) == (6, "t1-000003")
    assert "before t1-000002 is over" in found.text
