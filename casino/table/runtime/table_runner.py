"""Pace the games at a table and play for its bots.

In live play, `step` is called whenever something may have changed. It chooses a bot's action
outside the writer's thread, submits one command, and returns when to call it again. If the table
has changed meanwhile, the command is refused as stale, and the next step chooses again. In headless
play, `play` runs games without pauses and plans everything that depends only on the cards. A live
step does the same while the host lets games be played at once: each game is one commit.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from itertools import count
from typing import Final

from casino.betting import side_totals
from casino.ecarte import MARK, NO_CARD, PROPOSE, REFUSE, STAND, Action, Deal
from casino.errors import RefusalReason, Refused
from casino.events.types import SECRETS_LOST
from casino.ledger.ledger import grant
from casino.ledger.transaction import Answer
from casino.table.domain import commands
from casino.table.domain.commands import PlaceBet, Stands, TableCommand
from casino.table.domain.settings import PaceSettings
from casino.table.domain.state import NOBODY_SEATED, GameState, TableState, current_deal, game_id
from casino.table.runtime.headless import Foreseen, Foresight, apply_commands, bot_command, plan_now
from casino.table.runtime.service import TableService
from casino.table.runtime.simulated_bettors import STAR, PlannedBet, SimulatedBettors, lighter_side

log = logging.getLogger(__name__)

WaitingBets = list[tuple[PlaceBet, Future[Answer]]]

MAX_EXTENSIONS: Final = 10  # times that a person may extend a turn in a game

NOT_WAITED_FOR: Final = RefusalReason(
    "not_waited_for",
    "not_your_turn",
    "no one is waiting for you: ask for more time in your own turn",
)
NO_MORE_TIME: Final = RefusalReason(
    "no_more_time",
    "over_limit",
    "you have had more time {n} time in this game: act now",
    plural="you have had more time {n} times in this game: act now",
)

TURNS_AHEAD: Final = 2  # headless turns that may await storage while the next is played

MAX_FAILED: Final = 3  # consecutive games in which a bot may fail before its table is paused

REST_PER_GAME: Final = 3  # rest after a game played at once, as a multiple of its duration

IDLE_MS: Final = 1_000  # interval between steps while nothing can happen

# Pages reconnect within 5 s of a restart: a person who is away for longer does not get the seat.
ABSENT_MS: Final = 10_000

FIRST_DEAL_MS: Final = 1_500

# Pauses after actions, in thousandths of the pause after a card; longer after decisive ones.
_SHOWN: Final = 2_500  # the turn-up
_WORD: Final = 1_667
_AFTER: Final[Mapping[Action, int]] = {STAND: 2_333, REFUSE: 2_333, MARK: 2_500}
_TRICK: Final = 2_000
_DECIDING_TRICK: Final = 3_500
_MAJORITY: Final = 3  # tricks that win a deal

# A person who has just played may take the seat again before a bot does.
SEAT_KEPT_MS: Final = 20_000

# The challenger may start while no one has bet: simulated bettors leave a person time for that.
FIRST_PERMILLE: Final = 500

SILENT_MS: Final = 1_000  # time to reveal for a player who recently withheld a contribution

# Codes of refusals that only mean that another command came first.
_EACH_OTHER: Final = frozenset({"stale_version", "betting_closed", "unknown_game", "seat_taken"})


class TableRunner:
    """Runner of one table, live or headless."""

    def __init__(
        self, service: TableService, table: str, crowd: SimulatedBettors, bankroll_cents: int
    ) -> None:
        self.service = service
        self.table = table
        self.crowd = crowd
        self._bankroll_cents = bankroll_cents
        self.woken = threading.Event()  # set when something may have changed
        self.stands: Stands = "open"
        self.ordered = range(0)  # numbers of the games that the host ordered without pauses
        self.plays_at_once = False
        self._rests_until = 0
        self._turn = -1
        self._at = 0
        self._sat = NOBODY_SEATED
        # After a restart, those who sit or wait count as disconnected until their pages are back.
        state = service.durable_state(table)
        waiting = (state.holder, *state.queue)
        self._lost_at = dict.fromkeys(waiting, service.clock())
        self._grace = "", 0
        self._spared = ""
        self._more = "", 0
        self._more_in = -1, 0
        self._wagers: tuple[str, list[PlannedBet]] = ("", [])
        self._grants: set[str] = set()
        self._failed = 0, 0  # number of the last game in which a bot failed, and how many in a row
        self._foreseen: tuple[TableState | None, Foreseen | None] = None, None

    @property
    def pace(self) -> PaceSettings:
        """Pauses and time limits in the table's current settings."""
        return self.service.durable_state(self.table).rules.pace

    # Live play, one command at a time.

    def set_connected(self, player: str, is_there: bool, now: int) -> None:
        """Record whether a person is connected; a lost connection may grant a grace period."""
        if not is_there:
            # Only the first loss counts, or repeated ones would extend the grace period.
            self._lost_at.setdefault(player, now)
        elif self._lost_at.pop(player, None) is not None:
            state = self.service.durable_state(self.table)
            running = state.running
            if running and running.waits_for(player) and state.turn == self._turn:
                # Time that has run out is given again before their page asks for the clock.
                self._deadline(state.turn, running, now)

    def turn_ms_left(self, now: int) -> int:
        """Return the milliseconds that a person has left to act in the current turn."""
        state = self.service.durable_state(self.table)
        turn, running = state.turn, state.running
        began = self._at if turn == self._turn else now
        ends_at = began + self.pace.turn_ms + self._extra_ms(turn)
        game, until = self._grace
        return max(0, ends_at - now, until - now if running and running.id == game else 0)

    def _extra_ms(self, turn: int) -> int:
        extended, given_ms = self._more_in
        return given_ms if extended == turn else 0

    def give_more_time(self, player: str) -> None:
        """Extend a person's turn by another `turn_ms`, or raise `Refused`."""
        state = self.service.durable_state(self.table)
        running = state.running
        if running is None or not running.waits_for(player):
            raise Refused(NOT_WAITED_FOR)
        game, times = self._more
        times = times if game == running.id else 0
        if times >= MAX_EXTENSIONS:
            raise Refused(NO_MORE_TIME, n=MAX_EXTENSIONS)
        self._more = running.id, times + 1
        self._more_in = state.turn, self._extra_ms(state.turn) + self.pace.turn_ms

    def step(self, now: int) -> int:
        """Submit the next command if it is time; return the latest time for the next call."""
        state = self.service.durable_state(self.table)
        if state.turn != self._turn:
            # The first game after a start opens without a pause.
            opens_now = self._turn < 0 and state.running is None
            self._turn, self._at = state.turn, now - opens_now * self.pace.game_ms
            self._sat = state.holder
        if self.ordered and self._goes_at_once(state):
            return self._play_at_once(state, now)
        command, wake_at = self.next_command(state, now)
        if command is None:
            return wake_at
        try:
            self.service.submit(command).result()
        except Refused as refusal:
            if isinstance(command, PlaceBet):
                self._refill(command, refusal)
            return self._refused(refusal, state, now)
        if isinstance(command, commands.VoidGame) and command.fault:
            self._pause_if_bot_fails(state.number)
        return now

    def _pause_if_bot_fails(self, number: int) -> None:
        """Count consecutive games that are void because a bot failed, and pause after too many."""
        last, times = self._failed
        times = times + 1 if number == last + 1 else 1
        self._failed = number, times
        if times >= MAX_FAILED and self.stands == "open":
            self.stands = "paused"
            remedy = f"correct the bot, then restart, or casino admin resume {self.table}"
            text = "table %s is paused, because its bot failed in %d games: %s"
            log.error(text, self.table, times, remedy)

    def _goes_at_once(self, state: TableState) -> bool:
        """Return True if a whole game, or the rest of one, is to be played in one commit."""
        running, rules, number = state.running, state.newest_settings, state.number + 1
        if running is not None:
            # A game keeps its pace while its book is open, and if a person takes part.
            is_simulated = running.is_bot and all(STAR in bet.bettor for bet in running.book.bets)
            return is_simulated and running.closing is not None and not running.lost
        may_open = self.stands == "open" and not rules.is_closed
        if rules.hosted and rules.hosted.games:
            may_open = may_open and number <= rules.hosted.games
        is_free = state.holder == NOBODY_SEATED and not state.queue
        has_bots = is_free and bool(state.settings_for(number).challenger or state.poule)
        if not (may_open and has_bots and number in self.ordered):
            self.ordered = range(0)
        return bool(self.ordered)

    def _play_at_once(self, state: TableState, now: int) -> int:
        if now < self._rests_until:
            return self._rests_until
        self.plays_at_once = True
        try:
            # As one item in the queue, so that no other commands come in between.
            with self.service.ledger.batch():
                _, bets, futures = self._game(state, plan_now)
            for future in futures:
                future.result()
            for bet, answered in bets:
                self._refill(bet, answered.exception())
        except Refused:
            self.ordered = range(0)
        finally:
            self.plays_at_once = False
        # Other tables and the pages need the processor too: with a rest as long as the game, bets
        # at another table took 60 ms instead of 12, and with a rest three times as long, 23.
        ended = self.service.clock()
        self._rests_until = ended + REST_PER_GAME * (ended - now)
        return self._rests_until

    def next_command(self, state: TableState, now: int) -> tuple[TableCommand | None, int]:
        """Return the command to submit now, if any, and the time in ms for the next step."""
        running, table, pace = state.running, self.table, self.pace
        if running is None:
            return self._next_game(state, now)
        if running.lost:
            return commands.VoidGame(table, running.id, SECRETS_LOST), now
        if running.abandoned:
            # No one watches the deals of a game that was given up.
            pace = pace._replace(action_ms=0, deal_ms=0)
        command: TableCommand
        if running.locked is None:
            return self._betting(state, running, now)
        if running.closing is None:
            at = self._at + self._reveal_ms(state, running)
            command = commands.CloseReveals(table, running.id)
        elif running.is_between_deals:
            # Before the first deal there are no hands to look at.
            wait_ms = pace.deal_ms if running.deal else min(pace.deal_ms, FIRST_DEAL_MS)
            command, at = commands.DealCards(table, state.turn), self._at + wait_ms
        elif running.waits_for_person and not running.claims_revoke:
            at = self._deadline(state.turn, running, now)
            command = commands.TimeOutPlayer(table, state.turn)
        else:
            at = self._at + _pause_permille(current_deal(state)) * pace.action_ms // 1000
            return (bot_command(state, running), now) if now >= at else (None, at)
        return (command, now) if now >= at else (None, at)

    def _next_game(self, state: TableState, now: int) -> tuple[TableCommand | None, int]:
        hosted, seeds = state.newest_settings.hosted, self.service.seeds
        if self.stands != "open" or state.opens_no_game:
            resting = self._resting(state)
            return resting, now if resting else now + IDLE_MS
        if hosted and 0 < hosted.games <= state.number:
            return commands.CloseTable(self.table, "games"), now
        if state.poule and not state.poule.person and state.queue:
            return commands.VoidPoule(self.table, "person_enters"), now
        at = self._at + self._pause_ms(state)
        if not (state.holder or state.queue or state.rules.challenger or state.poule):
            return None, now + IDLE_MS
        if now < at:
            return None, at
        player = _first_in_line(state)
        lost_at = None if state.poule else self._lost_at.get(player)
        if player != NOBODY_SEATED and lost_at is not None:
            # They would lose every deal by the clock.
            is_leaving = now >= lost_at + ABSENT_MS
            return (commands.LeaveSeat(self.table, player) if is_leaving else None), now + IDLE_MS
        begin = seeds.chain_to_begin(state)
        return begin or commands.OpenGame(self.table, seeds.next_seed(state)), now

    def _resting(self, state: TableState) -> TableCommand | None:
        if self.stands != "closed" and not state.opens_no_game:
            return None
        if state.poule is not None:
            return commands.VoidPoule(self.table, "closed" if state.opens_no_game else "operator")
        player = _first_in_line(state)
        return None if player == NOBODY_SEATED else commands.LeaveSeat(self.table, player)

    def _pause_ms(self, state: TableState) -> int:
        """Return the pause before the next game, from the end of the last one."""
        if state.poule is not None:
            return self.pace.game_ms
        if state.holder == NOBODY_SEATED:
            self._sat = NOBODY_SEATED
            last = state.last[0] if state.last else ""
            is_kept = last not in ("", *state.rules.challengers) and last not in self._lost_at
            return SEAT_KEPT_MS if is_kept and not state.queue else self.pace.game_ms
        # Someone who asked for the seat after the last game has seen its result.
        return self.pace.game_ms if state.holder == self._sat else 0

    def _reveal_ms(self, state: TableState, running: GameState) -> int:
        """Return how many ms to wait for reveals; fewer for players who recently withheld one."""
        waits = [
            SILENT_MS if seal.player in state.silences else self.pace.reveal_ms
            for seal in running.unrevealed
        ]
        return max(waits, default=0)

    def _betting(
        self, state: TableState, running: GameState, now: int
    ) -> tuple[TableCommand | None, int]:
        at = self._at + self.pace.betting_ms
        ledger = self.service.ledger
        # When the disk runs low, betting ends early: the running game needs the room (L12).
        if now >= at or not ledger.has_room:
            return commands.CloseBetting(self.table, running.id), now
        # The database may be back in a moment, so the book stays open.
        if not ledger.is_writable:
            return None, min(at, now + IDLE_MS)
        if self._wagers[0] != running.id:
            self._wagers = running.id, self._wagers_on(running.id, state)
        waiting = self._wagers[1]
        if not waiting:
            return None, at
        first = 0 if running.is_bot else FIRST_PERMILLE
        permille = first + waiting[0].at_permille * (1000 - first) // 1000
        past, _ = divmod(self.pace.betting_ms * permille, 1000)
        if now < self._at + past:
            return None, self._at + past
        return self._bet(running.id, waiting.pop(0), side_totals(running.book.bets)), now

    def _wagers_on(self, game: str, state: TableState) -> list[PlannedBet]:
        have_bet = {bet.bettor for bet in state.running.book.bets} if state.running else ()
        wagers = self.crowd.plan_bets(game, state.last[1] if state.last else None)
        # The usual units may lie outside the limits that a host has chosen.
        least_cents, most_cents = state.rules.limits[:2]
        return [
            wager._replace(unit_cents=min(max(wager.unit_cents, least_cents), most_cents))
            for wager in wagers
            if wager.player not in have_bet
        ]

    def _bet(self, game: str, wager: PlannedBet, totals_cents: Sequence[int]) -> PlaceBet:
        if wager.player not in self._grants:
            self._grants.add(wager.player)
            self._give_chips(wager.player, "opening")
        side = lighter_side(totals_cents) if wager.side is None else wager.side
        return PlaceBet(self.table, game, game, wager.player, side, wager.unit_cents)

    def _give_chips(self, player: str, when: str) -> None:
        grant(self.service.ledger, player, self._bankroll_cents, f"{player}.{when}", "spectator")

    def _refill(self, bet: PlaceBet, error: BaseException | None) -> None:
        if isinstance(error, Refused) and error.code == "insufficient_chips":
            self._give_chips(bet.player, bet.game)

    def _deadline(self, turn: int, running: GameState, now: int) -> int:
        """Return the time until which a person may act.

        A turn that runs out gets its time again, or the grace period if the connection is lost,
        each once a game. If every action had them, a person could stall a game for hours.
        """
        lost_at = self._lost_at.get(running.challenger)
        at = self._at + self.pace.turn_ms + self._extra_ms(turn)
        if lost_at is None and now >= at and self._spared != running.id:
            self._spared = running.id
            # From now: someone whose connection was lost may be back long after it ran out.
            self._more_in = turn, now - self._at
            at = now + self.pace.turn_ms
        if lost_at is not None and now >= at and self._grace[0] != running.id:
            self._grace = running.id, lost_at + self.pace.grace_ms
        game, until = self._grace
        return max(at, until) if game == running.id else at

    def _refused(self, refusal: Refused, state: TableState, now: int) -> int:
        if refusal.code in _EACH_OTHER:
            return now
        if state.running is None and refusal.code == "insufficient_chips":
            player = _first_in_line(state)
            if player != NOBODY_SEATED:
                # A person who cannot pay the stake leaves, or no game would ever open.
                self.service.submit(commands.LeaveSeat(self.table, player))
        return now + IDLE_MS

    # Headless play, without pauses and with plans for everything that depends only on cards.

    def play(
        self, may_open: Callable[[], bool], games: int = 1, foresight: Foresight = plan_now
    ) -> Iterator[list[Future[Answer]]]:
        """Play `games` games per turn, and yield the futures of each turn's commands.

        Before requesting the next turn, the caller must have waited for all turns but the last
        `TURNS_AHEAD`. A game's course is known before the ledger has stored it.
        """
        state = self.service.durable_state(self.table)
        bets, waiting = WaitingBets(), list[Future[Answer]]()
        unanswered = deque[WaitingBets]()
        for number in count(1):
            if state.running is None and (self.stands != "open" or not may_open()):
                break
            state, taken, asked = self._game(state, foresight)
            bets, waiting = bets + taken, waiting + asked
            if number % games == 0:
                yield waiting
                unanswered.append(bets)
                if len(unanswered) > TURNS_AHEAD:
                    for bet, answered in unanswered.popleft():
                        # Not in the writer's thread: the order of grants would depend on timing.
                        self._refill(bet, answered.exception())
                bets, waiting = WaitingBets(), []
        yield waiting

    def _game(
        self, state: TableState, foresight: Foresight
    ) -> tuple[TableState, WaitingBets, list[Future[Answer]]]:
        if state.running is not None and state.running.lost:
            void = commands.VoidGame(self.table, state.running.id, SECRETS_LOST)
            return apply_commands(state, void), [], [self.service.submit(void)]
        before = self._before_play(state)
        futures = [self.service.submit(command) for command in before]
        state = apply_commands(state, *before)
        seed = b"" if state.running else self.service.seeds.next_seed(state)
        plan, bets = self._plan(state, seed, foresight), WaitingBets()
        if state.running is None or state.running.closing is None:
            bets, asked = self._open_and_bet(state, seed)
            futures += asked
        deals, after = plan()
        # The second process plans the next game while the bets on this one are stored.
        if self.service.seeds.chain_to_begin(after) is None:
            self._plan(after, self.service.seeds.next_seed(after), foresight)
        futures += [self.service.submit_all(of_deal) for of_deal in deals]
        return after, bets, futures

    def _plan(self, state: TableState, seed: bytes, foresight: Foresight) -> Foreseen:
        """Return a game's plan, which may have been requested during the previous game."""
        asked, plan = self._foreseen
        if asked is not state or plan is None:
            plan = foresight(state, seed)
            self._foreseen = state, plan
        return plan

    def _before_play(self, state: TableState) -> list[TableCommand]:
        """Return the commands needed before planning, to begin a seed chain or end live betting."""
        running = state.running
        if running is None:
            begin = self.service.seeds.chain_to_begin(state)
            return [] if begin is None else [begin]
        if running.closing is not None or not running.seals:
            return []
        lock = [] if running.locked else [commands.CloseBetting(self.table, running.id)]
        return [*lock, commands.CloseReveals(self.table, running.id)]

    def _open_and_bet(
        self, state: TableState, seed: bytes
    ) -> tuple[WaitingBets, list[Future[Answer]]]:
        game, futures = game_id(self.table, state.number), []
        if state.running is None:
            game = game_id(self.table, state.number + 1)
            opening = commands.OpenGame(self.table, seed, bots_only=bool(self.ordered))
            futures = [self.service.submit(opening)]
        totals_cents = list(side_totals(state.running.book.bets if state.running else ()))
        bets = []
        for wager in self._wagers_on(game, state):
            bet = self._bet(game, wager, totals_cents)
            totals_cents[bet.side] += bet.unit_cents
            bets.append((bet, self.service.submit(bet)))
        return bets, [*futures, self.service.submit(commands.CloseBetting(self.table, game))]


def _first_in_line(state: TableState) -> str:
    """Return the person who would play the next game, or `NOBODY_SEATED`."""
    return state.holder or next(iter(state.queue), NOBODY_SEATED)


def _pause_permille(deal: Deal) -> int:
    """Return how long to show the last action, in thousandths of the time for a card."""
    if not deal.history:
        return _SHOWN
    action = deal.history[-1]
    if action >= PROPOSE:
        permille = _AFTER.get(action, _WORD)
    elif deal.led != NO_CARD:
        permille = 1_000
    else:
        permille = _DECIDING_TRICK if _MAJORITY in deal.tricks else _TRICK
    # A point from the end of the game, everything slows down.
    return permille * (3 if deal.laws.target - 1 in deal.score else 2) // 2
