"""Every command and every refusal of `decide`, as tables of cases."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from casino.betting import BetSizeLimits
from casino.ecarte import (
    ACCEPT,
    CHALLENGER,
    CONCEDE,
    EXPOSE,
    FOLLOWING,
    HOUSE,
    NO_SEAT,
    PROPOSE,
    STAND,
    Laws,
    cards_in,
    legal_actions,
    legal_replies,
    parse_token,
)
from casino.ecarte.observation.view import is_revoke_proved, view
from casino.errors import RefusalReason, Refused
from casino.events.types import SIDES, ActionTaken, Event, GameOver, PackDealt
from casino.ledger.accounts import MAX_NAME_LENGTH
from casino.ledger.entries import Entry
from casino.table.domain.commands import (
    CloseBetting,
    DealCards,
    LeaveSeat,
    OpenGame,
    PlaceBet,
    PlayAction,
    PlayBotActions,
    TableCommand,
    TakeSeat,
    TimeOutPlayer,
    VoidGame,
)
from casino.table.domain.handlers import decide, play
from casino.table.domain.settings import TableSettings
from casino.table.domain.state import (
    ChainState,
    DecisionContext,
    TableState,
    Transitions,
    current_deal,
    running_game,
)
from casino.table.public.private_view import hand_message

GAME = "t1-000001"
SEED = bytes(range(32))
RULES = TableSettings(
    "t1", Laws(first_dealer="house"), limits=BetSizeLimits(100, 5_000, 6_000, 7_000)
)
TOO_MUCH = RefusalReason("too_much", "over_limit", "{risk_cents:chips} chips are too many")


def check_bet(player: str, day_cents: int, risk_cents: int) -> None:
    if player == "limited":
        raise Refused(TOO_MUCH, risk_cents=risk_cents)


def stub_context(cents: int = 1_000_000) -> DecisionContext:
    """Return a context in which every player has the same chips, except the poor."""
    return DecisionContext(0, lambda player: 100 if "poor" in player else cents, check_bet)


def after(state: TableState, *commands: TableCommand) -> TableState:
    for command in commands:
        steps = decide(state, command, stub_context())
        state = steps[-1].after if steps else state
    return state


def kinds(steps: Transitions) -> list[str]:
    return [type(step.event).__name__ for step in steps if not isinstance(step.event, Entry)]


def outcome(state: TableState, command: TableCommand) -> str:
    """Return the kinds of a command's events, or the code of a refusal that has a sentence."""
    try:
        return " ".join(kinds(decide(state, command, stub_context())))
    except Refused as refusal:
        return refusal.code if len(refusal.message) > 15 else refusal.message


def acts(state: TableState, *tokens: str) -> TableState:
    for said in tokens:
        state = after(state, PlayAction("t1", state.turn, "ann", parse_token(said)))
    return state


CHAIN = ChainState(1, 10, "00" * 32, 1)
IDLE = TableState(RULES, chain=CHAIN)
BOT_BETTING = after(IDLE, OpenGame("t1", SEED))
SEATED = after(IDLE, TakeSeat("t1", "ann", 700))
BETTING = after(SEATED, OpenGame("t1", SEED))
BET_ON = after(BETTING, PlaceBet("t1", GAME, "b1", "ben", HOUSE, 300))
CLOSED = after(BETTING, CloseBetting("t1", GAME))
DEALT = after(CLOSED, DealCards("t1", CLOSED.turn))  # the house deals, so ann bids first
PROPOSED = acts(DEALT, "P")
CLAIMS = TableState(RULES._replace(laws=RULES.laws._replace(enforcement="claims")), chain=CHAIN)
QUEUED = TakeSeat("t1", "ben")
NO_BOT = TableState(RULES._replace(challenger=""), chain=CHAIN)


def bet(player: str = "ben", side: int = HOUSE, unit: int = 300, game: str = GAME) -> PlaceBet:
    return PlaceBet("t1", game, "b", player, side, unit)


