"""The container files: their settings are loaded, and their commands are run here."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml  # type: ignore[import-untyped]

from casino.config import load
from casino.ledger.storage.postgres import PostgresLocation
from tests.ledger.game_simulator import open_ledger, wait
from tests.ledger.grants import give
from tests.test_package import run
from tools.postgres_server import INITDB, OWNER, PostgresServer

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"


COMPOSED = (["compose.yml"], ["compose-scale.yml"], ["compose-scale.yml", "compose-postgres.yml"])


def merge(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Merge two definitions as compose does."""
    both = {
        name: merge(below[name], said)
        for name, said in above.items()
        if isinstance(said, dict) and isinstance(below.get(name), dict)
    }
    return below | above | both


def services_in(file: str) -> dict[str, dict[str, Any]]:
    services: dict[str, dict[str, Any]] = yaml.safe_load((DEPLOY / file).read_text("utf-8"))[
        "services"
    ]
    for name, said in services.items():
        if base := said.pop("extends", None):
            services[name] = merge(services_in(base["file"])[base["service"]], said)
    return services


def services_of(files: list[str]) -> dict[str, dict[str, Any]]:
    services: dict[str, dict[str, Any]] = {}
    for file in files:
        services = merge(services, services_in(file))
    return services


def casinos_of(files: list[str]) -> list[dict[str, Any]]:
    """Return the services that run the casino: all that are built, except `prepare`."""
    found = [
        one for name, one in services_of(files).items() if "build" in one and name != "prepare"
    ]
    assert found
    return found


@pytest.mark.parametrize("files", COMPOSED[:2])
def test_container_settings_are_valid(files: list[str]) -> None:
    network = yaml.safe_load((DEPLOY / files[0]).read_text("utf-8"))["networks"]["inside"]
    (range_,) = network["ipam"]["config"]
    for service in casinos_of(files):
        config = load(None, service["environment"])
        assert config.web.trusted_proxies == [range_["subnet"]]
        assert config.log.form == "json"
        assert bool(config.scale.redis_url) == ("scale" in files[0])


def test_containers_keep_the_log_in_postgresql() -> None:
    scale, added = (
        yaml.safe_load((DEPLOY / name).read_text("utf-8"))["services"]
        for name in ("compose-scale.yml", "compose-postgres.yml")
    )
    assert set(added) - set(scale) == {"prepare", "postgres"}
    house = added["house"]["environment"]
    config = load(None, {"CASINO_BANK_URL": house["CASINO_BANK_URL"]})
    assert config.bank.url == "postgresql://casino@postgres/casino"
    assert added["prepare"]["depends_on"]["postgres"] == {"condition": "service_healthy"}
    passwords = [
        value
        for service in added.values()
        for name, value in service.get("environment", {}).items()
        if "PASSWORD" in name
    ]
    assert len(passwords) == 4
    assert all(value.startswith("${") and ":?" in value for value in passwords)


@pytest.mark.parametrize("files", COMPOSED)
def test_each_container_has_its_own_fixed_address(files: list[str]) -> None:
    networks = yaml.safe_load((DEPLOY / files[0]).read_text("utf-8"))["networks"]
    (range_,) = networks["inside"]["ipam"]["config"]
    addresses = [
        ip_address(service["networks"]["inside"]["ipv4_address"])
        for service in services_of(files).values()
    ]
    assert len(set(addresses)) == len(addresses)
    # The first address is the gateway's.
    assert set(addresses) <= set(list(ip_network(range_["subnet"]).hosts())[1:])


