"""Handlers for the poule, whose entries are in escrow from its first game to its end."""

from __future__ import annotations

from casino import fairness
from casino.betting import HOUSE_NAME
from casino.betting.moves import wallet_kind
from casino.errors import Refused
from casino.events import types
from casino.events.types import SECRETS_LOST, PouleTerms
from casino.ledger import accounts
from casino.ledger.entries import Entry
from casino.table.domain.commands import VoidPoule
from casino.table.domain.context import GAME_NOT_RUNNING, DecisionContext
from casino.table.domain.poule import PouleState, poule_id
from casino.table.domain.reducers import Transitions, apply_all
from casino.table.domain.state import NOBODY_SEATED, GameState, TableState, seat_changed


def open_poule(state: TableState, server_seed: bytes) -> Transitions:
    """Begin a poule with the person who has the seat, or with bots only, and hold all entries."""
    rules, number = state.settings_for(state.number + 1), state.number + 1
    assert rules.poule is not None
    poule, person = poule_id(rules.name, number), state.holder
    entrants = (rules.house, *rules.poule.others, person or rules.challenger)
    opened = types.PouleOpened(
        entrants=fairness.poule_order(server_seed, poule, entrants),
        game=poule,
        player=person or None,
        table=rules.name,
    )
    steps = apply_all(state, opened)
    after = steps[-1].after
    return steps + apply_all(after, _entry(after, "hold"))


def after_game(state: TableState, running: GameState, void_reason: str = "") -> Transitions:
    """Strike a person who gave the game up, and end the poule if it is won or cannot go on."""
    steps: Transitions = ()
    if running.abandoned:
        steps = apply_all(state, seat_changed(state, running.challenger, "left"))
        state = steps[-1].after
    poule, terms = _running(state)
    if void_reason == SECRETS_LOST:
        return steps + void_poule_steps(state, SECRETS_LOST)
    if void_reason or not poule.is_won(terms):
        return steps
    winner = poule.rotation.line[0]
    owner = poule.name(winner) if winner == poule.person else HOUSE_NAME
    over = types.PouleOver(game=poule.id, winner=winner)
    return steps + _ended(state, over, _entry(state, "settle", owner))


def void_poule(state: TableState, command: VoidPoule, _: DecisionContext) -> Transitions:
    """Void a poule between two games; bots make room for a person who waits."""
    poule = _running(state)[0]
    is_refused = command.reason == "person_enters" and (poule.person or not state.queue)
    # A void poule returns its entries: a host who plays could otherwise close when about to lose.
    is_refused = is_refused or (command.reason == "closed" and not state.opens_no_game)
    if state.running is not None or is_refused:
        raise Refused(GAME_NOT_RUNNING, game=poule.id)
    return void_poule_steps(state, command.reason)


def void_poule_steps(state: TableState, reason: types.PouleVoidReason) -> Transitions:
    """Return the transitions that void the poule and return all entries."""
    void = types.PouleVoid(game=_running(state)[0].id, reason=reason)
    return _ended(state, void, _entry(state, "void"))


def _running(state: TableState) -> tuple[PouleState, PouleTerms]:
    if state.poule is None or state.rules.poule is None:
        raise Refused(GAME_NOT_RUNNING, game=f"a poule of {state.rules.name}")
    return state.poule, state.rules.poule


def _ended(state: TableState, event: types.Event, entry: Entry) -> Transitions:
    steps = apply_all(state, event, entry)
    if state.holder == NOBODY_SEATED:
        return steps
    after = steps[-1].after
    return steps + apply_all(after, seat_changed(after, state.holder, "left"))


def _entry(state: TableState, move: str, winner: str = "") -> Entry:
    """Return the entry that holds all entries, returns them, or pays them to the winner."""
    poule, terms = _running(state)
    cents = terms.entry_cents if move == "hold" else -terms.entry_cents
    changes = []
    for number, name in enumerate(poule.entrants, 1):
        # The house pays for its bots.
        owner = name if number == poule.person else HOUSE_NAME
        payee = winner or owner
        changes += [("escrow", owner, cents), (wallet_kind(payee), payee, -cents)]
    return accounts.escrow_entry(poule.id, move, changes)
