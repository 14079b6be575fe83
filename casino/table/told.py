"""What each receiver may be told of what happens at a table: nothing hidden leaves the clerk.

A happening is told in one or more events, numbered by the table's version, the same for all but
for the cards: those come out of the receiver's own view of the deal. `you` is for one person
alone, and `snapshot` is for who comes late.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from casino import gallery
from casino.ecarte.actions import CLAIM, TAKE_BACK, token
from casino.ecarte.cards import members, text, texts
from casino.ecarte.deal import legal_for
from casino.ecarte.laws import laws_json
from casino.ecarte.record import SEATS
from casino.ecarte.rules import CHALLENGER, HOUSE, NO_CARD, NOBODY, Seat
from casino.ecarte.state import Deal
from casino.ecarte.view import GALLERY, full_view, may_show_all, view
from casino.events.kinds import (
    SIDES,
    ActionTaken,
    BetAccepted,
    BettingClosed,
    CutOpened,
    CutSealed,
    Event,
    GameOpened,
    GameSettled,
    GameVoid,
    PackDealt,
    SeatChanged,
    TurnedUp,
)
from casino.events.made import record_fields
from casino.gallery import Outcome, Stand
from casino.table.evolve import happenings
from casino.table.state import GameState, TableState, deal_of, record_of

Told: TypeAlias = dict[str, Any]

_CLAIM: Final = token(CLAIM)
_TAKE_BACK: Final = token(TAKE_BACK)


def viewer_of(state: TableState, player: str) -> Seat:
    """The seat whose cards a person may see: his own, or none."""
    running = state.running
    if running is None or running.is_bot or running.abandoned or player != running.challenger:
        return GALLERY
    return CHALLENGER


def tell(before: TableState, event: Event, after: TableState, viewer: Seat = GALLERY) -> list[Told]:
    """The messages of an event for a seat, or for the gallery."""
    kinds = happenings(before, event, after)
    shared = {"table": after.rules.name, "game": _game(before, after)}
    events = []
    for version, kind in enumerate(kinds, before.version + 1):
        details = _DETAILS[kind](before, event, after, viewer)
        events.append({**shared, "version": version, "type": kind, **details})
    return events


def snapshot(state: TableState, viewer: Seat = GALLERY) -> Told:
    """A table for who comes late: all that he would know had he been there."""
    running = state.running
    told: Told = {
        "table": state.rules.name,
        "version": state.version,
        "laws": laws_json(state.rules.laws),
        "gallery": state.rules.gallery._asdict(),
        "limits": state.rules.limits._asdict(),
        "stake_cents": state.rules.stake_cents,
        "house": state.rules.house,
        "challenger": state.rules.challenger,
        "holder": state.holder,
        "queue": [player for player, _ in state.queue],
    }
    if running is None:
        return told
    return {
        **told,
        "laws": laws_json(running.laws),
        "game": running.id,
        "bots": _bots(running),
        "commitment": running.commitment,
        "players": {"house": running.house, "challenger": running.challenger},
        **_cuts(running),
        "bets": _stands(_standing(running)),
        **_book(running),
        "deal": None if running.deal is None else _deal(running, running.deal, viewer),
    }


def you(state: TableState, seat: Seat) -> Told:
    """What only the person in a seat may see: his hand, what he may do and at which version."""
    running = state.running
    if seat == GALLERY or running is None or running.deal is None:
        return {"table": state.rules.name, "version": state.version, "hand": [], "legal": []}
    deal = running.deal
    seen = view(deal, seat)
    # Nobody is told that a claim is open: a person has to notice a revoke himself.
    legal = [token(one) for one in legal_for(deal, seat) if one != CLAIM]
    return {
        "table": state.rules.name,
        "version": state.version,
        "game": running.id,
        "hand": [text(one) for one in members(seen.hand)],
        "legal": legal,
    }


def _game(before: TableState, after: TableState) -> str | None:
    """The game that a fact is about."""
    running = before.running or after.running
    return None if running is None else running.id


def _opened(_: TableState, event: GameOpened, after: TableState, __: Seat) -> Told:
    """A game opens."""
    running = _running(after)
    return {
        "commitment": event.commitment,
        "laws": laws_json(running.laws),
        "gallery": running.book.laws._asdict(),
        "limits": running.book.limits._asdict(),
        "stake_cents": event.stake_cents,
        "players": {"house": event.players.house, "challenger": running.challenger},
        "bots": _bots(running),
        "cover": running.wished._asdict(),
    }


def _bots(running: GameState) -> dict[str, str]:
    """The bots by the seats that no person holds."""
    bots = {"house": running.house}
    return {**bots, "challenger": running.challenger} if running.is_bot else bots


def _cuts(running: GameState) -> Told:
    """Who has sealed a text, how many are open; once the book is closed, which made the cut."""
    locked, closed = running.locked, running.closing is not None
    return {
        "seals": [{"number": seal.number, "player": seal.player} for seal in running.seals],
        "locked": None if locked is None else _lock(running),
        "cuts_opened": len(running.opened),
        "opened": sorted(number for number, _ in running.opened) if closed else [],
        "withheld": [seal.number for seal in running.shut] if closed else [],
        "cut": running.cut,
    }


def _lock(running: GameState) -> Told:
    """What was locked: how many bets and seals, and the cover fixed."""
    assert running.locked is not None
    bets, cover, _held = running.locked
    return {"bets": bets, "seals": len(running.seals), "cover": cover._asdict()}


def _cut(_: TableState, event: CutSealed, after: TableState, __: Seat) -> Told:
    """A text is sealed, and which it is, counted from 1."""
    return {"player": event.player, "number": len(_running(after).seals)}


def _cuts_opened(_: TableState, __: CutOpened, after: TableState, ___: Seat) -> Told:
    """How many of how many texts are open; the texts themselves come with the record."""
    running = _running(after)
    return {"opened": len(running.opened), "seals": len(running.seals)}


def _bet(_: TableState, event: BetAccepted, after: TableState, ___: Seat) -> Told:
    """A bet."""
    return {
        "order": event.order,
        "player": event.player,
        "side": event.side,
        "unit_cents": event.unit_cents,
        "seal_number": None if event.seal is None else len(_running(after).seals),
    }


def _book_now(_: TableState, __: BetAccepted, after: TableState, ___: Seat) -> Told:
    """The book as it stands."""
    return _book(_running(after))


def _book(running: GameState) -> Told:
    """Both totals, the cover, and what is, or would now be, matched (G9)."""
    quote = gallery.quote(running.book, running.wished)
    if running.closing is not None:
        totals = gallery.side_totals(running.book.bets)
        matched_cents = running.closing.matched_cents
        return {"totals_cents": list(totals), "matched_cents": matched_cents, "closed": True}
    totals = quote.house_cents, quote.challenger_cents
    return {
        "totals_cents": list(totals),
        "matched_cents": quote.matched_cents,
        "closed": False,
        "cover": running.wished._asdict(),
    }


def _closed(_: TableState, event: BettingClosed, after: TableState, __: Seat) -> Told:
    """The matching and the cut."""
    running = _running(after)
    return {
        **_book(running),
        "cover": _lock(running)["cover"],
        "bets": _stands(_standing(running)),
        "opened": list(event.opened),
        "withheld": list(event.withheld),
        "returned": list(event.returned),
        "cut": running.cut,
        "first_dealer": SEATS[running.first_dealer],
    }


def _standing(running: GameState) -> tuple[Stand, ...]:
    """How every bet stands, or would if the book closed now: only then is the cover one of them."""
    if running.closing is not None:
        return running.closing.stands
    stands = gallery.stands_now(running.book, running.wished)
    return stands[: len(running.book.bets)]


def _stands(stands: Iterable[Stand]) -> list[Told]:
    """Bets with how much of their unit is matched."""
    return [
        {
            "order": bet.order,
            "player": bet.bettor,
            "side": SEATS[bet.side],
            "unit_cents": bet.unit_cents,
            "matched_cents": matched_cents,
        }
        for bet, matched_cents in stands
    ]


def _dealt(_: TableState, __: PackDealt, after: TableState, viewer: Seat) -> Told:
    """A deal, with the receiver's own cards."""
    return {"deal": _deal(_running(after), deal_of(after), viewer)}


