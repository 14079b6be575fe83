"""Handlers for a table's seat and settings, and for games, bets and poules from start to end.

The entries of a poule stay in escrow from its first game until it ends.

Settings are logged before they are used and at each change (L19). The first ones apply at once;
a change applies ten games later, so that it cannot be chosen to fit a particular game.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from casino import fairness
from casino.betting import HOUSE_NAME, as_entered, enter_bet, hold_stakes, settle, void
from casino.ecarte import CHALLENGER, Laws, multiplier
from casino.errors import RefusalReason, Refused
from casino.events import factories, types
from casino.events.types import LEFT, SECRETS_LOST, Entry, PlayedBy, PouleTerms
from casino.ledger import accounts
from casino.ledger.accounts import check_name
from casino.table.domain import commands
from casino.table.domain.handlers.shuffle import BOOK_CLOSED, new_commitment
from casino.table.domain.poule import PouleState, poule_id
from casino.table.domain.settings import to_event
from casino.table.domain.state import (
    BOTS_NAME,
    COVER,
    GAME_NOT_RUNNING,
    NO_SECRETS,
    NOBODY_SEATED,
    NOT_HOSTED,
    SEED,
    STALE_VERSION,
    TABLE_CLOSED,
    Decision,
    DecisionContext,
    GameState,
    TableState,
    bot_name,
    game_id,
    refuse_closed,
    require_game,
)

GAME_RUNNING: Final = RefusalReason(
    "game_running", "seat_taken", "{game} is running: wait for its end"
)
NO_CHALLENGER: Final = RefusalReason(
    "no_challenger", "unavailable", "no one is challenging the house: take the seat"
)
BAD_SIDE: Final = RefusalReason(
    "bad_side", "bad_request", "a side is house or challenger: choose one"
)
BAD_VOID_REASON: Final = RefusalReason(
    "bad_void_reason", "bad_request", "say why in 1 to {most} characters"
)
MAX_REASON_LENGTH: Final = 200

SEAT_YOURS: Final = RefusalReason(
    "seat_yours", "seat_taken", "you have the seat already, or are waiting for it"
)
BAD_COVER: Final = RefusalReason(
    "bad_cover", "bad_request", "a cover cannot be negative: offer 0 or more"
)
SEAT_TOO_DEAR: Final = RefusalReason(
    "seat_too_dear",
    "insufficient_chips",
    "the seat needs {needed_cents:chips} chips, but you have {wallet_cents:chips}: "
    "find a table with a smaller stake",
)
NO_SEAT: Final = RefusalReason(
    "no_seat", "not_your_turn", "you do not have the seat: take it first"
)
GAME_BEGUN: Final = RefusalReason(
    "game_begun", "not_your_turn", "another game has begun: leave again to give it up"
)
LEFT_ALREADY: Final = RefusalReason(
    "left_already", "not_your_turn", "you have left already: the game is being finished"
)

GAMES_BEFORE: Final = 10  # a change applies this many games after the last game opened

CHANGE_PENDING: Final = RefusalReason(
    "change_pending",
    "unavailable",
    "the last change of {table} applies from game {from_game}: wait until then",
)


def open_game(decision: Decision, command: commands.OpenGame, context: DecisionContext) -> None:
    """Open the next game and hold both stakes; refuse if no one challenges or a side cannot pay."""
    state = decision.state
    rules = state.settings_for(state.number + 1)
    if command.bots_only and (state.holder or state.queue):
        raise Refused(STALE_VERSION)
    if state.running is not None:
        raise Refused(GAME_RUNNING, game=state.running.id)
    if state.opens_no_game:
        raise Refused(TABLE_CLOSED, table=rules.name)
    next_in_seat(decision)
    house, challenger = rules.house, decision.state.holder or rules.challenger
    if challenger == NOBODY_SEATED and state.poule is None:
        raise Refused(NO_CHALLENGER)
    if rules.poule is not None and state.poule is None:
        open_poule(decision, command.server_seed)
    state = decision.state
    if state.poule is not None:
        house, challenger = state.poule.players
    is_bot = challenger != state.holder
    book = rules.book(challenger)
    needed_cents = rules.stake_risk_cents
    has_cents = context.funds_cents(challenger)
    if is_bot and has_cents < needed_cents:
        granted_cents = max(rules.refill_cents, needed_cents)
        decision.add(accounts.grant(challenger, granted_cents, "a bot's chips"))
        # The grant is not posted yet, so the context's balance does not include it.
        has_cents += granted_cents
    hold = hold_stakes(book, has_cents, context.funds_cents(HOUSE_NAME))
    # Do not show bettors a cover that could not be paid.
    payable_cents, _left_in_purse = divmod(has_cents - needed_cents, rules.gallery.risk)
    offered_cents = 0 if is_bot else min(state.covers.get(challenger, 0), payable_cents)
    chain, number = state.next_seed_position
    opened = types.GameOpened(
        at=context.now,
        bots=types.Bots(house=bot_name(house), challenger=bot_name(challenger) if is_bot else None),
        chain=chain,
        commitment=fairness.commitment_of(command.server_seed),
        cover_cents=offered_cents,
        game=game_id(rules.name, state.number + 1),
        loser_deals=_loser_deals(state, rules.laws, challenger),
        number=number,
        played_by="remote_bot" if not is_bot and challenger in state.remote_bots else None,
        players=types.Players(challenger=challenger, house=house),
        table=rules.name,
    )
    decision.add(opened, {SEED: command.server_seed})
    decision.post(opened.game, hold)


def _loser_deals(state: TableState, laws: Laws, challenger: str) -> types.Side | None:
    """Return the seat that deals first in a rematch under law `loser`, else None (R2.1)."""
    if laws.deal != "alternate" or laws.first_dealer != "loser" or state.last is None:
        return None
    player, winner = state.last
    # The players of a poule change with every game, and its bots may have the same name.
    is_rematch = player == challenger and state.poule is None
    return types.SIDES[1 - winner] if is_rematch else None


def place_bet(decision: Decision, command: commands.PlaceBet, context: DecisionContext) -> None:
    """Accept a bet in full, or raise `Refused`."""
    rules, running = decision.state.rules, require_game(decision.state, command.game)
    check_name(command.player)
    if command.side not in (0, 1):
        raise Refused(BAD_SIDE)
    if command.player in rules.challengers:
        raise Refused(BOTS_NAME, name=command.player)
    if running.locked is not None:
        raise Refused(BOOK_CLOSED)
    entered = enter_bet(
        running.book,
        command.player,
        command.side,
        command.unit_cents,
        context.funds_cents(command.player),
    )
    seal = command.seal
    if seal is not None:
        seal = new_commitment(running, command.player, seal)
    risk_cents = command.unit_cents * running.book.laws.risk
    context.check_bet(command.player, rules.day_cents, risk_cents)
    decision.add(factories.bet_accepted(running.id, entered.bet, seal))
    decision.post(running.id, entered.hold)


def default(decision: Decision, player: str, reason: str) -> None:
    """Record that the challenger abandons the game; void it if the settings say so (G14)."""
    decision.change_seat(player, "defaulted", game=decision.running.id)
    if decision.state.rules.abandon == "void":
        void_running(decision, reason)


def finish(decision: Decision) -> None:
    """If the game is decided, append its end and settlement in the same transaction (G15)."""
    running = decision.running
    deal, closing = running.deal, running.closing
    if deal is None or closing is None or not deal.game_over:
        return
    winner = deal.score.index(deal.laws.target)
    times = multiplier(min(deal.score))
    seed, deals = running.server_seed, running.played
    decision.add(factories.game_over(running.id, seed, deals, deal.score, winner, times))
    decision.post(running.id, settle(closing, winner, times).move)
    after_game(decision, running, has_lost=winner != CHALLENGER)


def void_running(decision: Decision, reason: str, fault: str | None = None) -> None:
    """Void the running game and refund all escrow."""
    running = decision.running
    stands = running.closing.stands if running.closing else as_entered(running.book)
    seed, deals = running.server_seed, running.played
    decision.add(factories.game_void(running.id, reason, seed, deals, fault))
    decision.post(running.id, void(running.book, stands, running.held), reason)
    after_game(decision, running, void_reason=reason)


def void_game(decision: Decision, command: commands.VoidGame, _: DecisionContext) -> None:
    """Void the running game for the reason in the command."""
    require_game(decision.state, command.game)
    if not 0 < len(command.reason) <= MAX_REASON_LENGTH:
        raise Refused(BAD_VOID_REASON, most=MAX_REASON_LENGTH)
    void_running(decision, command.reason, command.fault)


def open_poule(decision: Decision, server_seed: bytes) -> None:
    """Begin a poule with the person in the seat, or only with bots, and hold all entries."""
    state, number = decision.state, decision.state.number + 1
    rules = state.settings_for(number)
    assert rules.poule is not None
    poule, person = poule_id(rules.name, number), state.holder
    entrants = (rules.house, *rules.poule.others, person or rules.challenger)
    opened = types.PouleOpened(
        entrants=fairness.poule_order(server_seed, poule, entrants),
        game=poule,
        player=person or None,
        table=rules.name,
    )
    decision.add(opened)
    decision.add(_entry(decision.state, "hold"))


def after_game(
    decision: Decision, running: GameState, has_lost: bool = False, void_reason: str = ""
) -> None:
    """Unseat a challenger after a default or loss (R1.2); end a poule that is won or cannot go on.

    A loser keeps the seat unless someone is waiting for it.
    """
    state = decision.state
    is_replaced = has_lost and state.poule is None and bool(state.queue)
    if running.abandoned or (is_replaced and not running.is_bot):
        decision.change_seat(running.challenger, "left")
    if state.poule is None:
        return
    poule, terms = _running(decision.state)
    if void_reason == SECRETS_LOST:
        _void_poule(decision, SECRETS_LOST)
    elif not void_reason and poule.wins >= terms.wins:
        winner = poule.line[0]
        owner = poule.name(winner) if winner == poule.person else HOUSE_NAME
        over = types.PouleOver(game=poule.id, winner=winner)
        _end_poule(decision, over, _entry(decision.state, "settle", owner))


def void_poule(decision: Decision, command: commands.VoidPoule, _: DecisionContext) -> None:
    """Void a poule between two games; raise `Refused` if the command's reason does not apply."""
    state, poule = decision.state, _running(decision.state)[0]
    is_refused = command.reason == "person_enters" and (poule.person or not state.queue)
    # A void poule returns its entries: a host who plays could otherwise close when about to lose.
    is_refused = is_refused or (command.reason == "closed" and not state.opens_no_game)
    if state.running is not None or is_refused:
        raise Refused(GAME_NOT_RUNNING, game=poule.id)
    _void_poule(decision, command.reason)


