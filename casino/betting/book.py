"""Betting book of a game, from entering bets to matching the sides and closing (G1 to G9).

The *unit* of a bet is what it loses in a single game. Its *risk*, held in escrow, is its largest
possible loss. A *matched bet* is a bet with the part of its unit that the other side matches. A
principal (house or challenger) covers only bets against themselves, so no one profits from losing.

>>> book = Book("ann", 1000, BettingRules(), BetSizeLimits(1, 5000, 9000, 99000))
>>> book, ben, hold = enter_bet(book, "ben", HOUSE, 300, wallet_cents=900)
>>> hold.postings[1]
('escrow', 'ben', 900)
>>> book, cy, _ = enter_bet(book, "cy", CHALLENGER, 200, wallet_cents=900)
>>> count_matched(book, Cover())
200
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, NamedTuple

from casino.betting.bets import Bet, Bets, side_totals
from casino.betting.moves import HOUSE_NAME, MoneyMove, escrow_move
from casino.betting.rules import TRIPLE, BetSizeLimits, BettingRules
from casino.ecarte.rules import CHALLENGER, HOUSE, Seat, other
from casino.errors import RefusalReason, Refused

BET_TOO_DEAR: Final = RefusalReason(
    "bet_too_dear",
    "insufficient_chips",
    "the bet puts {risk_cents:chips} chips at risk, but you have {wallet_cents:chips}: bet less",
)
STAKE_TOO_DEAR: Final = RefusalReason(
    "stake_too_dear",
    "insufficient_chips",
    "{owner} must put {risk_cents:chips} chips at risk, but has {has_cents:chips}: "
    "play for a smaller stake",
)
HOUSE_BETS: Final = RefusalReason(
    "house_bets", "bad_request", "the house covers bets but makes none: use another name"
)
OWN_GAME: Final = RefusalReason(
    "own_game", "own_game", "you play this game: offer to cover bets against you instead"
)
WRONG_SIDE: Final = RefusalReason(
    "wrong_side", "wrong_side", "you have bet on the other side of this game: add to that bet"
)
BELOW_MINIMUM: Final = RefusalReason(
    "below_minimum",
    "below_minimum",
    "a bet of {unit_cents:chips} chips is too small: bet {least_cents:chips} or more",
)
OVER_BET_LIMIT: Final = RefusalReason(
    "over_bet_limit",
    "over_limit",
    "one bet may be {most_cents:chips} chips at most: bet {left_cents:chips} or less",
)
OVER_BETTOR_LIMIT: Final = RefusalReason(
    "over_bettor_limit",
    "over_limit",
    "you may bet {most_cents:chips} chips on a game and have bet {taken_cents:chips}: "
    "bet {left_cents:chips} or less",
)
OVER_SIDE_LIMIT: Final = RefusalReason(
    "over_side_limit",
    "over_limit",
    "a side takes {most_cents:chips} chips and has {taken_cents:chips}: "
    "bet {left_cents:chips} or less",
)


class Cover(NamedTuple):
    """Maximum that each principal is willing to bet on themselves to even out the sides (G7)."""

    house_cents: int = 0
    challenger_cents: int = 0


NO_COVER: Final = Cover()


class Book(NamedTuple):
    """The book of one game, with the principals' stake (G13)."""

    challenger: str
    stake_cents: int
    laws: BettingRules
    limits: BetSizeLimits
    bets: Sequence[Bet] = ()


class MatchedBet(NamedTuple):
    """A bet and the matched part of its unit, which is 0 for an unmatched bet (G8)."""

    bet: Bet
    matched_cents: int


class BetEntered(NamedTuple):
    """The updated book, the new bet, and the move that puts the bet's risk in escrow."""

    book: Book
    bet: Bet
    hold: MoneyMove


class CoverLock(NamedTuple):
    """The cover that each principal holds in escrow, and the move that puts it there (G16)."""

    held: Cover
    hold: MoneyMove


class Closing(NamedTuple):
    """A closed book with its matched bets, and the resulting money moves.

    `returned` contains the order number of each bet refunded in full because its bettor withheld a
    contribution.
    """

    book: Book
    stands: tuple[MatchedBet, ...]
    matched_cents: int
    moves: tuple[MoneyMove, ...]
    returned: tuple[int, ...] = ()


