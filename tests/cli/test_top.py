"""`casino top`: a casino's metrics in the terminal."""

from __future__ import annotations

import pytest

from casino.cli import main
from casino.cli.host.top import parse_samples, render
from tests.ledger.tile_server import serving

FIGURES = """
casino_bets_total{table="t1"} 10.0
casino_bets_total{table="t2"} 5.0
casino_games_total{how="finished",table="t1"} 4.0
casino_refusals_total{code="rate_limited"} 7.0
casino_takes_bets 1.0
casino_people 3.0
casino_lines 9.0
casino_connections 12.0
casino_watching{table="t1"} 8.0
casino_queue_length 2.0
casino_commit_seconds_count 4.0
casino_commit_seconds_sum 0.02
casino_answer_seconds_count 0.0
casino_answer_seconds_sum 0.0
process_resident_memory_bytes 1.048576e+08
process_open_fds 30.0
"""


def test_top_once_prints_the_metrics(capsys: pytest.CaptureFixture[str]) -> None:
    with serving({"metrics": FIGURES.encode()}) as url:
        assert main(["top", url, "--once"]) == 0
    said = capsys.readouterr().out
    for found in (
        "signed in 3   sockets 9   connections 12   memory 100 MiB   descriptors 30",
        "in all: bets 15   games 4",
        "mean: commit 5.0 ms   answer -   send -",
        "queue 2",
        "bets are taken   not audited yet",
        "refused rate_limited: 7",
        "table t1: 8 watching",
    ):
        assert found in said


@pytest.mark.parametrize(
    ("findings", "said"), [(0, "is clean"), (3, "has 3 FINDINGS"), (-1, "FAILED: see the log")]
)
def test_top_shows_the_last_audit(findings: int, said: str) -> None:
    assert said in render(parse_samples(f"casino_audit_findings {findings}.0\n"), {}, 1)
    assert "bets are" not in render(parse_samples("casino_people 3.0\n"), {}, 1)
