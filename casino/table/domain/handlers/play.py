"""Handlers for the play of a deal, including the decisions of bots.

The house's accidental exposures and the bots' decisions are drawn from the game's committed seed,
so that anyone can recompute them once it is revealed.
"""

from __future__ import annotations

from typing import Final

from casino import ecarte, fairness
from casino.bots import get_bot
from casino.bots.match import choose
from casino.ecarte import CHALLENGER, HOUSE, NO_SEAT, Action, Deal
from casino.errors import IllegalAction, RefusalReason, Refused
from casino.events import factories, types
from casino.events.types import OUT_OF_TIME, SIDES
from casino.table.domain.commands import DealCards, PlayAction, PlayBotActions, TimeOutPlayer
from casino.table.domain.handlers.game import default, finish
from casino.table.domain.state import (
    NO_SECRETS,
    STALE_VERSION,
    Decision,
    DecisionContext,
    GameState,
    Secrets,
    TableState,
    exchange_secret_name,
    with_action,
)

NOT_DEALT: Final = RefusalReason(
    "no_cards", "not_your_turn", "no cards are dealt yet: wait for the deal"
)
EXPOSED_BY_CHOICE: Final = RefusalReason(
    "exposed_by_choice", "illegal_action", "cards are exposed by accident, not by choice"
)
HOUSE_ACTS: Final = RefusalReason("house_acts", "not_your_turn", "it is the house's turn: wait")
PERSON_ACTS: Final = RefusalReason("person_acts", "not_your_turn", "it is {player}'s turn: wait")
NOT_PLAYING: Final = RefusalReason(
    "not_playing", "not_your_turn", "you do not play in this game: take the seat for the next"
)


def deal_next(decision: Decision, command: DealCards, _: DecisionContext) -> None:
    """Deal, perhaps expose a card, and turn up unless the elder may ask for a new deal."""
    running = _playing(decision.state)
    if command.turn != decision.state.turn or not running.is_between_deals:
        raise Refused(STALE_VERSION)
    # A finished deal is counted in `running.number` only once the next one begins.
    dealer, number = running.next_game().dealer, running.number + (running.deal is not None)
    decision.add(types.PackDealt(deal=number, dealer=SIDES[dealer], game=running.id))
    permille = decision.state.rules.slip_permille
    # The house may accidentally expose a card (R8.1, R8.2).
    if permille and dealer == HOUSE:
        slip = fairness.exposed_card(running.server_seed, running.id, number, permille)
        if slip is not None:
            _act(decision, ecarte.EXPOSE + decision.deal.deck[slip])
    _show(decision)
    finish(decision)


def play_bot_actions(decision: Decision, command: PlayBotActions, _: DecisionContext) -> None:
    """Apply consecutive actions of the bots."""
    _playing(decision.state)
    if command.turn != decision.state.turn:
        raise Refused(STALE_VERSION)
    for action in command.actions:
        running = decision.running
        # The house may claim a revoke even while the person is to act (R8.5).
        if action != ecarte.CLAIM and running.waits_for_person:
            raise Refused(PERSON_ACTS, player=running.challenger)
        apply_action(decision, action)
    finish(decision)


def play_action(decision: Decision, command: PlayAction, _: DecisionContext) -> None:
    """Apply an action of the person in the challenger's seat."""
    running, action = _playing(decision.state), command.action
    if command.player != running.challenger or running.is_bot or running.abandoned:
        raise Refused(NOT_PLAYING)
    if command.turn != decision.state.turn:
        raise Refused(STALE_VERSION)
    deal = running.deal
    if deal is None:
        raise Refused(NOT_DEALT)
    if ecarte.EXPOSE <= action < ecarte.LEAD_OUT:
        raise Refused(EXPOSED_BY_CHOICE)
    if ecarte.actor(deal, action) not in (CHALLENGER, NO_SEAT):
        raise Refused(HOUSE_ACTS)
    if (error := refused_card(deal, action)) is not None:
        raise Refused(error.why, **error.values)
    apply_action(decision, action)
    finish(decision)


def time_out(decision: Decision, command: TimeOutPlayer, _: DecisionContext) -> None:
    """Record the default of a person whose time is up (G14)."""
    running = _playing(decision.state)
    if command.turn != decision.state.turn or not running.waits_for_person:
        raise Refused(STALE_VERSION)
    default(decision, running.challenger, OUT_OF_TIME)


def _playing(state: TableState) -> GameState:
    if state.running is None or state.running.game is None:
        raise Refused(NOT_DEALT)
    return state.running


def apply_action(decision: Decision, action: Action) -> None:
    """Apply an action, then show a delayed turn-up; raise `Refused` if the action is illegal."""
    if decision.running.deal is None:
        raise Refused(NOT_DEALT)
    _act(decision, action)
    _show(decision)


def _act(decision: Decision, action: Action) -> None:
    running, deal = decision.running, decision.deal
    try:
        after = ecarte.apply(deal, action)
    except IllegalAction as error:
        raise Refused(error.why, **error.values) from None
    number = running.number
    event = factories.action_taken(running.id, number, deal, action, running.server_seed)
    secrets: Secrets = NO_SECRETS
    if action & ecarte.EXCHANGE:
        name = exchange_secret_name(number, len(deal.history) + 1)
        secrets = {name: ecarte.token(action).encode()}
    decision.add(event, secrets, with_action(decision.state, action, after))


def _show(decision: Decision) -> None:
    """Show the turn-up and the hands of a finished deal, each if it is time."""
    if decision.deal.phase == ecarte.DEALING:
        show_turn_up(decision)
    if decision.deal.phase >= ecarte.OVER:
        hands = factories.hands_shown(decision.running.id, decision.deal)
        if hands is not None:
            decision.add(hands)


def show_turn_up(decision: Decision) -> None:
    """Show the turn-up."""
    card = ecarte.format_card(ecarte.turn_up(decision.deal).turn_up)
    decision.add(types.TurnedUp(card=card, game=decision.running.id))


def refused_card(deal: Deal, action: Action) -> IllegalAction | None:
    """Return why the challenger may not play a card; None if it is legal or not a card.

    A challenger whose revoke was claimed may not revoke again in the deal: the house claims every
    revoke that it sees, so the same hands could otherwise be replayed without end (R8.5).
    """
    if not 0 <= action < len(ecarte.PACK):
        return None
    if deal.irregular.offenders[CHALLENGER]:
        laws = deal.laws._replace(enforcement="strict")
        deal = deal._replace(start=deal.start._replace(laws=laws, claims=False))
    try:
        ecarte.apply(deal, action)
    except IllegalAction as error:
        return error
    return None


def bot_answer(running: GameState) -> Action | None:
    """Return the next action of a bot, or None if a person is to act.

    A revoke is claimed before any other action. A bot sees only the view of its seat, and each of
    its decisions has its own random numbers, derived from the game's seed.
    """
    deal = running.deal
    if deal is None:
        return None
    if running.claims_revoke:
        return ecarte.CLAIM
    seat = deal.turn
    if seat == NO_SEAT or running.waits_for_person:
        return None
    if seat == CHALLENGER and running.abandoned:
        return ecarte.concession(deal)
    name = running.opened.players.house if seat == HOUSE else running.challenger
    seed = fairness.bot_seed(running.server_seed, running.id, seat)
    chance = fairness.bot_draws(seed, running.number, running.made[seat] + 1)
    legal = ecarte.legal_for(deal, seat)
    # A bot supplied by the operator may choose or raise anything.
    return choose(get_bot(name), ecarte.view(deal, seat), legal, chance)
