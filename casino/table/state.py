"""A table as the facts have left it, and `evolve`, which folds the next fact into it.

States are frozen. A running game's state holds its secret seed and every card: it never leaves
the casino's own code, and bots and people are given views of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from casino import fairness
from casino.ecarte.actions import EXPOSE, LEAD_OUT
from casino.ecarte.deal import apply
from casino.ecarte.game import Game, after_deal, begin_deal, first_dealer, first_dealers, new_game
from casino.ecarte.laws import Laws
from casino.ecarte.record import DealRecord, Record, deal_record
from casino.ecarte.rules import CHALLENGER, HOUSE, Seat
from casino.ecarte.state import ANNULLED, OVER, Deal, new
from casino.ecarte.talk import turn_up
from casino.gallery import Book, Closing, Cover, GalleryLaws, Limits, close, with_bet
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

NOBODY_SEATED: Final = ""


class TableRules(NamedTuple):
    """What a table goes by: laws, bets, who plays when no person does, its habits.

    `challenger` is the bot that plays while no person wants to, `""` for none; `refill_cents`
    is what that bot is granted when it cannot pay its stake; `slip_permille` is how often the
    house exposes a card while dealing; `day_cents` limits a player's risk in a day, 0 for none.
    """

    name: str
    laws: Laws = Laws()
    gallery: GalleryLaws = GalleryLaws()
    limits: Limits = Limits(100, 100_000, 300_000, 10_000_000)
    stake_cents: int = 1_000
    house_cover_cents: int = 50_000
    house: str = "regle"
    challenger: str = "novice"
    refill_cents: int = 1_000_000
    abandon: str = "concede"
    slip_permille: int = 0
    day_cents: int = 0


class GameState(NamedTuple):
    """The running game, secrets included; `made` counts the decisions of a deal, by seat.

    `lost` is the commitment of a game whose secrets are lost: of such a game only the book is
    known, and it can only be voided.
    """

    id: str
    server_seed: bytes
    laws: Laws
    book: Book
    wished: Cover
    house: str
    is_bot: bool
    loser_deals: Seat | None
    cuts: tuple[str, ...] = ()
    cut_by: tuple[str, ...] = ()
    closing: Closing | None = None
    cut: str = ""
    first_dealer: Seat = HOUSE
    game: Game | None = None
    deal: Deal | None = None
    records: tuple[DealRecord, ...] = ()
    made: tuple[int, int] = (0, 0)
    abandoned: bool = False
    lost: str = ""

    @property
    def commitment(self) -> str:
        """What was published of the seed before any bet."""
        return self.lost or fairness.commitment_of(self.server_seed)

    @property
    def challenger(self) -> str:
        """Who challenges the house in this game."""
        return self.book.challenger

    @property
    def number(self) -> int:
        """The number of the current deal, counted from 1."""
        return len(self.records) + 1

    @property
    def between_deals(self) -> bool:
        """Whether the next thing is to deal."""
        return self.deal is None or self.deal.phase in (OVER, ANNULLED)


class TableState(NamedTuple):
    """A table: its version, its running game, who has the seat and who waits for it.

    A bot that challenges has no seat: it plays while nobody has. `since` is the version at
    which what may be done now became so: an answer given to an older one is stale. `last` is
    the challenger of the last game and who won it.
    """

    rules: TableRules
    version: int = 0
    since: int = 0
    number: int = 0
    running: GameState | None = None
    holder: str = NOBODY_SEATED
    cover_cents: int = 0
    queue: tuple[tuple[str, int], ...] = ()
    last: tuple[str, Seat] | None = None


class Step(NamedTuple):
    """A fact and the table after it."""

    fact: Fact
    after: TableState


Steps: TypeAlias = tuple[Step, ...]


def follow(state: TableState, *facts: Fact) -> Steps:
    """Facts, one after the other."""
    steps = []
    for fact in facts:
        state = evolve(state, fact)
        steps.append(Step(fact, state))
    return tuple(steps)


def evolve(state: TableState, fact: Fact) -> TableState:
    """The table after a fact; its version grows by one for each thing there is to tell."""
    return _numbered(state, fact, _EVOLVE[type(fact)](state, fact))


def after_action(state: TableState, fact: Acted, deal: Deal) -> TableState:
    """The table after an action that has been applied to its deal already: `evolve` in short."""
    return _numbered(state, fact, _with_action(state, fact, deal))


def _numbered(state: TableState, fact: Fact, after: TableState) -> TableState:
    """The table after a fact, with its version."""
    version = state.version + len(happenings(state, fact, after))
    since = state.since if type(fact) in _NO_TURN else version
    rules, _, _, *rest = after
    return new(TableState, (rules, version, since, *rest))


def happenings(before: TableState, fact: Fact, after: TableState) -> tuple[str, ...]:
    """The types of the events a fact is told in, in order."""
    if type(fact) is not Acted and type(fact) is not TurnedUp:
        return _TOLD[type(fact)]
    was, now = deal_of(before), deal_of(after)
    told: tuple[str, ...] = ("action",) if type(fact) is Acted else ("turned_up",)
    if sum(now.tricks) > sum(was.tricks):
        told += ("trick",)
    if now.score != was.score:
        told += ("points",)
    return (*told, "deal_over") if now.phase in (OVER, ANNULLED) else told


def deal_of(state: TableState) -> Deal:
    """The current deal of the running game, which must be there."""
    assert state.running is not None
    assert state.running.deal is not None
    return state.running.deal


def record_of(running: GameState, result: Mapping[str, Any] | None = None) -> Record:
    """The record of a game as far as it has gone, its seed revealed if it is not lost."""
    deals = running.records
    if running.deal is not None:
        deals = (*deals, deal_record(running.deal))
    cut = fairness.cut_of(running.cuts)
    revealed = {"commitment": running.commitment, "cut": cut}
    dealer = running.first_dealer
    if running.server_seed:
        revealed["server_seed"] = running.server_seed.hex()
        by_cut = fairness.first_dealer(running.server_seed, running.id, cut)
        dealer = first_dealer(running.laws, by_cut, running.loser_deals)
    return Record(
        laws=running.laws,
        first_dealer=dealer,
        deals=deals,
        game=running.id,
        players={"house": running.house, "challenger": running.challenger},
        result=result,
        fairness=revealed,
    )


def game_id(table: str, number: int) -> str:
    """The id of a table's game."""
    return f"{table}-{number:06d}"