TABLE: list[tuple[str, TableState, TableCommand, str]] = [
    ("a game opens against a bot", IDLE, OpenGame("t1", SEED), "GameOpened"),
    ("a game opens for who has the seat", SEATED, OpenGame("t1", SEED), "GameOpened"),
    ("one game at a time", BETTING, OpenGame("t1", SEED), "seat_taken"),
    ("nobody challenges", NO_BOT, OpenGame("t1", SEED), "unavailable"),
    ("a bet", BETTING, bet(), "BetAccepted"),
    ("more on the same side", BET_ON, bet(), "BetAccepted"),
    ("G2 the challenger's own game", BETTING, bet("ann"), "own_game"),
    ("G5 too much for one", after(BETTING, bet(unit=5_000)), bet(unit=1_001), "over_limit"),
    ("G4 more than the wallet", BETTING, bet("poor ben"), "insufficient_chips"),
    ("a limit of one's own", BETTING, bet("limited"), "over_limit"),
    ("G1 the book is closed", CLOSED, bet(), "betting_closed"),
    ("another game", BETTING, bet(game="t1-000002"), "unknown_game"),
    ("no game", IDLE, bet(), "unknown_game"),
    ("no side", BETTING, bet(side=2), "bad_request"),
    ("the house's name", BETTING, bet("house"), "bad_request"),
    ("a name that is another account", BETTING, bet("a/b"), "bad_request"),
    ("no name", BETTING, bet(""), "bad_request"),
    ("the bot's name", BETTING, bet("novice"), "bad_request"),
    ("the clock closes the book", BET_ON, CloseBetting("t1", GAME), "BookLocked BettingClosed"),
    ("the book closes once", CLOSED, CloseBetting("t1", GAME), "betting_closed"),
    ("G1 started", BETTING, CloseBetting("t1", GAME, "ann"), "BookLocked BettingClosed"),
    ("G1 not if somebody bets", BET_ON, CloseBetting("t1", GAME, "ann"), "illegal_action"),
    ("G1 nobody else starts", BETTING, CloseBetting("t1", GAME, "ben"), "not_your_turn"),
    ("the first deal", CLOSED, DealCards("t1", CLOSED.turn), "PackDealt TurnedUp"),
    ("no deal while betting", BETTING, DealCards("t1", BETTING.turn), "not_your_turn"),
    ("no deal within a deal", DEALT, DealCards("t1", DEALT.turn), "stale_version"),
    ("no deal of an older table", CLOSED, DealCards("t1", CLOSED.turn - 1), "stale_version"),
    ("an action", DEALT, PlayAction("t1", DEALT.turn, "ann", PROPOSE), "ActionTaken"),
    ("R5.2 an illegal one", DEALT, PlayAction("t1", DEALT.turn, "ann", CONCEDE), "illegal_action"),
    ("an accident", DEALT, PlayAction("t1", DEALT.turn, "ann", EXPOSE), "illegal_action"),
    ("an action too late", PROPOSED, PlayAction("t1", DEALT.turn, "ann", PROPOSE), "stale_version"),
    ("too early", DEALT, PlayAction("t1", DEALT.turn + 1, "ann", PROPOSE), "stale_version"),
    ("out of turn", PROPOSED, PlayAction("t1", PROPOSED.turn, "ann", STAND), "not_your_turn"),
    ("somebody else's seat", DEALT, PlayAction("t1", DEALT.turn, "ben", PROPOSE), "not_your_turn"),
    ("no cards yet", BETTING, PlayAction("t1", BETTING.turn, "ann", PROPOSE), "not_your_turn"),
    ("no deal yet", CLOSED, PlayAction("t1", CLOSED.turn, "ann", PROPOSE), "not_your_turn"),
    ("a bot for ann", DEALT, PlayBotActions("t1", DEALT.turn, (STAND,)), "not_your_turn"),
    ("a bot's stale answer", PROPOSED, PlayBotActions("t1", DEALT.turn, (STAND,)), "stale_version"),
    ("a bot answers", PROPOSED, PlayBotActions("t1", PROPOSED.turn, (ACCEPT,)), "ActionTaken"),
    ("a seat", IDLE, TakeSeat("t1", "ann"), "SeatChanged SeatChanged"),
    ("a place in the queue", BETTING, TakeSeat("t1", "ben"), "SeatChanged"),
    ("R1.2 a bot's game is played out", BOT_BETTING, TakeSeat("t1", "ann"), "SeatChanged"),
    ("a seat twice", SEATED, TakeSeat("t1", "ann"), "seat_taken"),
    ("a seat without chips", IDLE, TakeSeat("t1", "poor ann"), "insufficient_chips"),
    ("a place in the queue twice", after(SEATED, QUEUED), QUEUED, "seat_taken"),
    ("a seat for the bot", IDLE, TakeSeat("t1", "novice"), "bad_request"),
    ("a seat without a name", IDLE, TakeSeat("t1", ""), "bad_request"),
    ("a name too long", IDLE, TakeSeat("t1", "a" * (MAX_NAME_LENGTH + 1)), "bad_request"),
    ("a cover of less than nothing", IDLE, TakeSeat("t1", "ann", -1), "bad_request"),
    ("leave between games", SEATED, LeaveSeat("t1", "ann"), "SeatChanged"),
    ("leave a game: default", DEALT, LeaveSeat("t1", "ann"), "SeatChanged"),
    ("leave this game", DEALT, LeaveSeat("t1", "ann", GAME), "SeatChanged"),
    ("leave, but not this game", DEALT, LeaveSeat("t1", "ann", "t1-000000"), "not_your_turn"),
    ("leave, but no game", DEALT, LeaveSeat("t1", "ann", ""), "not_your_turn"),
    ("leave what one has not", DEALT, LeaveSeat("t1", "ben"), "not_your_turn"),
    ("leave twice", after(DEALT, LeaveSeat("t1", "ann")), LeaveSeat("t1", "ann"), "not_your_turn"),
    ("out of time", DEALT, TimeOutPlayer("t1", DEALT.turn), "SeatChanged"),
    ("the clock is late", PROPOSED, TimeOutPlayer("t1", DEALT.turn), "stale_version"),
    ("void", DEALT, VoidGame("t1", GAME, "a fault"), "GameVoid"),
    ("void while betting", BET_ON, VoidGame("t1", GAME, "a fault"), "GameVoid"),
    ("void without a reason", DEALT, VoidGame("t1", GAME, ""), "bad_request"),
    ("void another game", DEALT, VoidGame("t1", "t1-000007", "x"), "unknown_game"),
]


