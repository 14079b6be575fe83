"""L19: which terms hold for which game, and that a game is the next one of its table."""

from __future__ import annotations

import pytest

from casino.audit.checks.table_rules import GAMES_BEFORE, TableRulesCheck
from casino.audit.report import Finding
from casino.events.types import BookLocked, BotName, Bots, GameOpened, TermsSet
from tests.audit.by_hand import locked, opened, terms, texts


def bots(house: str = "regle", challenger: str = "novice") -> Bots:
    """The bots that play; "" where none is declared."""
    named = [BotName(name=name, version="1") if name else None for name in (house, challenger)]
    return Bots(house=named[0], challenger=named[1])


Step = TermsSet | GameOpened | BookLocked

CASES: dict[str, tuple[list[Step], list[str]]] = {
    "the first hold at once": ([terms(1), opened(1)], []),
    "the first hold from no other game": (
        [terms(2)], ["the terms of t1 hold from game 2, not from 1"]
    ),
    "later ones from the tenth game": (
        [terms(1), opened(1), opened(2), terms(12), opened(3)], []
    ),
    "later ones a game too soon": (
        [terms(1), opened(1), opened(2), terms(11)],
        ["the terms of t1 hold from game 11, not from 12"],
    ),
    "later ones a game too late": (
        [terms(1), opened(1), terms(12)], ["the terms of t1 hold from game 12, not from 11"]
    ),
    "second ones before any game": (
        [terms(1), terms(1)], ["the terms of t1 hold from game 1, not from 10"]
    ),
    "first ones after games without any": (
        [opened(1), terms(2), opened(2)], ["no terms are set for this table"]
    ),
    "each table has its own": (
        [terms(1), opened(1), terms(1, "t2"), opened(1, "t2"), opened(2)], []
    ),
    "those of another table hold for none": (
        [terms(1, "t2"), opened(1)], ["no terms are set for this table"]
    ),
    "a game is left out": (
        [terms(1), opened(1), opened(3), opened(4)],
        ["game t1-000003 of table t1 opens where t1-000002 must"],
    ),
    "a game is opened twice": (
        [terms(1), opened(1), opened(2), opened(1), opened(3)],
        ["game t1-000001 of table t1 opens where t1-000003 must"],
    ),
    "a game of another table's name": (
        [terms(1), opened(1, game="t2-000001"), opened(1)],
        ["game t2-000001 of table t1 opens where t1-000001 must"],
    ),
    "a number that is none": (
        [terms(1), opened(1, game="t1-first"), opened(1)],
        ["game t1-first of table t1 opens where t1-000001 must"],
    ),
    "a number beyond all measure": (
        [terms(1), opened(1, game="t1-" + "9" * 19), opened(1)],
        [f"game t1-{'9' * 19} of table t1 opens where t1-000001 must"],
    ),
    "another bot in the house's seat": (
        [terms(1), opened(1, house="novice")],
        ["the house's player of this game is not that of the terms in force"],
    ),
    "another bot challenges": (
        [terms(1), opened(1, challenger="regle")],
        ["the challenging bot of this game is not that of the terms in force"],
    ),
    "the house's seat is played by another bot than the one named": (
        [terms(1), opened(1, bots=bots(house="novice"))],
        ["novice plays for the house, whose player is regle"],
    ),
    "the challenger's seat is played by another bot than the one named": (
        [terms(1), opened(1, bots=bots(challenger="regle"))],
        ["regle plays for the challenger, whose player is novice"],
    ),
    "the bot in the house's seat is left out": (
        [terms(1), opened(1, bots=bots(house=""))],
        ["no bot is named that plays for the house"],
    ),
    "the bot that challenges is left out": (
        [terms(1), opened(1, bots=bots(challenger=""))],
        ["no bot is named that plays for the challenger"],
    ),
    "a person challenges": ([terms(1), opened(1, challenger="ann", is_bot=False)], []),
    "new bots before their game": (
        [terms(1), terms(10, house="novice"), opened(1, house="novice")],
        ["the house's player of this game is not that of the terms in force"],
    ),
    "a cover of all that the terms allow": ([terms(1), opened(1), locked(1, 50_000)], []),
    "a cover of a cent more": (
        [terms(1), opened(1), locked(1, 50_001)],
        ["the house covers 50001 cents, by its terms 50000 at most"],
    ),
    "a cover where no terms are set": (
        [opened(1), locked(1, 50_001)], ["no terms are set for this table"]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_l19_games_follow_one_another_by_terms_set_before(name: str) -> None:
    """Each step is a leaf; what is wrong is said once, with the leaf that is wrong."""
    steps, said = CASES[name]
    log = TableRulesCheck()
    found = [one for n, leaf in enumerate(steps) for one in log.on_event(n, leaf)]
    assert texts(found) == said


def test_l19_a_finding_names_the_leaf_and_the_game() -> None:
    log = TableRulesCheck()
    (early,) = log.on_event(7, terms(3))
    assert early[:4] == (
        "terms", "the terms of t1 hold from game 3, not from 1", 7, None
    )  # fmt: skip
    (skipped,) = log.on_event(8, opened(2))
    assert (skipped.check, skipped.leaf, skipped.game) == ("games", 8, "t1-000002")
    assert list(log.on_event(9, locked(2, 60_000))) == [], (
        "terms from game 3 on hold for no earlier"
    )
    assert list(log.on_event(10, opened(3))) == []
    (more,) = log.on_event(11, locked(3, 60_000))
    assert isinstance(more, Finding)
    assert (more.check, more.leaf, more.game) == ("terms", 11, "t1-000003")


def test_l19_the_terms_of_a_day_are_those_of_the_game() -> None:
    """New ones bind from their own game on, to the number; a table without any binds nobody."""
    later = GAMES_BEFORE + 1
    log = TableRulesCheck()
    for leaf in (terms(1, day_cents=600), terms(later, day_cents=900), terms(1, "t2")):
        assert len(list(log.on_event(0, leaf))) == (leaf.from_game == later)
    days = [("t1-000001", 600), (f"t1-{later - 1:06}", 600), (f"t1-{later:06}", 900)]
    days += [(game, 0) for game in ("t2-000001", "t3-000001", "t1-x", "t1", "t1-000000")]
    assert [(game, log.day_cents(game)) for game, _ in days] == days
    assert [one.table for one in log.all_settings()] == ["t1", "t1", "t2"]