def enter_bet(
    book: Book, bettor: str, side: Seat, unit_cents: int, wallet_cents: int
) -> BetEntered:
    """Add a bet to an open book, or raise `Refused` (G2, G4, G5)."""
    bets, limits = _kept(book), book.limits
    if bettor == HOUSE_NAME:
        raise Refused(HOUSE_BETS)
    if bettor == book.challenger:
        raise Refused(OWN_GAME)
    if bets.totals_of(bettor)[other(side)] > 0:
        raise Refused(WRONG_SIDE)
    if unit_cents < max(1, limits.least_cents):
        raise Refused(BELOW_MINIMUM, unit_cents=unit_cents, least_cents=limits.least_cents)
    for over, most_cents, before_cents in (
        (OVER_BET_LIMIT, limits.greatest_cents, 0),
        (OVER_BETTOR_LIMIT, limits.bettor_cents, sum(bets.totals_of(bettor))),
        (OVER_SIDE_LIMIT, limits.side_cents, side_totals(bets)[side]),
    ):
        if before_cents + unit_cents > most_cents:
            left_cents = max(0, most_cents - before_cents)
            raise Refused(
                over, most_cents=most_cents, taken_cents=before_cents, left_cents=left_cents
            )
    risk_cents = unit_cents * book.laws.risk
    if risk_cents > wallet_cents:
        raise Refused(BET_TOO_DEAR, risk_cents=risk_cents, wallet_cents=wallet_cents)
    bet = Bet(len(bets) + 1, bettor, side, unit_cents)
    hold = escrow_move("hold", [(bettor, risk_cents)])
    return BetEntered(with_bet(book, bet), bet, hold)


def with_bet(book: Book, bet: Bet) -> Book:
    """Add a bet that was accepted earlier, without checking it again."""
    bets = _kept(book).with_bet(bet)
    return Book(book.challenger, book.stake_cents, book.laws, book.limits, bets)


def hold_stakes(book: Book, wallet_cents: int, bank_cents: int) -> MoneyMove:
    """Return the move that puts both principals' stakes in escrow (G13), or raise `Refused`."""
    risk_cents = TRIPLE * book.stake_cents
    for owner, has_cents in ((book.challenger, wallet_cents), (HOUSE_NAME, bank_cents)):
        if risk_cents > has_cents:
            raise Refused(STAKE_TOO_DEAR, owner=owner, risk_cents=risk_cents, has_cents=has_cents)
    return escrow_move("hold", [(HOUSE_NAME, risk_cents), (book.challenger, risk_cents)])


def affordable_cover(book: Book, wished: Cover, bank_cents: int, wallet_cents: int) -> Cover:
    """Limit the house's cover to a third of its bank, the challenger's to their wallet (G4, G7)."""
    third_cents, _left_in_bank = divmod(bank_cents, 3)
    units_cents, _left_in_wallet = divmod(wallet_cents, book.laws.risk)
    return Cover(min(wished.house_cents, third_cents), min(wished.challenger_cents, units_cents))


def count_matched(book: Book, cover: Cover) -> int:
    """Return the cents that would be matched on each side if the book closed now (G9)."""
    covering = _covering(book, book.bets, cover)
    return min(side_totals(book.bets)) + (covering.unit_cents if covering else 0)


def matched_now(book: Book, cover: Cover) -> tuple[MatchedBet, ...]:
    """Match the bets as if the book closed now, and append the cover (G9)."""
    return _stands(book, book.bets, _covering(book, book.bets, cover))


def lock(book: Book, cover: Cover, sealed: Collection[str]) -> CoverLock:
    """End betting by holding the cover that each principal may need in escrow (G16).

    `cover` is what the principals can pay. Bets of players in `sealed` may still be returned, so
    the final totals are unknown and the largest cover that may be needed is held. If `sealed` is
    empty, the book closes at once and nothing is held.
    """
    house_cents, challenger_cents = side_totals(book.bets)
    sure = side_totals([bet for bet in book.bets if bet.bettor not in sealed])
    # At worst all sealed bets on a principal's side are returned, and none against it.
    most = Cover(
        min(cover.house_cents, max(0, challenger_cents - sure[HOUSE])),
        min(cover.challenger_cents, max(0, house_cents - sure[CHALLENGER])),
    )
    held = most if sealed else NO_COVER
    risk, by_owner = book.laws.risk, zip(_principals(book), held, strict=True)
    hold = escrow_move("hold", [(owner, risk * cents) for owner, cents in by_owner])
    return CoverLock(held, hold)


