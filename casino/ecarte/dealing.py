"""The start of a deal: what the caller passes in is checked, then dealt (R2.3).

This module stays plain Python even where the rules behind it are compiled (see `setup.py`):
compiled code would report a wrong type in its own words, and take `True` for a seat.

>>> from casino.ecarte import HOUSE, PACK
>>> new_deal(Laws(), HOUSE, PACK).stock
21
"""

from __future__ import annotations

from collections.abc import Sequence

from casino.ecarte.cards import Card
from casino.ecarte.laws import Laws
from casino.ecarte.proposals import deal_pack, turn_up
from casino.ecarte.rules import Seat
from casino.ecarte.state import Deal
from casino.ecarte.validation import check_laws, check_score, check_seat


def deal_cards(
    laws: Laws, dealer: Seat, deck: Sequence[Card], score: tuple[int, int] = (0, 0)
) -> Deal:
    """A deal with both hands dealt in packets and the turn-up not yet shown (R2.3)."""
    check_laws(laws)
    check_seat(dealer, "the dealer")
    check_score(score, laws.target)
    return deal_pack(laws, dealer, deck, score)


def new_deal(
    laws: Laws, dealer: Seat, deck: Sequence[Card], score: tuple[int, int] = (0, 0)
) -> Deal:
    """A deal with its turn-up shown and nothing exposed: the usual beginning."""
    return turn_up(deal_cards(laws, dealer, deck, score))
