"""The types of leaf that tell a game, and what each holds.

A running game's leaves are public, so none may show a card that somebody must not see: decks
follow from the committed seed and are told when the game is over; an exchange says how many
cards, and hides which under a seal keyed by that seed. docs/log.md says all of it in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from casino.ecarte.actions import EXCHANGE, Action, exchanged_number, hidden_exchange, token
from casino.ecarte.laws import Laws, laws_json
from casino.ecarte.record import SEATS, Record, record_json
from casino.ecarte.rules import Seat
from casino.fairness import hmac_sha256
from casino.gallery import Book, Closing, Cover, Outcome, Settlement

Fields: TypeAlias = dict[str, Any]


class Bot(NamedTuple):
    """Who plays a seat by itself: enough to recompute its every decision."""

    name: str
    version: str
    strength: str


class Event(NamedTuple):
    """A leaf to be appended: its type and fields."""

    kind: str
    fields: Fields


def game_opened(
    game: str,
    table: str,
    commitment: str,
    laws: Laws,
    book: Book,
    house: str,
    bots: Mapping[Seat, Bot],
    loser_deals: Seat | None = None,
) -> Event:
    """A game begins: the commitment to its seed, its laws, who plays, what may be bet."""
    fields: Fields = {
        "game": game,
        "table": table,
        "commitment": commitment,
        "laws": laws_json(laws),
        "gallery": book.laws._asdict(),
        "limits": book.limits._asdict(),
        "stake_cents": book.stake_cents,
        "players": {"house": house, "challenger": book.challenger},
        "bots": {SEATS[seat]: bot._asdict() for seat, bot in bots.items()},
    }
    if loser_deals is not None:
        fields["loser_deals"] = SEATS[loser_deals]
    return Event("game_opened", fields)


def cut(game: str, player: str, text: str) -> Event:
    """A contribution to the cut of the shuffle."""
    return Event("cut", {"game": game, "player": player, "text": text})


def bet(game: str, order: int, player: str, side: Seat, unit_cents: int) -> Event:
    """A bet is accepted; its hold is the entry that follows."""
    fields = {"game": game, "order": order, "player": player, "side": SEATS[side]}
    return Event("bet", {**fields, "unit_cents": unit_cents})


def betting_closed(game: str, cut_hex: str, cover: Cover, closing: Closing) -> Event:
    """The book closes: the cut, the cover the principals could pay, how every bet stands."""
    stands = [
        [bet.order, bet.bettor, SEATS[bet.side], bet.unit_cents, matched_cents]
        for bet, matched_cents in closing.stands
    ]
    fields = {"game": game, "cut": cut_hex, "cover": cover._asdict(), "stands": stands}
    return Event("betting_closed", {**fields, "matched_cents": closing.matched_cents})


def dealt(game: str, deal: int, dealer: Seat) -> Event:
    """A pack is dealt; its cards follow from the seed, which is told at the end."""
    return Event("dealt", {"game": game, "deal": deal, "dealer": SEATS[dealer]})


def turned_up(game: str, deal: int, card: str) -> Event:
    """The turn-up is shown."""
    return Event("turned_up", {"game": game, "deal": deal, "card": card})


def action(game: str, deal: int, number: int, seat: Seat | None, what: Action, key: bytes) -> Event:
    """A player's action; `number` counts from 1 in its deal, `key` is the server's seed.

    The seat is left out where both sides may have taken it.
    """
    said = token(what)
    fields: Fields = {"game": game, "deal": deal, "number": number, "action": said}
    if seat is not None:
        fields["seat"] = SEATS[seat]
    if what & EXCHANGE:
        fields["action"] = token(hidden_exchange(exchanged_number(what)))
        fields["seal"] = exchange_seal(key, game, deal, number, said)
    return Event("action", fields)


def exchange_seal(key: bytes, game: str, deal: int, number: int, text: str) -> str:
    """What binds an exchange to its cards without showing them: an HMAC under the server's seed."""
    message = f"{game}|exchange|{deal}|{number}|{text}"
    return hmac_sha256(key, message.encode("ascii")).hex()


def game_over(game: str, record: Record) -> Event:
    """A game is won: its whole record, with the seed revealed."""
    return Event("game_over", {"game": game, "record": record_fields(record)})


def settled(game: str, winner: Seat, multiplier: int, settlement: Settlement) -> Event:
    """What the principals and every bet came to; the entry that pays it follows."""
    return Event(
        "settled",
        {
            "game": game,
            "winner": SEATS[winner],
            "multiplier": multiplier,
            "principals": _outcomes(settlement.principals),
            "bets": _outcomes(settlement.bets),
        },
    )


def game_void(game: str, reason: str, record: Record) -> Event:
    """A game does not count: why, and what was played of it, with the seed revealed."""
    return Event("game_void", {"game": game, "reason": reason, "record": record_fields(record)})


def limit(player: str, limits: Mapping[str, int], from_ms: int) -> Event:
    """A player's own limits, and from when they hold."""
    return Event("limit", {"player": player, "limits": dict(limits), "from": from_ms})


def record_fields(record: Record) -> Fields:
    """A record as the JSON values it is written with, keys without a value left out."""
    fields = record_json(record)
    if fields.get("result", {}).get("winner", "") is None:
        del fields["result"]
    return fields


def _outcomes(outcomes: Iterable[Outcome]) -> list[list[Any]]:
    """Outcomes as rows: order, player, side, matched, escrow, gain, commission."""
    return [
        [bet.order, bet.bettor, SEATS[bet.side], matched, held, gain, fee]
        for bet, matched, held, gain, fee in outcomes
    ]
