"""Settings from a TOML file and environment variables, as one frozen `Config`.

`CASINO_<TABLE>_<KEY>` in the environment overrides the file. The file is the argument of `load`,
or else `$CASINO_CONFIG`, or else `./config.toml` if that exists.

>>> load(environ={"CASINO_CONFIG": "config.toml", "CASINO_TABLE_PACE_MS": "0"}).table.pace_ms
0
>>> load(environ={"CASINO_TABLE_PACE_MS": "fast"})
Traceback (most recent call last):
    ...
casino.errors.ConfigError: CASINO_TABLE_PACE_MS: 'fast' must be a whole number
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from difflib import get_close_matches
from ipaddress import ip_network
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
)

from casino.betting import BettingRules, parse_betting_rules
from casino.bots import BOT_NAMES as BOT_NAMES
from casino.bots import WIN_RATES as WIN_RATES
from casino.bots import is_own_bot
from casino.ecarte import Laws, parse_laws
from casino.errors import ConfigError, FileError, LawsError, escape_unprintable, suggest
from casino.ledger.accounts import MAX_NAME_LENGTH
from casino.ledger.tlog import parse_witnesses

Habit: TypeAlias = Literal["loyal", "rebel", "balancer", "follower", "contrary", "flat", "idler"]

NO_BOT: Final = "nobody"

DEFAULT_FILE: Final = Path("config.toml")
TABLES: Final = "tables"
TABLE_NAME: Final = re.compile("[a-z][a-z0-9]{0,11}")
MAX_CENTS: Final = 1_000_000_000_000
PREFIX: Final = "CASINO_"
FILE_VARIABLE: Final = "CASINO_CONFIG"
# Not a setting: the password with which a terminal client logs in.
PASSWORD_VARIABLE: Final = "CASINO_PASSWORD"
MIN_PASSWORD_LENGTH: Final = 8


def _bot_or(*others: str) -> BeforeValidator:
    known = *BOT_NAMES, *others, f"your own module:Class (at most {MAX_NAME_LENGTH} characters)"

    def check(name: object) -> object:
        if name in known[:-1]:
            return name
        # The log holds names of at most MAX_NAME_LENGTH characters.
        if isinstance(name, str) and len(name) <= MAX_NAME_LENGTH and is_own_bot(name):
            return name
        raise ValueError(f"is no bot: {suggest(str(name), known)}")

    return BeforeValidator(check)


def _like(pattern: str, advice: str) -> AfterValidator:
    def check(text: str) -> str:
        if re.match(pattern, text):
            return text
        raise ValueError(advice)

    return AfterValidator(check)


_REDIS_URL: Final = _like(
    r"\Z|rediss?://|unix://", "must be an address such as 'redis://127.0.0.1:6379'"
)
_DATABASE_URL: Final = _like(
    r"\Z|postgres(ql)?://", "must be an address such as 'postgresql://casino@127.0.0.1/casino'"
)
_LOG_NAME: Final = _like(r"[^\s+]+\Z", "must not be empty or contain spaces or +")


def _network(text: str) -> str:
    with suppress(ValueError):
        ip_network(text, strict=False)
        return text
    raise ValueError("must be an address such as '::1' or '10.0.0.0/8'")


def _witnesses(text: str) -> str:
    try:
        parse_witnesses(text)
    except FileError as error:
        raise ValueError(f"must list URL KEY: {error}") from None
    return text


class SettingsTable(BaseModel):
    """Base class of all sections of settings: frozen, rejects unknown keys, coerces no value."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Table(SettingsTable):
    """Defaults for all tables; `[tables.NAME]` overrides them for one table."""

    house: Annotated[str, _bot_or()] = "regle"
    challenger: Annotated[str, _bot_or(NO_BOT)] = "regle"
    stake_cents: int = Field(default=1_000, ge=0, le=MAX_CENTS)
    house_cover_cents: int = Field(default=50_000, ge=0, le=MAX_CENTS)
    refill_cents: int = Field(default=1_000_000, ge=0, le=MAX_CENTS)
    abandon: Literal["concede", "void"] = "concede"
    slip_permille: int = Field(default=0, ge=0, le=1000)
    day_cents: int = Field(default=0, ge=0, le=MAX_CENTS)
    pace_ms: int = Field(default=600, ge=0, le=60_000)
    betting_ms: int = Field(default=18_000, ge=0, le=3_600_000)
    reveal_ms: int = Field(default=4_000, ge=0, le=600_000)
    deal_ms: int = Field(default=5_500, ge=0, le=600_000)
    game_ms: int = Field(default=9_000, ge=0, le=600_000)
    turn_ms: int = Field(default=30_000, ge=1_000, le=3_600_000)
    grace_ms: int = Field(default=60_000, ge=0, le=3_600_000)


