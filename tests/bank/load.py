"""A casino under load, in a process of its own that may be killed at any moment."""

from __future__ import annotations

import itertools
import threading
from multiprocessing.connection import Connection
from pathlib import Path

from casino.bank import ledger
from casino.bank.bank import Bank, grant
from casino.bank.transaction import Answer, Transaction
from casino.gallery import Move, Posting

CLIENTS = 8


def serve(path: Path, started_at: int, answered: list[int], pipe: Connection) -> None:
    """Open the bank and let clients hold chips without end; each answer goes down the pipe.

    `answered` says how many commands of each client were answered in earlier lives.
    """
    clock = itertools.count(started_at)
    bank = Bank(path, lambda: next(clock))
    lock = threading.Lock()

    def client(number: int) -> None:
        player = f"p{number}"
        answer = grant(bank, player, 10**9, f"{player}.open").result()
        for turn in itertools.count(answered[number]):
            name = f"{player}.{turn}"
            answer = bank.submit(holding(player, turn), name, name.encode()).result()
            with lock:
                pipe.send((number, turn, answer["balance_cents"]))

    for number in range(CLIENTS):
        threading.Thread(target=client, args=(number,), daemon=True).start()
    threading.Event().wait()


def holding(player: str, turn: int):  # type: ignore[no-untyped-def]
    """A command that puts `turn + 1` cents at risk."""
    cents = turn + 1
    move = Move("hold", (Posting("wallet", player, -cents), Posting("escrow", player, cents)))

    def work(tx: Transaction) -> Answer:
        tx.post(ledger.escrow_entry("t1-000001", *move))
        return {"balance_cents": tx.balance(ledger.purse(player))}

    return work
