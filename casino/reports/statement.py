"""A player's account statement: every movement of chips, and every bet with its result."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from casino.errors import RefusalReason, Refused
from casino.events.game_record import FinishedGame, finished_game, settlement_of
from casino.events.types import BetAccepted, Side, decode
from casino.ledger.accounts import escrow, spending_account
from casino.ledger.entries import WALLET, as_entry
from casino.ledger.log_reader import LogReader, leaves_about
from casino.ledger.storage.location import LogLocation, open_log

NO_ACCOUNT: Final = RefusalReason(
    "no_account", "not_entered", "{player} has no account in {file}: check the name"
)


@dataclass(frozen=True)
class BalanceChange:
    """A ledger entry that moved a player's chips; `held_cents` are in escrow afterwards."""

    entry: int
    at_ms: int
    move: str
    game: str
    cents: int
    balance_cents: int
    held_cents: int


@dataclass(frozen=True)
class BetLine:
    """A bet and its result, whose amounts are None while the game runs or if it was void."""

    game: str
    order: int
    side: Side
    unit_cents: int
    matched_cents: int | None
    gain_cents: int | None
    commission_cents: int | None
    result: str


@dataclass(frozen=True)
class Statement:
    """A player's account statement; in `open_games` are the games that hold chips of theirs."""

    player: str
    balance_cents: int
    escrow_cents: int
    open_games: list[str]
    changes: list[BalanceChange]
    bets: list[BetLine]


def statement(where: Path | LogLocation, player: str) -> Statement:
    """Return a player's account statement. Raise `Refused` if the player is unknown."""
    with closing(open_log(where)) as log, log.snapshot():
        # No two names differ only in case.
        names = (account.removeprefix(WALLET) for account in log.balances(WALLET))
        player = next((name for name in names if name.casefold() == player.casefold()), player)
        account = _statement(log, player)
    if not account.changes:
        raise Refused(NO_ACCOUNT, player=player, file=str(where))
    return account


def _statement(log: LogReader, player: str) -> Statement:
    account = spending_account(player)
    changes: list[BalanceChange] = []
    bets: list[BetAccepted] = []
    balance = 0
    held: Counter[str] = Counter()
    for stored in leaves_about(log, player):
        if stored.kind == "entry":
            entry = as_entry(stored.body)
            moved = dict(entry.postings)
            game = entry.game or ""
            held[game] += moved.get(escrow(game, player), 0)
            # A game lost in full moves only the escrow.
            if account in moved or escrow(game, player) in moved:
                cents = moved.get(account, 0)
                balance += cents
                position = entry.entry, entry.at, entry.move, game
                changes.append(BalanceChange(*position, cents, balance, held.total()))
        elif stored.kind == "bet":
            leaf = decode(stored.body)
            assert isinstance(leaf, BetAccepted)
            if leaf.player == player:
                bets.append(leaf)
    terms = [decode(stored.body) for stored in log.of_kinds(["terms"])]
    games = {
        game: finished_game((decode(stored.body) for stored in log.of_subject(game)), terms)
        for game in dict.fromkeys(bet.game for bet in bets)
    }
    lines = [_line(bet, games[bet.game]) for bet in bets]
    at_risk = [game for game, cents in held.items() if cents]
    return Statement(player, balance, held.total(), at_risk, changes, lines)


def _line(bet: BetAccepted, game: FinishedGame | None) -> BetLine:
    matched_cents = gain_cents = fee_cents = None
    if game is None:
        result = "open"
    elif (settlement := settlement_of(game)) is None:
        result = "void"  # all chips were returned
    else:
        outcome = next(outcome for outcome in settlement.bets if outcome.bet.order == bet.order)
        _, matched_cents, _, gain_cents, fee_cents = outcome
        nothing = "returned" if bet.player in game.withheld else "unmatched"
        result = "won" if gain_cents > 0 else "lost" if gain_cents < 0 else nothing
    amounts = bet.unit_cents, matched_cents, gain_cents, fee_cents
    return BetLine(bet.game, bet.order, bet.side, *amounts, result)