class BetLimits(SettingsTable):
    """Limits on units: in one bet, by one bettor in a game, and on one side of a game."""

    least_cents: int = Field(default=100, ge=1, le=MAX_CENTS)
    greatest_cents: int = Field(default=100_000, ge=1, le=MAX_CENTS)
    bettor_cents: int = Field(default=300_000, ge=1, le=MAX_CENTS)
    side_cents: int = Field(default=10_000_000, ge=1, le=MAX_CENTS)


class Spectators(SettingsTable):
    """The simulated bettors at a table."""

    number: int = Field(default=8, ge=0, le=10_000)
    habits: list[Habit] = Field(default=list(get_args(Habit)), min_length=1)
    unit_least_cents: int = Field(default=100, ge=1, le=MAX_CENTS)
    unit_greatest_cents: int = Field(default=2_000, ge=1, le=MAX_CENTS)
    bankroll_cents: int = Field(default=200_000, ge=1, le=MAX_CENTS)


class Bank(SettingsTable):
    """Storage and name of the log, and the initial balance of the house's bank."""

    db: str = "casino.db"
    url: Annotated[str, _DATABASE_URL] = ""
    name: Annotated[str, _LOG_NAME] = "ecarte-casino"
    least_free_mib: int = Field(default=64, ge=0, le=1_000_000)
    house_cents: int = Field(default=100_000_000, ge=1, le=MAX_CENTS)


class Web(SettingsTable):
    """Settings of the web server."""

    host: str = "127.0.0.1"
    port: int = Field(default=5000, ge=0, le=65_535)
    opening_cents: int = Field(default=100_000, ge=1, le=MAX_CENTS)
    openings_a_day: int = Field(default=20, ge=1, le=1_000_000)
    refill_cents: int = Field(default=20_000, ge=0, le=MAX_CENTS)
    refill_hours: int = Field(default=4, ge=1, le=8_760)
    trusted_proxies: list[Annotated[str, AfterValidator(_network)]] = Field(
        default=[], max_length=64
    )
    person_per_second: int = Field(default=20, ge=1, le=1_000)
    address_per_second: int = Field(default=200, ge=1, le=1_000)
    connections: int = Field(default=100_000, ge=1, le=1_000_000)
    address_connections: int = Field(default=500, ge=1, le=1_000_000)
    idle_seconds: int = Field(default=30, ge=1, le=3_600)
    head_seconds: int = Field(default=10, ge=1, le=3_600)
    answer_seconds: int = Field(default=60, ge=1, le=3_600)


class Log(SettingsTable):
    """What the running casino logs about itself."""

    level: Literal["debug", "info", "warning", "error"] = "warning"
    form: Literal["text", "json"] = "text"
    access: bool = False


class Hosting(SettingsTable):
    """Tables that people open while the casino runs."""

    who: Literal["nobody", "accounts", "everybody"] = "everybody"
    tables_each: int = Field(default=2, ge=1, le=1_000)
    tables: int = Field(default=20, ge=1, le=1_000)
    idle_minutes: int = Field(default=30, ge=1, le=100_000)
    min_stake_cents: int = Field(default=0, ge=0, le=MAX_CENTS)
    max_stake_cents: int = Field(default=5_000, ge=0, le=MAX_CENTS)
    spectators: int = Field(default=20, ge=0, le=10_000)
    games_ordered: int = Field(default=1_000, ge=0, le=100_000)


class Audit(SettingsTable):
    """Audits that run in the background."""

    every_minutes: int = Field(default=60, ge=0, le=100_000)


class Witness(SettingsTable):
    """Witnesses that cosign the log."""

    at: Annotated[str, AfterValidator(_witnesses)] = ""
    quorum: int = Field(default=0, ge=0, le=16)


