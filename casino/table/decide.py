"""What a command comes to: the facts that follow from it, or the refusal with its code. Pure.

`decide(state, command, desk)` gives steps, each a fact with the table after it. The desk tells
what a decision needs to know besides the table: what purses hold, what players allow themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from casino import fairness
from casino.bank.ledger import check_name
from casino.ecarte.actions import CLAIM
from casino.ecarte.rules import CHALLENGER, Seat, multiplier, other
from casino.errors import CasinoError, Reason, Refused
from casino.gallery import (
    BOOK_CLOSED,
    HOUSE_NAME,
    Book,
    Cover,
    affordable_cover,
    enter_bet,
    hold_stakes,
)
from casino.gallery.laws import TRIPLE
from casino.table import playing
from casino.table.messages import (
    Act,
    BetTaken,
    BookClosed,
    CloseBook,
    CutGiven,
    Fact,
    GameOpened,
    GameVoided,
    GameWon,
    GiveCut,
    LeaveSeat,
    MoveOn,
    OpenGame,
    PlaceBet,
    PlayOn,
    SeatChanged,
    TableCommand,
    TakeSeat,
    TimeOut,
    VoidGame,
)
from casino.table.state import NOBODY_SEATED, GameState, Steps, TableState, follow, game_id

LONGEST_REASON: Final = 200

GAME_RUNNING: Final = Reason("game_running", "seat_taken", "{game} is running: wait for its end")
NO_CHALLENGER: Final = Reason(
    "no_challenger", "unavailable", "nobody challenges the house: take the seat"
)
BAD_SIDE: Final = Reason("bad_side", "bad_request", "a side is house or challenger: choose one")
BOTS_NAME: Final = Reason(
    "bots_name", "bad_request", "{name} is the table's bot: use your own name"
)
PACK_CUT: Final = Reason(
    "pack_cut", "betting_closed", "the pack is cut already: cut for the next game"
)
CUT_TWICE: Final = Reason(
    "cut_twice", "id_reused", "you have cut with another text already: cut for the next game"
)
BAD_CUT: Final = Reason(
    "bad_cut", "bad_request", "this text cannot cut the pack ({fault}): choose another"
)
NOT_CHALLENGER: Final = Reason(
    "not_challenger", "not_your_turn", "only the challenger can start early: wait for the cards"
)
BETS_MADE: Final = Reason(
    "bets_made", "illegal_action", "somebody has bet: wait until the time is up"
)
PERSON_ACTS: Final = Reason("person_acts", "not_your_turn", "{player} is to act: wait")
NOT_PLAYING: Final = Reason(
    "not_playing", "not_your_turn", "you do not play in this game: take the seat for the next"
)
BAD_VOID_REASON: Final = Reason(
    "bad_void_reason", "bad_request", "say why in 1 to {most} characters"
)
SEAT_YOURS: Final = Reason(
    "seat_yours", "seat_taken", "you have the seat already, or are waiting for it"
)
BAD_COVER: Final = Reason(
    "bad_cover", "bad_request", "a cover cannot be less than nothing: offer 0 or more"
)
SEAT_TOO_DEAR: Final = Reason(
    "seat_too_dear",
    "insufficient_chips",
    "the seat needs {needed_cents:chips} chips, but you have {wallet_cents:chips}: "
    "find a table with a smaller stake",
)
NO_SEAT: Final = Reason("no_seat", "not_your_turn", "you neither have the seat nor wait for it")
LEFT_ALREADY: Final = Reason(
    "left_already", "not_your_turn", "you have left already: the game is being finished"
)
GAME_NOT_RUNNING: Final = Reason(
    "game_not_running", "unknown_game", "{game} is not running here: look at the table again"
)
STALE_VERSION: Final = Reason(
    "stale_version", "stale_version", "version {version} is past, it is {now} now: look again"
)


class Desk(Protocol):
    """What is known at the bank when a command is decided."""

    def purse_cents(self, player: str) -> int:
        """What a player, or the house, has at hand."""

    def check_bet(self, table: str, player: str, risk_cents: int) -> None:
        """Refuse a bet that the player's own limits do not allow."""


def decide(state: TableState, command: TableCommand, desk: Desk) -> Steps:
    """The steps a command comes to; `Refused` says why it comes to nothing."""
    return _DECIDE[type(command)](state, command, desk)


# --- the book ----------------------------------------------------------------------------------


