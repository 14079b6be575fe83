"""`casino follow`: audit a running casino, cosign its checkpoints, detect contradictions."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from casino.cli import main
from casino.cli.verify.follow import MonitorLoop, log_address
from casino.ledger.side_files import CasinoFiles
from casino.ledger.storage.location import open_log
from casino.ledger.tlog.note import PublicKey
from casino.ledger.tlog.witness import WitnessRequest, cosigning_times
from casino.monitor.monitor import LogMonitor, MonitorFolder
from casino.monitor.tile_client import TileClient
from casino.monitor.witness_server import WitnessServer, origin_hash
from tests.ledger.game_simulator import open_ledger
from tests.ledger.test_witnesses import LEAVES, LOG, NOW, request
from tests.ledger.tile_server import KEY, files_of, serving
from tests.web.processes import until
from tests.web.server import FAST, Reply, Server, fetch, open_server


@pytest.fixture(scope="module")
def casino(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    tables = {"fast": {**FAST, "number": 3}}
    with open_server(tmp_path_factory.mktemp("followed") / "casino.db", tables) as server:
        visitor = server.visitor()
        visitor.join("fast")
        visitor.until(lambda: sum(e["type"] == "game_over" for e in visitor.events) > 2)
        visitor.close()
        yield server


def test_l25_a_running_casino_is_followed_to_its_newest_checkpoint(
    casino: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    args = ["follow", casino.url, "--once", "--json", "--bots", "--state", str(tmp_path / "s")]
    assert main(args) == 0
    assert main(args) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["games"] >= 2
    assert second["leaves"] >= first["leaves"] > 100
    assert first["key"] == casino.house.service.ledger.key.public.text()
    assert [one for one in second["findings"] if one["severity"] == "error"] == []
    assert main([*args, "--key", first["key"]]) == 0
    assert json.loads(capsys.readouterr().out)["key_from"] == "--key"
    assert main([*args, "--peer", casino.url]) == 2
    assert "no follower of this log serves it at http" in capsys.readouterr().err


@pytest.mark.parametrize(
    "url",
    ["http://c.example", "http://c.example/", "http://c.example/log", "http://c.example/log/"],
)
def test_l25_log_address_is_derived_from_the_casino_url(url: str) -> None:
    assert log_address(url) == "http://c.example/log/"


def test_l25_a_state_folder_has_one_follower(tmp_path: Path) -> None:
    state = tmp_path / "w"
    with MonitorFolder(state).lock():
        args = ["follow", "http://127.0.0.1:9", "--key", KEY.public.text(), "--state", str(state)]
        second = subprocess.run(
            [sys.executable, "-m", "casino", *args], capture_output=True, text=True
        )
    refusal = f"{state} is in use: stop the follower that uses it, or choose another --state"
    assert (second.returncode, second.stderr) == (2, f"casino: {refusal}\n")


def test_l25_the_follower_reports_only_changes_and_new_keys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, files = tmp_path / "casino.db", dict[str, bytes]()

    def show() -> PublicKey:
        open_ledger(path).close()
        key = CasinoFiles(path).load_key()
        leaves = [leaf.body for leaf in open_log(path).leaves()]
        files.update(files_of(leaves, key))
        return key.public

    show()
    with serving(files) as address, closing(TileClient(address, time.sleep)) as remote:
        folder = MonitorFolder(tmp_path / "s")
        follower = LogMonitor(remote, None, None, ((), 0), folder.keep_evidence, workers=1)
        watch = MonitorLoop(follower, folder, [], False, set())
        watch.once()
        watch.once()
        assert capsys.readouterr().out.count("\n") == 1
        open_ledger(path).rotate_key()
        newest = show().text()
        watch.once()
    rotated, verdict = capsys.readouterr().out.splitlines()
    assert rotated == f"the log has a new key, {newest}, signed with the former one"
    assert verdict.startswith("CLEAN: ") and newest in verdict


class LocalWitness:
    def __init__(self, folder: Path) -> None:
        self.clean = True
        self.folder = MonitorFolder(folder)
        self.server = WitnessServer(
            self.folder, "127.0.0.1:0", lambda: LOG.public, lambda: self.clean, lambda: NOW
        )

    def post(self, request: WitnessRequest, path: str = "/add-checkpoint") -> Reply:
        return fetch(self.server.address, path, request.text().encode())


@pytest.fixture
def witness(tmp_path: Path) -> Iterator[LocalWitness]:
    witness = LocalWitness(tmp_path / "witness")
    yield witness
    witness.server.close()


def test_l24_a_witness_cosigns_over_http_and_serves_checkpoints(witness: LocalWitness) -> None:
    path = f"/{origin_hash(LOG.name)}/checkpoint"
    witness.folder.write("checkpoint", b"proved")
    assert fetch(witness.server.address, path).text == "proved"
    reply = witness.post(request(0, 7))
    note = request(0, 7).note + reply.text
    key = witness.server.key
    assert (reply.status, cosigning_times(note, [key.public])) == (200, {key.name: NOW})
    served = fetch(witness.server.address, path)
    assert (served.status, served.text) == (200, note)
    stale = witness.post(request(0, 40))
    assert (stale.status, stale.text) == (409, "7\n")
    assert stale.headers["Content-Type"] == "text/x.tlog.size"
    assert witness.post(request(7, 40)).status == 200
    other = f"/{origin_hash('other')}/checkpoint"
    assert fetch(witness.server.address, other).status == 404
    assert witness.post(request(40, 40), "/elsewhere").status == 404


def test_l25_a_witness_with_findings_does_not_cosign(witness: LocalWitness) -> None:
    witness.post(request(0, 7))
    witness.clean = False
    assert witness.post(request(7, 12)).status == 503
    witness.clean = True
    assert witness.post(request(7, 12)).status == 200


@pytest.mark.parametrize("body", [b"", b"\xff\xfe", b"x" * 70_000])
def test_l24_malformed_witness_requests_are_refused(witness: LocalWitness, body: bytes) -> None:
    try:
        assert fetch(witness.server.address, "/add-checkpoint", body).status in (400, 413)
    except ConnectionError:
        assert len(body) > 65_536, "only a flood may lose its line"
    assert witness.post(request(0, 7)).status == 200


def test_l25_following_continues_until_a_contradiction(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {f"log/{path}": data for path, data in files_of(LEAVES[:20]).items()}
    with serving(files) as address, ThreadPoolExecutor() as pool:
        args = ["follow", address, "--every", "1", "--key", KEY.public.text()]
        status = pool.submit(main, [*args, "--state", str(tmp_path / "s")])
        until(lambda: (tmp_path / "s" / "state.json").exists())
        forked = [*LEAVES[:19], b'{"n":"other"}']
        files.update({f"log/{path}": data for path, data in files_of(forked).items()})
        assert status.result(60) == 1
    assert re.search("two roots of 20 leaves(.*\n)+NOT CLEAN: 20 leaves, ", capsys.readouterr().out)