def _turned_up(_: TableState, __: TurnedUp, after: TableState, ___: Seat) -> Told:
    """The turn-up."""
    return {"card": text(deal_of(after).turn_up)}


def _acted(before: TableState, event: ActionTaken, after: TableState, viewer: Seat) -> Told:
    """An action, and whose turn it is; another's exchange only by its number.

    One that takes play back (R8.4, R8.5) tells the deal as it now stands, and a claim who is found
    to have revoked, so that everybody goes on from there.
    """
    deal = deal_of(after)
    shown = event.action
    if event.seal is not None and viewer != GALLERY and event.seat == SIDES[viewer]:
        shown = token(deal.history[-1])
    told: Told = {"seat": event.seat, "action": shown}
    told["turn"] = _seat_name(deal.turn)
    if event.action in (_CLAIM, _TAKE_BACK):
        told["deal"] = _deal(_running(after), deal, viewer)
    if event.action == _CLAIM:
        revoked = deal_of(before).irregular.revoked
        told["revoked"] = [seat for n, seat in enumerate(SEATS) if revoked[n]]
    return told


def _trick(before: TableState, _: ActionTaken, after: TableState, __: Seat) -> Told:
    """Who has taken a trick, or the tricks conceded to him."""
    was, now = deal_of(before).tricks, deal_of(after).tricks
    taker = HOUSE if now[HOUSE] > was[HOUSE] else CHALLENGER
    return {"taker": SEATS[taker], "tricks": _by_seat(now)}


