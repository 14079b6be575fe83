"""Check withheld contributions: who withheld them, which arrived late, and who benefited.

A contribution may arrive up to a day after its book has closed. A game with missing contributions
stays in memory until all have arrived or the day is over; then only totals by player are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import takewhile
from math import comb
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from casino import betting, fairness
from casino.audit.check import (
    ENDS,
    Check,
    Game,
    GameLeaf,
    Handler,
    RunningGames,
    SavedRows,
    load_rows,
    save_rows,
    table_of,
)
from casino.audit.checks.bots import Decide
from casino.audit.checks.game import ContributionLeaves
from casino.audit.checks.table_rules import TableRulesCheck
from casino.audit.report import NOTE, WARNING, Finding
from casino.ecarte import (
    DEALING,
    EXPOSE,
    SEATS,
    Action,
    Deal,
    Laws,
    after_deal,
    apply,
    begin_deal,
    first_dealer,
    legal_for,
    new_game,
    turn_up,
    view,
)
from casino.ecarte.rules import HOUSE, NO_SEAT, Seat, multiplier, other
from casino.errors import ContributionError, InputError
from casino.events import factories
from casino.events.game_record import book_of, settings_of
from casino.events.types import BettingClosed, BotName, CutLate, GameOver, GameVoid, TermsSet
from casino.ledger.entries import canonical
from casino.player_limits import DAY_MS

LATE: Final = "cut_late"

# The leaves that determine a game's contributions and its play.
_TELLING: Final = frozenset(
    ("game_opened", "cut", "bet", "book_locked", "cut_opened", "betting_closed", LATE, *ENDS)
)


class UnrevealedGame:
    """A game with withheld contributions, some of which may come late."""

    def __init__(self, game: str, rows: Sequence[GameLeaf]) -> None:
        self.game = game
        self.cut = ContributionLeaves()
        self.closed: GameLeaf | None = None
        self.rows = [row for row in rows if row.leaf.kind != LATE]
        self.late = {row.leaf.number: row for row in rows if row.leaf.kind == LATE}
        for row in self.rows:
            leaf: Any = row.leaf
            if leaf.kind in ("bet", "cut") and leaf.seal is not None:
                self.cut.seals.append((leaf.player, leaf.seal))
            elif leaf.kind == "cut_opened":
                self.cut.opened[leaf.number] = leaf.text
            elif leaf.kind == "betting_closed":
                self.closed = row

    @property
    def all_rows(self) -> list[GameLeaf]:
        """The game's leaves, followed by its late contributions."""
        return [*self.rows, *self.late.values()]

    @property
    def missing(self) -> dict[int, str]:
        """The numbers of the contributions not revealed yet, mapped to their players."""
        shut = self.closed.leaf.withheld if self.closed else ()
        seals = self.cut.seals
        return {n: seals[n - 1][0] for n in shut if 0 < n <= len(seals) and n not in self.late}

    def is_over(self, at: int) -> bool:
        """Return True if all contributions have arrived or the day for late ones has passed."""
        return self.closed is None or not self.missing or at > self.closed.leaf.at + DAY_MS

    def late_fault(self, row: GameLeaf) -> str:
        """Return the fault of a late contribution, or "" if it is valid."""
        leaf, closed = row.leaf, self.closed
        if closed is None or leaf.number not in self.missing:
            return f"text {leaf.number} was not withheld, or came late twice"
        if not closed.leaf.at <= leaf.at <= closed.leaf.at + DAY_MS or row.n < closed.n:
            return f"text {leaf.number} came more than a day after the closing"
        player, seal = self.cut.seals[leaf.number - 1]
        try:
            fits = (
                fairness.commitment_to(leaf.game, player, fairness.check_contribution(leaf.text))
                == seal
            )
        except ContributionError:
            fits = False
        return "" if fits else f"the late text does not fit the seal of {player}"

    def effect(self, terms: Iterable[TermsSet], decide: Decide) -> WithholdingEffect | None:
        """Return the effect of late contributions, or None unless two bots finished the game."""
        if not self.late or not any(row.leaf.kind == "game_over" for row in self.rows):
            return None
        played = replay_input(self.game, self.rows, terms)
        if played is None:
            return None
        late = {number: row.leaf.text for number, row in self.late.items()}
        players = [player for player, _ in self.cut.seals]
        try:
            return effect_of_late(played, players, self.cut.opened, late, decide)
        except InputError:
            # `check_bots` reports a bot whose decisions cannot be recomputed.
            return None


