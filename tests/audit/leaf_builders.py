"""Builders of leaves, to test audit rules leaf by leaf without a casino."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from casino.audit.check import Finding
from casino.betting import Cover, close
from casino.events import factories, types
from casino.events.game_record import FinishedGame
from casino.ledger.entries import Entry
from casino.table.domain.settings import TableSettings, to_event
from casino.table.domain.state import bot_name


def terms(from_game: int = 1, table: str = "t1", **changes: Any) -> types.TermsSet:
    return to_event(TableSettings(table, **changes), from_game)


def opened(
    number: int, table: str = "t1", house: str = "regle", **changes: Any
) -> types.GameOpened:
    """Return the opening of a game with its seed of chain 1 and a bot as challenger."""
    challenger = changes.pop("challenger", "novice")
    bot = types.BotName(name=challenger, version="1") if changes.pop("is_bot", True) else None
    said: dict[str, Any] = {
        "bots": types.Bots(challenger=bot, house=types.BotName(name=house, version="1")),
        "chain": 1,
        "commitment": seed(number).hex(),
        "game": f"{table}-{number:06}",
        "number": number,
        "players": types.Players(challenger=challenger, house=house),
        "table": table,
    }
    return types.GameOpened(**said | changes)


def seed(number: int) -> bytes:
    """Return a game's commitment, in a chain of nine built backwards from its last seed."""
    found = sha256(b"the last seed").digest()
    for _ in range(9 - number):
        found = sha256(found).digest()
    return found


def chain(number: int = 1, table: str = "t1", **changes: Any) -> types.SeedChain:
    """Return a chain of nine games whose anchor fits the commitments of `opened`."""
    said: dict[str, Any] = {"anchor": seed(1).hex(), "chain": number, "length": 9, "table": table}
    return types.SeedChain(**said | changes)


def locked(number: int, house_cents: int, table: str = "t1") -> types.BookLocked:
    cover = types.CoverLimits(challenger_cents=0, house_cents=house_cents)
    return types.BookLocked(bets=0, cover=cover, game=f"{table}-{number:06}", seals=0)


def bet(player: str, at: int = 0, game: str = "t1-000001") -> types.BetAccepted:
    return types.BetAccepted(at=at, game=game, order=1, player=player, side="house", unit_cents=100)


def entry(number: int, move: str, *postings: tuple[str, int], **changes: Any) -> Entry:
    return Entry(entry=number, move=move, postings=postings, **changes)


def ended(
    rules: TableSettings, seed: bytes, texts: Iterable[str], number: int = 1, **changes: Any
) -> FinishedGame:
    """Return a game between a table's bots in which some texts were revealed."""
    bots = types.Bots(challenger=bot_name(rules.challenger), house=bot_name(rules.house))
    start = opened(number, rules.name, rules.house, challenger=rules.challenger, bots=bots)
    told = dict(enumerate(texts, 1))
    lock, seals = locked(number, 0, rules.name), [bet(f"p{text}") for text in told]
    closed = factories.betting_closed(start.game, "", (), close(rules.book("cat"), Cover()), 0)
    end = factories.game_over(start.game, seed, (), (5, 0), 0, 3)
    game = FinishedGame(start, to_event(rules, 1), (), seals, told, lock, closed, (), 0, end)
    return game._replace(**changes)


def texts(found: Iterable[Finding]) -> list[str]:
    return [one.text for one in found]
