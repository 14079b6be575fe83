"""L24 end to end: a live casino, two witnesses, and a receipt with a quorum of two."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from casino.cli import main
from casino.ledger.tlog.note import PublicKey, read_receipt
from casino.ledger.tlog.witness import cosigning_times
from casino.monitor.monitor import MonitorFolder
from casino.monitor.witness_server import WitnessServer
from tests.web.processes import until
from tests.web.server import FAST, LONG_BETTING, Server, fetch, open_server


@pytest.fixture
def witnessed(tmp_path: Path) -> Iterator[tuple[list[PublicKey], Server]]:
    """Yield the keys of two witnesses, and the casino that they cosign for."""
    with open_server(tmp_path / "casino.db", {"fast": FAST}) as server:
        # The log has its key once it was opened; its witnesses must know that key.
        key = server.house.service.ledger.key.public
    witnesses = []
    for name in ("a", "b"):
        state = MonitorFolder(tmp_path / name)
        seconds = lambda: int(time.time())  # noqa: E731 - a clock is an argument
        witnesses.append(WitnessServer(state, "127.0.0.1:0", lambda: key, lambda: True, seconds))
    at = ", ".join(f"{one.address} {one.key.public.text()}" for one in witnesses)
    tables = {"fast": {**FAST, "number": 3}, "open": LONG_BETTING}
    settings = {"at": at, "quorum": 2}
    with open_server(tmp_path / "casino.db", tables, witness=settings) as server:
        yield [witness.key.public for witness in witnesses], server
    for witness in witnesses:
        witness.close()


def test_l24_a_receipt_carries_a_quorum_of_cosignatures(
    witnessed: tuple[list[PublicKey], Server], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keys, server = witnessed
    with closing(server.visitor("ann")) as visitor:
        visitor.join("open")
        bet = visitor.bet("open", "witnessed-1")["bet"]

    def cosigned() -> str:
        reply = fetch(server.url, f"/api/receipts/{bet['bet_id']}?player=ann")
        receipt = str(reply.json["receipt"]) if reply.status == 200 else ""
        seen = cosigning_times(read_receipt(receipt).note, keys) if receipt else {}
        return receipt if len(seen) == 2 else ""

    text = until(cosigned)
    file = tmp_path / "bet.tlog-proof"
    file.write_text(text)
    key = str(server.path.with_name("casino.db.pub"))
    args = ["verify-receipt", str(file), "--key", key]
    for public in keys:
        args += ["--witness", public.text()]
    assert main(args) == 0
    assert "cosigned by witness/" in capsys.readouterr().out
    assert main([*args, "--quorum", "3"]) == 2
    file.write_text("\n".join(line for line in text.split("\n") if "witness/" not in line))
    assert main([*args, "--quorum", "1"]) == 1
    assert "0 of 2 known witnesses" in capsys.readouterr().err