def replay_input(
    game: str, rows: Iterable[GameLeaf], terms: Iterable[TermsSet]
) -> ReplayInput | None:
    """Return the data for replaying a game of two bots, or None if bots or seed are missing."""
    leaves = {row.leaf.kind: row.leaf for row in rows}
    opened, locked = leaves.get("game_opened"), leaves.get("book_locked")
    end = leaves.get("game_over") or leaves.get("game_void")
    if opened is None or locked is None or end is None or opened.bots.challenger is None:
        return None
    if opened.bots.house is None or end.server_seed is None:
        return None
    rules = settings_of(terms, opened)
    bets = [row.leaf for row in rows if row.leaf.kind == "bet"]
    return ReplayInput(
        game=game,
        server_seed=bytes.fromhex(end.server_seed),
        laws=factories.laws_from_event(rules.laws),
        loser_deals=None if opened.loser_deals is None else SEATS.index(opened.loser_deals),
        bots=(opened.bots.house, opened.bots.challenger),
        slip_permille=rules.slip_permille,
        book=book_of(rules, opened.players.challenger, bets),
        cover=factories.cover_from_event(locked.cover),
    )


def unrevealed_leaves(rows: Sequence[GameLeaf]) -> list[GameLeaf]:
    """Return the leaves needed to replay a game, or none if no contribution was withheld."""
    for row in rows:
        kind = type(row.leaf)
        if kind is CutLate or (kind is BettingClosed and row.leaf.withheld):
            return [row for row in rows if row.leaf.kind in _TELLING]
    return []


class WithholdingTally(msgspec.Struct, frozen=True):
    """An account's total gain in cents, and its numbers of games with a gain and with any change.

    >>> WithholdingTally().plus(5).plus(-2)
    WithholdingTally(cents=3, ups=1, changes=2)
    """

    cents: int = 0
    ups: int = 0
    changes: int = 0

    def plus(self, cents: int) -> WithholdingTally:
        """Return the tally with one more game that changed the account."""
        return WithholdingTally(self.cents + cents, self.ups + (cents > 0), self.changes + 1)

    @property
    def is_beyond_chance(self) -> bool:
        """Whether gains are too frequent to be chance (a one-sided sign test).

        If no one knew the decks beforehand, a gain and a loss would be equally likely.
        """
        ways = sum(comb(self.changes, more) for more in range(self.ups, self.changes + 1))
        return Fraction(ways, 2**self.changes) < CHANCE


class WithholdingState(msgspec.Struct):
    """The games that lack contributions, and totals by player and account of those closed."""

    open: dict[str, SavedRows] = {}
    shut: dict[str, int] = {}
    never: dict[str, int] = {}
    tallies: dict[str, WithholdingTally] = {}