def _void_poule(decision: Decision, reason: types.PouleVoidReason) -> None:
    void = types.PouleVoid(game=_running(decision.state)[0].id, reason=reason)
    _end_poule(decision, void, _entry(decision.state, "void"))


def _running(state: TableState) -> tuple[PouleState, PouleTerms]:
    if state.poule is None or state.rules.poule is None:
        raise Refused(GAME_NOT_RUNNING, game=f"a poule of {state.rules.name}")
    return state.poule, state.rules.poule


def _end_poule(decision: Decision, end: types.Event, entry: Entry) -> None:
    decision.add(end)
    decision.add(entry)
    if decision.state.holder != NOBODY_SEATED:
        decision.change_seat(decision.state.holder, "left")


def _entry(state: TableState, move: str, winner: str = "") -> Entry:
    """Return the ledger entry that holds or refunds the entrants' chips, or pays the winner."""
    poule, terms = _running(state)
    cents = terms.entry_cents if move == "hold" else -terms.entry_cents
    changes = []
    for number, name in enumerate(poule.entrants, 1):
        # The house pays for its bots.
        owner = name if number == poule.person else HOUSE_NAME
        payee = winner or owner
        changes += [("escrow", owner, cents), ("wallet", payee, -cents)]
    return accounts.escrow_entry(poule.id, move, changes)


