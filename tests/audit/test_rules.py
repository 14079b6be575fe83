"""What the audit checks of a night beyond its arithmetic: own limits, cover, bots, numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from casino import fairness
from casino.audit import ExportSource, FileSource, Finding, audit, audit_player
from casino.audit.checks.limits import LimitsCheck
from casino.betting import Cover, close
from casino.cli.verify.audit import decide_again
from casino.ecarte import HOUSE
from casino.events import factories
from casino.events.types import BotName, Bots, GameOpened, LimitSet, OwnLimits
from casino.ledger import accounts
from casino.ledger.ledger import Ledger
from casino.ledger.transaction import Answer, Transaction
from casino.player_limits import DAY_MS
from casino.reports.export import export
from casino.table.domain import limit_state as table_limits
from casino.table.domain.commands import SetLimit
from casino.table.domain.limit_state import LimitChange
from casino.table.domain.settings import TableSettings
from casino.table.domain.state import BOT_VERSION
from tests.ledger.night import Night, Play, SimulatedClock, open_bank
from tests.ledger.sealing import wait


def found(path: Path, tmp_path: Path) -> list[Finding]:
    file = tmp_path / "export.jsonl"
    file.write_text("".join(export(path, "jsonl")))
    told = audit(FileSource(path), workers=1).findings
    assert audit(ExportSource(file), workers=1).findings == told
    return [one for one in told if one.severity == "error"]


def set_limit(bank: Ledger, name: str, key: str, value: int, later_ms: int = 0) -> None:
    def work(tx: Transaction) -> Answer:
        return {"leaf": tx.log(factories.limit_set(name, {key: value}, tx.now + later_ms))}

    wait(bank.submit(work))


LIMITS: dict[str, tuple[Callable[[int], tuple[str, int, int]], int]] = {
    "a stake": (lambda _: ("day_stake_cents", 899, 0), 1),
    "a stake that is enough": (lambda _: ("day_stake_cents", 900, 0), 0),
    "a loss": (lambda _: ("day_loss_cents", 899, 0), 1),
    "a loss that is enough": (lambda _: ("day_loss_cents", 900, 0), 0),
    "a break": (lambda now: ("break_until_ms", now + 60_000, 0), 3),
    "a break that is over": (lambda now: ("break_until_ms", now - 1, 0), 0),
    "a limit held back": (lambda _: ("day_stake_cents", 899, DAY_MS), 1),
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_bet_beyond_ones_own_limits_is_found(tmp_path: Path, name: str) -> None:
    """Three bets of 300 cents at risk: the one that a limit or a break forbids is named."""
    path, clock = tmp_path / "casino.db", SimulatedClock()
    bank = open_bank(path, clock)
    make, wrong = LIMITS[name]
    night = Night(bank, bettors=1)
    key, value, later_ms = make(clock.now_ms)
    set_limit(bank, "t1.p0", key, value, later_ms)
    play = Play(night, "t1-000001")
    play.open()
    for _ in range(3):
        play.bet("t1.p0", HOUSE, 100)
    play.void("enough")
    bank.close()
    told = [one for one in found(path, tmp_path) if one.check == "limits"]
    assert len(told) == wrong
    assert audit_player(FileSource(path), "t1.p0").findings == told
    if wrong and not later_ms:
        assert {one.game for one in told} == {"t1-000001"}
        assert "of t1.p0" in told[0].text


class Careful(Night):
    def rules(self) -> TableSettings:
        return super().rules()._replace(day_cents=600)


@pytest.mark.parametrize(("pause_ms", "wrong"), [(0, 1), (DAY_MS, 0)])
def test_l19_a_bet_beyond_the_terms_of_a_day_is_found(
    tmp_path: Path, pause_ms: int, wrong: int
) -> None:
    """What a table lets a player risk in a day is counted over all his bets of the day (UTC)."""
    path, clock = tmp_path / "casino.db", SimulatedClock()
    bank = open_bank(path, clock)
    night = Careful(bank, bettors=2)
    for number, pause in ((1, pause_ms), (2, 0)):
        play = Play(night, f"t1-00000{number}")
        play.open()
        for _ in range(3 - number):
            play.bet("t1.p0", HOUSE, 100)
        play.bet("t1.p1", HOUSE, 100)
        play.void("enough")
        clock.now_ms += pause
    bank.close()
    told = found(path, tmp_path)
    assert [one.game for one in told] == ["t1-000002"] * wrong
    for one in told:
        assert "t1.p0 could risk 900 cents in a day, by the terms 600" in one.text
        assert audit_player(FileSource(path), "t1.p0").findings[:1] == told
    assert audit_player(FileSource(path), "t1.p1").is_clean


def test_what_holds_is_what_the_table_says_holds() -> None:
    """Limits set at random times: the audit and the table fold them to the same, at any time."""
    random = Random(7)
    for _ in range(200):
        wishes: tuple[LimitChange, ...] = ()
        check, at = LimitsCheck(lambda _: 0), 0
        for _ in range(6):
            at += random.choice((1, DAY_MS >> 1, DAY_MS, DAY_MS + 1))
            key = random.choice(("day_stake_cents", "day_loss_cents", "break_until_ms"))
            value = random.choice((0, 500, 900, at + DAY_MS))
            wishes = table_limits.with_change(wishes, SetLimit("ann", key, value), at)
            said = OwnLimits(**{key: value})
            leaf = LimitSet(at=at, from_ms=wishes[-1].from_ms, limits=said, player="ann")
            assert list(check.on_event(1, leaf)) == []
            for later in (at, at + 5, at + DAY_MS - 1, at + DAY_MS):
                assert check.kept.limits["ann"].at(later) == table_limits.limits_at(wishes, later)


@pytest.mark.parametrize(("more", "wrong"), [(0, 0), (1, 1)])
def test_g7_a_cover_above_a_third_of_the_bank_is_found(
    tmp_path: Path, more: int, wrong: int
) -> None:
    """The house covers with at most a third of what its bank holds when the book closes."""
    path = tmp_path / "casino.db"
    bank = open_bank(path)
    night = Night(bank, bettors=1, cover=Cover(10**9, 0))
    play = Play(night, "t1-000001")
    play.open()
    play.bet("t1.p0", 1, 4_000)

    def closing(tx: Transaction) -> Answer:
        third, _ = divmod(tx.balance(accounts.HOUSE_BANK), 3)
        cover = Cover(third + more, 0)
        tx.log(factories.book_locked(play.game, play.book, 0, cover))
        play.closing = close(play.book, cover)
        play.book = play.closing.book
        dealer = fairness.first_dealer(play.seed, play.game, play.cut_hex)
        tx.log(factories.betting_closed(play.game, play.cut_hex, (), play.closing, dealer))
        for move in play.closing.moves:
            tx.post(accounts.escrow_entry(play.game, *move))
        return {}

    play.submit(closing)
    play.void("enough")
    bank.close()
    told = found(path, tmp_path)
    assert [(one.check, one.game) for one in told] == [("cover", "t1-000001")] * wrong


@pytest.mark.parametrize(("offered_cents", "is_wrong"), [(3_000, False), (2_999, True), (0, True)])
def test_a_cover_above_what_the_challenger_offered_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, offered_cents: int, is_wrong: bool
) -> None:
    """No house can have a person cover bets that they did not offer to cover."""
    opened = factories.game_opened

    def other(*given: Any, **more: Any) -> GameOpened:
        return replace(opened(*given, **more), cover_cents=offered_cents)

    monkeypatch.setattr(factories, "game_opened", other)
    path = tmp_path / "casino.db"
    bank = open_bank(path)
    Night(bank, bettors=3, cover=Cover(50_000, 3_000)).play_game()
    bank.close()
    told = [(one.check, one.game, one.text) for one in found(path, tmp_path)]
    text = f"the challenger covers 3000 cents, but offered {offered_cents}"
    assert told == [("cover", "t1-000001", text)] * is_wrong


@pytest.mark.parametrize(
    ("bot", "text"),
    [
        (BotName(name="novice", strength="", version="1"), "this program has no bot novice 1,"),
        (BotName(name="novice", strength="9", version="2"), "this program has no bot novice 2 9,"),
        (BotName(name="nobody", strength="", version="2"), "this program has no bot nobody 2,"),
        (
            BotName(name="regle", strength="", version=BOT_VERSION),
            "plays for the house, whose player",
        ),
        (None, "no bot is named that plays for the house"),
    ],
)
def test_a_bot_of_another_version_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bot: BotName | None, text: str
) -> None:
    """A bot is its name, version and strength; a house without a bot cannot be checked."""
    opened = factories.game_opened

    def other(*given: Any, **more: Any) -> GameOpened:
        return replace(opened(*given, **more), bots=Bots(house=bot))

    monkeypatch.setattr(factories, "game_opened", other)
    path = tmp_path / "casino.db"
    bank = open_bank(path)
    Night(bank, bettors=1).play_game()
    bank.close()
    findings = audit(FileSource(path), decide=decide_again, workers=1).findings
    told = [one for one in findings if one.check != "silence"]
    assert {(one.check, one.game) for one in told} == {("bots", "t1-000001")}
    assert any(text in one.text for one in told)
    another = bot is not None and bot.name != "novice"
    assert any("plays for the house, whose player is novice" in one.text for one in told) == another


@pytest.mark.parametrize("game", ["t1-²", "t1-" + "9" * 5000, "t1-", "t1-x", "t2-000001", "²"])
def test_a_game_of_a_strange_number_is_found(tmp_path: Path, game: str) -> None:
    """A game's number is one that grows, whatever digits there are."""
    path = tmp_path / "casino.db"
    bank = open_bank(path)
    play = Play(Night(bank, bettors=0), game)
    play.open()
    bank.close()
    told = found(path, tmp_path)
    assert any("opens where t1-000001 must" in one.text for one in told)
