"""Plan tables from the configuration: configured or default ones, and those that people open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, islice
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from msgspec.structs import replace

from casino.betting import BetSizeLimits, BettingRules, parse_betting_rules
from casino.bots import get_bot, is_own_bot
from casino.config import BOT_NAMES, NO_BOT, TABLE_OF, WIN_RATES, Config
from casino.ecarte import laws_json, parse_laws
from casino.errors import ConfigError, InputError, RefusalReason, Refused
from casino.events.types import Audience, HostedTable, PouleTerms
from casino.table.domain.settings import GrantPolicy, PaceSettings, TableSettings
from casino.table.runtime.casino import TablePlan

_HOUR_MS: Final = 3_600_000

# Used if the settings define no tables. Each table pairs bots of similar strength (G17), except
# the cabinet, where no bot takes the challenger's seat, so that a person can play at once.
NEW_CASINO: Final[dict[str, dict[str, Any]]] = {
    "garnier": {"challenger": "regle"},
    "petit": {
        "house": "novice", "challenger": "novice", "stake_cents": 200, "least_cents": 20,
        "betting_ms": 15_000,
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
    """Add the default tables unless the settings define any; changed settings apply to all."""
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
    if is_changed("house"):
        # A challenger chosen for another house may be much weaker or stronger than this one.
        for keys in tables.values():
            if keys.get("challenger") != NO_BOT:
                keys.pop("challenger", None)
    return config.model_copy(update={"tables": tables})


def table_plans(config: Config, number: int | None = None) -> list[TablePlan]:
    """Return each table's plan; `number` truncates the list or pads it with t1, t2, and so on."""
    names = list(config.tables) or ["t1"]
    if number is not None:
        more = (name for name in (f"t{n}" for n in count(1)) if name not in names)
        names = list(islice(chain(names, more), number))
    return [table_plan(name, config.for_table(name)) for name in names]


def unfinished_plans(
    config: Config, plans: Sequence[TablePlan], games: Iterable[str]
) -> dict[str, TablePlan]:
    """Return, by game, a plan for each unfinished game in `games` whose table is not in `plans`."""
    planned = {plan.rules.name for plan in plans}
    tables = {game: game.rpartition("-")[0] for game in sorted(games)}
    return {
        game: table_plan(table, config.for_table(table))
        for game, table in tables.items()
        if table not in planned
    }


Preset: TypeAlias = Literal["quick", "salon", "old_paris", "tournament", "cabinet"]
Pace: TypeAlias = Literal["quick", "usual", "slow"]

# What each preset changes in the settings, with the same keys as [tables.NAME].
PRESETS: Final[dict[Preset, dict[str, Any]]] = {
    "quick": {"house": "regle", "challenger": "regle", "stake_cents": 200, "least_cents": 20},
    "salon": {"house": "expert", "challenger": "expert", "target": 7, "stake_cents": 5_000},
    "old_paris": {
        "house": "eugenie", "challenger": "eugenie", "stake_cents": 2_000,
        "gallery_stakes": "single", "matching": "last_in_first_out", "first_dealer": "loser",
    },
    "tournament": {"house": "eugenie", "challenger": "expert", "stake_cents": 1_000},
    "cabinet": NEW_CASINO["cabinet"],
}  # fmt: skip
_PRESET_PACE: Final[dict[Preset, Pace]] = {"quick": "quick", "tournament": "quick"}
_PACE_PERCENT: Final[dict[Pace, int]] = {"quick": 40, "usual": 100, "slow": 200}
_PAUSES: Final = ("betting_ms", "action_ms", "deal_ms", "game_ms")

# If the book is open for less time, it closes before a keyboard user can bet.
MIN_BETTING_MS: Final = 12_000
# The page shows the last deal, then the result, and asks whether its player plays again.
MIN_RESULT_MS: Final = 6_000

# Largest difference in wins per 100 games against `regle` at which two bots are a fair match (G17).
MAX_UNFAIR_WINS: Final = 10

