"""Handlers that open games and accept bets."""

from __future__ import annotations

from typing import Final

from casino import fairness
from casino.betting import BOOK_CLOSED, HOUSE_NAME, enter_bet, hold_stakes
from casino.betting.rules import TRIPLE
from casino.ecarte import Laws
from casino.ecarte.rules import Seat, other
from casino.errors import RefusalReason, Refused
from casino.events import factories
from casino.ledger import accounts
from casino.ledger.accounts import check_name
from casino.table.domain.commands import OpenGame, PlaceBet
from casino.table.domain.handlers.seats import TABLE_CLOSED, next_in_seat
from casino.table.domain.handlers.settlement import entry_steps, open_poule
from casino.table.domain.handlers.shuffle import check_commitment
from casino.table.domain.reducers import Transitions, apply_all
from casino.table.domain.state import (
    BOTS_NAME,
    NOBODY_SEATED,
    SEED,
    DecisionContext,
    TableState,
    bot_name,
    game_id,
    require_game,
)

GAME_RUNNING: Final = RefusalReason(
    "game_running", "seat_taken", "{game} is running: wait for its end"
)
NO_CHALLENGER: Final = RefusalReason(
    "no_challenger", "unavailable", "no one challenges the house: take the seat"
)
BAD_SIDE: Final = RefusalReason(
    "bad_side", "bad_request", "a side is house or challenger: choose one"
)


def open_game(state: TableState, command: OpenGame, context: DecisionContext) -> Transitions:
    """Open the next game and hold both stakes; refuse without a challenger or enough chips."""
    rules = state.settings_for(state.number + 1)
    if state.running is not None:
        raise Refused(GAME_RUNNING, game=state.running.id)
    if state.opens_no_game:
        raise Refused(TABLE_CLOSED, table=rules.name)
    steps = next_in_seat(state)
    state = steps[-1].after if steps else state
    house, challenger = rules.house, state.holder or rules.challenger
    if challenger == NOBODY_SEATED and state.poule is None:
        raise Refused(NO_CHALLENGER)
    if rules.poule is not None and state.poule is None:
        steps += open_poule(state, command.server_seed)
        state = steps[-1].after
    if state.poule is not None:
        house, challenger = state.poule.players
    is_bot = challenger != state.holder
    book = rules.book(challenger)
    needed_cents = TRIPLE * rules.stake_cents
    has_cents = context.funds_cents(challenger)
    granted_cents = 0
    if is_bot and has_cents < needed_cents:
        granted_cents = max(rules.refill_cents, needed_cents)
        refill = accounts.grant(challenger, granted_cents, "a bot's chips")
        steps += apply_all(state, refill)
    # The grant is not posted yet, so the context's balance does not include it.
    hold = hold_stakes(book, has_cents + granted_cents, context.funds_cents(HOUSE_NAME))
    # Do not show bettors a cover that could not be paid.
    most_cents, _left_in_purse = divmod(has_cents - needed_cents, rules.gallery.risk)
    offered_cents = 0 if is_bot else min(state.cover_cents, most_cents)
    game = game_id(rules.name, state.number + 1)
    bots = {"house": bot_name(house)} | ({"challenger": bot_name(challenger)} if is_bot else {})
    opened = factories.game_opened(
        game,
        rules.name,
        state.next_seed_position,
        fairness.commitment_of(command.server_seed),
        house,
        challenger,
        bots,
        # The players of a poule change with every game, and its bots may have the same name.
        _loser_deals(state, rules.laws, challenger) if state.poule is None else None,
        offered_cents,
        "remote_bot" if not is_bot and challenger in state.remote_bots else None,
    )
    steps += apply_all(state, opened, secrets={SEED: command.server_seed})
    return steps + entry_steps(steps[-1].after, game, hold)


def _loser_deals(state: TableState, laws: Laws, challenger: str) -> Seat | None:
    """Return the first dealer of a rematch under law `loser`, or None (R2.1)."""
    if laws.deal != "alternate" or laws.first_dealer != "loser" or state.last is None:
        return None
    player, winner = state.last
    return other(winner) if player == challenger else None


def place_bet(state: TableState, command: PlaceBet, context: DecisionContext) -> Transitions:
    """Accept a bet in full, or raise `Refused`."""
    running = require_game(state, command.game)
    check_name(command.player)
    if command.side not in (0, 1):
        raise Refused(BAD_SIDE)
    if command.player in state.rules.challengers:
        raise Refused(BOTS_NAME, name=command.player)
    if running.locked is not None:
        raise Refused(BOOK_CLOSED)
    seal = check_commitment(running, command.player, command.seal)
    entered = enter_bet(
        running.book,
        command.player,
        command.side,
        command.unit_cents,
        context.funds_cents(command.player),
    )
    context.check_bet(command.table, command.player, command.unit_cents * running.book.laws.risk)
    steps = apply_all(state, factories.bet_accepted(running.id, entered.bet, seal))
    return steps + entry_steps(steps[-1].after, running.id, entered.hold)