def close(
    book: Book, cover: Cover, withheld: Collection[str] = (), held: Cover = NO_COVER
) -> Closing:
    """Close the book by adding the cover, matching the sides and returning the excess (G6-G8).

    `cover` is the result of `affordable_cover`, and `held` is the cover held in escrow.
    Bets are returned in full, before matching, if their bettor withheld a contribution; if the
    challenger withheld, both principals' stakes are returned (G16).
    """
    staying = book.bets
    if withheld:
        staying = [bet for bet in book.bets if bet.bettor not in withheld]
    covering = _covering(book, staying, cover)
    stands = _stands(book, staying, covering)
    matched_cents = min(side_totals([stand.bet for stand in stands]))
    returned = [MatchedBet(bet, 0) for bet in book.bets if bet.bettor in withheld]
    if returned:
        stands = tuple(sorted((*stands, *returned), key=lambda stand: stand.bet.order))
    stake_cents = 0 if book.challenger in withheld else book.stake_cents
    closed = book._replace(bets=tuple([stand.bet for stand in stands]), stake_cents=stake_cents)
    used = {covering.bettor: covering.unit_cents} if covering else {}
    # What each principal adds to the cover held or, if negative, gets back.
    covers = [
        (owner, book.laws.risk * (used.get(owner, 0) - held_cents))
        for owner, held_cents in zip(_principals(book), held, strict=True)
    ]
    hold = escrow_move("hold", [change for change in covers if change[1] > 0])
    release = escrow_move(
        "release",
        [
            *(change for change in covers if change[1] < 0),
            *(
                (bet.bettor, book.laws.risk * (kept_cents - bet.unit_cents))
                for bet, kept_cents in stands
                if kept_cents < bet.unit_cents
            ),
            *((owner, TRIPLE * (stake_cents - book.stake_cents)) for owner in _principals(book)),
        ],
    )
    moves = tuple([move for move in (hold, release) if move.postings])
    return Closing(
        closed, stands, matched_cents, moves, tuple(matched.bet.order for matched in returned)
    )


def match(bets: Sequence[Bet], matching: str) -> tuple[MatchedBet, ...]:
    """Reduce the larger side to the total of the smaller, by the table's matching rule (G6)."""
    standing_cents = min(side_totals(bets))
    kept: dict[int, int] = {}
    for side in (HOUSE, CHALLENGER):
        mine = [bet for bet in bets if bet.side == side]
        units = MATCHINGS[matching]([bet.unit_cents for bet in mine], standing_cents)
        kept.update(zip([bet.order for bet in mine], units, strict=True))
    return tuple([MatchedBet(bet, kept[bet.order]) for bet in bets])


def cut_pro_rata(units: Sequence[int], standing_cents: int) -> list[int]:
    """Reduce all units proportionally; leftover cents go to the largest remainders (G6)."""
    total_cents = sum(units)
    shares = [divmod(unit * standing_cents, total_cents) for unit in units]
    kept = [cents for cents, _remainder in shares]
    left_over_cents = standing_cents - sum(kept)
    # The sort is stable, so for equal remainders the earlier bet gets the cent.
    by_remainder = sorted(range(len(units)), key=lambda at: -shares[at][1])
    for at in by_remainder[:left_over_cents]:
        kept[at] += 1
    return kept


def cut_last_first(units: Sequence[int], standing_cents: int) -> list[int]:
    """Take the excess from the latest bets first (G6)."""
    kept = list(units)
    excess_cents = sum(units) - standing_cents
    for at in reversed(range(len(kept))):
        cut_cents = min(kept[at], excess_cents)
        kept[at] -= cut_cents
        excess_cents -= cut_cents
    return kept


MATCHINGS: Final[Mapping[str, Callable[[Sequence[int], int], list[int]]]] = {
    "pro_rata": cut_pro_rata,
    "last_in_first_out": cut_last_first,
}


def _kept(book: Book) -> Bets:
    return book.bets if isinstance(book.bets, Bets) else Bets(book.bets)


def _stands(book: Book, bets: Sequence[Bet], covering: Bet | None) -> tuple[MatchedBet, ...]:
    return match((*bets, covering) if covering else bets, book.laws.matching)


def _principals(book: Book) -> tuple[str, str]:
    return HOUSE_NAME, book.challenger


def _covering(book: Book, bets: Sequence[Bet], cover: Cover) -> Bet | None:
    """Return the bet by which the smaller side's principal evens out the sides, if any (G7)."""
    house_cents, challenger_cents = side_totals(bets)
    if challenger_cents > house_cents:
        owner, side, most_cents = HOUSE_NAME, HOUSE, cover.house_cents
    else:
        owner, side, most_cents = book.challenger, CHALLENGER, cover.challenger_cents
    unit_cents = min(most_cents, abs(challenger_cents - house_cents))
    return Bet(len(book.bets) + 1, owner, side, unit_cents) if unit_cents > 0 else None
