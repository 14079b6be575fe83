"""Somebody else's auditor, in another language, written from docs/log.md: it must agree."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from casino.audit import ExportSource, audit
from casino.betting import BettingRules, Cover
from casino.ledger.ledger import Ledger
from casino.reports.export import export
from tests.ledger.night import Night, SimulatedClock

VERIFIER = Path(__file__).parent / "verifier.mjs"

LAWS = [
    BettingRules(),
    BettingRules(matching="last_in_first_out", commission_base="gross"),
    BettingRules(gallery_stakes="single", commission_bp=333, principal_commission_bp=250),
]


def verified(file: Path) -> tuple[int, str]:
    if shutil.which("node") is None:
        pytest.skip("node is not installed: apt-get install nodejs")
    line = ["node", str(VERIFIER), str(file)]
    run = subprocess.run(line, capture_output=True, text=True, check=False, timeout=120)
    return run.returncode, run.stdout + run.stderr


def written(lines: list[str], folder: Path) -> Path:
    file = folder / "export.jsonl"
    file.write_text("".join(lines), "utf-8")
    return file


@pytest.mark.parametrize("laws", LAWS)
@pytest.mark.parametrize("cover", [Cover(), Cover(50_000, 50_000)])
def test_an_independent_verifier_agrees(tmp_path: Path, laws: BettingRules, cover: Cover) -> None:
    path = tmp_path / "casino.db"
    bank = Ledger(path, SimulatedClock())
    night = Night(bank, seed=5, gallery=laws, cover=cover, bettors=7)
    for _ in range(4):
        night.play_game()
    night.play_game("void")
    night.play_game("open")
    bank.close()
    file = written(list(export(path, "jsonl")), tmp_path)
    status, out = verified(file)
    assert status == 0, out
    report = audit(ExportSource(file), workers=1)
    assert report.is_clean
    assert report.root in out
    assert f"{report.leaves} leaves, {report.games} games, {report.entries} entries" in out


def forged(lines: list[str], kind: str, change: Callable[[dict[str, object]], object]) -> list[str]:
    for at, line in enumerate(lines):
        outer = orjson.loads(line)
        leaf = orjson.loads(outer.get("leaf", "{}"))
        if leaf.get("type") == kind:
            change(leaf)
            outer["leaf"] = orjson.dumps(leaf, option=orjson.OPT_SORT_KEYS).decode()
            return [*lines[:at], orjson.dumps(outer).decode() + "\n", *lines[at + 1 :]]
    raise AssertionError(f"no leaf of type {kind}")


@pytest.mark.parametrize(
    ("kind", "change", "said"),
    [
        ("bet", lambda leaf: leaf.update(unit_cents=101), "not what was paid"),
        (
            "turned_up",
            lambda leaf: leaf.update(card="7S" if leaf["card"] != "7S" else "8S"),
            "deck",
        ),
        ("terms", lambda leaf: leaf.update(stake_cents=7), "not what was paid"),
        ("game_over", lambda leaf: leaf.update(exchanges=["7S"] * 9), "exchanges"),
        ("game_over", lambda leaf: leaf.update(server_seed="0" * 64), "committed"),
        ("cut_opened", lambda leaf: leaf.update(text="x"), "seal"),
        ("betting_closed", lambda leaf: leaf.update(withheld=[]), "texts"),
        ("book_locked", lambda leaf: leaf.update(seals=9), "lock"),
        ("seed_chain", lambda leaf: leaf.update(anchor="0" * 64), "chain"),
        ("game_opened", lambda leaf: leaf.update(commitment="0" * 64), "committed"),
        ("game_over", lambda leaf: leaf.update(stake=7), "result"),
        ("entry", lambda leaf: leaf.update(postings=[["treasury", 5]]), "balance"),
        ("betting_closed", lambda leaf: leaf.update(matched_cents=1), "matching"),
        ("dealt", lambda leaf: leaf.update(dealer="x"), "root"),
    ],
)
def test_an_independent_verifier_finds_what_ours_finds(
    played: Path,
    tmp_path: Path,
    kind: str,
    change: Callable[[dict[str, object]], object],
    said: str,
) -> None:
    file = written(forged(list(export(played, "jsonl")), kind, change), tmp_path)
    status, out = verified(file)
    assert status == 1
    assert said in out
    assert "the root is another" in out
    assert not audit(ExportSource(file), workers=1).is_clean
