"""Handlers for the poule, whose entries are in escrow from its first game to its end."""

from __future__ import annotations

from typing import Final

from casino import fairness
from casino.betting import HOUSE_NAME
from casino.betting.moves import escrow_move
from casino.errors import RefusalReason, Refused
from casino.events.types import (
    SECRETS_LOST,
    PouleOpened,
    PouleOver,
    PouleTerms,
    PouleVoid,
    PouleVoidReason,
)
from casino.ledger import accounts
from casino.ledger.entries import Entry
from casino.table.domain.commands import VoidPoule
from casino.table.domain.context import DecisionContext
from casino.table.domain.poule import PouleState, poule_id
from casino.table.domain.reducers import Transitions, apply_all
from casino.table.domain.state import NOBODY_SEATED, GameState, TableState, seat_changed

NO_POULE: Final = RefusalReason(
    "no_poule", "unavailable", "no poule waits for its next game here: look at the table again"
)


def open_poule(state: TableState, server_seed: bytes) -> Transitions:
    """Begin a poule with the person who has the seat, or with bots only, and hold all entries."""
    rules, number = state.settings_for(state.number + 1), state.number + 1
    assert rules.poule is not None
    poule, person = poule_id(rules.name, number), state.holder
    entrants = (rules.house, *rules.poule.others, person or rules.challenger)
    opened = PouleOpened(
        entrants=fairness.poule_order(server_seed, poule, entrants),
        game=poule,
        player=person or None,
        table=rules.name,
    )
    steps = apply_all(state, opened)
    begun = steps[-1].after.poule
    assert begun is not None
    return steps + apply_all(steps[-1].after, _hold(begun, rules.poule))


def after_game(state: TableState, running: GameState, void_reason: str = "") -> Transitions:
    """Strike a person who gave the game up, and end the poule if it is won or cannot go on."""
    steps: Transitions = ()
    if running.abandoned:
        steps = apply_all(state, seat_changed(state, running.challenger, "left"))
        state = steps[-1].after
    poule, terms = state.poule, state.rules.poule
    assert poule is not None
    assert terms is not None
    if not void_reason and poule.is_won(terms):
        winner = poule.rotation.line[0]
        over = PouleOver(game=poule.id, winner=winner)
        owner = poule.name(winner) if winner == poule.person else HOUSE_NAME
        return steps + _ended(state, over, _pay(poule, terms, owner))
    return steps + void_poule_steps(state, SECRETS_LOST) if void_reason == SECRETS_LOST else steps


def void_poule(state: TableState, command: VoidPoule, _: DecisionContext) -> Transitions:
    """Void a poule between two games; bots make room for a person who waits."""
    poule = state.poule
    if poule is None or state.running is not None:
        raise Refused(NO_POULE)
    if command.reason == "person_enters" and (poule.person or not state.queue):
        raise Refused(NO_POULE)
    return void_poule_steps(state, command.reason)


def void_poule_steps(state: TableState, reason: PouleVoidReason) -> Transitions:
    """Return the transitions that void the poule and return all entries."""
    poule, terms = state.poule, state.rules.poule
    assert poule is not None
    assert terms is not None
    void = PouleVoid(game=poule.id, reason=reason)
    return _ended(state, void, _refund(poule, terms))


def _ended(state: TableState, event: PouleOver | PouleVoid, entry: Entry) -> Transitions:
    steps = apply_all(state, event, entry)
    if state.holder == NOBODY_SEATED:
        return steps
    after = steps[-1].after
    return steps + apply_all(after, seat_changed(after, state.holder, "left"))


def _entries(poule: PouleState, terms: PouleTerms) -> list[tuple[str, int]]:
    """Return what each owner has in the pool; the house pays for its bots."""
    people = [poule.name(poule.person)] if poule.person else []
    bots_cents = (len(poule.entrants) - len(people)) * terms.entry_cents
    return [(HOUSE_NAME, bots_cents), *((person, terms.entry_cents) for person in people)]


def _hold(poule: PouleState, terms: PouleTerms) -> Entry:
    return accounts.escrow_entry(poule.id, *escrow_move("hold", _entries(poule, terms)))


def _refund(poule: PouleState, terms: PouleTerms) -> Entry:
    returned = [(owner, -cents) for owner, cents in _entries(poule, terms)]
    return accounts.escrow_entry(poule.id, *escrow_move("void", returned))


def _pay(poule: PouleState, terms: PouleTerms, winner: str) -> Entry:
    kind = "bank" if winner == HOUSE_NAME else "wallet"
    taken = [("escrow", owner, -cents) for owner, cents in _entries(poule, terms)]
    return accounts.escrow_entry(
        poule.id, "settle", [*taken, (kind, winner, poule.pool_cents(terms))]
    )
