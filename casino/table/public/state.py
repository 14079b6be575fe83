"""Public state of a table, derived from its events and the rules alone.

It contains no secret, so it cannot leak one. `messages` formats it for clients.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from casino import betting
from casino.betting import NO_COVER, Bet, Book, Closing, Cover
from casino.ecarte import (
    ANNULLED,
    HOUSE,
    NO_SEAT,
    OVER,
    SEATS,
    Deal,
    Game,
    Laws,
    after_deal,
    can_show_all,
    card,
    card_set,
    cards,
    cards_in,
    format_cards,
    new_game,
)
from casino.ecarte.observation import observer
from casino.events import factories
from casino.events.types import (
    SIDES,
    ActionTaken,
    BetAccepted,
    BettingClosed,
    BookLocked,
    CutOpened,
    CutSealed,
    Event,
    GameOpened,
    GameOver,
    GameVoid,
    HandsShown,
    PackDealt,
    PouleOpened,
    PouleOver,
    PouleVoid,
    SeatChanged,
    TermsSet,
    TurnedUp,
)
from casino.table.domain.poule import PouleState, fold_poule
from casino.table.domain.settings import TableSettings, from_event

Message: TypeAlias = dict[str, Any]
# Result of a past game: winner and multiplier, which are None and 0 for a void game.
Mark: TypeAlias = dict[str, Any]

ROAD: Final = 60  # past games remembered


class PublicGame(NamedTuple):
    """Public state of the running game; `hands` contains both hands of a finished deal.

    `seals` lists the players who committed to a contribution, in order; `texts_open` lists the
    numbers of those revealed, whose texts appear in the record. `locked` is set when betting ends.
    """

    opened: GameOpened
    laws: Laws
    book: Book
    cover: Cover
    seals: tuple[str, ...] = ()
    locked: BookLocked | None = None
    texts_open: tuple[int, ...] = ()
    closing: Closing | None = None
    cut: str = ""
    game: Game | None = None
    number: int = 0
    deal: Deal | None = None
    hands: Mapping[str, str] | None = None

    @property
    def id(self) -> str:
        """Id of the game."""
        return self.opened.game

    @property
    def is_bot(self) -> bool:
        """Whether the challenger is a bot."""
        return self.opened.bots.challenger is not None

    @property
    def unrevealed(self) -> tuple[int, ...]:
        """Numbers of the commitments whose contribution was not revealed."""
        numbers = range(1, len(self.seals) + 1)
        return tuple(number for number in numbers if number not in self.texts_open)


class PublicTable(NamedTuple):
    """Public state of a table; `since` is when the current countdown began."""

    rules: TableSettings
    coming: tuple[tuple[int, TableSettings], ...] = ()
    number: int = 0
    running: PublicGame | None = None
    abandoned: bool = False
    holder: str = ""
    queue: tuple[str, ...] = ()
    road: tuple[Mark, ...] = ()
    since: int = 0
    poule: PouleState | None = None

    def settings_for(self, number: int) -> TableSettings:
        """Return the settings that apply to game `number`."""
        current = self.rules
        for first, rules in self.coming:
            current = rules if first <= number else current
        return current

    @property
    def newest_settings(self) -> TableSettings:
        """The settings that were logged last, which may not apply yet."""
        return self.coming[-1][1] if self.coming else self.rules


def apply_event(table: PublicTable, event: Event) -> PublicTable:
    """Return the public state after an event."""
    change = _FOLD.get(type(event))
    if change is None:
        return table
    after = change(table, event)
    return after if isinstance(event, _NO_TURN) else after._replace(since=event.at)


def _terms(table: PublicTable, event: TermsSet) -> PublicTable:
    if event.from_game <= table.number + 1:
        return table._replace(rules=from_event(event))
    return table._replace(coming=(*table.coming, (event.from_game, from_event(event))))


def _opened(table: PublicTable, event: GameOpened) -> PublicTable:
    number = table.number + 1
    rules = table.settings_for(number)
    book = rules.book(event.players.challenger)
    cover = Cover(rules.house_cover_cents, event.cover_cents)
    holder = "" if event.bots.challenger else event.players.challenger
    return table._replace(
        rules=rules,
        coming=tuple(planned for planned in table.coming if planned[0] > number),
        number=number,
        running=PublicGame(event, rules.laws, book, cover),
        abandoned=False,
        holder=holder if table.poule is None else table.holder,
    )


def _sealed(table: PublicTable, event: CutSealed) -> PublicTable:
    game = _running(table)
    return _with(table, game._replace(seals=(*game.seals, event.player)))


def _bet(table: PublicTable, event: BetAccepted) -> PublicTable:
    game = _running(table)
    bet = Bet(event.order, event.player, SIDES.index(event.side), event.unit_cents)
    seals = game.seals if event.seal is None else (*game.seals, event.player)
    return _with(table, game._replace(book=betting.with_bet(game.book, bet), seals=seals))


def _locked(table: PublicTable, event: BookLocked) -> PublicTable:
    game = _running(table)
    return _with(table, game._replace(locked=event, cover=factories.cover_from_event(event.cover)))


def _text_opened(table: PublicTable, event: CutOpened) -> PublicTable:
    game = _running(table)
    return _with(table, game._replace(texts_open=(*game.texts_open, event.number)))


def _closed(table: PublicTable, event: BettingClosed) -> PublicTable:
    game = _running(table)
    held = betting.lock(game.book, game.cover, game.seals).cover if game.seals else NO_COVER
    withheld = {game.seals[number - 1] for number in event.withheld}
    closing = betting.close(game.book, game.cover, withheld, held)
    return _with(
        table,
        game._replace(
            book=closing.book,
            closing=closing,
            cut=event.cut,
            game=new_game(game.laws, SIDES.index(event.first_dealer)),
        ),
    )


def _dealt(table: PublicTable, event: PackDealt) -> PublicTable:
    running = _running(table)
    game = running.game
    assert game is not None
    if running.deal is not None:
        game = after_deal(game, running.deal)
    deal = observer.new_public_deal(running.laws, SIDES.index(event.dealer), game.score)
    after = running._replace(game=game, number=event.deal, deal=deal, hands=None)
    return _with(table, after)


def _turned_up(table: PublicTable, event: TurnedUp) -> PublicTable:
    return _with_deal(table, observer.with_turn_up(_deal(table), card(event.card)))


def _acted(table: PublicTable, event: ActionTaken) -> PublicTable:
    of = HOUSE if event.of is None else SIDES.index(event.of)
    revoked = [SIDES.index(seat) for seat in event.revoked]
    return _with_deal(table, observer.apply_public(_deal(table), event.action, of, revoked))


def _with_deal(table: PublicTable, deal: Deal) -> PublicTable:
    hands = None
    # If no cards are left to show, no `HandsShown` follows.
    if deal.phase in (OVER, ANNULLED) and can_show_all(deal) and not any(deal.hands):
        hands = _hands(deal, ("", ""))
    return _with(table, _running(table)._replace(deal=deal, hands=hands))


def _hands_shown(table: PublicTable, event: HandsShown) -> PublicTable:
    deal = _deal(table)
    shown = _hands(deal, (event.house, event.challenger))
    return _with(table, _running(table)._replace(hands=shown))


def _hands(deal: Deal, left: tuple[str, str]) -> dict[str, str]:
    return {
        SEATS[seat]: format_cards(
            cards_in(observer.seen_cards(deal, seat) | card_set(cards(left[seat])))
        )
        for seat in range(2)
    }


def _over(table: PublicTable, event: GameOver) -> PublicTable:
    mark = {"game": event.game, "winner": event.winner, "stake": event.stake}
    return table._replace(
        running=None, road=(*table.road, mark)[-ROAD:], poule=fold_poule(table.poule, event)
    )


def _voided(table: PublicTable, event: GameVoid) -> PublicTable:
    mark = {"game": event.game, "winner": None, "stake": 0}
    return table._replace(running=None, road=(*table.road, mark)[-ROAD:])


def _seat(table: PublicTable, event: SeatChanged) -> PublicTable:
    queue = tuple(waiting for waiting in table.queue if waiting != event.player)
    if event.what == "queued":
        return table._replace(queue=(*queue, event.player))
    if event.what == "seated":
        return table._replace(queue=queue, holder=event.player)
    if event.what == "defaulted":
        return table._replace(queue=queue, abandoned=True)
    holder = "" if event.player == table.holder else table.holder
    return table._replace(queue=queue, holder=holder, poule=fold_poule(table.poule, event))


def _poule(table: PublicTable, event: PouleOpened | PouleOver | PouleVoid) -> PublicTable:
    return table._replace(poule=fold_poule(table.poule, event))


_FOLD: Final[Mapping[type, Callable[[PublicTable, Any], PublicTable]]] = {
    TermsSet: _terms,
    GameOpened: _opened,
    CutSealed: _sealed,
    BetAccepted: _bet,
    BookLocked: _locked,
    CutOpened: _text_opened,
    BettingClosed: _closed,
    PackDealt: _dealt,
    TurnedUp: _turned_up,
    ActionTaken: _acted,
    HandsShown: _hands_shown,
    GameOver: _over,
    GameVoid: _voided,
    SeatChanged: _seat,
    PouleOpened: _poule,
    PouleOver: _poule,
    PouleVoid: _poule,
}
# Events that do not restart the countdown.
_NO_TURN: Final = (
    TermsSet, CutSealed, BetAccepted, CutOpened, SeatChanged, PouleOpened, PouleOver, PouleVoid
)  # fmt: skip


def awaits_person(table: PublicTable) -> bool:
    """Return True if a person is to act in the challenger's seat."""
    running = table.running
    if running is None or running.deal is None or running.is_bot or table.abandoned:
        return False
    return SEATS[running.deal.turn] == "challenger" if running.deal.turn != NO_SEAT else False


def seconds_left(table: PublicTable, now: int) -> float | None:
    """Return the seconds left to bet, reveal or act, or None if there is no countdown."""
    running, pace = table.running, table.rules.pace
    if running is None:
        return None
    if running.closing is None:
        most = pace.betting_ms if running.locked is None else pace.reveal_ms
    elif awaits_person(table):
        most = pace.turn_ms
    else:
        return None
    return max(0, table.since + most - now) / 1000


def bettors(running: PublicGame) -> set[str]:
    """Return the names of all players who have bet on a game."""
    return {bet.bettor for bet in running.book.bets}


def _running(table: PublicTable) -> PublicGame:
    assert table.running is not None
    return table.running


def _deal(table: PublicTable) -> Deal:
    deal = _running(table).deal
    assert deal is not None
    return deal


def _with(table: PublicTable, game: PublicGame) -> PublicTable:
    return table._replace(running=game)