@pytest.mark.parametrize(("state", "command", "due"), [row[1:] for row in TABLE],
                         ids=[row[0] for row in TABLE])  # fmt: skip
def test_command_yields_events_or_refusal(
    state: TableState, command: TableCommand, due: str
) -> None:
    assert outcome(state, command) == due


def test_house_without_chips_cannot_open_a_game() -> None:
    with pytest.raises(Refused) as refused:
        decide(IDLE, OpenGame("t1", SEED), stub_context(cents=10))
    assert refused.value.code == "insufficient_chips"


def test_bot_without_chips_gets_a_refill() -> None:
    state = TableState(RULES._replace(challenger="novice", refill_cents=50), chain=CHAIN)
    house_only = stub_context()._replace(funds_cents=lambda name: 10**9 * (name == "house"))
    steps = decide(state, OpenGame("t1", SEED), house_only)
    refill = steps[0].event
    assert isinstance(refill, Entry)
    assert dict(refill.postings) == {
        "treasury": -3 * RULES.stake_cents,
        "wallet/novice": 3 * RULES.stake_cents,
    }
    assert kinds(steps) == ["GameOpened"]


def test_g7_offered_cover_is_capped_by_available_chips() -> None:
    boasting = after(IDLE, TakeSeat("t1", "ann", 10**12))
    stakes_cents, has_cents = 3 * RULES.stake_cents, 3 * RULES.stake_cents + 700
    opened, _held = decide(boasting, OpenGame("t1", SEED), stub_context(cents=has_cents))
    wished = running_game(opened.after).cover
    assert wished.challenger_cents == (has_cents - stakes_cents) // RULES.gallery.risk
    assert opened.after.covers == {"ann": 10**12}