def _open(state: TableState, command: OpenGame, desk: Desk) -> Steps:
    """The next game, if somebody challenges the house and both can pay."""
    rules = state.rules
    if state.running is not None:
        raise Refused(GAME_RUNNING, game=state.running.id)
    seat_facts = _next_in_seat(state)
    for step in seat_facts:
        state = step.after
    is_bot = state.holder == NOBODY_SEATED
    challenger = rules.challenger if is_bot else state.holder
    if challenger == NOBODY_SEATED:
        raise Refused(NO_CHALLENGER)
    book = Book(challenger, rules.stake_cents, rules.gallery, rules.limits)
    needed_cents = TRIPLE * rules.stake_cents
    has_cents = desk.purse_cents(challenger)
    refill_cents = 0
    if is_bot and has_cents < needed_cents:
        refill_cents = max(rules.refill_cents, needed_cents)
    hold_stakes(book, has_cents + refill_cents, desk.purse_cents(HOUSE_NAME))
    # What nobody could pay is not shown to those who bet by it.
    most_cents, _left_in_purse = divmod(has_cents - needed_cents, rules.gallery.risk)
    offered_cents = 0 if is_bot else min(state.cover_cents, most_cents)
    fact = GameOpened(
        game=game_id(rules.name, state.number + 1),
        server_seed=command.server_seed,
        laws=rules.laws,
        book=book,
        wished=Cover(rules.house_cover_cents, offered_cents),
        house=rules.house,
        is_bot=is_bot,
        loser_deals=_loser_deals(state, challenger),
        refill_cents=refill_cents,
    )
    return seat_facts + follow(state, fact)


def _next_in_seat(state: TableState) -> Steps:
    """The first in the queue takes a seat that is free; a bot does not hold one."""
    if state.holder != NOBODY_SEATED or not state.queue:
        return ()
    player, cover_cents = state.queue[0]
    return follow(state, SeatChanged(player, "seated", cover_cents))


def _loser_deals(state: TableState, challenger: str) -> Seat | None:
    """Who deals first in a rematch of the same two under law `loser` (R2.1)."""
    laws = state.rules.laws
    if laws.deal != "alternate" or laws.first_dealer != "loser" or state.last is None:
        return None
    player, winner = state.last
    return other(winner) if player == challenger else None


def _bet(state: TableState, command: PlaceBet, desk: Desk) -> Steps:
    """A bet, whole or not at all."""
    running = _game(state, command.game)
    check_name(command.player)
    if command.side not in (0, 1):
        raise Refused(BAD_SIDE)
    if command.player == state.rules.challenger:
        raise Refused(BOTS_NAME, name=command.player)
    entered = enter_bet(
        running.book,
        command.player,
        command.side,
        command.unit_cents,
        desk.purse_cents(command.player),
    )
    desk.check_bet(command.table, command.player, command.unit_cents * running.book.laws.risk)
    return follow(state, BetTaken(entered.bet))


def _cut(state: TableState, command: GiveCut, _: Desk) -> Steps:
    """A text for the cut, while the book is open: each person's one; said again it is the same."""
    running = _game(state, command.game)
    check_name(command.player)
    if (command.player, command.text) in zip(running.cut_by, running.cuts, strict=True):
        return ()
    if running.closing is not None:
        raise Refused(PACK_CUT)
    if command.player in running.cut_by:
        raise Refused(CUT_TWICE)
    try:
        fairness.cut_of((command.text,))
    except CasinoError as error:
        raise Refused(BAD_CUT, fault=str(error)) from None
    return follow(state, CutGiven(command.player, command.text))


def _close(state: TableState, command: CloseBook, desk: Desk) -> Steps:
    """The book closes; a challenger may close it himself while nobody has bet (G1)."""
    running = _game(state, command.game)
    if running.closing is not None:
        raise Refused(BOOK_CLOSED)
    if command.player and command.player != running.challenger:
        raise Refused(NOT_CHALLENGER)
    if command.player and running.book.bets:
        raise Refused(BETS_MADE)
    book = running.book
    bank_cents, purse_cents = desk.purse_cents(HOUSE_NAME), desk.purse_cents(book.challenger)
    cover = affordable_cover(book, running.wished, bank_cents, purse_cents)
    return follow(state, BookClosed(cover))


# --- the play ----------------------------------------------------------------------------------


def _move_on(state: TableState, command: MoveOn, _: Desk) -> Steps:
    """The next deal, unless one is under way."""
    running = _playing(state)
    if command.version != state.version or not running.between_deals:
        raise _stale(command.version, state)
    return _finish(state, playing.dealt(state))


def _play_on(state: TableState, command: PlayOn, _: Desk) -> Steps:
    """Actions of the seats that no person plays."""
    _playing(state)
    if command.version != state.version:
        raise _stale(command.version, state)
    steps: Steps = ()
    for action in command.actions:
        assert state.running is not None
        if action != CLAIM and playing.waits_for_person(state.running):
            raise Refused(PERSON_ACTS, player=state.running.challenger)
        steps += playing.acted(state, action)
        state = steps[-1].after
    return _finish(state, steps)


