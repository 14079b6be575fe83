"""Side bets on a game, matched against each other and settled in whole cents.

rules       betting rules and bet size limits of a table
bets        list of a book's bets, with running totals
book        entering bets, matching the sides and closing the book (G1 to G9)
settlement  payments when a game is over or void (G10 to G14)
moves       money moves as plain data for the ledger

All values are immutable; storing them is the caller's task. Every division is a `divmod` with a
named remainder, so that no cent disappears.
"""

# isort: off
from casino.betting.bets import Bet, Bets, side_totals
from casino.betting.book import (
    NO_COVER, Book, Closing, Cover, CoverLock, affordable_cover, close, count_matched, enter_bet,
    hold_stakes, lock, matched_now, with_bet,
)  # fmt: skip
from casino.betting.moves import HOUSE_NAME, MoneyMove
from casino.betting.rules import TRIPLE, BetSizeLimits, BettingRules, parse_betting_rules
from casino.betting.settlement import BetOutcome, Settlement, as_entered, settle, void
# isort: on
