"""Handlers for the commit–reveal of the shuffle, up to the closing of the book (G16).

Bettors commit with their first bet, the challenger with a separate command. When betting ends, the
book is locked and contributions may be revealed. The book closes when all are revealed or time is
up; bets of players who did not reveal are returned.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from casino import fairness
from casino.betting import HOUSE_NAME, affordable_cover, lock
from casino.ecarte import first_dealer
from casino.errors import ContributionError, RefusalReason, Refused
from casino.events import factories
from casino.events.types import SIDES, CutLate, CutOpened, CutSealed, SeedChain
from casino.player_limits import DAY_MS
from casino.table.domain.commands import BeginChain, CloseBetting, CloseReveals, OpenCut, SealCut
from casino.table.domain.state import (
    NO_SECRETS,
    Decision,
    DecisionContext,
    GameState,
    require_game,
    with_closing,
)
from casino.table.domain.table_base import Commitment

BOOK_CLOSED: Final = RefusalReason(
    "book_closed", "betting_closed", "the book is closed already: wait for the next game"
)
NOT_CHALLENGER: Final = RefusalReason(
    "not_challenger", "not_your_turn", "only the challenger can start early: wait for the cards"
)
BETS_MADE: Final = RefusalReason(
    "bets_made", "illegal_action", "there are bets already: wait until the time is up"
)
BETTORS_SEAL: Final = RefusalReason(
    "bettors_seal", "not_your_turn", "a bettor's seal comes with the first bet of the game"
)
BAD_SEAL: Final = RefusalReason(
    "bad_seal", "bad_request", "a seal is 64 digits of 0-9 a-f: seal a text"
)
SEAL_TOO_LATE: Final = RefusalReason(
    "seal_too_late", "already_sealed", "you have bet without a seal: seal the next game"
)
ALREADY_SEALED: Final = RefusalReason(
    "already_sealed", "already_sealed", "you have sealed a text in this game: bet without a seal"
)
CUTS_FULL: Final = RefusalReason(
    "cuts_full", "cuts_full", "{most} people have sealed a text in this game: bet without a seal"
)
NOT_LOCKED: Final = RefusalReason(
    "not_locked", "not_locked", "the book is open: keep the text until the lock is proved"
)
WRONG_TEXT: Final = RefusalReason(
    "wrong_text", "wrong_text", "the text does not match your seal: send the one you sealed"
)
CUT_OVER: Final = RefusalReason(
    "cut_over", "betting_closed", "{game} is not waiting for your text: seal one in the next game"
)
GAME_UNDER_WAY: Final = RefusalReason(
    "game_under_way", "seat_taken", "{game} is running: a chain begins between games"
)


def begin_chain(decision: Decision, command: BeginChain, _: DecisionContext) -> None:
    """Start a new seed chain; raise `Refused` while a game is running."""
    state = decision.state
    if state.running is not None:
        raise Refused(GAME_UNDER_WAY, game=state.running.id)
    # The table asks again when the disk fails and the first answer is lost.
    if state.chain is not None and state.chain.anchor == command.anchor:
        return
    chain = SeedChain(
        anchor=command.anchor,
        chain=1 if state.chain is None else state.chain.chain + 1,
        length=command.length,
        reason=command.reason or None,
        table=state.rules.name,
    )
    decision.add(chain)


def new_commitment(running: GameState, player: str, seal: str) -> str | None:
    """Return the commitment, or None if the player has made it already; refuse another one."""
    mine = running.seal_of(player)
    if mine is not None:
        if mine.seal == seal:
            return None
        raise Refused(ALREADY_SEALED)
    if any(bet.bettor == player for bet in running.book.bets):
        raise Refused(SEAL_TOO_LATE)
    if running.locked is not None:
        raise Refused(BOOK_CLOSED)
    if not fairness.is_hash(seal):
        raise Refused(BAD_SEAL)
    if len(running.seals) >= fairness.MAX_CUTS:
        raise Refused(CUTS_FULL, most=fairness.MAX_CUTS)
    return seal


def seal_cut(decision: Decision, command: SealCut, _: DecisionContext) -> None:
    """Record the challenger's commitment; sending it again has no effect."""
    running = require_game(decision.state, command.game)
    if command.player != running.challenger or running.is_bot:
        raise Refused(BETTORS_SEAL)
    if new_commitment(running, command.player, command.seal) is not None:
        decision.add(CutSealed(game=running.id, player=command.player, seal=command.seal))