class WithholdingCheck(Check):
    """Check of all withheld contributions in a log, game by game."""

    name = "withholding"

    def __init__(self, rules: TableRulesCheck, games: RunningGames, decide: Decide | None) -> None:
        self.open: dict[str, UnrevealedGame] = {}
        self.shut: Counter[str] = Counter()
        self.never: Counter[str] = Counter()
        self.tallies: dict[str, WithholdingTally] = {}
        self._rules = rules
        self._games = games
        self._decide = decide

    def state(self) -> WithholdingState:
        """Return the games that lack contributions, and the totals."""
        lacking = {name: save_rows(game.all_rows) for name, game in self.open.items()}
        return WithholdingState(lacking, self.shut, self.never, self.tallies)

    def resume(self, state: WithholdingState) -> None:
        """Continue from a saved state."""
        self.open = {
            name: UnrevealedGame(name, load_rows(rows)) for name, rows in state.open.items()
        }
        self.shut, self.never = Counter(state.shut), Counter(state.never)
        self.tallies = state.tallies

    def handlers(self) -> Mapping[type, Handler]:
        """Check late contributions, and close the games whose day for them is over."""
        return dict.fromkeys((CutLate, GameOver, GameVoid), self._late_or_end)

    def _late_or_end(self, number: int, leaf: CutLate | GameOver | GameVoid) -> Iterator[Finding]:
        yield from self.advance_to(leaf.at)
        # Those of an unfinished game are among its leaves.
        if type(leaf) is CutLate and not self._games.is_open(leaf.game):
            yield from self._check_late(GameLeaf(number, leaf, canonical(leaf)))

    def on_game(self, game: Game) -> Iterator[Finding]:
        """Keep a game with withheld contributions, some of which may have arrived late."""
        rows = unrevealed_leaves(game.rows) if game.is_over else []
        if not rows:
            return
        lacking = self.open[game.name] = UnrevealedGame(
            game.name, [row for row in rows if row.leaf.kind != LATE]
        )
        self.shut.update(lacking.missing.values())
        if lacking.is_over(0):
            yield from self._end(lacking)
        for row in rows:
            if row.leaf.kind == LATE:
                yield from self._check_late(row)

    def advance_to(self, at: int) -> Iterator[Finding]:
        """Close the games whose day for late contributions is over at a time (milliseconds)."""
        # The games are roughly in the order of closing, so stop at the first that may still wait.
        for game in list(
            takewhile(lambda unrevealed_game: unrevealed_game.is_over(at), self.open.values())
        ):
            yield from self._end(game)

    def _check_late(self, row: GameLeaf) -> Iterator[Finding]:
        """Check that a late contribution was missing, matches its seal, and is within the day."""
        name = row.leaf.game
        game = self.open.get(name)
        if game is None:
            text = "a text came late to a game that lacks none, or that closed more than a day ago"
            yield Finding("cuts", text, row.n, name)
            return
        text = game.late_fault(row)
        if text:
            yield Finding("cuts", text, row.n, name)
            return
        game.late[row.leaf.number] = row
        yield from self._end(game) if game.is_over(row.leaf.at) else ()

    def finish(self) -> Iterator[Finding]:
        """Close all games that still lack contributions at the end of the log."""
        for game in list(self.open.values()):
            yield from self._end(game)

    def totals(self) -> Iterator[Finding]:
        """Report how often each player withheld a contribution, and which accounts gained."""
        if self._decide is None:
            return
        never = self.never + Counter(
            player for game in self.open.values() for player in game.missing.values()
        )
        for player, times in sorted(self.shut.items()):
            never_seen = f"{never[player]} of them were never seen"
            text = f"{player} left {times} sealed texts shut, {never_seen}"
            yield Finding("silence", text, severity=NOTE)
        for account, tally in sorted(self.tallies.items()):
            text = f"silence moved {tally.cents:+} cents to {account} in {tally.changes} games"
            if tally.is_beyond_chance:
                yield Finding("silence", f"{text}, which chance does not explain", severity=WARNING)
            else:
                yield Finding("silence", text, severity=NOTE)

    def _end(self, game: UnrevealedGame) -> Iterator[Finding]:
        del self.open[game.game]
        self.never.update(game.missing.values())
        terms = self._rules.settings(table_of(game.game))
        effect = None if self._decide is None else game.effect(terms, self._decide)
        if effect is None:
            return
        for account, cents in effect.cents.items():
            self.tallies[account] = self.tallies.get(account, WithholdingTally()).plus(cents)
        assert game.closed is not None
        yield Finding("silence", _said(effect), game.closed.n, game.game, severity=NOTE)


