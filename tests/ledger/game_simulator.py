"""Real games without a web server: dealt, bet on, played, settled and logged.

A minimal table runner that makes files to audit, tamper with and measure. Bettors and players act
at random; every step is a ledger command, as at a live table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from pathlib import Path
from random import Random
from typing import cast

from casino import betting, ecarte, fairness
from casino.bots import get_bot
from casino.errors import Refused
from casino.events import factories
from casino.events.types import (
    SIDES,
    BotName,
    Bots,
    CutLate,
    CutOpened,
    CutSealed,
    Event,
    GameOpened,
    PackDealt,
    Players,
    SeatChanged,
    SeedChain,
    TurnedUp,
)  # fmt: skip
from casino.ledger import accounts
from casino.ledger.ledger import Ledger, grant
from casino.ledger.storage.location import LogLocation
from casino.ledger.transaction import Answer, Transaction
from casino.ledger.writer import WriterListener
from casino.table.domain.settings import PaceSettings, TableSettings, to_event
from casino.table.domain.state import BOT_VERSION
from casino.table.runtime.seed_chains import SeedKeeper
from tests.ledger.grants import issue

START_MS = 1_700_000_000_000
LIMITS = betting.BetSizeLimits(100, 100_000, 200_000, 10_000_000)
TEN_THOUSAND = 1_000_000
CHAIN = 1_000
MASTER = bytes(32)


@dataclass
class SimulatedClock:
    now_ms: int = START_MS

    def __call__(self) -> int:
        self.now_ms += 7
        return self.now_ms


@dataclass
class GameSimulator:
    bank: Ledger
    seed: int = 1
    table: str = "t1"
    laws: ecarte.Laws = field(default_factory=ecarte.Laws)
    gallery: betting.BettingRules = field(default_factory=betting.BettingRules)
    bettors: int = 6
    stake_cents: int = 1_000
    cover: betting.Cover = field(default_factory=lambda: betting.Cover(50_000, 0))

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        self.numbers = count(1)
        self.ids = (f"{self.table}-{n}" for n in count(1))
        self.players = [f"{self.table}.p{n}" for n in range(self.bettors)]
        issue(self.bank)
        rules = TableSettings(
            self.table, self.laws, self.gallery, LIMITS, self.stake_cents, self.cover.house_cents,
            "novice", "", pace=PaceSettings(0, 0, 0, 0, 0, 0, 0),
        )  # fmt: skip
        terms = to_event(rules, 1)
        wait(self.bank.submit(lambda tx: {"leaf": tx.log(terms)}))
        for player in ("house", "ann", *self.players):
            wait(grant(self.bank, player, 100 * TEN_THOUSAND, f"open.{player}"))
        master = sha256(f"{self.seed}".encode()).digest()
        self.chain = fairness.SeedChain(master, self.table, 1, CHAIN)
        begun = SeedChain(anchor=self.chain.anchor, chain=1, length=CHAIN, table=self.table)
        name = f"{self.table}.chain"
        seat = [
            SeatChanged(player="ann", table=self.table, what=what) for what in ("queued", "seated")
        ]
        work = lambda tx: {"leaves": [tx.log(leaf) for leaf in (begun, *seat)]}  # noqa: E731
        wait(self.bank.submit(work, name, name.encode()))

    def play_game(self, end: str = "over") -> str:
        """Play a game until it is `over`, `void` (in its second deal) or `open` (unfinished)."""
        table = Play(self, f"{self.table}-{next(self.numbers):06d}")
        table.open()
        for player in self.players:
            side, unit_cents = self.random.randrange(2), self.random.randrange(100, 5_000)
            table.bet(player, side, unit_cents, self.random.randrange(3) > 0)
        table.cut()
        table.close()
        table.play_deals(stop_after=None if end == "over" else 1)
        if end == "over":
            table.settle()
        elif end == "void":
            table.void("the challenger has left")
        if end != "open":
            table.reveal_late()
        return table.game


class Play:
    def __init__(self, night: GameSimulator, game: str) -> None:
        self.night = night
        self.game = game
        self.number = int(game.rpartition("-")[2])
        self.seed: bytes = night.chain.seed(self.number)
        self.book = betting.Book("ann", night.stake_cents, night.gallery, LIMITS)
        self.seals: list[str] = []
        self.opened: list[int] = []
        self.closing: betting.Closing | None = None
        self.records: list[ecarte.DealRecord] = []
        self.first_dealer = ecarte.HOUSE
        self.decisions: Counter[int] = Counter()

    def open(self) -> None:
        def work(tx: Transaction) -> Answer:
            opened = GameOpened(
                bots=Bots(house=BotName(name="novice", strength="", version=BOT_VERSION)),
                chain=1, commitment=fairness.commitment_of(self.seed), number=self.number,
                cover_cents=self.night.cover.challenger_cents, game=self.game,
                players=Players(challenger="ann", house="novice"), table=self.night.table,
            )  # fmt: skip
            tx.log(opened)
            purse = tx.balance(accounts.spending_account("ann"))
            bank = tx.balance(accounts.HOUSE_BANK)
            if self.book.stake_cents:
                move = betting.hold_stakes(self.book, purse, bank)
                tx.post(accounts.escrow_entry(self.game, *move))
            return {}

        self.submit(work)

    def bet(self, player: str, side: int, unit_cents: int, with_seal: bool = False) -> Answer:
        seal = fairness.commitment_to(self.game, player, self.text(player)) if with_seal else None

        def work(tx: Transaction) -> Answer:
            has_cents = tx.balance(accounts.spending_account(player))
            entered = betting.enter_bet(self.book, player, side, unit_cents, has_cents)
            leaf = tx.log(factories.bet_accepted(self.game, entered.bet, seal))
            tx.post(accounts.escrow_entry(self.game, *entered.hold))
            self.book = entered.book
            self.seals += [player] if seal else []
            return {"leaf": leaf, "order": entered.bet.order}

        try:
            return self.submit(work)
        except Refused as refusal:
            return {"code": refusal.code}

    def text(self, player: str) -> str:
        salt = sha256(f"{self.game}|{player}".encode()).digest()[:16]
        return fairness.make_contribution("♠", salt)

    def cut(self) -> None:
        seal = fairness.commitment_to(self.game, "ann", self.text("ann"))
        self.log(CutSealed(game=self.game, player="ann", seal=seal))
        self.seals.append("ann")

    def lock(self) -> tuple[betting.Cover, betting.Cover]:
        locked: list[tuple[betting.Cover, betting.Cover]] = []

        def work(tx: Transaction) -> Answer:
            bank = tx.balance(accounts.HOUSE_BANK)
            purse = tx.balance(accounts.spending_account("ann"))
            cover = betting.affordable_cover(self.book, self.night.cover, bank, purse)
            lock = betting.lock(self.book, cover, self.seals)
            locked.append((cover, lock.held))
            tx.log(factories.book_locked(self.game, self.book, len(self.seals), cover))
            self.post(tx, lock.hold)
            return {}

        self.submit(work)
        return locked[0]

    def open_text(self, number: int, player: str) -> None:
        self.log(CutOpened(game=self.game, number=number, text=self.text(player)))
        self.opened.append(number)

    def withheld(self) -> list[int]:
        return [n for n in range(1, len(self.seals) + 1) if n not in self.opened]

    def reveal_late(self) -> None:
        """Reveal withheld texts after the game, in two games of three."""
        for number in self.withheld() if self.number % 3 != 2 else ():
            text = self.text(self.seals[number - 1])
            self.log(CutLate(game=self.game, number=number, text=text))

    @property
    def cut_hex(self) -> str:
        return fairness.combine(self.text(self.seals[number - 1]) for number in self.opened)

    def close(self) -> None:
        """Lock the book, reveal most texts, and close it: match, cover, return the excess."""
        cover, held = self.lock()
        for number, player in enumerate(self.seals, 1):
            if self.night.random.randrange(5) and (number, self.number % 3) != (1, 1):
                self.open_text(number, player)
        shut = self.withheld()
        withheld = {self.seals[number - 1] for number in shut}

        def work(tx: Transaction) -> Answer:
            closing = self.closing = betting.close(self.book, cover, withheld, held)
            self.book = closing.book
            self.first_dealer = self._dealer_by(self.cut_hex)
            dealer = self.first_dealer
            tx.log(factories.betting_closed(self.game, self.cut_hex, shut, closing, dealer))
            for move in closing.moves:
                tx.post(accounts.escrow_entry(self.game, *move))
            return {}

        self.submit(work)

    def play_deals(self, stop_after: int | None = None) -> None:
        cut_hex = self.cut_hex
        game = ecarte.new_game(self.night.laws, self.first_dealer)
        while not game.over and stop_after != len(self.records):
            number = len(self.records) + 1
            deck = fairness.deck(self.seed, self.game, cut_hex, number)
            deal = self.play_deal(game, ecarte.begin_deal(game, deck), number)
            game = ecarte.after_deal(game, deal)

    def play_deal(self, game: ecarte.Game, deal: ecarte.Deal, number: int) -> ecarte.Deal:
        self.log(PackDealt(deal=number, dealer=SIDES[game.dealer], game=self.game))
        self.records.append(ecarte.deal_record(deal))
        while deal.phase < ecarte.OVER:
            if deal.phase == ecarte.DEALING:
                deal = self.show_turn_up(deal)
                continue
            choices = ecarte.legal_actions(deal)
            deal = self.act(deal, number, self.choose(deal, number, choices))
        return deal

    def choose(
        self, deal: ecarte.Deal, number: int, choices: Sequence[ecarte.Action]
    ) -> ecarte.Action:
        """Let the house's bot decide; the challenger acts at random and rarely concedes."""
        if deal.turn == ecarte.HOUSE and ecarte.actor(deal, choices[0]) == ecarte.HOUSE:
            self.decisions[number] += 1
            seed = fairness.bot_seed(self.seed, self.game, ecarte.HOUSE)
            draws = fairness.bot_draws(seed, number, self.decisions[number])
            return get_bot("novice").choose(
                ecarte.view(deal, ecarte.HOUSE),
                ecarte.legal_for(deal, ecarte.HOUSE),
                cast("Random", draws),
            )
        chosen = choices[self.night.random.randrange(len(choices))]
        rarely = chosen == ecarte.CONCEDE and self.night.random.randrange(10)
        return choices[0] if rarely else chosen

    def show_turn_up(self, deal: ecarte.Deal) -> ecarte.Deal:
        shown = ecarte.turn_up(deal)
        event = TurnedUp(card=ecarte.token(shown.turn_up), game=self.game)
        self.log(event, factories.hands_shown(self.game, shown))
        return shown

    def act(self, deal: ecarte.Deal, number: int, what: ecarte.Action) -> ecarte.Deal:
        """Take an action; exchanged cards stay secret until the end."""
        after, place = ecarte.apply(deal, what), len(deal.history) + 1

        def work(tx: Transaction) -> Answer:
            leaf = tx.log(factories.action_taken(self.game, number, deal, what, self.seed))
            if ecarte.token(what).startswith("X"):
                secret = {f"action {number} {place}": ecarte.token(what).encode()}
                ((name, box),) = SeedKeeper(lambda: MASTER).encrypt(self.game, secret).items()
                tx.secrets.append((self.game, name, box))
            if hands := factories.hands_shown(self.game, after):
                tx.log(hands)
            return {"leaf": leaf}

        self.submit(work)
        self.records[-1] = ecarte.deal_record(after)
        return after

    def _dealer_by(self, cut_hex: str) -> ecarte.Seat:
        may = ecarte.first_dealers(self.night.laws)
        cut = fairness.first_dealer(self.seed, self.game, cut_hex)
        return cut if cut in may else may[0]

    def outcome(self) -> ecarte.ReplayResult:
        dealer = self._dealer_by(self.cut_hex)
        return ecarte.replay(ecarte.Record(self.night.laws, dealer, tuple(self.records), self.game))

    def settle(self) -> None:
        outcome = self.outcome()
        won, times, score = outcome.winner, outcome.stake, outcome.game.score
        assert won is not None and times is not None and self.closing is not None
        settlement = betting.settle(self.closing, won, times)
        over = factories.game_over(self.game, self.seed, self.records, score, won, times)
        self.end(over, settlement.move)

    def void(self, reason: str) -> None:
        stands = self.closing.stands if self.closing else betting.as_entered(self.book)
        event = factories.game_void(self.game, reason, self.seed, self.records)
        self.end(event, betting.void(self.book, stands), reason)

    def end(self, event: Event, move: betting.MoneyMove, reason: str = "") -> None:
        def work(tx: Transaction) -> Answer:
            tx.log(event)
            self.post(tx, move, reason)
            tx.end_subject(self.game)
            return {}

        self.submit(work)

    def log(self, *events: Event | None) -> None:
        self.submit(lambda tx: {"leaves": [tx.log(one) for one in events if one is not None]})

    def post(self, tx: Transaction, move: betting.MoneyMove, reason: str = "") -> None:
        if move.postings:
            tx.post(accounts.escrow_entry(self.game, *move, reason))

    def submit(self, work) -> Answer:  # type: ignore[no-untyped-def]
        name = next(self.night.ids)
        return wait(self.night.bank.submit(work, name, name.encode()))


def wait(future) -> Answer:  # type: ignore[no-untyped-def]
    answer: Answer = future.result(timeout=60)
    return answer


def open_ledger(
    where: Path | LogLocation,
    clock: SimulatedClock | None = None,
    watch: WriterListener | None = None,
) -> Ledger:
    return Ledger(where, clock or SimulatedClock(), watch=watch)


def play_games(where: Path | LogLocation, games: int, bettors: int = 6) -> None:
    bank = open_ledger(where)
    try:
        night = GameSimulator(bank, bettors=bettors)
        for _ in range(games):
            night.play_game()
        night.play_game("void")
        night.play_game("open")
    finally:
        bank.close()