def _points(_: TableState, __: Event, after: TableState, ___: Seat) -> Told:
    """The score."""
    return {"score": _by_seat(deal_of(after).score)}


def _deal_over(_: TableState, __: Event, after: TableState, ___: Seat) -> Told:
    """All hands, as far as they may be shown already."""
    deal = deal_of(after)
    told: Told = {"score": _by_seat(deal.score), "tricks": _by_seat(deal.tricks)}
    if may_show_all(deal):
        kept = full_view(deal).kept
        told["hands"] = {seat: texts(members(kept[n])) for n, seat in enumerate(SEATS)}
    return told


def _game_over(before: TableState, event: GameSettled, _: TableState, __: Seat) -> Told:
    """The result, with the seed revealed."""
    running = _running(before)
    return {
        "score": _by_seat(deal_of(before).score),
        "winner": event.winner,
        "stake": event.multiplier,
        "server_seed": running.server_seed.hex(),
        "cuts": len(running.opened),
    }


def _settled(before: TableState, event: GameSettled, _: TableState, __: Seat) -> Told:
    """What each bet came to."""
    closing = _running(before).closing
    assert closing is not None
    settlement = gallery.settle(closing, SIDES.index(event.winner), event.multiplier)
    return {"bets": _outcomes(settlement.bets), "principals": _outcomes(settlement.principals)}


def _outcomes(outcomes: Iterable[Outcome]) -> list[Told]:
    """Bets with what they came to."""
    return [
        {
            "order": one.bet.order,
            "player": one.bet.bettor,
            "side": SEATS[one.bet.side],
            "matched_cents": one.matched_cents,
            "gain_cents": one.gain_cents,
            "commission_cents": one.commission_cents,
        }
        for one in outcomes
    ]


def _voided(before: TableState, event: GameVoid, _: TableState, __: Seat) -> Told:
    """Why, and what had been played, the seed revealed."""
    return {"reason": event.reason, "record": record_fields(record_of(_running(before)))}


def _seat(_: TableState, event: SeatChanged, after: TableState, __: Seat) -> Told:
    """The seat and the queue."""
    queue = [player for player, _ in after.queue]
    return {"player": event.player, "what": event.what, "holder": after.holder, "queue": queue}


def _deal(running: GameState, deal: Deal, viewer: Seat) -> Told:
    """A deal as one receiver may see it."""
    seen = view(deal, viewer)
    open_to_all = deal.turn == NOBODY and may_show_all(deal)
    hands = full_view(deal).hands if open_to_all else seen.hands
    return {
        "number": running.number,
        "dealer": SEATS[seen.dealer],
        "turn": _seat_name(seen.turn),
        "turn_up": None if seen.turn_up == NO_CARD else text(seen.turn_up),
        "score": _by_seat(seen.score),
        "tricks": _by_seat(seen.tricks),
        "stock": seen.stock,
        "sizes": _by_seat(seen.sizes),
        "hands": {seat: texts(members(hands[n])) for n, seat in enumerate(SEATS) if hands[n]},
        "exposed": texts(members(seen.exposed)),
        "led": None if seen.led == NO_CARD else text(seen.led),
        "actions": [token(one) for one in seen.history],
    }


def _by_seat(pair: tuple[int, int]) -> dict[str, int]:
    """A pair of numbers under the names of the seats."""
    return dict(zip(SEATS, pair, strict=True))


def _seat_name(seat: Seat) -> str | None:
    """A seat's name, or nothing for nobody's."""
    return None if seat == NOBODY else SEATS[seat]


def _running(state: TableState) -> GameState:
    """The running game, which must be there."""
    assert state.running is not None
    return state.running


_DETAILS: Final[Mapping[str, Callable[[TableState, Any, TableState, Seat], Told]]] = {
    "game_opened": _opened,
    "cut": _cut,
    "book_locked": lambda _, __, after, ___: _lock(_running(after)),
    "cuts_opened": _cuts_opened,
    "bet_accepted": _bet,
    "book": _book_now,
    "betting_closed": _closed,
    "dealt": _dealt,
    "turned_up": _turned_up,
    "action": _acted,
    "trick": _trick,
    "points": _points,
    "deal_over": _deal_over,
    "game_over": _game_over,
    "settled": _settled,
    "game_void": _voided,
    "seat": _seat,
}
