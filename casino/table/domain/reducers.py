"""Reducers, which apply events to a table's state.

New events and events read from the log go through the same functions. Secrets of a running game are
passed separately, because events are public.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from casino import ecarte, fairness
from casino.betting import Bet, Closing, Cover, MoneyMove, lock, with_bet
from casino.ecarte import Action, Deal
from casino.events import factories, types
from casino.events.types import SIDES, ActionTaken, BettingClosed, Event
from casino.ledger import accounts
from casino.table.domain.poule import fold_poule
from casino.table.domain.settings import from_event, settings_at
from casino.table.domain.state import (
    COVER,
    NO_SECRETS,
    NOBODY_SEATED,
    SEED,
    ChainState,
    Commitment,
    GameState,
    LockedBook,
    Secrets,
    TableState,
    closing_of,
    current_deal,
    exchange_secret_name,
    running_game,
    with_withheld,
)

# Events that do not change the legal actions of the deal.
_NO_TURN: Final = frozenset(
    {
        types.TermsSet, types.SeedChain, types.CutSealed, types.BetAccepted, types.CutOpened,
        types.CutLate, types.SeatChanged, types.PouleOpened, types.PouleOver, types.PouleVoid,
    }
)  # fmt: skip


class Transition(NamedTuple):
    """An event, its secrets, and the table's state after it."""

    event: Event
    secrets: Secrets
    after: TableState


Transitions: TypeAlias = tuple[Transition, ...]


def apply_all(state: TableState, *events: Event, secrets: Secrets = NO_SECRETS) -> Transitions:
    """Apply events in order and return their transitions, which all carry the same secrets."""
    steps = []
    for event in events:
        state = evolve(state, event, secrets)
        steps.append(Transition(event, secrets, state))
    return tuple(steps)


def entry_steps(state: TableState, game: str, move: MoneyMove, reason: str = "") -> Transitions:
    """Return the transition that posts a money move to the ledger; none if the move is empty."""
    return apply_all(state, accounts.escrow_entry(game, *move, reason)) if move.postings else ()


def evolve(state: TableState, event: Event, secrets: Secrets = NO_SECRETS) -> TableState:
    """Return the table's state after an event; advance the turn if legal actions may have changed.

    `secrets` are those of the event, or all the secrets of its game.
    """
    after = _after(state, event, secrets)
    return state if after is state else _at_turn(event, after)


def after_action(state: TableState, event: ActionTaken, action: Action, deal: Deal) -> TableState:
    """Return the state after an action whose resulting deal is known (fast path of `evolve`)."""
    return _at_turn(event, _with_action(state, action, deal))


def after_closing(state: TableState, event: BettingClosed, closing: Closing) -> TableState:
    """Return the state after a closing that has been computed (fast path of `evolve`)."""
    return _at_turn(event, _with_closing(state, event, closing))


def _at_turn(event: Event, after: TableState) -> TableState:
    if type(event) in _NO_TURN:
        return after
    return after._replace(turn=after.turn + 1)


def _after(state: TableState, event: Event, secrets: Secrets) -> TableState:
    match event:
        case types.BetAccepted():
            return _bet(state, event)
        case types.ActionTaken():
            deal, number = current_deal(state), running_game(state).number
            hidden = secrets.get(exchange_secret_name(number, len(deal.history) + 1))
            action = ecarte.parse_token(event.action if hidden is None else hidden.decode())
            return _with_action(state, action, ecarte.apply(deal, action))
        case types.TurnedUp():
            return _with_deal(state, ecarte.turn_up(current_deal(state)), running_game(state).made)
        case types.PackDealt():
            return _dealt(state)
        case types.GameOpened():
            return _opened(state, event, secrets)
        case types.CutSealed():
            running = _with_seal(running_game(state), event.player, event.seal)
            return state._replace(running=running)
        case types.BookLocked():
            return _locked(state, event)
        case types.CutOpened():
            running = running_game(state)
            opened = (*running.opened, (event.number, event.text))
            return state._replace(running=running._replace(opened=opened))
        case types.CutLate():
            left = tuple(seal for seal in state.late[event.game] if seal.number != event.number)
            late = {**state.late, event.game: left}
            return state._replace(late={game: seals for game, seals in late.items() if seals})
        case types.BettingClosed():
            return _with_closing(state, event, closing_of(running_game(state)))
        case types.GameOver():
            last = running_game(state).challenger, SIDES.index(event.winner)
            return state._replace(running=None, last=last, poule=fold_poule(state.poule, event))
        case types.GameVoid():
            return state._replace(running=None, last=None)
        case types.SeatChanged():
            return _seat_changed(state, event, secrets)
        case types.SeedChain():
            chain = ChainState(event.chain, event.length, event.anchor, state.number + 1)
            return state._replace(chain=chain)
        case types.TermsSet():
            rules = from_event(event)
            if not state.has_terms:
                return state._replace(rules=rules, has_terms=True)
            return state._replace(coming=(*state.coming, (event.from_game, rules)))
        case types.PouleOpened() | types.PouleOver() | types.PouleVoid():
            return state._replace(poule=fold_poule(state.poule, event))
    return state