def _said(moved: WithholdingEffect) -> str:
    names = ", ".join(moved.silent)
    cents = ", ".join(f"{name} {cents:+}" for name, cents in moved.cents.items()) or "nothing"
    was, would = SEATS[moved.winner], SEATS[moved.would_have_won]
    return f"{names} was silent: {was} won, {would} would have; moved in cents: {cents}"


CHANCE: Final = Fraction(1, 1000)  # p-value below which an audit warns

Net: TypeAlias = Mapping[str, int]  # net cents by account


class ReplayInput(NamedTuple):
    """The data needed to replay a game of two bots with different contributions."""

    game: str
    server_seed: bytes
    laws: Laws
    loser_deals: Seat | None
    bots: tuple[BotName, BotName]
    slip_permille: int
    book: betting.Book
    cover: betting.Cover


class WithholdingEffect(NamedTuple):
    """The effect of late contributions on one game.

    `cents` is each account's actual result minus its result if these contributions had counted.
    """

    game: str
    silent: tuple[str, ...]
    winner: Seat
    would_have_won: Seat
    cents: Net


def effect_of_late(
    played: ReplayInput,
    players: Sequence[str],
    opened: Mapping[int, str],
    late: Mapping[int, str],
    decide: Decide,
) -> WithholdingEffect:
    """Return the effect of late contributions; `players` made the commitments, in this order.

    The contributions revealed in time and late are given by number, beginning with 1.
    """
    # Two replays, with and without the late texts; those never seen are missing in both.
    winner, was = _came_to(played, players, opened, decide)
    would_have_won, would_be = _came_to(played, players, {**opened, **late}, decide)
    names = sorted({*was, *would_be})
    cents = {name: was[name] - would_be[name] for name in names if was[name] != would_be[name]}
    silent = tuple(players[number - 1] for number in sorted(late))
    return WithholdingEffect(played.game, silent, winner, would_have_won, cents)


def _came_to(
    played: ReplayInput, players: Sequence[str], texts: Mapping[int, str], decide: Decide
) -> tuple[Seat, Counter[str]]:
    winner, times = play(played, fairness.combine(texts[n] for n in sorted(texts)), decide)
    shut = {player for number, player in enumerate(players, 1) if number not in texts}
    settled = betting.settle(betting.close(played.book, played.cover, shut), winner, times)
    net: Counter[str] = Counter()
    for outcome in (*settled.principals, *settled.bets):
        net[outcome.bet.bettor] += outcome.gain_cents - outcome.commission_cents
        net["commission"] += outcome.commission_cents
    return winner, net


def play(played: ReplayInput, cut: str, decide: Decide) -> tuple[Seat, int]:
    """Play a game of two bots on the decks derived from `cut`; return winner and multiplier."""
    by_cut = fairness.first_dealer(played.server_seed, played.game, cut)
    game = new_game(played.laws, first_dealer(played.laws, by_cut, played.loser_deals))
    seeds = [fairness.bot_seed(played.server_seed, played.game, seat) for seat in (0, 1)]
    while not game.over:
        number = game.deals + 1
        deal = begin_deal(game, fairness.deck(played.server_seed, played.game, cut, number))
        decisions = None
        if deal.dealer == HOUSE:
            decisions = fairness.exposed_card(
                played.server_seed, played.game, number, played.slip_permille
            )
        if decisions is not None:
            deal = apply(deal, EXPOSE + deal.deck[decisions])
        made = [0, 0]
        while deal.phase == DEALING or deal.turn != NO_SEAT:
            if deal.phase == DEALING:
                deal = turn_up(deal)
                continue
            seat = deal.turn
            made[seat] += 1
            draws = fairness.bot_draws(seeds[seat], number, made[seat])
            deal = apply(deal, _choice(deal, played.bots[seat], draws, decide))
        game = after_deal(game, deal)
    winner = game.score.index(game.laws.target)
    return winner, multiplier(game.score[other(winner)])


def _choice(deal: Deal, bot: BotName, draws: fairness.SeededRandom, decide: Decide) -> Action:
    return decide(bot, view(deal, deal.turn), legal_for(deal, deal.turn), draws)
