"""A table's facts as the bank keeps them: leaves and entries of the log, secrets beside it.

`written` says what a fact adds to the log; `told_again` folds an unfinished game's facts once
more, so that a table goes on where it stood (L13).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from casino import fairness, gallery
from casino.bank import ledger
from casino.bank.leaves import GREATEST, Entry, Leaf
from casino.bank.transaction import Transaction
from casino.ecarte.actions import EXCHANGE, Action, parse_token, token
from casino.ecarte.cards import text as card_text
from casino.ecarte.deal import actor
from casino.ecarte.laws import parse_laws
from casino.ecarte.record import SEATS
from casino.ecarte.rules import NOBODY
from casino.errors import InvariantBroken
from casino.events import made
from casino.events.kinds import SIDES, BotName, CutMade, PackDealt
from casino.events.kinds import SeatChanged as SeatEvent
from casino.events.kinds import TurnedUp as TurnUpShown
from casino.gallery import Bet, Book, Cover, Limits
from casino.table.messages import (
    Acted,
    BetTaken,
    BookClosed,
    CutGiven,
    Dealt,
    Fact,
    GameOpened,
    GameVoided,
    GameWon,
    SeatChanged,
    TurnedUp,
)
from casino.table.state import GameState, TableState, deal_of, evolve, record_of

BOT_VERSION: Final = "1"
BOT_STRENGTH: Final = ""
"""No bot of this program can be set stronger or weaker."""
SEED: Final = "seed"
ENDS: Final = ("settled", "game_void")


class Secret(NamedTuple):
    """Something to be kept beside the log while its game runs."""

    game: str
    name: str
    value: bytes


class Over(NamedTuple):
    """The end of a game: its secrets are told, the log is to be signed."""

    game: str


Writing: TypeAlias = Leaf | Secret | Over


def written(before: TableState, fact: Fact, after: TableState) -> Iterable[Writing]:
    """What a fact adds to the log, in order."""
    return _WRITTEN[type(fact)](before, fact, after)


def write(transaction: Transaction, writing: Writing) -> int | None:
    """Put one thing into a transaction; the number of its leaf, if it is one."""
    if isinstance(writing, Entry):
        transaction.post(writing)
    elif isinstance(writing, Leaf):
        return transaction.log(writing)
    elif isinstance(writing, Secret):
        transaction.keep_secret(*writing)
    else:
        transaction.forget_secrets(writing.game)
        transaction.ask_checkpoint()
    return None


def _opened(before: TableState, fact: GameOpened, _: TableState) -> Iterator[Writing]:
    """The commitment, the stakes in escrow, the seed kept secret."""
    book = fact.book
    if fact.refill_cents:
        yield ledger.grant(book.challenger, fact.refill_cents, "a bot's chips")
    bots = {"house": _bot(fact.house)}
    if fact.is_bot:
        bots["challenger"] = _bot(book.challenger)
    yield made.game_opened(
        fact.game,
        before.rules.name,
        fairness.commitment_of(fact.server_seed),
        fact.laws,
        book,
        fact.house,
        bots,
        fact.loser_deals,
    )
    yield from _entry(fact.game, gallery.hold_stakes(book, GREATEST, GREATEST))
    yield Secret(fact.game, SEED, fact.server_seed)
    if fact.wished.challenger_cents:
        yield Secret(fact.game, "cover", b"%d" % fact.wished.challenger_cents)


def _cut(before: TableState, fact: CutGiven, _: TableState) -> Iterator[Writing]:
    """A contribution to the cut."""
    yield CutMade(game=_game(before).id, player=fact.player, text=fact.text)


def _bet(before: TableState, fact: BetTaken, _: TableState) -> Iterator[Writing]:
    """A bet and the hold of its risk."""
    running = _game(before)
    bet = fact.bet
    yield made.bet_accepted(running.id, bet)
    risk_cents = bet.unit_cents * running.book.laws.risk
    yield from _entry(running.id, gallery.moves.escrow_move("hold", [(bet.bettor, risk_cents)]))


def _closed(_: TableState, fact: BookClosed, after: TableState) -> Iterator[Writing]:
    """The cut, the matching, the moves that follow."""
    running = _game(after)
    assert running.closing is not None
    yield made.betting_closed(running.id, running.cut, fact.cover, running.closing)
    for move in running.closing.moves:
        yield from _entry(running.id, move)


def _dealt(_: TableState, __: Dealt, after: TableState) -> Iterator[Writing]:
    """A pack dealt, without its cards."""
    running = _game(after)
    dealer = SIDES[deal_of(after).dealer]
    yield PackDealt(deal=running.number, dealer=dealer, game=running.id)


def _turned_up(_: TableState, __: TurnedUp, after: TableState) -> Iterator[Writing]:
    """The turn-up."""
    running = _game(after)
    card = card_text(deal_of(after).turn_up)
    yield TurnUpShown(card=card, deal=running.number, game=running.id)


def _acted(_: TableState, fact: Acted, after: TableState) -> Iterator[Writing]:
    """An action; which cards were exchanged is kept secret."""
    running = _game(after)
    number, place = running.number, len(deal_of(after).history)
    seat = None if fact.seat == NOBODY else fact.seat
    yield made.action_taken(running.id, number, place, seat, fact.action, running.server_seed)
    if fact.action & EXCHANGE:
        text = token(fact.action).encode()
        yield Secret(running.id, f"action {number} {place}", text)


def _won(before: TableState, fact: GameWon, _: TableState) -> Iterator[Writing]:
    """The record, what everybody comes to, the one entry that pays it."""
    running = _game(before)
    assert running.closing is not None
    score = dict(zip(SEATS, deal_of(before).score, strict=True))
    result = {"score": score, "winner": SEATS[fact.winner], "stake": fact.multiplier}
    settlement = gallery.settle(running.closing, fact.winner, fact.multiplier)
    yield made.game_over(running.id, record_of(running, result))
    yield made.settled(running.id, fact.winner, fact.multiplier, settlement)
    yield from _entry(running.id, settlement.move)
    yield Over(running.id)


def _voided(before: TableState, fact: GameVoided, _: TableState) -> Iterator[Writing]:
    """What was played, and everything back."""
    running = _game(before)
    stands = running.closing.stands if running.closing else gallery.as_entered(running.book)
    yield made.game_void(running.id, fact.reason, record_of(running))
    yield from _entry(running.id, gallery.void(running.book, stands), fact.reason)
    yield Over(running.id)


def _seat_changed(before: TableState, fact: SeatChanged, _: TableState) -> Iterator[Writing]:
    """Who waits, sits, leaves."""
    yield SeatEvent(player=fact.player, table=before.rules.name, what=fact.what)
    if fact.what == "defaulted":
        yield Secret(_game(before).id, "abandoned", b"1")


def _bot(name: str) -> BotName:
    """A bot of this program."""
    return BotName(name=name, strength=BOT_STRENGTH, version=BOT_VERSION)


def _entry(game: str, move: gallery.Move, reason: str = "") -> Iterator[Entry]:
    """A move as an entry; one of nothing is none."""
    if move.postings:
        yield ledger.game_entry(game, move, reason)


def _game(state: TableState) -> GameState:
    """The running game, which must be there."""
    if state.running is None:
        raise InvariantBroken(f"{state.rules.name}: nothing is running")
    return state.running


_WRITTEN: Final[Mapping[type, Callable[[TableState, Any, TableState], Iterable[Writing]]]] = {
    GameOpened: _opened,
    CutGiven: _cut,
    BetTaken: _bet,
    BookClosed: _closed,
    Dealt: _dealt,
    TurnedUp: _turned_up,
    Acted: _acted,
    GameWon: _won,
    GameVoided: _voided,
    SeatChanged: _seat_changed,
}


# --- and back ----------------------------------------------------------------------------------


class Told(NamedTuple):
    """An unfinished game as its leaves and secrets tell it."""

    leaves: tuple[Mapping[str, Any], ...]
    secrets: Mapping[str, bytes]
    wished: Cover


def told_again(told: Told, state: TableState) -> TableState:
    """The table with an unfinished game in it, its facts folded one by one."""
    for leaf in told.leaves:
        read = _READ.get(leaf["type"])
        if read is not None:
            state = evolve(state, read(leaf, told, state))
    if "abandoned" in told.secrets:
        state = evolve(state, SeatChanged(_game(state).challenger, "defaulted"))
    return state


def loads(body: bytes) -> Mapping[str, Any]:
    """What a leaf says."""
    leaf: Mapping[str, Any] = orjson.loads(body)
    return leaf


def _read_opened(leaf: Mapping[str, Any], told: Told, _: object) -> Fact:
    """The game's opening, with the seed that only the bank kept."""
    return GameOpened(
        game=leaf["game"],
        server_seed=told.secrets[SEED],
        laws=parse_laws(leaf["laws"]),
        book=Book(
            leaf["players"]["challenger"],
            leaf["stake_cents"],
            gallery.parse_gallery_laws(leaf["gallery"]),
            Limits(**leaf["limits"]),
        ),
        wished=told.wished._replace(challenger_cents=int(told.secrets.get("cover", b"0"))),
        house=leaf["players"]["house"],
        is_bot="challenger" in leaf["bots"],
        loser_deals=SEATS.index(leaf["loser_deals"]) if "loser_deals" in leaf else None,
    )


def _read_bet(leaf: Mapping[str, Any], _: Told, __: object) -> Fact:
    """A bet."""
    side = SEATS.index(leaf["side"])
    return BetTaken(Bet(leaf["order"], leaf["player"], side, leaf["unit_cents"]))


def _read_action(leaf: Mapping[str, Any], told: Told, state: TableState) -> Fact:
    """An action, the cards of an exchange from the secrets."""
    secret = told.secrets.get(f"action {leaf['deal']} {leaf['number']}")
    what: Action = parse_token(secret.decode() if secret else leaf["action"])
    return Acted(actor(deal_of(state), what), what)


_READ: Final[Mapping[str, Callable[[Mapping[str, Any], Told, Any], Fact]]] = {
    "game_opened": _read_opened,
    "cut": lambda leaf, *_: CutGiven(leaf["player"], leaf["text"]),
    "bet": _read_bet,
    "betting_closed": lambda leaf, *_: BookClosed(Cover(**leaf["cover"])),
    "dealt": lambda *_: Dealt(),
    "turned_up": lambda *_: TurnedUp(),
    "action": _read_action,
}
