"""Audits of whole runs: bots, terms, abandoned games, clock jumps, early closings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, islice
from pathlib import Path
from random import Random
from signal import SIG_BLOCK, SIGINT, pthread_sigmask
from typing import cast

import msgspec
import pytest
from msgspec.structs import replace

from casino.audit import FileSource, audit, pipeline
from casino.audit.check import ERROR, NOTE, WARNING, Finding, GameLeaf
from casino.audit.check import Game as Checked
from casino.audit.checks.timing import SILENT_GAMES, SILENT_MS, TimingCheck
from casino.audit.pipeline import AuditPipeline, PipelineState, job_runner
from casino.cli.verify.audit import decide_again
from casino.ecarte import LEADING, Action, View, cards_in
from casino.events.types import BettingClosed, BotName, GameVoid
from casino.fairness import SeededRandom
from casino.ledger import accounts
from casino.ledger.entries import Leaf, RunStarted, RunStopped, canonical
from casino.ledger.storage.base import StoredLeaf
from casino.ledger.transaction import Answer, Transaction
from casino.reports.export import export
from casino.table.domain.settings import PaceSettings
from tests.audit.leaf_builders import bet, entry, locked, opened, terms
from tests.ledger.game_simulator import GameSimulator, SimulatedClock, open_ledger, wait
from tests.ledger.grants import REFILL
from tests.table.casino_harness import CasinoHarness, plan


def choose_differently(
    _: BotName, view: View, legal: Sequence[Action], draws: SeededRandom
) -> Action:
    from casino.bots import get_bot

    if view.phase == LEADING:
        return cards_in(view.hand)[-1]
    return get_bot("novice").choose(view, legal, cast("Random", draws))


def test_l_audit_4_bot_that_decides_differently_is_found(played: Path) -> None:
    report = audit(FileSource(played), decide=choose_differently, workers=1)
    found = [finding for finding in report.findings if finding.check == "bots"]
    assert found
    assert "but its decision is" in found[0].text
    assert found[0].game is not None


def resumed(leaves: Sequence[StoredLeaf], step: int) -> AuditPipeline:
    """Audit leaves in steps, each with a pipeline that resumes from the JSON of the last one."""
    pipeline = AuditPipeline(decide_again)
    for first in range(0, len(leaves), step):
        if first:
            saved = msgspec.json.encode(pipeline.state())
            pipeline = AuditPipeline(decide_again)
            pipeline.resume(msgspec.json.decode(saved, type=PipelineState))
        pipeline.feed(leaves[first : first + step])
        pipeline.drain()
    pipeline.finish()
    return pipeline


def test_resumed_audit_finds_the_same(played: Path) -> None:
    leaves = list(FileSource(played).rows())
    once, often = resumed(leaves, len(leaves)), resumed(leaves, 7)
    assert sorted(map(str, often.findings)) == sorted(map(str, once.findings))
    assert often.ledger.all_balances() == once.ledger.all_balances()
    assert (often.games, often.running.unfinished()) == (once.games, {"t1-000006"})


def test_two_workers_give_the_same_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("casino.audit.audits._SMALL", 0)
    monkeypatch.setattr("casino.audit.source.CHUNK", 64)
    path = tmp_path / "casino.db"
    bank = open_ledger(path, SimulatedClock())

    def many(tx: Transaction) -> Answer:
        for number in range(300):
            tx.post(accounts.grant(f"p{number % 10}", 5, REFILL))
        return {}

    night = GameSimulator(bank, bettors=2)
    night.play_game()
    wait(bank.submit(many, "many", b""))
    night.play_game()
    night.play_game("open")
    bank.close()
    one, two = (audit(FileSource(path), workers=workers) for workers in (1, 2))
    assert one == two
    with job_runner(2) as start_job:  # Ctrl-C is for the main process only
        assert start_job(pthread_sigmask, SIG_BLOCK, ())() == {SIGINT}
    assert [finding.check for finding in one.findings] == ["unfinished"]
    assert one.leaves > 300


def audited_leaves(leaves: Iterable[Leaf]) -> AuditPipeline:
    """Audit leaves that need not make a whole log."""
    pipeline = AuditPipeline(None)
    pipeline.feed([StoredLeaf(n, canonical(leaf)) for n, leaf in enumerate(leaves)])
    pipeline.finish()
    return pipeline


def test_l18_an_entry_of_a_game_that_never_opened_is_found() -> None:
    hold = entry(1, "hold", ("escrow/t1-000001/ann", 5), ("wallet/ann", -5), game="t1-000001")
    texts = [one.text for one in audited_leaves([hold]).findings]
    assert any("expected game_opened, not" in text for text in texts), texts


LATER_MS = 4 * 3_600_000
STOP, START = RunStopped(at=2), RunStarted(at=LATER_MS)
LOCKED_LATER = replace(locked(1, 0), at=LATER_MS)
VOID = GameVoid(at=2, game="t1-000001", reason="enough")


@pytest.mark.parametrize(
    ("leaves", "is_found"),
    [
        ([LOCKED_LATER], True),
        ([VOID, replace(opened(2), at=LATER_MS)], False),
        ([STOP, START, LOCKED_LATER], False),
    ],
    ids=["in a game", "between games", "between runs"],
)
def test_l20_time_jump_during_a_game_is_a_warning(leaves: list[Leaf], is_found: bool) -> None:
    audited = audited_leaves([replace(opened(1), at=1), *leaves])
    text = "time jumps ahead by 239 minutes during a game"
    assert [one for one in audited.findings if one.check == "time"] == [
        Finding("time", text, 1, "t1-000001", severity=WARNING)
    ] * is_found


def test_many_warnings_do_not_stop_the_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "MAX_FINDINGS", {ERROR: 20, WARNING: 2, NOTE: 2})
    jumps = [replace(locked(1, 0), at=n * LATER_MS) for n in range(1, 6)]
    last = replace(bet("house"), at=jumps[-1].at)
    audited = audited_leaves([replace(opened(1), at=1), *jumps, last])
    said = [one.text for one in audited.findings]
    assert sum("time jumps" in text for text in said) == 2
    assert "'house' cannot be a player's name" in said
    assert "3 more are not listed" in said
    assert not audited.is_full


PACE = PaceSettings(betting_ms=20_000, reveal_ms=4_000)
EARLY = "the book was open for 19999 ms, but its terms give 20000"
SHORT_REVEAL = "ben had {} ms to open a text, the terms give {}"


def waited(
    number: int, table: str = "t1", shut: bool = False, ms: int = SILENT_MS, open_ms: int = 20_000
) -> Checked:
    """Return a game that waited for ben's text, which ben may have left shut."""
    name, lock_ms = f"{table}-{number:06}", 1 + open_ms
    leaves = [
        replace(opened(number, table), at=1),
        replace(bet("ben", at=1, game=name), seal="0" * 64),
        replace(locked(number, 0, table), at=lock_ms),
        BettingClosed(
            at=lock_ms + ms, cut="", first_dealer="house", game=name, matched_cents=0,
            withheld=(1,) * shut,
        ),
    ]  # fmt: skip
    rows = [GameLeaf(n, leaf) for n, leaf in enumerate(leaves)]
    return Checked(name, rows, [terms(1, table, pace=PACE)])


