"""Settings from the file and the environment, and which of them are refused."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from casino.config import KEYS, Config, load
from casino.ecarte import Laws, laws_json
from casino.errors import ConfigError

ROOT = Path(__file__).parent.parent
NO_BOT = "is no bot: choose one of novice, anatole, blanche"
LONG_NUMBER = "9" * 5_000


def write(folder: Path, text: str) -> Path:
    file = folder / "house.toml"
    file.write_text(text, "utf-8")
    return file


def test_config_toml_states_exactly_the_defaults() -> None:
    shipped = tomllib.loads((ROOT / "config.toml").read_text("utf-8"))
    assert {table: tuple(keys) for table, keys in shipped.items()} == KEYS
    assert shipped["laws"] == laws_json(Laws())
    assert shipped["table"] == Config().table.model_dump()
    assert load(ROOT / "config.toml", {}) == Config()


def test_config_toml_in_the_working_directory_is_read_if_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load(environ={}) == Config()
    write(tmp_path, "[table]\npace_ms = 7\n").rename("config.toml")
    assert load(environ={}).table.pace_ms == 7


def test_file_argument_overrides_casino_config(tmp_path: Path) -> None:
    file = write(tmp_path, "[table]\npace_ms = 8\n")
    other = tmp_path / "other.toml"
    other.write_text("[table]\npace_ms = 9\n", "utf-8")
    assert load(environ={"CASINO_CONFIG": str(other)}).table.pace_ms == 9
    assert load(file, {"CASINO_CONFIG": str(other)}).table.pace_ms == 8


def test_environment_variables_override_the_file(tmp_path: Path) -> None:
    file = write(tmp_path, '[table]\npace_ms = 8\nhouse = "novice"\n[laws]\ntarget = 7\n')
    config = load(
        file,
        {
            "CASINO_TABLE_PACE_MS": "0",
            "CASINO_LAWS_PACKETS": "[2, 3]",
            "CASINO_LAWS_PLAY": "ordinary",
            "HOME": "/root",
        },
    )
    assert config.table.pace_ms == 0
    assert config.table.house == "novice"
    assert config.laws == Laws(target=7, packets=(2, 3), play="ordinary")


def test_settings_of_a_table_override_the_general_ones(tmp_path: Path) -> None:
    text = "[laws]\ntarget = 7\n[table]\nturn_ms = 9000\n[tables.salon]\nplay = 'ordinary'\n"
    config = load(write(tmp_path, text + "house = 'novice'\nleast_cents = 5\n"), {})
    salon = config.for_table("salon")
    assert salon.laws == Laws(target=7, play="ordinary")
    assert (salon.table.house, salon.table.turn_ms, salon.limits.least_cents) == ("novice", 9000, 5)
    assert config.for_table("other") == config
    config = config.model_copy(update={"tables": {"salon": {"stake_cents": 5}}})
    assert config.for_table("salon").laws.target == 7
    assert config.table.house == "regle"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tabel]\nx = 1\ny = 2", "[tabel] is unknown: did you mean table?"),
        ("[table]\npace = 1", "[table] pace is unknown: did you mean pace_ms?"),
        ("[table]\npace_ms = '1'", "[table] pace_ms: '1' must be a whole number"),
        ("[table]\npace_ms = 1.5", "[table] pace_ms: 1.5 must be a whole number"),
        ("[bank]\nname = 'my log'", "[bank] name: 'my log' must not be empty or contain spaces"),
        ("[table]\npace_ms = true", "[table] pace_ms: True must be a whole number"),
        ("[table]\npace_ms = -1", "[table] pace_ms: -1 must be at least 0"),
        ("[table]\npace_ms = 1e9", "[table] pace_ms: 1000000000.0 must be a whole number"),
        ("[table]\nhouse = 'croesus'", f"[table] house: 'croesus' {NO_BOT}, "),
        ("[laws]\ntarget = 6", "[laws] target: 6 is not one of 5, 7, 11"),
        ("[laws]\nplay = [1]", "[laws] play: [1] is not one of 'strict', 'ordinary'"),
        ("[laws]\nvole = 1", "[laws] vole is unknown"),
        ("laws = 5", "laws is not in a table: move it into one of laws, gallery"),
        ("pace = 5", "pace is not in a table: write [laws] packets or [table] pace_ms"),
        ("[gallery]\nmatching = 'first'", "[gallery] matching: first must be pro_rata"),
        ("[spectators]\nhabits = ['loyal', 'mad']", "[spectators] habits: 'mad' must be 'loyal', "),
        ("[tables]\nt2 = 5", "[tables.t2]: choose a table name of lowercase letters"),
        ("[tables.T-2]\ntarget = 7", "[tables.T-2]: choose a table name of lowercase letters"),
        ("[tables.t2]\ndb = 'x'", "[tables.t2] db is unknown: choose one of target, play, "),
        ("[tables.t2]\ntarget = 6", "[tables.t2] target: 6 is not one of 5, 7, 11"),
        ("[laws]\ntarget = '5'", "[laws] target: '5' is not one of 5, 7, 11"),
        ("[spectators]\nhabits = []", "[spectators] habits: [] must not be empty"),
        ("[bank]\nurl = 'mysql://x'", "[bank] url: 'mysql://x' must be an address such as "),
        ("[table", "not TOML: "),
        ("a = " + "[" * 5000, "a number is too long or lists are nested too deeply"),
        (f"[table]\npace_ms = {LONG_NUMBER}", "a number is too long or lists are nested"),
        ("[limits]\nleast_cents = 200000", "[limits]: least_cents = 200000 is more than greatest_"),
        ("[limits]\nside_cents = 1", "[limits]: least_cents = 100 is more than side_cents = 1: "),
        ("[limits]\nbettor_cents = 10", "[limits]: least_cents = 100 is more than bettor_cents "),
        ("[tables.a]\nside_cents = 1", "[tables.a] [limits]: least_cents = 100 is more than side_"),
        ("[spectators]\nunit_least_cents = 5000", "[spectators]: unit_least_cents = 5000 is more"),
        ("[witness]\nquorum = 3", "[witness]: quorum = 3, but at lists 0 witnesses: add more"),
    ],
)
def test_invalid_file_is_refused_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    file = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load(file, {})
    assert str(caught.value).startswith(f"{file}: {message}")
    assert "\n" not in str(caught.value)


def test_several_faults_are_one_a_line_under_a_count(tmp_path: Path) -> None:
    file = write(tmp_path, "[laws]\ntarget = 6\n[tables.t2]\ntarget = 6\nstake=1\n[web]\nprot = 1")
    with pytest.raises(ConfigError) as caught:
        load(file, {"CASINO_TABLE_PACE_MS": "fast"})
    assert str(caught.value).splitlines() == [
        f"5 errors in the settings of {file}:",
        "  [laws] target: 6 is not one of 5, 7, 11",
        "  [tables.t2] target: 6 is not one of 5, 7, 11",
        "  [tables.t2] stake is unknown: did you mean stake_cents?",
        "  [web] prot is unknown: did you mean port?",
        "  CASINO_TABLE_PACE_MS: 'fast' must be a whole number",
    ]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("CASINO_TABLE_PACE_MS", "fast", "'fast' must be a whole number"),
        ("CASINO_TABLE_HOUSE", "7", f"7 {NO_BOT}, "),
        ("CASINO_TABLE_HOUSE", "regel", "'regel' is no bot: did you mean regle?"),
        ("CASINO_LAWS_DEAL", "turns", "'turns' is not one of 'alternate', 'house'"),
        ("CASINO_WEB_TRUSTED_PROXIES", "['here']", "'here' must be an address such as"),
        ("CASINO_TABLE_PACE", "1", "no such setting: did you mean CASINO_TABLE_PACE_MS?"),
        ("CASINO_FOO", "1", "no such setting: casino config shows them all"),
        ("CASINO_BANK_NAME", "\udcff", "is not valid UTF-8"),
        ("CASINO_TABLE_PACE_MS", LONG_NUMBER, f"'{LONG_NUMBER[:39]} must be a whole number"),
    ],
)
def test_refusal_of_an_invalid_variable_names_it(name: str, value: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(ROOT / "config.toml", {name: value})
    assert str(caught.value).startswith(f"{name}: {message}")


@pytest.mark.parametrize("name", ["missing.toml", ".", "binary.toml"])
def test_unreadable_file_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="cannot read|is not a text file in UTF-8: choose a TOML"):
        load(tmp_path / name, {})
