"""What each receiver may be told of a fact: the events of a table, as everybody may see them.

An event is public: it is made from the gallery's view, so it holds no hidden card. What only one
person may see, the hand in his seat and what he may do, is told to him alone (`own`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from casino import fairness, gallery
from casino.bank import events
from casino.bank.events import Bot
from casino.ecarte.actions import (
    CLAIM,
    EXCHANGE,
    EXPOSE,
    LEAD_OUT,
    MARK,
    Action,
    exchanged_number,
    hidden_exchange,
    parse_token,
    token,
)
from casino.ecarte.cards import members, text
from casino.ecarte.deal import actor, apply, legal_actions
from casino.ecarte.record import SEATS
from casino.ecarte.rules import CHALLENGER, NOBODY, Seat
from casino.ecarte.state import (
    ANNULLED,
    ANSWERING,
    DEALER_EXCHANGE,
    DEALING,
    ELDER_EXCHANGE,
    EXPOSED,
    FOLLOWING,
    LEADING,
    OVER,
    PROPOSING,
    Deal,
)
from casino.ecarte.view import GALLERY, full_view, may_show_all, view
from casino.errors import BadCards, IllegalAction, Refused
from casino.gallery import Bet, Book, Cover
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
from casino.table.state import GameState, TableState, deal_of, happenings
from casino.table.story import BOT_VERSION

Event: TypeAlias = dict[str, Any]

PHASES: Final[Mapping[int, str]] = {
    DEALING: "dealing",
    EXPOSED: "exposed",
    PROPOSING: "proposing",
    ANSWERING: "answering",
    ELDER_EXCHANGE: "elder_exchange",
    DEALER_EXCHANGE: "dealer_exchange",
    LEADING: "leading",
    FOLLOWING: "following",
    OVER: "over",
    ANNULLED: "annulled",
}
UNDEALT: Final = 22
"""Cards left when both hands are dealt and nothing is turned up."""

MOST_STANDS: Final = 64
"""With more bets in a book, how each stands is told to its bettor only."""


def tell(before: TableState, fact: Fact, after: TableState) -> list[Event]:
    """A fact as events without table and version, one for each of its happenings, in order."""
    return [
        {"type": kind, **_TELL[kind](before, fact, after)}
        for kind in happenings(before, fact, after)
    ]


def own(state: TableState, player: str) -> Event:
    """What only this person may see of a table."""
    waiting = [name for name, _ in state.queue]
    said: Event = {
        "seat": SEATS[CHALLENGER] if player == state.holder else None,
        "waiting": waiting.index(player) + 1 if player in waiting else 0,
        "hand": [],
        "legal": [],
        "why": {},
        "article": {},
    }
    running = state.running
    if running is None:
        return said
    said |= {"game": running.id, "bets": _own_bets(running, player)}
    plays = player == running.challenger and not running.is_bot and not running.abandoned
    if plays and running.deal is not None:
        said |= _own_hand(running.deal)
    return said


def bettors(running: GameState) -> set[str]:
    """Who has bet on a game."""
    return {bet.bettor for bet in running.book.bets}


def book_event(running: GameState) -> Event:
    """The open book: both totals, what would be matched if it closed now (G9)."""
    quote = gallery.quote(running.book, running.wished)
    said: Event = {
        "type": "book",
        "house_cents": quote.house_cents,
        "challenger_cents": quote.challenger_cents,
        "matched_cents": quote.matched_cents,
        "cover": None if quote.cover is None else _cover(quote.cover),
        "most_cover": running.wished._asdict(),
    }
    if len(running.book.bets) <= MOST_STANDS:
        stands = gallery.stands_now(running.book, running.wished)
        said["stands"] = [[stand.bet.order, stand.matched_cents] for stand in stands]
    return said


def action_of(said: str) -> Action:
    """The action that a client's token names."""
    try:
        return parse_token(said)
    except BadCards as error:
        raise Refused("bad_request", str(error)) from None


# --- the book ----------------------------------------------------------------------------------


