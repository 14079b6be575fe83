"""Settings become table plans: every key sets its own field."""

from __future__ import annotations

from typing import Any

import pytest

from casino.config import KEYS, TABLE_OF, Config
from casino.config_tables import (
    TableOrder,
    hosted_table,
    table_plans,
    unfair_tables,
    unfinished_plans,
    with_default_tables,
)
from casino.table.runtime.casino import TablePlan

OTHER_VALUES: dict[str, Any] = {
    "house": "novice",
    "challenger": "eugenie",
    "abandon": "void",
    "habits": ["flat"],
    "target": 7,
    "play": "ordinary",
    "vole_unexchanged": 2,
    "packets": [2, 3],
    "deal": "house",
    "first_dealer": "loser",
    "enforcement": "claims",
    "gallery_stakes": "single",
    "matching": "last_in_first_out",
    "commission_base": "gross",
}
"""Values other than the default, for settings that are not plain numbers."""


def known(plan: TablePlan) -> dict[str, Any]:
    """Return the values of a plan by the names of their settings."""
    rules, pace = plan.rules, plan.rules.pace
    return {
        **rules.laws._asdict(),
        **rules.gallery._asdict(),
        **rules.limits._asdict(),
        **{key: getattr(rules, key) for key in KEYS["table"] if hasattr(rules, key)},
        **{key: getattr(pace, key) for key in KEYS["table"] if hasattr(pace, key)},
        "pace_ms": pace.action_ms,
        "number": plan.spectators,
        "habits": plan.habits,
        "unit_least_cents": plan.least_cents,
        "unit_greatest_cents": plan.greatest_cents,
        "bankroll_cents": plan.bankroll_cents,
    }


def given(key: str) -> Any:
    if key in OTHER_VALUES:
        return OTHER_VALUES[key]
    return getattr(getattr(Config(), TABLE_OF[key]), key) + 1


@pytest.mark.parametrize("key", TABLE_OF)
def test_each_table_setting_changes_only_its_own_field(key: str) -> None:
    value = given(key)
    usual, changed = table_plans(Config(tables={"t1": {}, "t2": {key: value}}))
    before, after = known(usual), known(changed)
    assert {name for name in before if before[name] != after[name]} == {key}
    assert after[key] == (tuple(value) if isinstance(value, list) else value)
    assert table_plans(Config.model_validate({TABLE_OF[key]: {key: value}})) == [
        changed._replace(rules=changed.rules._replace(name="t1"))
    ]


@pytest.mark.parametrize(
    ("tables", "number", "names"),
    [
        ({}, None, ["t1"]),
        ({}, 3, ["t1", "t2", "t3"]),
        ({"salon": {}}, None, ["salon"]),
        ({"salon": {}, "t1": {}}, 1, ["salon"]),
        ({"salon": {}, "t1": {}}, 4, ["salon", "t1", "t2", "t3"]),
        ({"t2": {}}, 3, ["t2", "t1", "t3"]),
    ],
)
def test_requested_number_of_tables_is_planned(
    tables: dict[str, dict[str, Any]], number: int | None, names: list[str]
) -> None:
    assert [plan.rules.name for plan in table_plans(Config(tables=tables), number)] == names


def test_g17_a_new_casino_opens_tables_of_equal_bots() -> None:
    plans = table_plans(with_default_tables(Config()))
    rules = [plan.rules for plan in plans]
    assert [one.name for one in rules] == ["garnier", "petit", "grand", "cabinet"]
    assert [one.challenger for one in rules] == [*(one.house for one in rules[:3]), ""]
    assert len({one.house for one in rules}) == 3
    assert len({plan.rules.pace for plan in plans}) == 4
    assert {one.laws.target for one in rules} == {5, 7}
    assert min(one.limits.least_cents for one in rules) == 20
    opened = hosted_table(Config(), "ann", TableOrder("cabinet"))
    assert opened._replace(name="cabinet", hosted=None) == rules[3]


def test_g17_a_table_of_unequal_bots_is_named() -> None:
    tables = {
        "salon": {},
        "solo": {"house": "novice", "challenger": "nobody"},
        "quick": {"house": "expert"},
        "uneven": {"house": "expert", "challenger": "novice"},
    }
    assert list(unfair_tables(table_plans(Config(tables=tables)))) == [
        "table uneven takes bets at even odds, but of 100 games against regle expert wins 58,"
        " novice 16: choose bots of similar strength"
    ]


@pytest.mark.parametrize("house", ["expert", "eugenie", "regle"])
def test_g17_another_house_meets_equal_bots_at_the_default_tables(house: str) -> None:
    config = Config.model_validate({"table": {"house": house}})
    assert list(unfair_tables(table_plans(with_default_tables(config)))) == []


def test_configured_tables_replace_the_default_tables() -> None:
    config = Config(tables={"t1": {}})
    assert with_default_tables(config) is config
    changed = Config.model_validate({"table": {"pace_ms": 400}})
    assert with_default_tables(changed).for_table("grand").table.pace_ms == 400


def test_an_unfinished_game_keeps_its_table() -> None:
    plans = table_plans(Config())
    games = ("grand-000007", "t1-000002")
    unfinished = unfinished_plans(Config(), plans, games)
    assert {game: plan.rules.name for game, plan in unfinished.items()} == {"grand-000007": "grand"}


def test_a_quick_hosted_table_leaves_twelve_seconds_to_bet() -> None:
    pace = hosted_table(Config(), "ann", TableOrder(pace="quick")).pace
    assert (pace.betting_ms, pace.action_ms) == (12_000, 240)
    brief = Config.model_validate({"table": {"betting_ms": 100}})
    assert hosted_table(brief, "ann", TableOrder(pace="quick")).pace.betting_ms == 100
