"""The server against its OpenAPI description, tested by schemathesis with a fixed seed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from casino.client.client import CasinoClient
from tests.web.server import FAST, LONG_BETTING, open_server

SETTINGS = """
[auth.openapi.session]
api_key = "{cookie}"

# A description can say how long a name is, not what it looks like.
[[operations]]
include-path = "/api/enter"

[operations.checks.positive_data_acceptance]
enabled = false
"""
PROGRAM = str(Path(sys.executable).with_name("schemathesis"))
TABLES = {"open": LONG_BETTING, "fast": {**FAST, "number": 3}}
WEB = {"address_per_second": 1000, "person_per_second": 1000}
OPTIONS = """
--phases examples,coverage,fuzzing --max-examples 6 --seed 1 --generation-deterministic
--continue-on-failure --warnings off --no-color
"""
ENDS_SESSIONS = "/api/(enter|leave|password)$"


@pytest.mark.slow
@pytest.mark.parametrize("which", ["include", "exclude"])
def test_responses_conform_to_the_openapi_description(tmp_path: Path, which: str) -> None:
    """Send valid and invalid requests, and compare every response with the description.

    Requests that begin or end sessions are sent without an account, all others with one.
    """
    with open_server(tmp_path / "a.db", TABLES, web=WEB) as server:
        client = CasinoClient(server.url)
        client.enter("ann")
        (cookie,) = (one.value for one in client._jar)
        settings = tmp_path / "schemathesis.toml"
        settings.write_text(SETTINGS.format(cookie="" if which == "include" else cookie))
        asked: list[str | Path] = [
            PROGRAM,
            "--config-file",
            settings,
            "run",
            f"{server.url}/api/openapi.json",
        ]
        asked += [f"--{which}-path-regex", ENDS_SESSIONS, *OPTIONS.split()]
        done = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
