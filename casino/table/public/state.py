"""Public state of a table, derived from its events and the rules alone.

It contains no secret, so it cannot leak one. `messages` formats it for clients.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from casino import ecarte
from casino.betting import Cover
from casino.ecarte import SEATS, Deal
from casino.ecarte.observation import observer
from casino.events import types
from casino.events.types import SIDES, Event, GameOpened
from casino.table.domain.game_base import GameBase
from casino.table.domain.poule import PouleState, fold_poule
from casino.table.domain.settings import PlannedSettings, TableSettings, from_event, settings_at

Message: TypeAlias = dict[str, Any]

ROAD: Final = 60  # past games remembered


class PublicGame(GameBase, frozen=True):
    """Public state of the running game; `hands` contains both hands of a finished deal."""

    number: int = 0
    hands: Mapping[str, str] | None = None


class PublicTable(NamedTuple):
    """Public state of a table; `since` is the time in ms when the current countdown began.

    `overran` is True once an action of this game took a person longer than a turn's time. `road`
    has the results of past games; void ones have the winner None and the multiplier 0.
    """

    rules: TableSettings
    coming: PlannedSettings = ()
    number: int = 0
    running: PublicGame | None = None
    holder: str = ""
    queue: tuple[str, ...] = ()
    road: tuple[Message, ...] = ()
    since: int = 0
    overran: bool = False
    poule: PouleState | None = None

    @property
    def newest_settings(self) -> TableSettings:
        """The settings that were logged last, which may not apply yet."""
        return self.coming[-1][1] if self.coming else self.rules


def apply_event(table: PublicTable, event: Event) -> PublicTable:
    """Return the public state after an event."""
    changes = _changes(table, event)
    if changes and type(event) not in types.KEEP_TURN:
        # A table read from the log begins later than the events before the restart.
        changes["since"] = max(table.since, event.at)
        if table.running and table.running.waits_for_person and not seconds_left(table, event.at):
            changes["overran"] = True
    return table._replace(**changes) if changes else table


def _changes(table: PublicTable, event: Event) -> dict[str, Any]:
    match event:
        case types.TermsSet():
            rules = from_event(event)
            if event.from_game <= table.number + 1:
                return {"rules": rules}
            return {"coming": (*table.coming, (event.from_game, rules))}
        case types.GameOpened():
            return _opened(table, event)
        case types.GameOver():
            mark = {"game": event.game, "winner": event.winner, "stake": event.stake}
            poule = fold_poule(table.poule, event)
            return {"running": None, "road": (*table.road, mark)[-ROAD:], "poule": poule}
        case types.GameVoid():
            mark = {"game": event.game, "winner": None, "stake": 0}
            return {"running": None, "road": (*table.road, mark)[-ROAD:]}
        case types.SeatChanged():
            return _seat(table, event)
        case types.PouleOpened() | types.PouleOver() | types.PouleVoid():
            return {"poule": fold_poule(table.poule, event)}
    game = None if table.running is None else _game_after(table.running, event)
    return {} if game is table.running else {"running": game}


def _opened(table: PublicTable, event: GameOpened) -> dict[str, Any]:
    number = table.number + 1
    rules, coming = settings_at(table.rules, table.coming, number)
    book = rules.book(event.players.challenger)
    cover = Cover(rules.house_cover_cents, event.cover_cents)
    holder = "" if event.bots.challenger else event.players.challenger
    return {
        "rules": rules,
        "coming": coming,
        "number": number,
        "running": PublicGame(event, rules.laws, book, cover),
        "overran": False,
        "holder": holder if table.poule is None else table.holder,
    }


def _seat(table: PublicTable, event: types.SeatChanged) -> dict[str, Any]:
    queue = tuple(waiting for waiting in table.queue if waiting != event.player)
    if event.what == "queued":
        return {"queue": (*queue, event.player)}
    if event.what == "seated":
        return {"queue": queue, "holder": event.player}
    if event.what == "defaulted":
        assert table.running is not None
        return {"queue": queue, "running": table.running._replace(abandoned=True)}
    holder = "" if event.player == table.holder else table.holder
    return {"queue": queue, "holder": holder, "poule": fold_poule(table.poule, event)}


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
