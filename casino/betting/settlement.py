"""Settle the bets and the principals' stakes when a game ends (G10 to G14).

>>> from casino.betting.book import Cover, close, enter_bet
>>> from casino.betting.rules import BetSizeLimits
>>> book = Book("ann", 1000, BettingRules(), BetSizeLimits(1, 5000, 9000, 99000))
>>> book = enter_bet(book, "ben", HOUSE, 200, wallet_cents=600).book
>>> book = enter_bet(book, "cy", CHALLENGER, 200, wallet_cents=600).book
>>> settlement = settle(close(book, Cover()), winner=HOUSE, multiplier=2)
>>> [(one.bet.bettor, one.gain_cents, one.commission_cents) for one in settlement.bets]
[('ben', 400, 20), ('cy', -400, 0)]
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from casino.betting import moves
from casino.betting.bets import Bet
from casino.betting.book import NO_COVER, Book, Closing, Cover, MatchedBet
from casino.betting.moves import COMMISSION, ESCROW, HOUSE_NAME, WALLET, MoneyMove
from casino.betting.rules import TRIPLE, WHOLE_BP, BettingRules
from casino.ecarte import CHALLENGER, HOUSE, Seat
from casino.errors import InvariantError


class BetOutcome(NamedTuple):
    """Result of a bet: its cents in escrow, its gain or loss, and its commission."""

    bet: Bet
    matched_cents: int
    escrow_cents: int
    gain_cents: int
    commission_cents: int


class Settlement(NamedTuple):
    """Outcomes of the principals' stakes and of all bets, and the move that pays them (G11)."""

    principals: tuple[BetOutcome, ...]
    bets: tuple[BetOutcome, ...]
    move: MoneyMove


def settle(closing: Closing, winner: Seat, multiplier: int) -> Settlement:
    """Settle a won game; `multiplier` is 1, 2 or 3 for single, double or triple (G10 to G13)."""
    book, laws = closing.book, closing.book.laws
    if multiplier not in (1, 2, TRIPLE):
        raise InvariantError(f"a game cannot be settled {multiplier}-fold")
    principals = tuple(
        _outcome(stake, TRIPLE, multiplier, winner, laws.principal_commission_bp, laws)
        for stake in _stakes(book)
    )
    units_paid = multiplier if laws.gallery_stakes == "game" else 1
    bets = tuple(
        _outcome(stand, laws.risk, units_paid, winner, laws.commission_bp, laws)
        for stand in closing.stands
    )
    return Settlement(principals, bets, _settle_move((*principals, *bets)))


def void(book: Book, stands: Iterable[MatchedBet], held: Cover = NO_COVER) -> MoneyMove:
    """Return the move that refunds all of a game's escrow (G14).

    For an open book pass `as_entered(book)`. `held` is the cover in escrow for a locked book (G16).
    """
    risk = book.laws.risk
    cover = (
        (HOUSE_NAME, -risk * held.house_cents),
        (book.challenger, -risk * held.challenger_cents),
    )
    gallery = ((bet.bettor, -risk * kept_cents) for bet, kept_cents in stands)
    stakes = ((bet.bettor, -TRIPLE * stake_cents) for bet, stake_cents in _stakes(book))
    return moves.escrow_move("void", (*stakes, *gallery, *cover))


def as_entered(book: Book) -> tuple[MatchedBet, ...]:
    """Return the bets of an open book as if each were matched in full."""
    return tuple(MatchedBet(bet, bet.unit_cents) for bet in book.bets)


def _stakes(book: Book) -> tuple[MatchedBet, MatchedBet]:
    """Return the principals' stakes, each as a matched bet on the principal's own side (G13)."""
    stake_cents = book.stake_cents
    return (
        MatchedBet(Bet(0, HOUSE_NAME, HOUSE, stake_cents), stake_cents),
        MatchedBet(Bet(0, book.challenger, CHALLENGER, stake_cents), stake_cents),
    )


def _outcome(
    stand: MatchedBet, risk: int, units_paid: int, winner: Seat, rate_bp: int, laws: BettingRules
) -> BetOutcome:
    bet, matched_cents = stand
    paid_cents = units_paid * matched_cents
    if bet.side != winner:
        return BetOutcome(bet, matched_cents, risk * matched_cents, -paid_cents, 0)
    base_cents = paid_cents + (matched_cents if laws.commission_base == "gross" else 0)
    # Round the commission down to the cent (G12).
    fee_cents, _below_a_cent = divmod(base_cents * rate_bp, WHOLE_BP)
    return BetOutcome(bet, matched_cents, risk * matched_cents, paid_cents, fee_cents)


def _settle_move(outcomes: Iterable[BetOutcome]) -> MoneyMove:
    changes = []
    fees_cents = 0
    for outcome in outcomes:
        owner = outcome.bet.bettor
        changes.append((ESCROW, owner, -outcome.escrow_cents))
        net_cents = outcome.gain_cents - outcome.commission_cents
        changes.append((WALLET, owner, outcome.escrow_cents + net_cents))
        fees_cents += outcome.commission_cents
    changes.append((COMMISSION, HOUSE_NAME, fees_cents))
    return moves.move("settle", changes)
