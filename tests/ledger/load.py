"""A casino under load, in a process of its own that may be killed at any moment."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import threading
from multiprocessing.connection import Connection
from pathlib import Path

from casino.betting import MoneyMove
from casino.ledger import accounts
from casino.ledger.ledger import Ledger
from casino.ledger.transaction import Answer, Transaction
from tests.ledger.grants import give, issue

CLIENTS = 8
SERVING = "serving"
ROTATING = "handing on"
_FILE_EVENTS = ("open", "os.rename", "os.remove", "os.chmod")


def live(
    path: Path, started_at: int, answered: list[int], pipe: Connection, does: str, dies_at: int
) -> None:
    """Open the bank, and let clients hold chips without end or hand its log on to another key.

    It dies by a kill of its own when it is about to touch a file of its folder for the
    `dies_at`-th time. `answered` says how many commands of each client were answered before.
    """
    if dies_at:
        die_at_file(path.parent, dies_at)
    clock = itertools.count(started_at)
    bank = Ledger(path, lambda: next(clock))
    if does == ROTATING:
        pipe.send(ROTATING)
        bank.rotate_key()
    else:
        serve(bank, answered, pipe)


def die_at_file(folder: Path, number: int) -> None:
    """Be killed at the n-th opening, renaming or removing of a file in a folder."""
    left = itertools.count(number - 1, -1)

    def look(event: str, arguments: tuple[object, ...]) -> None:
        if event in _FILE_EVENTS and str(arguments[0]).startswith(str(folder)) and not next(left):
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(look)


def serve(bank: Ledger, answered: list[int], pipe: Connection) -> None:
    lock = threading.Lock()
    issue(bank)

    def client(number: int) -> None:
        player = f"p{number}"
        give(bank, player, 10**9, f"{player}.open").result()
        for turn in itertools.count(answered[number]):
            name = f"{player}.{turn}"
            answer = bank.submit(holding(player, turn), name, name.encode()).result()
            with lock:
                pipe.send((number, turn, answer["balance_cents"], answer["leaf"]))

    for number in range(CLIENTS):
        threading.Thread(target=client, args=(number,), daemon=True).start()
    threading.Event().wait()


def holding(player: str, turn: int):  # type: ignore[no-untyped-def]
    cents = turn + 1
    move = MoneyMove("hold", (("wallet", player, -cents), ("escrow", player, cents)))

    def work(tx: Transaction) -> Answer:
        leaf = tx.next_leaf
        tx.post(accounts.escrow_entry("t1-000001", *move))
        if turn % 4 == 0:
            # A signature that is published is written to a file of its own.
            tx.wants_checkpoint = True
        return {"balance_cents": tx.balance(accounts.spending_account(player)), "leaf": leaf}

    return work
