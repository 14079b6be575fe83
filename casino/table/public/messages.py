"""Messages to clients: the changes that an event causes, or a snapshot of the public state.

A message states everything that changes, so clients need not know the rules. Applying messages to
a snapshot yields the next snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import asdict

from casino import betting, ecarte
from casino.ecarte import CHALLENGER, HOUSE, NO_CARD, NO_SEAT, SEATS, Seat
from casino.ecarte.observation import observer
from casino.events import types
from casino.events.types import SIDES, BookLocked, Event
from casino.table.public.state import Message, PublicGame, PublicTable, deal_of, is_out_of_time

_CLAIM: Final = ecarte.token(ecarte.CLAIM)
_TAKE_BACK: Final = ecarte.token(ecarte.TAKE_BACK)
_SHORT_ROAD: Final = 20  # past games shown in the lobby


def messages(before: PublicTable, event: Event, after: PublicTable) -> list[Message]:
    """Return the messages about an event, in order but without version numbers."""
    running = after.running or before.running
    about = {"game": None if running is None else running.id}
    return [{**about, **change} for change in _changes(before, event, after)]


def _changes(before: PublicTable, event: Event, after: PublicTable) -> Iterator[Message]:
    match event:
        case types.GameOpened():
            game = _running(after)
            yield {
                "type": "game_opened",
                **_rules(after),
                "commitment": event.commitment,
                "players": _players(game),
                "bots": _bots(game),
                "cover": game.cover._asdict(),
                "holder": after.holder,
            }
        case types.CutSealed():
            number = len(_running(after).seals)
            yield {"type": "cut", "player": event.player, "number": number}
        case types.BetAccepted():
            yield {
                "type": "bet_accepted",
                "order": event.order,
                "player": event.player,
                "side": event.side,
                "unit_cents": event.unit_cents,
                "seal_number": None if event.seal is None else len(_running(after).seals),
            }
        case types.BookLocked():
            yield {"type": "book_locked", **_book(_running(after)), **_lock(event)}
        case types.CutOpened():
            game = _running(after)
            yield {"type": "cuts_opened", "opened": len(game.texts), "seals": len(game.seals)}
        case types.BettingClosed():
            game = _running(after)
            assert game.closing is not None
            yield {
                "type": "betting_closed",
                **_book(game),
                "bets": _bets(game),
                "opened": game.revealed,
                "withheld": list(event.withheld),
                "returned": list(game.closing.returned),
                "cut": game.cut,
                "first_dealer": event.first_dealer,
            }
        case types.PackDealt():
            yield {"type": "dealt", "deal": _deal(_running(after))}
        case types.TurnedUp():
            turn = _seat_name(deal_of(_running(after)).turn)
            yield {"type": "turned_up", "card": event.card, "turn": turn}
            yield from _came_of_it(before, after)
        case types.ActionTaken():
            yield _action(before, event, after)
            yield from _came_of_it(before, after)
        case types.HandsShown():
            yield _deal_over(after)
        case types.GameOver():
            yield from _game_over(_running(before), event)
            if after.poule is not None:
                yield _poule_message(after)
        case types.GameVoid():
            reason, seed = event.reason, event.server_seed
            yield {"type": "game_void", "reason": reason, "server_seed": seed}
        case types.SeatChanged():
            change: Message = {"type": "seat", "player": event.player, "what": event.what}
            if event.what == "defaulted":
                change["late"] = is_out_of_time(before, event.at)
            yield {**change, "holder": after.holder, "queue": list(after.queue)}
            if after.poule != before.poule:
                yield _poule_message(after)
        case types.PouleOpened():
            yield _poule_message(after)
        case types.PouleOver():
            poule = _poule(before)
            assert poule is not None
            won = {"winner": event.winner, "name": poule["entrants"][event.winner - 1]}
            yield _poule_message(after, {**won, "pool_cents": poule["pool_cents"]})
        case types.PouleVoid():
            yield _poule_message(after, {"void": event.reason})


def book_message(game: PublicGame) -> Message:
    """Return the message with the book's totals, cover and matched amount (G9)."""
    return {"game": game.id, "type": "book", **_book(game)}