STAKE_OUT_OF_BOUNDS: Final = RefusalReason(
    "stake_out_of_bounds",
    "over_limit",
    "stakes here are {least_cents:chips} to {most_cents:chips}: choose another",
)
BETS_OUT_OF_BOUNDS: Final = RefusalReason(
    "bets_out_of_bounds",
    "over_limit",
    "bets here are {least_cents:chips} to {most_cents:chips}: choose limits in this range, the "
    "lower one first",
)
TOO_MANY_SPECTATORS: Final = RefusalReason(
    "too_many_spectators",
    "over_limit",
    "a table here has at most {most} bot spectators: choose fewer",
)

NO_SUCH_BOT: Final = RefusalReason(
    "no_such_bot", "unknown_bot", "there is no bot {bot}: choose one of {known}"
)
NO_POULE: Final = RefusalReason(
    "no_poule", "bad_poule", "only a poule has an entry and wins: say how many enter"
)
POULE_HAS_ENTRY: Final = RefusalReason(
    "poule_has_entry",
    "bad_poule",
    "a poule has an entry, but no stake or number of games: leave them out",
)
SAME_BOTS: Final = RefusalReason(
    "same_bots", "bad_poule", "{bot} can enter a poule only once: choose another challenger"
)
POULE_IS_FIXED: Final = RefusalReason(
    "poule_is_fixed", "bad_poule", "{table} is a poule: only target, laws, bets and pace can change"
)
UNEQUAL_SIDES: Final = RefusalReason(
    "unequal_sides",
    "unavailable",
    "bot spectators bet at {table}, so its sides must stay equal: open another table",
)


class TableOrder(NamedTuple):
    """A host's choices for a table; None keeps the value of the preset or of the existing table.

    The fields are those of a request to open a table. `laws` has keys as in [laws] and [gallery].
    """

    preset: Preset = "quick"
    house: str | None = None
    challenger: str | None = None
    target: int | None = None
    laws: Mapping[str, Any] | None = None
    stake_cents: int | None = None
    min_bet_cents: int | None = None
    max_bet_cents: int | None = None
    pace: Pace | None = None
    spectators: int | None = None
    games: int = 0
    audience: Audience = "public"
    poule: int | None = None
    entry_cents: int | None = None
    wins: int | None = None
    replaces: str = ""


def hosted_table(config: Config, host: str | None, order: TableOrder) -> TableSettings:
    """Return the settings for a new hosted table, which has no name yet, or raise `Refused`."""
    preset = config.model_copy(update={"tables": {"": PRESETS[order.preset]}}).for_table("")
    plan = table_plan("", preset)
    pace = order.pace or _PRESET_PACE.get(order.preset)
    rules = changed_table(config, plan.rules, order._replace(pace=pace))
    poule = None
    if order.poule is not None:
        challenger, poule = _poule(config, rules, order, order.poule)
        # The pool takes the place of a stake, and a player who gives up a game concedes it.
        rules = rules._replace(challenger=challenger, stake_cents=0, abandon="concede")
    elif order.entry_cents is not None or order.wins is not None:
        raise Refused(NO_POULE)
    hosted = HostedTable(
        audience=order.audience,
        games=order.games,
        host=host,
        poule=poule,
        spectators=plan.spectators,
    )
    return _with_spectators(config, rules, hosted, order)


def _with_spectators(
    config: Config, rules: TableSettings, hosted: HostedTable, order: TableOrder
) -> TableSettings:
    """Return the settings with simulated spectators and cover: neither if the sides are unequal."""
    most = config.hosting.spectators
    if order.spectators is not None and order.spectators > most:
        raise Refused(TOO_MANY_SPECTATORS, most=most)
    wanted = hosted.spectators if order.spectators is None else order.spectators
    is_fair = _is_fair(rules._replace(hosted=hosted))
    return rules._replace(
        hosted=replace(hosted, spectators=min(wanted, most) if is_fair else 0),
        house_cover_cents=config.table.house_cover_cents if is_fair else 0,
    )