def _game_opened(before: TableState, fact: GameOpened, _: TableState) -> Event:
    """Who plays, by what laws, committed to which seed."""
    challenger = fact.book.challenger
    bots = {0: Bot(fact.house, BOT_VERSION, "")}
    if fact.is_bot:
        bots[CHALLENGER] = Bot(challenger, BOT_VERSION, "")
    commitment = fairness.commitment_of(fact.server_seed)
    table = before.rules.name
    opened = events.game_opened(
        fact.game, table, commitment, fact.laws, fact.book, fact.house, bots, fact.loser_deals
    )
    return {**opened.fields, "most_cover": fact.wished._asdict()}


def _cut(_: TableState, fact: CutGiven, __: TableState) -> Event:
    """A text in the cut, and whose."""
    return {"player": fact.player, "text": fact.text}


def _bet(_: TableState, fact: BetTaken, __: TableState) -> Event:
    """A bet, seen by all."""
    return {"bet": bet_json(fact.bet)}


def bet_json(bet: Bet) -> Event:
    """A bet as JSON values."""
    return {
        "order": bet.order,
        "player": bet.bettor,
        "side": SEATS[bet.side],
        "unit_cents": bet.unit_cents,
    }


def _cover(bet: Bet) -> Event:
    """A principal's cover as JSON values."""
    return {"player": bet.bettor, "side": SEATS[bet.side], "unit_cents": bet.unit_cents}


def _book(_: TableState, __: Fact, after: TableState) -> Event:
    """The open book."""
    assert after.running is not None
    return book_event(after.running)


def _closed(_: TableState, fact: BookClosed, after: TableState) -> Event:
    """The cut with its texts, the matching, who deals first."""
    running = after.running
    assert running is not None
    assert running.closing is not None
    closed = events.betting_closed(running.id, running.cut, fact.cover, running.closing)
    first_dealer = SEATS[running.first_dealer]
    return {**closed.fields, "cuts": list(running.cuts), "first_dealer": first_dealer}


# --- the play ----------------------------------------------------------------------------------


def _dealt(_: TableState, __: Dealt, after: TableState) -> Event:
    """A deal begins: nobody is told a card."""
    deal = deal_of(after)
    assert after.running is not None
    return {
        "game": after.running.id,
        "deal": after.running.number,
        "dealer": SEATS[deal.dealer],
        "score": _pair(deal.score),
        "stock": UNDEALT,
    }


def _turned_up(_: TableState, __: Fact, after: TableState) -> Event:
    """The turn-up, and who is asked what."""
    return {"card": text(deal_of(after).turn_up), **_asked(deal_of(after))}


def _action(_: TableState, fact: Acted, after: TableState) -> Event:
    """An action as the gallery sees it, and who is asked what next."""
    action = fact.action
    if action & EXCHANGE:
        action = hidden_exchange(exchanged_number(action))
    seat = None if fact.seat == NOBODY else SEATS[fact.seat]
    return {"seat": seat, "action": token(action), **_asked(deal_of(after))}


def _asked(deal: Deal) -> Event:
    """Who is to act, on what, and how many cards are left."""
    return {
        "turn": None if deal.turn == NOBODY else SEATS[deal.turn],
        "phase": PHASES[deal.phase],
        "stock": view(deal, GALLERY).stock,
    }


def _trick(before: TableState, _: Fact, after: TableState) -> Event:
    """Who has taken a trick."""
    was, now = deal_of(before).tricks, deal_of(after).tricks
    return {"winner": _grown(was, now), "tricks": _pair(now)}


def _points(before: TableState, fact: Fact, after: TableState) -> Event:
    """Who has scored, and for what."""
    was, now = deal_of(before).score, deal_of(after).score
    reason = "turned_king" if isinstance(fact, TurnedUp) else "tricks"
    if isinstance(fact, Acted) and fact.action == MARK:
        reason = "king"
    points = sum(now) - sum(was)
    return {"seat": _grown(was, now), "points": points, "score": _pair(now), "reason": reason}