def next_in_seat(decision: Decision) -> None:
    """Seat the first player in the queue, if the seat is free."""
    state = decision.state
    if state.holder == NOBODY_SEATED and state.queue and state.poule is None:
        decision.change_seat(state.queue[0], "seated")


def take_seat(decision: Decision, command: commands.TakeSeat, context: DecisionContext) -> None:
    """Add a player to the queue; between games, seat the first player if the seat is free."""
    state, player = decision.state, command.player
    check_name(player)
    refuse_closed(state)
    if player in state.rules.challengers:
        raise Refused(BOTS_NAME, name=player)
    if player in (state.holder, *state.queue):
        raise Refused(SEAT_YOURS)
    if command.cover_cents < 0:
        raise Refused(BAD_COVER)
    needed_cents = state.rules.stake_risk_cents
    if (poule := state.rules.poule) is not None:
        needed_cents += poule.entry_cents
        context.check_bet(player, state.rules.day_cents, poule.entry_cents)
    has_cents = context.funds_cents(player)
    if has_cents < needed_cents:
        raise Refused(SEAT_TOO_DEAR, needed_cents=needed_cents, wallet_cents=has_cents)
    offered = {COVER: b"%d" % command.cover_cents} if command.cover_cents else NO_SECRETS
    played_by: PlayedBy | None = "remote_bot" if command.remote_bot else None
    decision.change_seat(player, "queued", offered, played_by=played_by)
    if state.running is None:
        next_in_seat(decision)


