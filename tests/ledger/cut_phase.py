"""The cut of a simulated game: seals, the lock, and texts in time or late."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from casino import fairness
from casino.betting import Book, Cover, CoverLock, affordable_cover, lock
from casino.events import factories
from casino.events.types import CutLate, CutOpened, CutSealed
from casino.ledger import accounts
from casino.ledger.transaction import Answer, Transaction

MAX_DIGITS = 6
"""Digits of a game number; a game with a longer one gets the first seed."""


class CutPhase:
    def __init__(self, night: Any, game: str, book: Book) -> None:
        self.night = night
        self.game = game
        number = game.rpartition("-")[2]
        self.number = int(number) if number.isdecimal() and len(number) <= MAX_DIGITS else 1
        self.seed: bytes = night.chain.seed(self.number)
        self.book = book
        self.seals: list[str] = []
        self.opened: list[int] = []

    def text(self, player: str) -> str:
        salt = sha256(f"{self.game}|{player}".encode()).digest()[:16]
        return fairness.make_contribution("♠", salt)

    def cut(self) -> None:
        seal = fairness.commitment_to(self.game, "ann", self.text("ann"))
        event = CutSealed(game=self.game, player="ann", seal=seal)
        self.submit(lambda tx: {"leaf": tx.log(event)})
        self.seals.append("ann")

    def lock(self) -> tuple[Cover, Cover]:
        def work(tx: Transaction) -> Answer:
            bank = tx.balance(accounts.HOUSE_BANK)
            purse = tx.balance(accounts.spending_account("ann"))
            cover = affordable_cover(self.book, self.night.cover, bank, purse)
            locked.append(lock(self.book, cover, self.seals))
            covers.append(cover)
            tx.log(factories.book_locked(self.game, self.book, len(self.seals), cover))
            if locked[0].hold.postings:
                tx.post(accounts.escrow_entry(self.game, *locked[0].hold))
            return {}

        locked: list[CoverLock] = []
        covers: list[Cover] = []
        self.submit(work)
        return covers[-1], locked[-1].held

    def open_text(self, number: int, player: str) -> None:
        event = CutOpened(game=self.game, number=number, text=self.text(player))
        self.submit(lambda tx: {"leaf": tx.log(event)})
        self.opened.append(number)

    def reveal_late(self) -> None:
        """Reveal withheld texts after the game, in two games of three."""
        shut = [n for n in range(1, len(self.seals) + 1) if n not in self.opened]
        for number in shut if self.number % 3 != 2 else ():
            late = CutLate(game=self.game, number=number, text=self.text(self.seals[number - 1]))
            self.submit(lambda tx, late=late: {"leaf": tx.log(late)})

    @property
    def cut_hex(self) -> str:
        return fairness.combine(self.text(self.seals[number - 1]) for number in self.opened)

    def submit(self, work) -> Answer:  # type: ignore[no-untyped-def]
        name = next(self.night.ids)
        return wait(self.night.bank.submit(work, name, name.encode()))


def wait(future) -> Answer:  # type: ignore[no-untyped-def]
    answer: Answer = future.result(timeout=60)
    return answer