def lock_book(decision: Decision, command: CloseBetting, context: DecisionContext) -> None:
    """Lock the book, and close it at once if there are no commitments to wait for (G1)."""
    running = require_game(decision.state, command.game)
    if running.locked is not None:
        raise Refused(BOOK_CLOSED)
    if command.player and command.player != running.challenger:
        raise Refused(NOT_CHALLENGER)
    if command.player and running.book.bets:
        raise Refused(BETS_MADE)
    book = running.book
    bank_cents, purse_cents = context.funds_cents(HOUSE_NAME), context.funds_cents(book.challenger)
    cover = affordable_cover(book, running.cover, bank_cents, purse_cents)
    locked = lock(book, cover, {seal.player for seal in running.seals})
    # The event states the affordable cover; how much of it is held follows from the bets.
    event = factories.book_locked(running.id, book, len(running.seals), cover)
    decision.add(replace(event, at=context.now))
    decision.post(running.id, locked.hold)
    if not running.seals:
        _close(decision, context)


def open_cut(decision: Decision, command: OpenCut, context: DecisionContext) -> None:
    """Record a revealed contribution, even a late one; close the book after the last one."""
    running = decision.state.running
    if running is None or running.id != command.game or running.closing is not None:
        _record_late(decision, command, context)
        return
    if running.locked is None:
        raise Refused(NOT_LOCKED)
    mine = running.seal_of(command.player)
    if mine is None or not _fits(mine, command):
        raise Refused(WRONG_TEXT)
    # Repeating a reveal has no effect.
    if (mine.number, command.text) in running.texts:
        return
    decision.add(CutOpened(game=running.id, number=mine.number, text=command.text))
    if not decision.running.unrevealed:
        _close(decision, context)


def _record_late(decision: Decision, command: OpenCut, context: DecisionContext) -> None:
    closed_at, waited = decision.state.late.get(command.game, (0, ()))
    mine = next((seal for seal in waited if seal.player == command.player), None)
    if mine is None or context.now > closed_at + DAY_MS:
        raise Refused(CUT_OVER, game=command.game[:40])
    if not _fits(mine, command):
        raise Refused(WRONG_TEXT)
    decision.add(CutLate(game=command.game, number=mine.number, text=command.text))


def close_reveals(decision: Decision, command: CloseReveals, context: DecisionContext) -> None:
    """Close the book; contributions not revealed by now count as withheld."""
    running = require_game(decision.state, command.game)
    if running.locked is None:
        raise Refused(NOT_LOCKED)
    if running.closing is not None:
        raise Refused(BOOK_CLOSED)
    _close(decision, context)


def _close(decision: Decision, context: DecisionContext) -> None:
    state, running = decision.state, decision.running
    closing = running.close_book()
    shut = (seal.number for seal in running.unrevealed)
    cut = fairness.combine(text for _, text in sorted(running.texts))
    by_cut = fairness.first_dealer(running.server_seed, running.id, cut)
    loser = running.opened.loser_deals
    loser_deals = None if loser is None else SIDES.index(loser)
    dealer = first_dealer(state.rules.laws, by_cut, loser_deals)
    event = factories.betting_closed(running.id, cut, shut, closing, dealer)
    event = replace(event, at=context.now)
    decision.add(event, NO_SECRETS, with_closing(state, event, closing))
    for move in closing.moves:
        decision.post(running.id, move)


def _fits(seal: Commitment, command: OpenCut) -> bool:
    try:
        text = fairness.check_contribution(command.text)
    except ContributionError:
        return False
    return fairness.commitment_to(command.game, command.player, text) == seal.seal