class Scale(SettingsTable):
    """Settings for running the casino in more than one process."""

    redis_url: Annotated[str, _REDIS_URL] = ""


class Config(SettingsTable):
    """All settings, by section and key."""

    laws: Annotated[Laws, PlainValidator(parse_laws)] = Laws()
    gallery: Annotated[BettingRules, PlainValidator(parse_betting_rules)] = BettingRules()
    limits: BetLimits = BetLimits()
    table: Table = Table()
    spectators: Spectators = Spectators()
    bank: Bank = Bank()
    web: Web = Web()
    hosting: Hosting = Hosting()
    witness: Witness = Witness()
    log: Log = Log()
    audit: Audit = Audit()
    scale: Scale = Scale()
    tables: dict[str, dict[str, Any]] = {}

    def for_table(self, name: str) -> Config:
        """Return the settings for a table: the defaults, overridden by `[tables.NAME]`."""
        sections: dict[str, dict[str, Any]] = {}
        for key, value in self.tables.get(name, {}).items():
            section = TABLE_OF[key]
            sections.setdefault(section, values_of(getattr(self, section)))[key] = value
        merged = Config.model_validate(sections)
        return self.model_copy(update={section: getattr(merged, section) for section in sections})


def values_of(table: Laws | BettingRules | SettingsTable) -> dict[str, Any]:
    """Return the values of a section by key."""
    return table._asdict() if isinstance(table, tuple) else dict(table)


# Keys of each section of the settings.
KEYS: Final = {
    name: tuple(values_of(field.default))
    for name, field in Config.model_fields.items()
    if name != TABLES
}

# Keys allowed in [tables.NAME], with the section that holds their default.
TABLE_OF: Final = {
    key: table
    for table in ("laws", "gallery", "limits", "table", "spectators")
    for key in KEYS[table]
}


# Where a setting is, which begins its error messages; its table, key and value.
Setting: TypeAlias = tuple[str, str, str, Any]


def load(file: Path | None = None, environ: Mapping[str, str] = os.environ) -> Config:
    """Load the default settings, overridden by the file and then by `environ`."""
    tables: dict[str, dict[str, Any]] = {}
    chosen = chosen_file(file, environ)
    faults: list[str] = []
    for origin, table, key, value in chain(
        _in_file(chosen) if chosen else (), _in_environment(environ)
    ):
        # Validated one by one, so that an error can name the file or variable it is in.
        faults += map(escape_unprintable, _faults(origin, table, key, value))
        tables.setdefault(table, {})[key] = value
    faults = list(dict.fromkeys(faults))  # an unknown table is a fault of each of its keys
    if len(faults) > 1:
        where = f" of {chosen}" if chosen else ""
        lines = [fault.removeprefix(f"{chosen}: ") for fault in faults]
        raise ConfigError("\n  ".join([f"{len(faults)} errors in the settings{where}:", *lines]))
    if faults:
        raise ConfigError(faults[0])
    config = Config.model_validate(tables)
    for name in ("", *config.tables):
        origin = f"{chosen}: " if chosen else ""
        _check_together(config.for_table(name), origin + (f"[tables.{name}] " if name else ""))
    return config


# Section and two keys: if the first setting were greater than the second, no one could play.
_IN_ORDER: Final = (
    ("limits", "least_cents", "greatest_cents"),
    ("limits", "least_cents", "bettor_cents"),
    ("limits", "least_cents", "side_cents"),
    ("spectators", "unit_least_cents", "unit_greatest_cents"),
    ("hosting", "min_stake_cents", "max_stake_cents"),
)


def _check_together(config: Config, origin: str) -> None:
    for table, least, most in _IN_ORDER:
        settings = getattr(config, table)
        if getattr(settings, least) > getattr(settings, most):
            raise ConfigError(
                f"{origin}[{table}]: {least} = {getattr(settings, least)} is more than {most} = "
                f"{getattr(settings, most)}: lower one or raise the other"
            )
    witnesses = len(list(filter(str.strip, config.witness.at.split(","))))
    if config.witness.quorum > witnesses:
        raise ConfigError(
            f"{origin}[witness]: quorum = {config.witness.quorum}, but at lists {witnesses} "
            f"witness{'es' * (witnesses != 1)}: add more or lower the quorum"
        )