def _opened(state: TableState, fact: GameOpened) -> TableState:
    """A book is open, and the principals' stakes are in escrow."""
    return state._replace(
        running=GameState(*fact[:-1], first_dealer=first_dealers(fact.laws)[0]),
        number=state.number + 1,
        holder=NOBODY_SEATED if fact.is_bot else fact.book.challenger,
        cover_cents=0 if fact.is_bot else max(state.cover_cents, fact.wished.challenger_cents),
    )


def _cut(state: TableState, fact: CutGiven) -> TableState:
    """One more text in the cut."""
    running = _running(state)
    cuts, cut_by = (*running.cuts, fact.text), (*running.cut_by, fact.player)
    return state._replace(running=running._replace(cuts=cuts, cut_by=cut_by))


def _bet(state: TableState, fact: BetTaken) -> TableState:
    """One more bet in the book."""
    running = _running(state)
    rules, version, since, number, _, *seat = state
    game, seed, laws, book, *rest = running
    after = new(GameState, (game, seed, laws, with_bet(book, fact.bet), *rest))
    return new(TableState, (rules, version, since, number, after, *seat))


def _closed(state: TableState, fact: BookClosed) -> TableState:
    """The sides are equal, the cut is made, and the laws say who deals first."""
    running = _running(state)
    closing = close(running.book, fact.cover)
    cut = fairness.cut_of(running.cuts)
    by_cut = fairness.first_dealer(running.server_seed, running.id, cut)
    dealer = first_dealer(running.laws, by_cut, running.loser_deals)
    after = running._replace(
        book=closing.book,
        closing=closing,
        cut=cut,
        first_dealer=dealer,
        game=new_game(running.laws, dealer),
    )
    return state._replace(running=after)