def pace_warnings(*games: Checked) -> list[str]:
    leaves: list[Leaf] = [replace(terms(1, pace=PACE), at=1)]
    for game in games:
        leaves += [row.leaf for row in game.rows]
        leaves.append(GameVoid(at=game.rows[-1].leaf.at, game=game.name, reason="enough"))
    found = [one for one in audited_leaves(leaves).findings if one.check == "pace"]
    assert all(one.severity == WARNING and one.game == games[-1].name for one in found)
    return [one.text for one in found]


@pytest.mark.parametrize(
    ("open_ms", "waited_ms", "opens", "said"),
    [
        (20_000, 4_000, True, []),
        (20_000, 4_000, False, []),
        (20_000, 0, True, []),
        (19_999, 0, True, [EARLY]),
        (20_000, 3_999, False, [SHORT_REVEAL.format(3_999, 4_000)]),
        (19_999, 3_999, False, [EARLY, SHORT_REVEAL.format(3_999, 4_000)]),
    ],
)
def test_l19_early_closing_is_a_warning(
    open_ms: int, waited_ms: int, opens: bool, said: list[str]
) -> None:
    assert pace_warnings(waited(1, shut=not opens, ms=waited_ms, open_ms=open_ms)) == said


def test_silent_player_gets_shorter_reveal_time() -> None:
    games = waited(1, shut=True, ms=4_000), waited(2, shut=True), waited(3, shut=True, ms=999)
    assert pace_warnings(*games) == [SHORT_REVEAL.format(999, SILENT_MS)]


def test_silence_expires_after_games_at_that_table() -> None:
    paces = TimingCheck()

    def found(*games: Checked) -> int:
        return sum(len(list(paces.on_game(game))) for game in games)

    assert found(waited(1, shut=True, ms=4_000)) == 0
    games = [waited(number) for number in range(2, SILENT_GAMES + 1)]
    assert found(*games, waited(90, shut=True)) == 0
    assert found(waited(91, "t2", shut=True)) == 1
    assert found(*(waited(number) for number in range(92, 92 + SILENT_GAMES))) == 0
    assert paces.silent == {"t1": {}, "t2": {"ben": 1}}
    assert found(waited(200, shut=True)) == 1


def harness_in_a_game(path: Path) -> CasinoHarness:
    harness = CasinoHarness(path, [plan(spectators=3)])
    for player in harness.runner.crowd.names:
        harness.chips(player)
    harness.house.run_headless(2)
    harness.advance(steps=12)
    assert harness.state.running is not None
    return harness


def test_audit_of_running_casino_is_clean(tmp_path: Path) -> None:
    path = tmp_path / "casino.db"
    harness = harness_in_a_game(path)
    source = FileSource(path)
    size = source.size

    def meanwhile(_: int) -> None:
        harness.house.run_headless(2)
        harness.advance(steps=12)

    report = audit(source, meanwhile, workers=1, decide=decide_again)
    harness.house.close()
    assert [one.text for one in report.findings if one.severity == "error"] == []
    assert report.leaves == size < FileSource(path).size


def test_export_of_running_casino_is_a_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "casino.db"
    harness = harness_in_a_game(path)
    still = list(export(path, "hledger"))
    running = export(path, "hledger")
    begun = list(islice(running, 3))
    harness.house.run_headless(2)
    assert list(chain(begun, running)) == still
    harness.house.close()
