"""The server keeps what its description promises: schemathesis asks it, with a seed of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from casino.client.client import CasinoClient
from tests.web.doors import BETTING_FOR_EVER, FAST, open_doors

SETTINGS = """
[auth.openapi.session]
api_key = "{cookie}"

# A description can say how long a name is, not what it looks like.
[[operations]]
include-path = "/api/enter"

[operations.checks.positive_data_acceptance]
enabled = false
"""
PROGRAM = Path(sys.executable).with_name("schemathesis")
TABLES = {"open": BETTING_FOR_EVER, "fast": {**FAST, "number": 3}}
WEB = {"address_per_second": 1000, "person_per_second": 1000}
ENDS_SESSIONS = "/api/(enter|leave|password)$"


@pytest.mark.slow
@pytest.mark.parametrize("which", ["include", "exclude"])
def test_the_server_keeps_its_description(tmp_path: Path, which: str) -> None:
    """Whatever is asked, by the description or against it, is answered as the description says.

    What begins and ends sessions is asked by nobody in particular, everything else by a person.
    """
    with open_doors(tmp_path / "a.db", TABLES, web=WEB) as doors:
        client = CasinoClient(doors.url)
        client.enter("ann")
        (cookie,) = (one.value for one in client._jar)
        settings = tmp_path / "schemathesis.toml"
        settings.write_text(SETTINGS.format(cookie="" if which == "include" else cookie))
        asked = [
            str(PROGRAM),
            "--config-file",
            str(settings),
            "run",
            f"{doors.url}/api/openapi.json",
        ]
        asked += ["--phases", "examples,coverage,fuzzing"]
        asked += ["--max-examples", "6", "--seed", "1", "--generation-deterministic"]
        asked += ["--continue-on-failure", "--warnings", "off", "--no-color"]
        asked += [f"--{which}-path-regex", ENDS_SESSIONS]
        done = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