def _opened(state: TableState, event: types.GameOpened, secrets: Secrets) -> TableState:
    number = state.number + 1
    rules, coming = settings_at(state.rules, state.coming, number)
    is_bot = event.bots.challenger is not None
    holder = NOBODY_SEATED if is_bot else event.players.challenger
    holder = holder if state.poule is None else state.holder
    running = GameState(
        id=event.game,
        server_seed=secrets.get(SEED, b""),
        laws=rules.laws,
        book=rules.book(event.players.challenger),
        wished=Cover(rules.house_cover_cents, event.cover_cents),
        house=event.players.house,
        is_bot=is_bot,
        loser_deals=None if event.loser_deals is None else SIDES.index(event.loser_deals),
    )
    return state._replace(
        rules=rules,
        coming=coming,
        running=running,
        number=number,
        holder=holder,
        cover_cents=max(state.cover_cents, event.cover_cents) if holder else 0,
    )


def _with_seal(running: GameState, player: str, seal: str) -> GameState:
    return running._replace(
        seals=(*running.seals, Commitment(len(running.seals) + 1, player, seal))
    )


def _bet(state: TableState, event: types.BetAccepted) -> TableState:
    running = running_game(state)
    bet = Bet(event.order, event.player, SIDES.index(event.side), event.unit_cents)
    running = running._replace(book=with_bet(running.book, bet))
    if event.seal is not None:
        running = _with_seal(running, event.player, event.seal)
    return state._replace(running=running)


def _locked(state: TableState, event: types.BookLocked) -> TableState:
    running, cover = running_game(state), factories.cover_from_event(event.cover)
    sealed = {seal.player for seal in running.seals}
    held = lock(running.book, cover, sealed).held
    return state._replace(running=running._replace(locked=LockedBook(event.bets, cover, held)))


def _with_closing(state: TableState, event: BettingClosed, closing: Closing) -> TableState:
    running = running_game(state)
    after = running._replace(
        book=closing.book,
        closing=closing,
        cut=event.cut,
        game=ecarte.new_game(running.laws, SIDES.index(event.first_dealer)),
    )
    state = state._replace(running=after)
    return with_withheld(state, running.id, running.seals, running.unrevealed)


def _dealt(state: TableState) -> TableState:
    running = running_game(state)
    game, records = running.game, running.records
    assert game is not None
    if running.deal is not None:
        game = ecarte.after_deal(game, running.deal)
        records = records + (ecarte.deal_record(running.deal),)
    deck = fairness.deck(running.server_seed, running.id, running.cut, len(records) + 1)
    deal = ecarte.begin_deal(game, deck)
    after = running._replace(game=game, deal=deal, records=records, made=(0, 0))
    return state._replace(running=after)


def _with_action(state: TableState, action: Action, after: Deal) -> TableState:
    house, challenger = running_game(state).made
    # An accidental exposure is not a decision of either seat.
    if not ecarte.EXPOSE <= action < ecarte.LEAD_OUT:
        seat = ecarte.actor(current_deal(state), action)
        house += seat == ecarte.HOUSE
        challenger += seat == ecarte.CHALLENGER
    return _with_deal(state, after, (house, challenger))


def _with_deal(state: TableState, deal: Deal, made: tuple[int, int]) -> TableState:
    return state._replace(running=running_game(state)._replace(deal=deal, made=made))


def _seat_changed(state: TableState, event: types.SeatChanged, secrets: Secrets) -> TableState:
    player = event.player
    others = tuple(entry for entry in state.queue if entry[0] != player)
    if event.what == "queued":
        queue = (*others, (player, int(secrets.get(COVER, b"0"))))
        bots = {player} if event.played_by else set()
        return state._replace(queue=queue, remote_bots=state.remote_bots | bots)
    if event.what == "seated":
        cover_cents = next((cents for waiting, cents in state.queue if waiting == player), 0)
        return state._replace(queue=others, holder=player, cover_cents=cover_cents)
    state = state._replace(queue=others)
    if event.what == "defaulted":
        return state._replace(running=running_game(state)._replace(abandoned=True))
    state = state._replace(
        remote_bots=state.remote_bots - {player}, poule=fold_poule(state.poule, event)
    )
    gone = player == state.holder
    return state._replace(holder=NOBODY_SEATED, cover_cents=0) if gone else state