def snapshot(table: PublicTable) -> Message:
    """Return the public state of a table as one message."""
    running = table.running
    message: Message = {
        "table": table.rules.name,
        **_rules(table),
        "holder": table.holder,
        "queue": list(table.queue),
        "road": list(table.road),
    }
    if table.rules.poule is not None:
        message["poule"] = _poule(table)
    if running is None:
        return message
    return {
        **message,
        "game": running.id,
        "commitment": running.opened.commitment,
        "players": _players(running),
        "bots": _bots(running),
        **_cuts(running),
        "bets": _bets(running),
        **_book(running),
        "deal": None if running.deal is None else _deal(running),
    }


def _rules(table: PublicTable) -> Message:
    rules = table.rules
    return {
        "laws": ecarte.laws_json(rules.laws),
        "gallery": rules.gallery._asdict(),
        "limits": rules.limits._asdict(),
        "stake_cents": rules.stake_cents,
        "house": rules.house,
        "challenger": rules.challenger,
    }


def _poule(table: PublicTable) -> Message | None:
    poule, terms = table.poule, table.rules.poule
    if poule is None or terms is None:
        return None
    return {
        "id": poule.id,
        "entrants": list(poule.entrants),
        "person": poule.person or None,
        "line": list(poule.line),
        "wins": poule.wins,
        "seats": _by_seat(poule.seats),
        "pool_cents": poule.pool_cents(terms),
    }


def _poule_message(table: PublicTable, result: Message | None = None) -> Message:
    return {"type": "poule", "poule": _poule(table), "result": result}


def _players(game: PublicGame) -> dict[str, str]:
    return {"house": game.opened.players.house, "challenger": game.opened.players.challenger}


def _bots(game: PublicGame) -> dict[str, str]:
    players = _players(game)
    is_bot = game.is_bot or game.opened.played_by
    return players if is_bot else {"house": players["house"]}


def _cuts(game: PublicGame) -> Message:
    closed = game.closing is not None
    return {
        "seals": [{"number": seal.number, "player": seal.player} for seal in game.seals],
        "locked": None if game.locked is None else _lock(game.locked),
        "cuts_opened": len(game.texts),
        "opened": game.revealed if closed else [],
        "withheld": [seal.number for seal in game.unrevealed] if closed else [],
        "cut": game.cut,
    }


def _lock(event: BookLocked) -> Message:
    return {"bets": event.bets, "seals": event.seals, "cover": asdict(event.cover)}


def _book(game: PublicGame) -> Message:
    closing = game.closing
    matched_cents = (
        closing.matched_cents if closing else betting.count_matched(game.book, game.cover)
    )
    return {
        "cover": game.cover._asdict(),
        "closed": closing is not None,
        "totals_cents": list(betting.side_totals(game.book.bets)),
        "matched_cents": matched_cents,
    }


def _bets(game: PublicGame) -> list[Message]:
    closing = game.closing
    bets: list[Message] = []
    for bet, matched_cents in closing.stands if closing else betting.as_entered(game.book):
        message = {"order": bet.order, "player": bet.bettor, "side": SEATS[bet.side]}
        message |= {"unit_cents": bet.unit_cents}
        bets.append({**message, "matched_cents": matched_cents} if closing else message)
    return bets


def _action(before: PublicTable, event: types.ActionTaken, after: PublicTable) -> Message:
    revoked = [SIDES.index(seat) for seat in event.revoked]
    seat = observer.public_actor(deal_of(_running(before)), event.action, revoked)
    message: Message = {"type": "action", "seat": _seat_name(seat), "action": event.action}
    message["turn"] = _seat_name(deal_of(_running(after)).turn)
    # Play returns to an earlier point, so the whole deal is sent again.
    if event.action in (_CLAIM, _TAKE_BACK):
        message["deal"] = _deal(_running(after))
    if event.action == _CLAIM:
        message["revoked"] = list(event.revoked)
    return message