def _act(state: TableState, command: Act, _: Desk) -> Steps:
    """An action of the person in the challenger's seat."""
    running = _playing(state)
    if command.player != running.challenger or running.is_bot or running.abandoned:
        raise Refused(NOT_PLAYING)
    if not state.since <= command.version <= state.version:
        raise _stale(command.version, state)
    playing.check_person(running, command.action)
    return _finish(state, playing.acted(state, command.action))


def _time_out(state: TableState, command: TimeOut, _: Desk) -> Steps:
    """The person to act has let his time run out: he loses by default, or the game is void."""
    running = _playing(state)
    if command.version < state.since or not playing.waits_for_person(running):
        raise _stale(command.version, state)
    return _default(state, running.challenger, "the challenger ran out of time")


def _default(state: TableState, player: str, reason: str) -> Steps:
    """A challenger gives up his game (G14)."""
    steps = follow(state, SeatChanged(player, "defaulted"))
    if state.rules.abandon == "void":
        return steps + _end(steps[-1].after, GameVoided(reason))
    return steps


def _finish(before: TableState, steps: Steps) -> Steps:
    """The steps, and if they have decided the game, its end (G15: in the same transaction)."""
    state = steps[-1].after if steps else before
    assert state.running is not None
    game = state.running.deal
    if game is None or not game.game_over:
        return steps
    winner = game.score.index(game.laws.target)
    return steps + _end(state, GameWon(winner, multiplier(game.score[other(winner)])))


def _end(state: TableState, fact: Fact) -> Steps:
    """A game's end, and what becomes of the challenger's seat (R1.2)."""
    running = state.running
    assert running is not None
    steps = follow(state, fact)
    after = steps[-1].after
    lost = isinstance(fact, GameWon) and fact.winner != CHALLENGER
    gives_up = running.abandoned or (lost and after.queue)
    if running.is_bot or not gives_up:
        return steps
    return steps + follow(after, SeatChanged(running.challenger, "left"))


def _void(state: TableState, command: VoidGame, _: Desk) -> Steps:
    """The running game does not count."""
    _game(state, command.game)
    if not 0 < len(command.reason) <= LONGEST_REASON:
        raise Refused(BAD_VOID_REASON, most=LONGEST_REASON)
    return _end(state, GameVoided(command.reason))


# --- the seat ----------------------------------------------------------------------------------


def _take_seat(state: TableState, command: TakeSeat, desk: Desk) -> Steps:
    """A place in the queue; the seat itself changes hands between games."""
    player = command.player
    check_name(player)
    if player == state.rules.challenger:
        raise Refused(BOTS_NAME, name=player)
    if player == state.holder or any(player == waiting for waiting, _ in state.queue):
        raise Refused(SEAT_YOURS)
    if command.cover_cents < 0:
        raise Refused(BAD_COVER)
    needed_cents = TRIPLE * state.rules.stake_cents
    has_cents = desk.purse_cents(player)
    if has_cents < needed_cents:
        raise Refused(SEAT_TOO_DEAR, needed_cents=needed_cents, wallet_cents=has_cents)
    steps = follow(state, SeatChanged(player, "queued", command.cover_cents))
    return steps + _next_in_seat(steps[-1].after) if state.running is None else steps


def _leave_seat(state: TableState, command: LeaveSeat, _: Desk) -> Steps:
    """Out of the queue or the seat; who leaves a game he plays loses it by default (G14)."""
    player, running = command.player, state.running
    waits = any(player == waiting for waiting, _ in state.queue)
    if not waits and player != state.holder:
        raise Refused(NO_SEAT)
    plays = running is not None and player == running.challenger and not running.is_bot
    if not plays or waits:
        return follow(state, SeatChanged(player, "left"))
    assert running is not None
    if running.abandoned:
        raise Refused(LEFT_ALREADY)
    return _default(state, player, "the challenger left")


# --- what is asked everywhere ------------------------------------------------------------------


def _game(state: TableState, game: str) -> GameState:
    """The running game, which must be the one meant."""
    if state.running is None or state.running.id != game:
        raise Refused(GAME_NOT_RUNNING, game=game[:40])
    return state.running


def _playing(state: TableState) -> GameState:
    """The running game, which must be past its betting."""
    if state.running is None or state.running.game is None:
        raise Refused(playing.NOT_DEALT)
    return state.running


def _stale(version: int, state: TableState) -> Refused:
    """The refusal of an answer to what is no longer asked."""
    return Refused(STALE_VERSION, version=version, now=state.version)


_DECIDE: Final[Mapping[type, Callable[[TableState, Any, Desk], Steps]]] = {
    OpenGame: _open,
    PlaceBet: _bet,
    GiveCut: _cut,
    CloseBook: _close,
    MoveOn: _move_on,
    PlayOn: _play_on,
    Act: _act,
    TakeSeat: _take_seat,
    LeaveSeat: _leave_seat,
    TimeOut: _time_out,
    VoidGame: _void,
}
