"""`casino follow`: audit a running casino, cosign its checkpoints, detect contradictions."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from casino.cli import main
from casino.cli.verify.follow import log_address
from casino.ledger.tlog.cosignature import cosigning_times
from casino.ledger.tlog.merkle import consistency_proof
from casino.ledger.tlog.note import sign_checkpoint
from casino.ledger.tlog.witness import WitnessRequest
from casino.monitor.state import MonitorFolder
from casino.monitor.witness_server import WitnessServer, origin_hash
from tests.ledger.tile_server import KEY, files_of, invented, root_of, serving, subtree_of
from tests.web.processes import until
from tests.web.server import FAST, Server, open_server

LEAVES = invented(40)
NOW = 1_700_000_000


@pytest.fixture(scope="module")
def casino(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    tables = {"fast": {**FAST, "number": 3}}
    with open_server(tmp_path_factory.mktemp("followed") / "casino.db", tables) as server:
        visitor = server.visitor()
        visitor.join("fast")
        visitor.until(lambda: sum(e["type"] == "game_over" for e in visitor.events) > 2)
        visitor.close()
        yield server


def read_json_lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_l25_a_running_casino_is_followed_to_its_newest_checkpoint(
    casino: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    args = ["follow", casino.url, "--once", "--json", "--bots", "--state", str(tmp_path / "s")]
    assert main(args) == 0
    assert main(args) == 0
    first, second = read_json_lines(capsys)
    assert first["games"] >= 2
    assert second["leaves"] >= first["leaves"] > 100
    assert first["key"] == casino.house.service.ledger.key.public.text()
    assert [one for one in second["findings"] if one["severity"] == "error"] == []


@pytest.mark.parametrize(
    "url",
    ["http://c.example", "http://c.example/", "http://c.example/log", "http://c.example/log/"],
)
def test_l25_log_address_is_derived_from_the_casino_url(url: str) -> None:
    assert log_address(url) == "http://c.example/log/"


class LocalWitness:
    def __init__(self, folder: Path) -> None:
        self.clean = True
        self.server = WitnessServer(
            MonitorFolder(folder),
            "127.0.0.1:0",
            lambda: KEY.public,
            lambda: self.clean,
            lambda: NOW,
        )

    def post(self, request: WitnessRequest, path: str = "/add-checkpoint") -> tuple[int, str, str]:
        return send_http(f"{self.server.address}{path}", request.text().encode())

    def get(self, path: str) -> tuple[int, str, str]:
        return send_http(f"{self.server.address}{path}", None)


def send_http(address: str, body: bytes | None) -> tuple[int, str, str]:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, body), timeout=20) as answer:
            return answer.status, answer.read().decode(), answer.headers["Content-Type"]
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode(), error.headers["Content-Type"]


@pytest.fixture
def witness(tmp_path: Path) -> Iterator[LocalWitness]:
    witness = LocalWitness(tmp_path / "witness")
    yield witness
    witness.server.close()


def request(old: int, size: int) -> WitnessRequest:
    proof = consistency_proof(old, size, subtree_of(LEAVES))
    return WitnessRequest(old, proof, sign_checkpoint(KEY, size, root_of(LEAVES[:size])))


def test_l24_a_witness_cosigns_over_http_and_serves_checkpoints(witness: LocalWitness) -> None:
    status, line, _ = witness.post(request(0, 7))
    note = request(0, 7).note + line
    assert (status, cosigning_times(note, [witness.server.key.public])) == (
        200,
        {witness.server.key.name: NOW},
    )
    path = f"/{origin_hash(KEY.name)}/checkpoint"
    assert witness.get(path)[:2] == (200, note)
    assert witness.post(request(0, 40)) == (409, "7\n", "text/x.tlog.size")
    assert witness.post(request(7, 40))[0] == 200
    assert witness.get(f"/{origin_hash('other')}/checkpoint")[0] == 404
    assert witness.post(request(40, 40), "/elsewhere")[0] == 404


def test_l25_a_witness_with_findings_does_not_cosign(witness: LocalWitness) -> None:
    witness.post(request(0, 7))
    witness.clean = False
    assert witness.post(request(7, 12))[0] == 503
    witness.clean = True
    assert witness.post(request(7, 12))[0] == 200


@pytest.mark.parametrize("body", [b"", b"\xff\xfe", b"x" * 70_000])
def test_l24_malformed_witness_requests_are_refused(witness: LocalWitness, body: bytes) -> None:
    try:
        assert send_http(f"{witness.server.address}/add-checkpoint", body)[0] in (400, 413)
    except (ConnectionError, urllib.error.URLError):
        assert len(body) > 65_536, "only a flood may lose its line"
    assert witness.post(request(0, 7))[0] == 200


def test_l25_following_continues_until_a_contradiction(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {f"log/{path}": data for path, data in files_of(LEAVES[:20]).items()}
    status: list[int] = []
    with serving(files) as address:
        args = ["follow", address, "--every", "1", "--key", KEY.public.text()]

        def follow() -> None:
            status.append(main([*args, "--state", str(tmp_path / "s")]))

        thread = threading.Thread(target=follow)
        thread.start()
        until(lambda: (tmp_path / "s" / "state.json").exists())
        forked = [*LEAVES[:19], b'{"n":"other"}']
        files.update({f"log/{path}": data for path, data in files_of(forked).items()})
        thread.join(60)
    assert status == [1]
    assert "two roots of 20 leaves" in capsys.readouterr().out