def _dealt(state: TableState, _: Dealt) -> TableState:
    """The hands of the next deal, made from the seed and the cut."""
    running = _running(state)
    game, records = running.game, running.records
    assert game is not None
    if running.deal is not None:
        game = after_deal(game, running.deal)
        records = records + (deal_record(running.deal),)
    deck = fairness.deck(running.server_seed, running.id, running.cut, len(records) + 1)
    deal = begin_deal(game, deck)
    after = running._replace(game=game, deal=deal, records=records, made=(0, 0))
    return state._replace(running=after)


def _turned_up(state: TableState, _: TurnedUp) -> TableState:
    """Trumps are known; a king has scored."""
    return _with_deal(state, turn_up(deal_of(state)), _running(state).made)


def _acted(state: TableState, fact: Acted) -> TableState:
    """An action has been taken; a card exposed by accident is nobody's decision."""
    return _with_action(state, fact, apply(deal_of(state), fact.action))


def _with_action(state: TableState, fact: Acted, deal: Deal) -> TableState:
    """The deal as an action has left it, and one decision more."""
    running = _running(state)
    house, challenger = running.made
    if not EXPOSE <= fact.action < LEAD_OUT:
        house, challenger = house + (fact.seat == HOUSE), challenger + (fact.seat == CHALLENGER)
    return _with_deal(state, deal, (house, challenger))


def _with_deal(state: TableState, deal: Deal, made: tuple[int, int]) -> TableState:
    """The table with its deal as it is now; spelt out because it is hot."""
    rules, version, since, number, running, *seat = state
    assert running is not None
    *book, _, records, _, abandoned, lost = running
    after = new(GameState, (*book, deal, records, made, abandoned, lost))
    return new(TableState, (rules, version, since, number, after, *seat))


def _won(state: TableState, fact: GameWon) -> TableState:
    """The game is over; who sits next is said by facts of their own."""
    last = _running(state).challenger, fact.winner
    return state._replace(running=None, last=last)


def _voided(state: TableState, _: GameVoided) -> TableState:
    """The game is gone, and nobody has won or lost it."""
    return state._replace(running=None, last=None)


def _seat_changed(state: TableState, fact: SeatChanged) -> TableState:
    """Somebody joins the queue, takes the seat from it, or leaves; a default ends his game."""
    player = fact.player
    others = tuple(one for one in state.queue if one[0] != player)
    if fact.what == "queued":
        return state._replace(queue=(*others, (player, fact.cover_cents)))
    if fact.what == "seated":
        return state._replace(queue=others, holder=player, cover_cents=fact.cover_cents)
    state = state._replace(queue=others)
    if fact.what == "defaulted":
        return state._replace(running=_running(state)._replace(abandoned=True))
    gone = player == state.holder
    return state._replace(holder=NOBODY_SEATED, cover_cents=0) if gone else state


def _running(state: TableState) -> GameState:
    """The running game, which must be there."""
    assert state.running is not None
    return state.running


_EVOLVE: Final[Mapping[type, Callable[[TableState, Any], TableState]]] = {
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
_TOLD: Final[Mapping[type, tuple[str, ...]]] = {
    GameOpened: ("game_opened",),
    CutGiven: ("cut",),
    BetTaken: ("bet_accepted", "book"),
    BookClosed: ("betting_closed",),
    Dealt: ("dealt",),
    GameWon: ("game_over", "settled"),
    GameVoided: ("game_void",),
    SeatChanged: ("seat",),
}
_NO_TURN: Final = frozenset({CutGiven, BetTaken, SeatChanged})
"""Facts that leave what may be done in the deal as it is."""