def chosen_file(file: Path | None, environ: Mapping[str, str] = os.environ) -> Path | None:
    """Return the settings file that `load` reads, or None if there is none."""
    if file is not None:
        return file
    if FILE_VARIABLE in environ:
        return Path(environ[FILE_VARIABLE])
    return DEFAULT_FILE if DEFAULT_FILE.exists() else None


def _in_file(file: Path) -> Iterator[Setting]:
    try:
        tables = tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read {file} ({error.strerror}): choose a TOML file") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{file} is not a text file in UTF-8: choose a TOML file") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file}: not TOML: {error}") from None
    except (ValueError, RecursionError):
        raise ConfigError(f"{file}: a number is too long or lists are nested too deeply") from None
    for table, keys in tables.items():
        if not isinstance(keys, dict):
            known = {key: f"[{name}] {key}" for name, names in KEYS.items() for key in names}
            close = " or ".join(known[key] for key in get_close_matches(table, known))
            advice = f"write {close}" if close else f"move it into one of {', '.join(KEYS)}"
            raise ConfigError(f"{file}: {table} is not in a table: {advice}")
        for key, value in keys.items():
            where = f"[{table}.{key}]" if table == TABLES else f"[{table}] {key}"
            yield f"{file}: {where}", table, key, value


def _in_environment(environ: Mapping[str, str]) -> Iterator[Setting]:
    known = {f"{PREFIX}{t}_{k}".upper(): (t, k) for t, keys in KEYS.items() for k in keys}
    for name, text in environ.items():
        # Python decodes invalid UTF-8 in the environment to lone surrogates.
        if name in known and re.search("[\ud800-\udfff]", text):
            raise ConfigError(f"{name}: is not valid UTF-8")
        if name in known:
            yield name, *known[name], _value(text)
        elif name.startswith(PREFIX) and name not in (FILE_VARIABLE, PASSWORD_VARIABLE):
            # The prefix alone would make every setting look alike.
            keys = {key.removeprefix(PREFIX): key for key in [*known, FILE_VARIABLE]}
            close = get_close_matches(name.removeprefix(PREFIX), keys, 1)
            advice = f"did you mean {keys[close[0]]}?" if close else "casino config shows them all"
            raise ConfigError(f"{name}: no such setting: {advice}")


def _value(text: str) -> Any:
    """Parse an environment variable as TOML, or return its text if it is not valid TOML."""
    with suppress(ValueError, RecursionError):
        return tomllib.loads(f"value = {text}")["value"]
    return text


def _faults(origin: str, table: str, key: str, value: Any) -> Iterator[str]:
    if table == TABLES:
        yield from _faults_of_table(origin, key, value)
    elif table not in KEYS:
        yield f"{origin.removesuffix(f' {key}')} is unknown: {suggest(table, KEYS)}"
    elif key not in KEYS[table]:
        yield f"{origin} is unknown: {suggest(key, KEYS[table])}"
    else:
        try:
            Config.model_validate({table: {key: value}})
        except LawsError as error:
            yield f"{origin}: {str(error).removeprefix(f'law {key}: ')}"
        except ValidationError as error:
            first = error.errors()[0]
            wanted = first["msg"].replace("Input should be", "must be")
            for pattern, words in _PLAIN.items():
                wanted = re.sub(pattern, words, wanted)
            yield f"{origin}: {repr(first['input'])[:40]} {wanted}"


# Plain words for parts of pydantic's messages.
_PLAIN: Final = {
    "Value error, ": "",
    "(List|String) should have at least 1 .*": "must not be empty",
    "a valid integer": "a whole number",
    "a valid ": "a ",
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
}


def _faults_of_table(origin: str, name: str, keys: Any) -> Iterator[str]:
    if not TABLE_NAME.fullmatch(name) or not isinstance(keys, dict):
        yield f"{origin}: choose a table name of lowercase letters and digits, as in [tables.t2]"
        return
    for key, value in keys.items():
        if key in TABLE_OF:
            yield from _faults(f"{origin} {key}", TABLE_OF[key], key, value)
        else:
            yield f"{origin} {key} is unknown: {suggest(key, TABLE_OF)}"
