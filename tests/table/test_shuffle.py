"""The cut at the table: refusals, the lock, and the cost of silence (G16)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from casino.ecarte import CHALLENGER, HOUSE
from casino.events.types import BettingClosed, BookLocked, SeedChain
from casino.ledger.entries import Entry
from casino.table.domain.commands import (
    BeginChain,
    CloseBetting,
    CloseReveals,
    DealCards,
    OpenCut,
    PlaceBet,
    SealCut,
    TableCommand,
    VoidGame,
)
from casino.table.domain.handlers import decide
from casino.table.domain.state import TableState, Transitions, running_game
from tests.naive import fair as naive
from tests.table.casino_harness import seal_of, text_of
from tests.table.test_decide import BETTING, BOT_BETTING, GAME, IDLE, after, outcome, stub_context


def bet(player: str, side: int = HOUSE, unit: int = 300, with_seal: bool = True) -> PlaceBet:
    sealed = seal_of(player) if with_seal else None
    return PlaceBet("t1", GAME, f"b{player}{unit}{side}", player, side, unit, sealed)


def opens(player: str, what: str = "") -> OpenCut:
    return OpenCut("t1", GAME, player, what or text_of(player))


CUT = SealCut("t1", GAME, "ann", seal_of("ann"))
OTHER_SEAL = replace(bet("ben", unit=400), seal="0" * 64)
LOCK, TIME_UP = CloseBetting("t1", GAME), CloseReveals("t1", GAME)
SEALED = after(BETTING, CUT, bet("ben"), bet("cy", CHALLENGER, 500))
UNSEALED = after(BETTING, bet("ben", with_seal=False))
LOCKED = after(SEALED, LOCK)
ONE_OPEN = after(LOCKED, opens("ben"))
SILENT_CY = after(LOCKED, opens("ann"), opens("ben"), TIME_UP)
FULL = BETTING._replace(
    running=running_game(BETTING)._replace(seals=tuple(running_game(SEALED).seals[:1]) * 256)
)

TABLE: list[tuple[str, TableState, TableCommand, str]] = [
    ("the challenger seals", BETTING, CUT, "CutSealed"),
    ("the challenger seals twice the same", SEALED, CUT, ""),
    ("the challenger seals another", SEALED, replace(CUT, seal="0" * 64), "already_sealed"),
    ("a bettor's seal without a bet", BETTING, replace(CUT, player="ben"), "not_your_turn"),
    ("a bot seals nothing", BOT_BETTING, replace(CUT, player="novice"), "not_your_turn"),
    ("no seal", BETTING, replace(CUT, seal="x"), "bad_request"),
    ("a seal of another game", BETTING, replace(CUT, game="t1-000002"), "unknown_game"),
    ("a seal too late", after(BETTING, bet("ben"), LOCK), CUT, "betting_closed"),
    ("a bet with its seal", BETTING, bet("ben"), "BetAccepted"),
    ("a bet without one", BETTING, bet("ben", with_seal=False), "BetAccepted"),
    ("a bet with no seal at all", BETTING, replace(bet("ben"), seal="A" * 64), "bad_request"),
    ("more with the same seal", SEALED, bet("ben", unit=400), "BetAccepted"),
    ("a second seal with more", SEALED, OTHER_SEAL, "already_sealed"),
    (
        "the other side, with another seal",
        SEALED,
        replace(OTHER_SEAL, side=CHALLENGER),
        "wrong_side",
    ),
    ("more without a seal", SEALED, bet("ben", unit=400, with_seal=False), "BetAccepted"),
    ("a seal with the second bet", UNSEALED, bet("ben", unit=400), "already_sealed"),
    ("a refused bet seals nothing", BETTING, bet("ben", unit=1), "below_minimum"),
    ("the 257th seal", FULL, bet("ben"), "cuts_full"),
    ("the 257th without one", FULL, bet("ben", with_seal=False), "BetAccepted"),
    ("a bet after the lock", LOCKED, bet("dee"), "betting_closed"),
    ("the lock waits for texts", SEALED, LOCK, "BookLocked"),
    ("the lock comes once", LOCKED, LOCK, "betting_closed"),
    ("a text before the lock", SEALED, opens("ben"), "not_locked"),
    ("a text", LOCKED, opens("ben"), "CutOpened"),
    ("the same text again", ONE_OPEN, opens("ben"), ""),
    ("another text", LOCKED, opens("ben", text_of("cy")), "wrong_text"),
    ("a text that nobody can seal", LOCKED, opens("ben", "x"), "wrong_text"),
    ("another's text", LOCKED, opens("dee", text_of("ben")), "wrong_text"),
    ("the last text", after(ONE_OPEN, opens("ann")), opens("cy"), "CutOpened BettingClosed"),
    ("no deal before the closing", LOCKED, DealCards("t1", LOCKED.turn), "not_your_turn"),
    ("time is up", LOCKED, TIME_UP, "BettingClosed"),
    ("time is up before the lock", SEALED, TIME_UP, "not_locked"),
    ("time is up twice", SILENT_CY, TIME_UP, "betting_closed"),
    ("a text that comes late", SILENT_CY, opens("cy"), "CutLate"),
    ("a late one twice", after(SILENT_CY, opens("cy")), opens("cy"), "betting_closed"),
    ("a late one of who was in time", SILENT_CY, opens("ben"), "betting_closed"),
    ("a late one that does not fit", SILENT_CY, opens("cy", text_of("ben")), "wrong_text"),
    ("a text of no game", IDLE, opens("ben"), "betting_closed"),
    ("void before the closing", ONE_OPEN, VoidGame("t1", GAME, "a fault"), "GameVoid"),
    ("a chain of seeds", IDLE, BeginChain("t1", "1" * 64, 5, "lost"), "SeedChain"),
    ("no chain within a game", BETTING, BeginChain("t1", "0" * 64, 5), "seat_taken"),
]


@pytest.mark.parametrize(("state", "command", "due"), [row[1:] for row in TABLE],
                         ids=[row[0] for row in TABLE])  # fmt: skip
def test_cut_command_yields_events_or_refusal(
    state: TableState, command: TableCommand, due: str
) -> None:
    assert outcome(state, command) == due


def moved(steps: Transitions) -> dict[str, int]:
    found: dict[str, int] = {}
    for step in steps:
        for account, cents in step.event.postings if isinstance(step.event, Entry) else ():
            found[account] = found.get(account, 0) + cents
    return {account: cents for account, cents in found.items() if cents}


def test_lock_counts_bets_and_holds_cover() -> None:
    steps = decide(SEALED, LOCK, stub_context())
    locked = steps[0].event
    assert isinstance(locked, BookLocked)
    assert (locked.bets, locked.seals) == (2, 3)
    assert (locked.cover.house_cents, locked.cover.challenger_cents) == (50_000, 700)
    assert moved(steps) == {
        "house/bank": -1500,
        f"escrow/{GAME}/house": 1500,
        "wallet/ann": -900,
        f"escrow/{GAME}/ann": 900,
    }


def test_cut_combines_all_revealed_texts() -> None:
    closed = after(LOCKED, opens("cy"), opens("ann"), opens("ben"))
    running = running_game(closed)
    assert running.cut == naive.cut_of([text_of("ann"), text_of("ben"), text_of("cy")])
    assert sorted(running.texts) == [
        (n, text_of(name)) for n, name in enumerate(["ann", "ben", "cy"], 1)
    ]
    assert running.book.stake_cents == 1_000
    assert (closed.late, closed.silences) == ({}, {})
    assert running.unrevealed == ()


def test_g16_silent_bettor_gets_bets_back() -> None:
    steps = decide(after(LOCKED, opens("ann"), opens("ben")), TIME_UP, stub_context())
    closed = steps[0].event
    assert isinstance(closed, BettingClosed)
    assert (closed.withheld, closed.matched_cents) == ((3,), 300)
    closing = running_game(steps[0].after).closing
    assert closing is not None
    assert closing.returned == (2,)
    assert [(*stand.bet[1:], stand.matched_cents) for stand in closing.stands] == [
        ("ben", HOUSE, 300, 300),
        ("cy", CHALLENGER, 500, 0),
        ("ann", CHALLENGER, 300, 300),
    ]
    assert moved(steps) == {
        "house/bank": 1500,
        f"escrow/{GAME}/house": -1500,
        "wallet/cy": 1500,
        f"escrow/{GAME}/cy": -1500,
    }
    state = steps[-1].after
    assert [one.player for one in state.late[GAME][1]] == ["cy"]
    assert state.silences == {"cy": (True,)}
    assert [one.player for one in running_game(state).unrevealed] == ["cy"]


def test_g16_silent_challenger_plays_without_stake() -> None:
    steps = decide(after(LOCKED, opens("ben"), opens("cy")), TIME_UP, stub_context())
    closed = steps[0].event
    assert isinstance(closed, BettingClosed)
    closing = running_game(steps[0].after).closing
    assert closing is not None
    assert (closed.withheld, closing.returned) == ((1,), ())
    # Of the cover held, the house needs 200: 300 on the house against 500 on the challenger.
    assert moved(steps) == {
        "house/bank": 3000 + 900,
        f"escrow/{GAME}/house": -3900,
        "wallet/ann": 3000 + 900,
        f"escrow/{GAME}/ann": -3900,
    }
    assert running_game(steps[-1].after).book.stake_cents == 0


def test_void_between_lock_and_closing_refunds_everything() -> None:
    steps = decide(ONE_OPEN, VoidGame("t1", GAME, "a fault"), stub_context())
    back = {who: cents for who, cents in moved(steps).items() if who.startswith("escrow")}
    assert back == {
        f"escrow/{GAME}/house": -3000 - 1500,
        f"escrow/{GAME}/ann": -3000 - 900,
        f"escrow/{GAME}/ben": -900,
        f"escrow/{GAME}/cy": -1500,
    }


def test_silence_expires_after_twenty_sealed_games() -> None:
    state = SILENT_CY
    for _ in range(20):
        assert "cy" in state.silences
        fresh = SEALED._replace(silences=state.silences)
        state = after(fresh, LOCK, opens("ann"), opens("ben"), opens("cy"))
    assert state.silences == {}


def test_new_chain_gets_next_number() -> None:
    state = after(IDLE._replace(number=7), BeginChain("t1", "ab" * 32, 5, "lost"))
    assert state.chain is not None
    assert state.chain[:] == (2, 5, "ab" * 32, 8)
    assert state.next_seed_position == (2, 1)
    again = decide(state, BeginChain("t1", "ab" * 32, 5), stub_context())
    assert again == ()  # its first answer was lost
    first = decide(TableState(IDLE.rules), BeginChain("t1", "cd" * 32, 9), stub_context())[0].event
    assert isinstance(first, SeedChain)
    assert (first.chain, first.length, first.reason) == (1, 9, None)
