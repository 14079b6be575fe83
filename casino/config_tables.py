"""Turn the configuration into table plans, and supply a new casino's default tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any, Final

from casino.betting import BetSizeLimits
from casino.bots.registry import get_bot, is_own_bot
from casino.config import NO_BOT, TABLE_OF, Config
from casino.errors import ConfigError, InputError
from casino.table.domain.settings import GrantPolicy, PaceSettings, TableSettings
from casino.table.runtime.casino import TablePlan

_HOUR_MS: Final = 3_600_000

# Used if the settings define no tables. Each table pairs bots of similar strength (G17), but for
# the cabinet: no bot has its seat, so a person plays at once.
NEW_CASINO: Final[dict[str, dict[str, Any]]] = {
    "garnier": {"challenger": "regle"},
    "petit": {
        "house": "novice", "challenger": "novice", "stake_cents": 200, "least_cents": 20,
        "betting_ms": 10_000,
    },
    "grand": {
        "house": "expert", "challenger": "expert", "stake_cents": 5_000, "target": 7,
        "pace_ms": 900,
    },
    "cabinet": {
        "house": "novice", "challenger": NO_BOT, "stake_cents": 200, "least_cents": 20,
        "betting_ms": 8_000, "number": 0,
    },
}  # fmt: skip


def with_default_tables(config: Config) -> Config:
    """Add the default tables, unless the settings define tables; a changed default applies to all.

    >>> changed = Config.model_validate({"table": {"pace_ms": 400}})
    >>> with_default_tables(changed).for_table("grand").table.pace_ms
    400
    """
    if config.tables:
        return config
    usual = Config()

    def is_changed(key: str) -> bool:
        section = TABLE_OF[key]
        return bool(getattr(getattr(config, section), key) != getattr(getattr(usual, section), key))

    tables = {
        name: {key: value for key, value in keys.items() if not is_changed(key)}
        for name, keys in NEW_CASINO.items()
    }
    return config.model_copy(update={"tables": tables})


def table_plans(config: Config, number: int | None = None) -> list[TablePlan]:
    """Return a plan for each table; `number` truncates the list or pads it with t1, t2 and so on.

    >>> [plan.rules.name for plan in table_plans(Config(tables={"salon": {}}), 3)]
    ['salon', 't1', 't2']
    """
    names = list(config.tables) or ["t1"]
    if number is not None:
        more = (name for name in (f"t{n}" for n in count(1)) if name not in config.tables)
        while len(names) < number:
            name = next(more)
            names += [name] if name not in names else []
        names = names[:number]
    return [_plan(name, config.for_table(name)) for name in names]


def unfinished_plans(
    config: Config, plans: Sequence[TablePlan], games: Iterable[str]
) -> dict[str, TablePlan]:
    """Return, by game, a plan for the table of each unfinished game that has none in `plans`."""
    planned = {plan.rules.name for plan in plans}
    tables = {game: game.rpartition("-")[0] for game in sorted(games)}
    return {
        game: _plan(table, config.for_table(table))
        for game, table in tables.items()
        if table not in planned
    }


def grant_policy(config: Config) -> GrantPolicy:
    """Return the policy for granting chips to the house and to players."""
    web = config.web
    return GrantPolicy(
        config.bank.house_cents, web.opening_cents, web.refill_cents, web.refill_hours * _HOUR_MS
    )


def _plan(name: str, config: Config) -> TablePlan:
    table, crowd = config.table, config.spectators
    for seat, bot in (("house", table.house), ("challenger", table.challenger)):
        if is_own_bot(bot):
            try:
                get_bot(bot)
            except InputError as error:
                raise ConfigError(f"table {name}, {seat}: {error}") from error
    rules = TableSettings(
        name=name,
        laws=config.laws,
        gallery=config.gallery,
        limits=BetSizeLimits(**dict(config.limits)),
        stake_cents=table.stake_cents,
        house_cover_cents=table.house_cover_cents,
        house=table.house,
        challenger="" if table.challenger == NO_BOT else table.challenger,
        refill_cents=table.refill_cents,
        abandon=table.abandon,
        slip_permille=table.slip_permille,
        day_cents=table.day_cents,
    )
    pace = PaceSettings(
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
