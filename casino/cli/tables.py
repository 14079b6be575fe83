"""The tables of the house as the settings describe them."""

from __future__ import annotations

from itertools import count

from casino.config import Config
from casino.gallery import Limits
from casino.table.house import TablePlan
from casino.table.rules import Pace, TableRules


def plans_of(config: Config, number: int | None = None) -> list[TablePlan]:
    """The tables of the settings; with a number the first of them, and more like them if need be.

    >>> [plan.rules.name for plan in plans_of(Config(tables={"salon": {}}), 3)]
    ['salon', 't1', 't2']
    """
    names = list(config.tables) or ["t1"]
    if number is not None:
        more = (name for name in (f"t{n}" for n in count(1)) if name not in config.tables)
        while len(names) < number:
            name = next(more)
            names += [name] if name not in names else []
        names = names[:number]
    return [_plan(name, config.of_table(name)) for name in names]


def _plan(name: str, config: Config) -> TablePlan:
    """A table of the house."""
    table, crowd = config.table, config.spectators
    rules = TableRules(
        name=name,
        laws=config.laws,
        gallery=config.gallery,
        limits=Limits(**dict(config.limits)),
        stake_cents=table.stake_cents,
        house_cover_cents=table.house_cover_cents,
        house=table.house,
        challenger="" if table.challenger == "nobody" else table.challenger,
        refill_cents=table.refill_cents,
        abandon=table.abandon,
        slip_permille=table.slip_permille,
        day_cents=table.day_cents,
    )
    pace = Pace(
        table.betting_ms,
        table.pace_ms,
        table.deal_ms,
        table.game_ms,
        table.turn_ms,
        table.grace_ms,
        table.reveal_ms,
    )
    return TablePlan(
        rules,
        pace,
        crowd.number,
        tuple(crowd.habits),
        crowd.unit_least_cents,
        crowd.unit_greatest_cents,
        crowd.bankroll_cents,
    )