@pytest.mark.parametrize("files", COMPOSED[:2])
def test_documented_sed_command_writes_the_proxy_configuration(files: list[str]) -> None:
    found = re.search(r"sed -i ('.*') deploy/nginx.conf", (DEPLOY / files[0]).read_text("utf-8"))
    assert found
    command = f"sed {found[1]} {DEPLOY / 'nginx.conf'}"
    site = run("sh", "-c", command).stdout
    serving = [one for one in casinos_of(files) if "--house-only" not in one.get("command", [])]
    addresses = [one["networks"]["inside"]["ipv4_address"] for one in serving]
    upstream = site[site.index("upstream casino {") : site.index("keepalive 32;")]
    assert re.findall(r"(?<!#)server ([\d.:]+) fail_timeout=1s;", upstream) == [
        f"{one}:5000" for one in addresses
    ]
    assert set(re.findall("server_name (.*);", site)) == {"YOUR.NAME"}
    assert "ssl_certificate     /tls/fullchain.pem;\n" in site
    assert "ssl_certificate_key /tls/privkey.pem;\n" in site


@pytest.mark.skipif(INITDB is None, reason="initdb is not installed: no PostgreSQL")
def test_postgres_role_of_the_containers_can_only_append(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    assert INITDB is not None
    with postgres.connect("postgres") as connection:
        connection.execute("CREATE DATABASE contained STRATEGY = FILE_COPY")
    said = {
        "PATH": f"{Path(INITDB).parent}:{os.environ['PATH']}",
        "PGHOST": str(postgres.folder),
        "POSTGRES_USER": OWNER,
        "POSTGRES_DB": "contained",
        "CASINO_DB_PASSWORD": 'it\'s "one"; $HOME',
    }
    subprocess.run([DEPLOY / "postgres-role.sh"], env=said, check=True, capture_output=True)
    services = yaml.safe_load((DEPLOY / "compose-postgres.yml").read_text("utf-8"))["services"]
    command = [*services["prepare"]["command"]]
    assert command[2] == "postgresql://postgres@postgres/casino"
    command[2] = postgres.url("contained")
    program = [sys.executable, "-m", *command]
    for _ in range(2):
        subprocess.run(program, cwd=tmp_path, check=True, capture_output=True)
    bank = open_ledger(
        PostgresLocation(postgres.url("contained", "casino"), tmp_path / "casino.db")
    )
    assert wait(give(bank, "ann", 500, "a"))["balance_cents"] == 500
    bank.close()
    with postgres.connect("contained", "casino") as connection:
        found = connection.execute("SELECT count(*) FROM casino.leaf").fetchone()
        assert found is not None and found[0] > 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("DELETE FROM casino.leaf")
    with postgres.connect("postgres") as connection:
        sql = "SELECT rolpassword LIKE 'SCRAM%' FROM pg_authid WHERE rolname = 'casino'"
        assert connection.execute(sql).fetchone() == (True,)


def test_the_container_is_built_from_a_clean_checkout(tmp_path: Path) -> None:
    ignored = re.findall(r"^[^#\n].*", (ROOT / ".dockerignore").read_text("utf-8"), re.MULTILINE)
    names = [line.rsplit("/", 1)[-1] for line in ignored]
    shutil.copytree(ROOT, tmp_path / "src", ignore=shutil.ignore_patterns(*names))
    text = (DEPLOY / "Containerfile").read_text("utf-8")
    build = re.search(r"^RUN ((?:.*\\\n)*.*)$", text, re.MULTILINE)
    assert build
    commands = build[1].replace("/casino", f"{tmp_path}/casino")
    assert commands.startswith("python ")
    commands = commands.replace("python", sys.executable, 1)
    source = tmp_path / "src"
    subprocess.run(["bash", "-ec", commands], cwd=source, check=True, stdout=subprocess.DEVNULL)
    (packages,) = (tmp_path / "casino" / "lib").glob("python3.*/site-packages")
    assert (packages / "casino" / "web" / "built" / "manifest.json").is_file()
    said = run(tmp_path / "casino" / "bin" / "casino", "--version", within=tmp_path)
    assert said.stdout.startswith("casino")


@pytest.mark.parametrize("secret", ["casino.db.key", "casino.db.master", "my.db", "deploy/tls"])
def test_secrets_are_kept_out_of_the_container(secret: str) -> None:
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert any(fnmatch(secret, pattern) for pattern in ignored if not pattern.startswith("#"))
