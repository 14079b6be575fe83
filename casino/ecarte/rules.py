"""The rules of Écarté, each implemented once, on small ints and bit sets.

Functions take and return only ints (cards, bit sets of cards, seats, counts) and bools, and use
only arithmetic, so that numba and mypyc can compile this source. The caller decides when a rule
applies. Articles such as R5.2 are those of docs/rules.md.

A card is an int from 0 to 31: `card >> 3` is its suit and `card & 7` its rank, in the order 7, 8,
9, 10, ace, jack, queen, king (R1.3). So within a suit the larger int is the higher card.
"""

from __future__ import annotations

from typing import Final, TypeAlias

Seat: TypeAlias = int
HOUSE: Final = 0
CHALLENGER: Final = 1
NO_SEAT: Final = -1
SEATS: Final = ("house", "challenger")  # the names of the seats
NO_CARD: Final = -1
SUIT_BITS: Final = 255
SUIT_START: Final = ~7  # mask that turns a card into the lowest bit of its suit
KING_RANK: Final = 7


def other(seat: Seat) -> Seat:
    """Return the other of the two seats."""
    return 1 - seat


def suit_set(suit: int) -> int:
    """Return the set of all eight cards of a suit."""
    return SUIT_BITS << 8 * suit


def king_of(suit: int) -> int:
    """Return the king of a suit."""
    return 8 * suit + KING_RANK


def next_dealer(dealer: Seat, house_deals: bool) -> Seat:
    """Return the seat that deals next: the other one, or the house if it always deals (R2.2)."""
    if house_deals:
        return HOUSE
    return 1 - dealer


def dealer_by_law(named: Seat, loser_deals: bool, loser: Seat) -> Seat:
    """Return the first dealer fixed by the laws, or `NO_SEAT` if the players cut (R2.1)."""
    if named != NO_SEAT:
        return named
    return loser if loser_deals else NO_SEAT


def cut_dealer(house_card: int, challenger_card: int) -> Seat:
    """Return the seat that cut the higher rank and deals first, or `NO_SEAT` for a tie (R2.1)."""
    if house_card & 7 > challenger_card & 7:
        return HOUSE
    if challenger_card & 7 > house_card & 7:
        return CHALLENGER
    return NO_SEAT


def turn_up_points(turn_up: int) -> int:
    """Return the dealer's points for the turn-up: 1 for a king (R2.5)."""
    return 1 if turn_up & 7 == KING_RANK else 0


def can_propose(stock: int) -> bool:
    """Return True if the elder may propose with `stock` cards left (R3.4)."""
    return stock > 0


def min_exchange(stock: int) -> int:
    """Return the minimum number of cards to exchange after a proposal is accepted (R3.3, R3.5)."""
    return 1 if stock > 0 else 0


def max_exchange(stock: int, hand_size: int) -> int:
    """Return the maximum number of cards to exchange (R3.3, R3.5)."""
    return min(stock, hand_size)


def vulnerable_for(seat: Seat, exchanged: bool) -> Seat:
    """Return the vulnerable seat: `seat`, which stood or refused, or none if `exchanged` (R3.7)."""
    return NO_SEAT if exchanged else seat


def can_mark(hand: int, trumps: int, first_card: bool, marked: bool) -> bool:
    """Return True if a player holds the king of trumps and may announce it now (R4.1, R4.2)."""
    return first_card and not marked and hand >> 8 * trumps + KING_RANK & 1 == 1


def higher_cards(hand: int, card: int) -> int:
    """Return the cards in a hand that are of the same suit as `card` but higher."""
    return hand & suit_set(card >> 3) & -(2 << card)


def legal_replies(hand: int, led: int, trumps: int, strict: bool) -> int:
    """Return the cards in a hand that may be played to the lead (R5.2, or R5.4 if not strict)."""
    follow = hand & SUIT_BITS << (led & SUIT_START)
    if follow:
        higher = follow & -(2 << led)
        return higher if strict and higher else follow
    ruff = hand & SUIT_BITS << 8 * trumps
    return ruff if strict and ruff else hand


def legal_cards(hand: int, led: int, trumps: int, strict: bool) -> int:
    """Return the cards in a hand that may be led, or played to the lead if there is one (R5.1)."""
    return hand if led == NO_CARD else legal_replies(hand, led, trumps, strict)


def ruled_out(reply: int, led: int, trumps: int, strict: bool) -> int:
    """Return the cards that a player who legally played `reply` cannot have held (R5.2, R5.4)."""
    if reply >> 3 == led >> 3:
        return suit_set(led >> 3) & -(2 << led) if strict and reply < led else 0
    none = suit_set(led >> 3)
    return none | suit_set(trumps) if strict and reply >> 3 != trumps else none


def reply_wins(led: int, reply: int, trumps: int) -> bool:
    """Return True if the reply takes the trick (R5.3)."""
    if reply >> 3 == led >> 3:
        return reply > led
    return reply >> 3 == trumps


def trick_points(
    tricks: int, hand_size: int, vulnerable: bool, exchanged: bool, vole_unexchanged: int
) -> int:
    """Return a player's points for tricks; `vulnerable` describes the opponent (R6.1 to R6.3)."""
    if 2 * tricks <= hand_size:
        return 0
    if vulnerable:
        return 2
    if tricks < hand_size:
        return 1
    return 2 if exchanged else vole_unexchanged


def points_after_revoke(points: int) -> int:
    """Return an offender's points for tricks after a claim: one fewer, but not below 0 (R8.5)."""
    return points - 1 if points > 0 else 0


def score_after(score: int, points: int, target: int) -> int:
    """Return a score with points added, capped at the target (R7.1)."""
    total = score + points
    return total if total < target else target


def multiplier(loser_score: int) -> int:
    """Return the number of stakes that the loser of a game pays: 1, 2 or 3 (R7.2)."""
    if loser_score >= 3:
        return 1
    return 2 if loser_score > 0 else 3