def play_out(state: TableState, choose: Callable[[TableState], TableCommand]) -> list[Transitions]:
    """Play a game to its end; `choose` returns ann's command on her turn."""
    done = []
    while state.running is not None:
        running = state.running
        if running.is_between_deals:
            command: TableCommand = DealCards("t1", state.turn)
        elif running.waits_for_person and not running.claims_revoke:
            command = choose(state)
        else:
            answer = play.bot_answer(running)
            assert answer is not None
            command = PlayBotActions("t1", state.turn, (answer,))
        done.append(decide(state, command, stub_context()))
        state = done[-1][-1].after
    return done


def actions_of(done: list[Transitions]) -> list[tuple[str, str]]:
    told, made = list[tuple[str, str]](), (0, 0)
    for event, _, after in (step for steps in done for step in steps):
        now = (0, 0) if after.running is None else after.running.made
        if isinstance(event, ActionTaken):
            told.append((SIDES[now[CHALLENGER] > made[CHALLENGER]], event.action))
        made = now
    return told


def game_over(done: list[Transitions]) -> GameOver:
    return next(step.event for steps in done for step in steps if isinstance(step.event, GameOver))


def _is_claim(event: Event) -> bool:
    return isinstance(event, ActionTaken) and event.revoked == ("challenger",)


def first_legal(state: TableState) -> TableCommand:
    """Return ann's first legal action, exchanges included; she never announces the king."""
    return PlayAction("t1", state.turn, "ann", legal_actions(current_deal(state))[0])


def leave(state: TableState) -> TableCommand:
    return LeaveSeat("t1", "ann")


def test_r4_3_persons_king_is_not_announced_automatically() -> None:
    done = play_out(CLOSED, first_legal)
    assert ("challenger", "K") not in actions_of(done)


@pytest.mark.parametrize("go", [leave, lambda state: TimeOutPlayer("t1", state.turn)])
def test_g14_player_who_leaves_or_times_out_loses_by_default(
    go: Callable[[TableState], TableCommand],
) -> None:
    done = play_out(CLOSED, go)
    assert game_over(done).winner == "house"
    end = done[-1][-1].after
    assert end.holder == ""
    assert ("challenger", "C") in actions_of(done)


@pytest.mark.parametrize("go", [leave, lambda state: TimeOutPlayer("t1", state.turn)])
@pytest.mark.parametrize(
    ("score", "tricks", "vulnerable", "ended"),
    [
        ((3, 4), (1, 3), NO_SEAT, (3, 5)),
        ((3, 3), (1, 3), HOUSE, (3, 5)),
        ((4, 4), (2, 2), NO_SEAT, (5, 4)),
        ((3, 4), (1, 2), NO_SEAT, (5, 4)),
        ((3, 3), (1, 3), NO_SEAT, (5, 4)),
    ],
)
def test_g14_points_won_before_a_default_count(
    go: Callable[[TableState], TableCommand],
    score: tuple[int, int],
    tricks: tuple[int, int],
    vulnerable: int,
    ended: tuple[int, int],
) -> None:
    leading = acts(DEALT, "S")
    deal = current_deal(leading)._replace(score=score, tricks=tricks, vulnerable=vulnerable)
    state = leading._replace(running=running_game(leading)._replace(deal=deal))
    score_at_end = game_over(play_out(state, go)).score
    assert (score_at_end.house, score_at_end.challenger) == ended


