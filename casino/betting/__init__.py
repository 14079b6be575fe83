"""The gallery: group side bets on a game, matched and settled in whole cents.

laws        what a table's betting goes by, and its limits
bets        the bets of a book, with what each bettor and side has staked
book        bets entered and refused, the two sides made equal, the book closed (G1 to G9)
settlement  who pays whom when the game is over, or void (G10 to G14)
moves       chips that change accounts, as plain data for the ledger

A division is a `divmod` whose remainder has a name. Everything is a frozen record or a function
from records to records; who keeps the book stores them.
"""

from casino.betting.bets import Bet, Bets, side_totals
from casino.betting.book import (
    BOOK_CLOSED,
    NO_COVER,
    BetEntered,
    Book,
    BookQuote,
    Closing,
    Cover,
    CoverLock,
    MatchedBet,
    affordable_cover,
    close,
    enter_bet,
    hold_stakes,
    lock,
    match,
    quote,
    stands_now,
    with_bet,
)
from casino.betting.moves import (
    BANK,
    COMMISSION,
    ESCROW,
    HOUSE_NAME,
    WALLET,
    AccountChange,
    MoneyMove,
)
from casino.betting.rules import BetSizeLimits, BettingRules, parse_gallery_laws
from casino.betting.settlement import BetOutcome, Settlement, as_entered, settle, void

__all__ = [
    "BANK",
    "BOOK_CLOSED",
    "COMMISSION",
    "ESCROW",
    "HOUSE_NAME",
    "NO_COVER",
    "WALLET",
    "AccountChange",
    "Bet",
    "BetEntered",
    "BetOutcome",
    "BetSizeLimits",
    "Bets",
    "BettingRules",
    "Book",
    "BookQuote",
    "Closing",
    "Cover",
    "CoverLock",
    "MatchedBet",
    "MoneyMove",
    "Settlement",
    "affordable_cover",
    "as_entered",
    "close",
    "enter_bet",
    "hold_stakes",
    "lock",
    "match",
    "parse_gallery_laws",
    "quote",
    "settle",
    "side_totals",
    "stands_now",
    "void",
    "with_bet",
]