def _poule(
    config: Config, rules: TableSettings, order: TableOrder, entrants: int
) -> tuple[str, PouleTerms]:
    """Return a poule's challenger and terms: the host's bots, then others of similar strength."""
    if order.games or order.stake_cents is not None:
        raise Refused(POULE_HAS_ENTRY)
    entry_cents = rules.stake_cents if order.entry_cents is None else order.entry_cents
    _check_stake(config, entry_cents, lowest_cents=1)
    chosen = [] if order.challenger is None else [rules.challenger]
    if rules.house in chosen:  # the pages could not tell them apart by their name
        raise Refused(SAME_BOTS, bot=rules.house)
    challenger, *others = *chosen, *_line_up(rules.house, *chosen)
    places = tuple(others[: entrants - 2])
    return challenger, PouleTerms(
        entry_cents=entry_cents, others=places, wins=order.wins or entrants - 1
    )


def _line_up(*chosen: str) -> list[str]:
    """Return the bots not chosen, next always the one with which all differ least in strength."""
    bots = list(chosen)
    while others := [bot for bot in BOT_NAMES if bot not in bots]:
        bots.append(min(others, key=lambda bot: _difference([*bots, bot])))
    return bots[len(chosen) :]


def count_equal_bots(house: str) -> int:
    """Return how many bots of a poule, the house's and those added to it, have equal chances."""
    bots = [house, *_line_up(house)]
    return sum(_difference(bots[:n]) <= MAX_UNFAIR_WINS for n in range(1, len(bots) + 1))


def _check_stake(config: Config, cents: int, lowest_cents: int = 0) -> None:
    lowest_cents = max(lowest_cents, config.hosting.min_stake_cents)
    highest_cents = config.hosting.max_stake_cents
    if not lowest_cents <= cents <= highest_cents:
        raise Refused(STAKE_OUT_OF_BOUNDS, least_cents=lowest_cents, most_cents=highest_cents)