def test_g14_law_void_makes_abandoned_game_void() -> None:
    start = CLOSED._replace(rules=CLOSED.rules._replace(abandon="void"))
    done = play_out(start, leave)
    assert kinds(done[-1]) == ["SeatChanged", "GameVoid", "SeatChanged"]


def test_r1_2_loser_gives_seat_to_next_in_queue() -> None:
    waiting = after(CLOSED, TakeSeat("t1", "ben"))
    end = play_out(waiting, leave)[-1][-1].after
    assert running_game(after(end, OpenGame("t1", SEED))).challenger == "ben"


def test_r1_2_void_game_keeps_the_seat() -> None:
    waiting = after(DEALT, TakeSeat("t1", "ben"))
    assert after(waiting, VoidGame("t1", GAME, "a fault")).holder == "ann"


def test_r1_2_loser_keeps_seat_if_queue_is_empty() -> None:
    for seed in range(12):
        start = after(SEATED, OpenGame("t1", bytes([seed]) * 32), CloseBetting("t1", GAME))
        alone = play_out(start, first_legal)[-1][-1].after
        assert alone.holder == "ann"
        waited = play_out(after(start, TakeSeat("t1", "ben")), first_legal)[-1][-1].after
        assert waited.last is not None
        assert waited.holder == ("ann" if waited.last[1] == CHALLENGER else "")


def test_r8_5_house_claims_a_persons_revoke_once_proved() -> None:
    unnoticed, claimed, random = 0, 0, Random(4)
    revoked = proved = False

    def wildly(state: TableState) -> TableCommand:
        legal = hand_message(state, CHALLENGER)["legal"]
        concedes = "C" in legal and random.randrange(40) == 0
        action = CONCEDE if concedes else parse_token(random.choice(legal))
        return PlayAction("t1", state.turn, "ann", action)

    for seed in range(8):
        opened = after(CLAIMS, TakeSeat("t1", "ann"), OpenGame("t1", bytes([seed]) * 32))
        revoked = proved = False
        for steps in play_out(after(opened, CloseBetting("t1", GAME)), wildly):
            for event, _, table in steps:
                deal = table.running.deal if table.running is not None else None
                if isinstance(event, ActionTaken | PackDealt):
                    assert _is_claim(event) == proved
                    claimed += proved
                    unnoticed += isinstance(event, PackDealt) and revoked
                if deal is not None:
                    revoked = deal.irregular.revoked[CHALLENGER]
                    proved = not deal.game_over and is_revoke_proved(view(deal, HOUSE))
    assert claimed > 0
    assert unnoticed > 0


def test_r8_5_person_cannot_revoke_twice_in_a_deal_once_caught() -> None:
    decisions, claims = 0, list[int]()

    def revoking(state: TableState) -> TableCommand:
        nonlocal decisions
        decisions += 1
        assert decisions < 500, "the deal never ends"
        deal = current_deal(state)
        legal = [parse_token(text) for text in hand_message(state, CHALLENGER)["legal"]]
        if deal.phase == FOLLOWING:
            trumps, hand = deal.turn_up >> 3, deal.hands[CHALLENGER]
            lawful = legal_replies(hand, deal.led, trumps, True)
            legal.sort(key=lambda action: action < 32 and lawful >> action & 1)
            for card in cards_in(hand & ~lawful):
                if deal.irregular.offenders[CHALLENGER]:
                    assert card not in legal
                    with pytest.raises(Refused, match="follow suit with|must (trump|win)"):
                        decide(state, PlayAction("t1", state.turn, "ann", card), stub_context())
        return PlayAction("t1", state.turn, "ann", legal[0])

    for seed in range(6):
        opened = after(CLAIMS, TakeSeat("t1", "ann"), OpenGame("t1", bytes([seed]) * 32))
        for steps in play_out(after(opened, CloseBetting("t1", GAME)), revoking):
            for event, _, _ in steps:
                claims += [0] if isinstance(event, PackDealt) else []
                claims[-1:] = [claims[-1] + _is_claim(event)] if claims else []
    assert set(claims) == {0, 1}
