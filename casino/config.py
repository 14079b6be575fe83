"""The settings of the house: a TOML file, overlaid by the environment, as one frozen `Config`.

Nothing else in the casino reads a setting. `CASINO_<TABLE>_<KEY>` in the environment wins over
the file; the file is the one asked for, or `CASINO_CONFIG`, or `./config.toml` if it is there.

>>> load(environ={"CASINO_CONFIG": "config.toml", "CASINO_TABLE_PACE_MS": "0"}).table.pace_ms
0
>>> load(environ={"CASINO_TABLE_PACE_MS": "fast"})
Traceback (most recent call last):
    ...
casino.errors.BadConfig: CASINO_TABLE_PACE_MS: 'fast' must be a valid integer
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError

from casino.ecarte.laws import Laws, parse_laws
from casino.errors import BadConfig, BadLaws

Bot: TypeAlias = Literal["novice", "regle"]

DEFAULT_FILE: Final = Path("config.toml")
PREFIX: Final = "CASINO_"
FILE_VARIABLE: Final = "CASINO_CONFIG"


class Settings(BaseModel):
    """What every table of settings has in common: frozen, no unknown key, no value bent to fit."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Table(Settings):
    """The house's own table."""

    house: Bot = "regle"
    challenger: Bot = "novice"
    pace_ms: int = Field(default=600, ge=0, le=60_000)


class Bank(Settings):
    """Where the money and the log are kept."""

    db: str = "casino.db"
    name: str = "ecarte-casino"
    least_free_mib: int = Field(default=64, ge=0, le=1_000_000)


class Config(Settings):
    """All settings, by table and key."""

    laws: Annotated[Laws, PlainValidator(parse_laws)] = Laws()
    table: Table = Table()
    bank: Bank = Bank()


def _keys(table: Laws | Settings) -> tuple[str, ...]:
    """The keys of a table of settings."""
    return table._fields if isinstance(table, Laws) else tuple(type(table).model_fields)


KEYS: Final = {name: _keys(field.default) for name, field in Config.model_fields.items()}
"""Every table of the settings with its keys."""


class Setting(NamedTuple):
    """One value somebody gave, and the place an error about it names."""

    place: str
    table: str
    key: str
    value: Any


def load(file: Path | None = None, environ: Mapping[str, str] = os.environ) -> Config:
    """The settings in force: the defaults, under those of the file, under those of `environ`."""
    tables: dict[str, dict[str, Any]] = {}
    chosen = _chosen(file, environ)
    for setting in [*(_in_file(chosen) if chosen else ()), *_in_environment(environ)]:
        _check(setting)
        tables.setdefault(setting.table, {})[setting.key] = setting.value
    return Config.model_validate(tables)


def _chosen(file: Path | None, environ: Mapping[str, str]) -> Path | None:
    """The file to read, if there is any."""
    if file is not None:
        return file
    if FILE_VARIABLE in environ:
        return Path(environ[FILE_VARIABLE])
    return DEFAULT_FILE if DEFAULT_FILE.exists() else None


def _in_file(file: Path) -> Iterator[Setting]:
    """The settings a file states."""
    try:
        tables = tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise BadConfig(f"{file}: cannot be read ({error.strerror}): name a TOML file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadConfig(f"{file}: is not a TOML file in UTF-8: {error}") from None
    for table, keys in tables.items():
        if not isinstance(keys, dict):
            raise BadConfig(f"{file}: {table}: put it into one of the tables {_listed(KEYS)}")
        for key, value in keys.items():
            yield Setting(f"{file}: [{table}] {key}", table, key, value)


def _in_environment(environ: Mapping[str, str]) -> Iterator[Setting]:
    """The settings the environment states."""
    known = {f"{PREFIX}{t}_{k}".upper(): (t, k) for t, keys in KEYS.items() for k in keys}
    for name, text in environ.items():
        if name in known:
            yield Setting(name, *known[name], _value(text))
        elif name.startswith(PREFIX) and name != FILE_VARIABLE:
            raise BadConfig(
                f"{name}: unknown, the variables are {_listed([*known, FILE_VARIABLE])}"
            )


def _value(text: str) -> Any:
    """A variable's value, read as TOML where it is TOML (`5`, `[2, 3]`) and as text where not."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return text


def _check(setting: Setting) -> None:
    """Refuse a setting that nobody knows or that cannot have this value."""
    place, table, key, value = setting
    if table not in KEYS:
        raise BadConfig(f"{place}: unknown table, the tables are {_listed(KEYS)}")
    if key not in KEYS[table]:
        raise BadConfig(f"{place}: unknown key, the keys of [{table}] are {_listed(KEYS[table])}")
    try:
        Config.model_validate({table: {key: value}})
    except BadLaws as error:
        raise BadConfig(f"{place}: {error}") from None
    except ValidationError as error:
        wanted = error.errors()[0]["msg"].replace("Input should be", "must be")
        raise BadConfig(f"{place}: {str(value)[:40]!r} {wanted}") from None


def _listed(names: Iterable[str]) -> str:
    """Names with commas between them."""
    return ", ".join(names)