def _came_of_it(before: PublicTable, after: PublicTable) -> Iterable[Message]:
    was, now = deal_of(_running(before)), deal_of(_running(after))
    if sum(now.tricks) > sum(was.tricks):
        taker = HOUSE if now.tricks[HOUSE] > was.tricks[HOUSE] else CHALLENGER
        yield {"type": "trick", "taker": SEATS[taker], "tricks": _by_seat(now.tricks)}
    if now.score != was.score:
        yield {"type": "points", "score": _by_seat(now.score)}
    # If hands are to be shown, `deal_over` is sent with them.
    awaits_hands = ecarte.can_show_all(now) and any(now.hands)
    if now.phase in (ecarte.OVER, ecarte.ANNULLED) and not awaits_hands:
        yield _deal_over(after)


def _deal_over(after: PublicTable) -> Message:
    deal, hands = deal_of(_running(after)), _running(after).hands
    message = {"type": "deal_over", "score": _by_seat(deal.score), "tricks": _by_seat(deal.tricks)}
    return message if hands is None else {**message, "hands": hands}


def _game_over(game: PublicGame, event: types.GameOver) -> Iterator[Message]:
    assert game.closing is not None
    yield {
        "type": "game_over",
        "score": asdict(event.score),
        "winner": event.winner,
        "stake": event.stake,
        "server_seed": event.server_seed,
        "cuts": len(game.texts),
    }
    settled = betting.settle(game.closing, SIDES.index(event.winner), event.stake)
    bets, principals = _outcomes(settled.bets), _outcomes(settled.principals)
    yield {"type": "settled", "bets": bets, "principals": principals}


def _outcomes(outcomes: Iterable[betting.BetOutcome]) -> list[Message]:
    return [
        {
            "order": bet.order,
            "player": bet.bettor,
            "side": SIDES[bet.side],
            "matched_cents": matched_cents,
            "gain_cents": gain_cents,
            "commission_cents": commission_cents,
        }
        for bet, matched_cents, _, gain_cents, commission_cents in outcomes
    ]


def _deal(game: PublicGame) -> Message:
    seen = ecarte.view(deal_of(game), ecarte.GALLERY)
    actions = [ecarte.token(action) for action in seen.history]
    shown = "".join(action[1:] for action in actions if action.startswith("E"))
    return {
        "number": game.number,
        "dealer": SEATS[seen.dealer],
        "turn": _seat_name(seen.turn),
        "turn_up": None if seen.turn_up == NO_CARD else ecarte.format_card(seen.turn_up),
        "score": _by_seat(seen.score),
        "tricks": _by_seat(seen.tricks),
        "stock": seen.stock,
        "sizes": _by_seat(seen.sizes),
        "hands": {} if game.hands is None else dict(game.hands),
        "exposed": shown,
        "led": None if seen.led == NO_CARD else ecarte.format_card(seen.led),
        "actions": actions,
    }


def _by_seat(pair: tuple[int, int]) -> dict[str, int]:
    return dict(zip(SEATS, pair, strict=True))


def _seat_name(seat: Seat) -> str | None:
    return None if seat == NO_SEAT else SEATS[seat]


def _running(table: PublicTable) -> PublicGame:
    assert table.running is not None
    return table.running


def summary(table: PublicTable) -> Message:
    """Return a table's summary for the lobby."""
    rules, running = table.rules, table.running
    message: Message = {
        "table": rules.name,
        "house": rules.house,
        "holder": table.holder,
        "queue": len(table.queue),
        "stake_cents": rules.stake_cents,
        "limits": rules.limits._asdict(),
        "road": list(table.road[-_SHORT_ROAD:]),
        "game": None,
    }
    if rules.hosted is not None and rules.hosted.host is not None:
        message["host"] = rules.hosted.host
    if (terms := rules.poule) is not None:
        players = len(rules.challengers)
        poule = {"players": players, "entry_cents": terms.entry_cents, "wins": terms.wins}
        message["poule"] = poule
    if running is None:
        return message
    score = (0, 0) if running.deal is None else running.deal.score
    return {
        **message,
        "game": running.id,
        "challenger": running.challenger,
        "bots": _bots(running),
        "phase": _phase(running),
        "score": _by_seat(score),
        "deal": running.number,
        "bets": len(running.book.bets),
    }


def _phase(game: PublicGame) -> str:
    if game.closing is not None:
        return "playing"
    return "betting" if game.locked is None else "opening"