def leave_seat(decision: Decision, command: commands.LeaveSeat, _: DecisionContext) -> None:
    """Leave the queue or the seat; the challenger of a running game defaults (G14)."""
    state, player, running = decision.state, command.player, decision.state.running
    waits = player in state.queue
    if not waits and player != state.holder:
        raise Refused(NO_SEAT)
    if waits or running is None or player != running.challenger or running.is_bot:
        decision.change_seat(player, "left")
        return
    if command.game not in (None, running.id):
        raise Refused(GAME_BEGUN)
    if running.abandoned:
        raise Refused(LEFT_ALREADY)
    default(decision, player, LEFT)


def set_terms(decision: Decision, command: commands.SetTableSettings, _: DecisionContext) -> None:
    """Log a table's settings, unless they equal the newest ones."""
    state, newest = decision.state, decision.state.newest_settings
    if not state.has_terms:
        decision.add(to_event(command.rules, 1))
        return
    if newest == command.rules:
        return
    refuse_closed(state)
    # A host could otherwise fill the log with changes.
    if newest.hosted is not None and state.coming:
        raise Refused(CHANGE_PENDING, table=newest.name, from_game=state.coming[-1][0])
    decision.add(to_event(command.rules, state.number + GAMES_BEFORE))


def close_table(decision: Decision, command: commands.CloseTable, _: DecisionContext) -> None:
    """Log that a hosted table closes once its game or a person's poule ends; ignore repeats."""
    newest = decision.state.newest_settings
    if newest.hosted is None:
        raise Refused(NOT_HOSTED, table=newest.name)
    if not newest.is_closed:
        closed = newest._replace(hosted=replace(newest.hosted, closed=command.reason))
        decision.add(to_event(closed, decision.state.number + GAMES_BEFORE))