def changed_table(config: Config, rules: TableSettings, order: TableOrder) -> TableSettings:
    """Return a hosted table's settings with the changes that its host wants, or raise `Refused`."""
    wishes = {name: getattr(order, name) for name in ("house", "challenger", "stake_cents")}
    changes = {name: wish for name, wish in wishes.items() if wish is not None}
    if rules.poule is None:
        bounds = config.hosting
        usual_cents = min(max(rules.stake_cents, bounds.min_stake_cents), bounds.max_stake_cents)
        _check_stake(config, changes.setdefault("stake_cents", usual_cents))
    elif changes:
        raise Refused(POULE_IS_FIXED, table=rules.name)
    if order.challenger == NO_BOT:
        changes["challenger"] = ""
    rules = rules._replace(**changes)
    for bot in filter(None, (rules.house, rules.challenger)):
        if bot not in BOT_NAMES:
            known = (*BOT_NAMES, NO_BOT) if bot == order.challenger else BOT_NAMES
            raise Refused(NO_SUCH_BOT, bot=bot, known=", ".join(known))
    laws = dict(order.laws or {}) | ({} if order.target is None else {"target": order.target})
    betting = {name: laws.pop(name) for name in BettingRules._fields if name in laws}
    pace = rules.pace
    if order.pace is not None:
        usual, percent = table_plan("", config).rules.pace._asdict(), _PACE_PERCENT[order.pace]
        pauses = {name: usual[name] * percent // 100 for name in _PAUSES}
        for name, least in (("betting_ms", MIN_BETTING_MS), ("game_ms", MIN_RESULT_MS)):
            pauses[name] = max(pauses[name], min(usual[name], least))
        pace = pace._replace(**pauses)
    rules = rules._replace(
        laws=parse_laws(laws_json(rules.laws) | laws),
        gallery=parse_betting_rules(rules.gallery._asdict() | betting),
        limits=_changed_limits(config, rules.limits, order),
        pace=pace,
    )
    hosted = rules.hosted
    if hosted is not None and order.replaces:
        return _with_spectators(config, rules, hosted, order)
    if hosted is not None and hosted.spectators and not _is_fair(rules):
        raise Refused(UNEQUAL_SIDES, table=rules.name)
    cover_cents = config.table.house_cover_cents if _is_fair(rules) else 0
    return rules._replace(house_cover_cents=cover_cents)


def min_bet_cents(config: Config) -> int:
    """Return the lowest minimum bet, in cents, that a host may choose."""
    lowest_cents: int = PRESETS["quick"]["least_cents"]
    return min(config.limits.least_cents, lowest_cents)


def _changed_limits(config: Config, limits: BetSizeLimits, order: TableOrder) -> BetSizeLimits:
    wishes = {"least_cents": order.min_bet_cents, "greatest_cents": order.max_bet_cents}
    changes = {name: wish for name, wish in wishes.items() if wish is not None}
    if not changes:
        return limits
    changed = limits._replace(**changes)
    lowest_cents, highest_cents = min_bet_cents(config), config.limits.greatest_cents
    if not lowest_cents <= changed.least_cents <= changed.greatest_cents <= highest_cents:
        raise Refused(BETS_OUT_OF_BOUNDS, least_cents=lowest_cents, most_cents=highest_cents)
    return changed


def _is_fair(rules: TableSettings) -> bool:
    """Return False if one seat is the clear favourite, so that simulated bettors would lose."""
    # Between two equal players, the one who always deals wins 56 of 100 games.
    if rules.laws.deal == "house":
        return False
    return _difference((rules.house, *rules.challengers)) <= MAX_UNFAIR_WINS


def _difference(bots: Iterable[str]) -> int:
    wins = [WIN_RATES[bot] for bot in bots if bot in WIN_RATES]
    return max(wins, default=0) - min(wins, default=0)


def unfair_tables(plans: Iterable[TablePlan]) -> Iterator[str]:
    """Yield a warning for each table whose bots are not of similar strength (G17)."""
    for rules in (plan.rules for plan in plans):
        house, challenger = rules.house, rules.challenger
        if _difference((house, challenger)) > MAX_UNFAIR_WINS:
            yield (
                f"table {rules.name} takes bets at even odds, but of 100 games against regle"
                f" {house} wins {WIN_RATES[house]}, {challenger} {WIN_RATES[challenger]}:"
                " choose bots of similar strength"
            )


def grant_policy(config: Config) -> GrantPolicy:
    """Return the policy for granting chips to the house and to players."""
    web = config.web
    return GrantPolicy(
        config.bank.house_cents, web.opening_cents, web.refill_cents, web.refill_hours * _HOUR_MS
    )


def table_plan(name: str, config: Config) -> TablePlan:
    """Return the plan of one table; hosted tables have the simulated bettors of the defaults."""
    table, crowd = config.table, config.spectators
    for seat, bot in (("house", table.house), ("challenger", table.challenger)):
        if is_own_bot(bot):
            try:
                get_bot(bot)
            except InputError as error:
                raise ConfigError(f"table {name}, {seat}: {error}") from error
    values = dict(table)
    values["action_ms"] = values.pop("pace_ms")
    values["challenger"] = "" if table.challenger == NO_BOT else table.challenger
    rules = TableSettings(
        name=name,
        laws=config.laws,
        gallery=config.gallery,
        limits=BetSizeLimits(**dict(config.limits)),
        pace=PaceSettings(**{name: values.pop(name) for name in PaceSettings._fields}),
        **values,
    )
    amounts = crowd.unit_least_cents, crowd.unit_greatest_cents, crowd.bankroll_cents
    return TablePlan(rules, crowd.number, tuple(crowd.habits), *amounts)