def _deal_over(_: TableState, __: Fact, after: TableState) -> Event:
    """A deal has ended: both hands as they were when play began, if they may be shown."""
    deal = deal_of(after)
    hands = None
    if may_show_all(deal):
        kept = full_view(deal).kept
        hands = _pair([[text(card) for card in members(hand)] for hand in kept])
    return {
        "tricks": _pair(deal.tricks),
        "score": _pair(deal.score),
        "hands": hands,
        "annulled": deal.phase == ANNULLED,
    }


def _game_over(before: TableState, fact: GameWon, _: TableState) -> Event:
    """Who has won, how high, and the seed."""
    running = before.running
    assert running is not None
    return {
        "game": running.id,
        "winner": SEATS[fact.winner],
        "score": _pair(deal_of(before).score),
        "stake": fact.multiplier,
        "server_seed": running.server_seed.hex(),
    }


def _settled(before: TableState, fact: GameWon, _: TableState) -> Event:
    """What every bet came to."""
    running = before.running
    assert running is not None
    assert running.closing is not None
    settlement = gallery.settle(running.closing, fact.winner, fact.multiplier)
    return events.settled(running.id, fact.winner, fact.multiplier, settlement).fields


def _game_void(before: TableState, fact: GameVoided, _: TableState) -> Event:
    """A game does not count, and why."""
    running = before.running
    assert running is not None
    return {"game": running.id, "reason": fact.reason, "server_seed": running.server_seed.hex()}


def _seat(_: TableState, fact: SeatChanged, after: TableState) -> Event:
    """Who waits, sits or leaves."""
    queue = [name for name, _ in after.queue]
    return {"player": fact.player, "what": fact.what, "holder": after.holder, "queue": queue}


def _pair(values: Any) -> Event:
    """Two things by their seats."""
    return dict(zip(SEATS, values, strict=True))


def _grown(was: tuple[int, int], now: tuple[int, int]) -> str:
    """The seat whose number has grown."""
    return SEATS[0] if now[0] > was[0] else SEATS[1]


# --- what only one person may see --------------------------------------------------------------


def _own_bets(running: GameState, player: str) -> list[Event]:
    """A person's own bets and how much of each stands."""
    book: Book = running.book
    if not any(bet.bettor == player for bet in book.bets):
        return []
    cover: Cover = running.wished
    stands = running.closing.stands if running.closing else gallery.stands_now(book, cover)
    return [
        {**bet_json(bet), "matched_cents": matched}
        for bet, matched in stands
        if bet.bettor == player
    ]


def _own_hand(deal: Deal) -> Event:
    """The challenger's own cards, what he may do, and why not what he may not."""
    seen = view(deal, CHALLENGER)
    legal = [action for action in legal_actions(deal) if _may_act(deal, action)]
    told: Event = {
        "hand": [text(card) for card in members(seen.hand)],
        "legal": [token(action) for action in legal],
    }
    if deal.turn == CHALLENGER and deal.phase in (LEADING, FOLLOWING):
        refusals = {
            text(card): refused
            for card in members(seen.hand)
            if (refused := _refusal(deal, card)) is not None
        }
        told["why"] = {card: refused.text for card, refused in refusals.items()}
        told["article"] = {card: refused.article for card, refused in refusals.items()}
    return told


def _may_act(deal: Deal, action: Action) -> bool:
    """Whether an action that is legal now is one the challenger takes."""
    if EXPOSE <= action < LEAD_OUT or action == CLAIM:  # he has to notice a revoke himself
        return False
    seat: Seat = actor(deal, action)
    return seat in (CHALLENGER, NOBODY)


def _refusal(deal: Deal, card: Action) -> IllegalAction | None:
    """Why a card may not be played now; None if it may."""
    try:
        apply(deal, card)
    except IllegalAction as error:
        return error
    return None


_TELL: Final[Mapping[str, Callable[[TableState, Any, TableState], Event]]] = {
    "game_opened": _game_opened,
    "cut": _cut,
    "bet_accepted": _bet,
    "book": _book,
    "betting_closed": _closed,
    "dealt": _dealt,
    "turned_up": _turned_up,
    "action": _action,
    "trick": _trick,
    "points": _points,
    "deal_over": _deal_over,
    "game_over": _game_over,
    "settled": _settled,
    "game_void": _game_void,
    "seat": _seat,
}
