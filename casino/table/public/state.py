"""Public state of a table, derived from its events and the rules alone.

It contains no secret, so it cannot leak one. `messages` formats it for clients.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from casino import ecarte
from casino.ecarte import SEATS, Deal
from casino.ecarte.observation import observer
from casino.events import types
from casino.events.types import SIDES, Event
from casino.table.domain.table_base import GameBase, TableBase

Message: TypeAlias = dict[str, Any]

ROAD: Final = 60  # past games remembered


class PublicGame(GameBase, frozen=True):
    """Public state of the running game; `hands` contains both hands of a finished deal."""

    number: int = 0
    hands: Mapping[str, str] | None = None


class PublicTable(TableBase, frozen=True):
    """Public state of a table; `since` is the time in ms when the current countdown began.

    `overran` is True once an action of this game took a person longer than a turn's time. `road`
    has the results of past games; void ones have the winner None and the multiplier 0.
    """

    running: PublicGame | None = None
    road: tuple[Message, ...] = ()
    since: int = 0
    overran: bool = False


def apply_event(table: PublicTable, event: Event) -> PublicTable:
    """Return the public state after an event."""
    after = _after(table, event)
    if after is table or type(event) in types.KEEP_TURN:
        return after
    waited = table.running is not None and table.running.waits_for_person
    overran = after.overran or (waited and not seconds_left(table, event.at))
    # A table read from the log begins later than the events before the restart.
    return after._replace(since=max(table.since, event.at), overran=overran)


def _after(table: PublicTable, event: Event) -> PublicTable:
    match event:
        case types.GameOpened():
            table = table.after(event)
            return table._replace(running=PublicGame.begin(event, table.rules), overran=False)
        case types.GameOver() | types.GameVoid():
            mark: Message = {"game": event.game, "winner": None, "stake": 0}
            if isinstance(event, types.GameOver):
                mark |= {"winner": event.winner, "stake": event.stake}
            return table.after(event)._replace(running=None, road=(*table.road, mark)[-ROAD:])
    running = None if table.running is None else _game_after(table.running, event)
    table = table.after(event)
    return table if running is table.running else table._replace(running=running)


def _game_after(game: PublicGame, event: Event) -> PublicGame:
    match event:
        case types.PackDealt():
            points = game.next_game()
            dealer = SIDES.index(event.dealer)
            deal = observer.new_public_deal(game.laws, dealer, points.score)
            return game._replace(game=points, number=event.deal, deal=deal, hands=None)
        case types.TurnedUp():
            card = ecarte.card(event.card)
            return _with_deal(game, observer.with_turn_up(deal_of(game), card))
        case types.ActionTaken():
            of = ecarte.HOUSE if event.of is None else SIDES.index(event.of)
            revoked = [SIDES.index(seat) for seat in event.revoked]
            deal = observer.apply_public(deal_of(game), event.action, of, revoked)
            return _with_deal(game, deal)
        case types.HandsShown():
            return game._replace(hands=_hands(deal_of(game), (event.house, event.challenger)))
    return game.after(event)


def _with_deal(game: PublicGame, deal: Deal) -> PublicGame:
    hands, is_over = None, deal.phase in (ecarte.OVER, ecarte.ANNULLED)
    # If no cards are left to show, no `HandsShown` follows.
    if is_over and ecarte.can_show_all(deal) and not any(deal.hands):
        hands = _hands(deal, ("", ""))
    return game._replace(deal=deal, hands=hands)


def deal_of(game: PublicGame) -> Deal:
    """Return the deal that is being played."""
    assert game.deal is not None
    return game.deal


def _hands(deal: Deal, left: tuple[str, str]) -> dict[str, str]:
    hands = {}
    for seat, name in enumerate(SEATS):
        shown = observer.seen_cards(deal, seat) | ecarte.card_set(ecarte.cards(left[seat]))
        hands[name] = ecarte.format_cards(ecarte.cards_in(shown))
    return hands


def seconds_left(table: PublicTable, now: int) -> float | None:
    """Return the seconds left to bet, reveal or act, or None if there is no countdown."""
    running, pace = table.running, table.rules.pace
    if running is None:
        return None
    if running.closing is None:
        most = pace.betting_ms if running.locked is None else pace.reveal_ms
    elif running.waits_for_person:
        most = pace.turn_ms
    else:
        return None
    return max(0, table.since + most - now) / 1000


def is_out_of_time(table: PublicTable, now: int) -> bool:
    """Return True if a person who is to act has had all their time, and not merely left."""
    pace = table.rules.pace
    # Given again once a game; or a lost connection's grace, which may begin while cards are dealt.
    again_ms = 0 if table.overran else min(2 * pace.turn_ms, pace.grace_ms - pace.deal_ms)
    waits = table.running is not None and table.running.waits_for_person
    return waits and now >= table.since + max(pace.turn_ms, again_ms)


def bettors(running: PublicGame) -> set[str]:
    """Return the names of all players who have bet on a game."""
    return {bet.bettor for bet in running.book.bets}
