"""Single rules of Écarté as plain functions: what follows, what wins, what scores."""

from __future__ import annotations

from typing import Any

Laws = dict[str, Any]

RANKS = "789TAJQK"
SUITS = "SHDC"
PACK = [rank + suit for suit in SUITS for rank in reversed(RANKS)]
OTHER = {"house": "challenger", "challenger": "house"}


class IllegalToken(Exception):
    """A token that is illegal in the current state."""


def better(card: str, than: str) -> bool:
    return RANKS.index(card[0]) > RANKS.index(than[0])


def follows(hand: list[str], led: str, trump: str, play: str) -> list[str]:
    """Return the cards of a hand that may answer a lead (R5.2, R5.4)."""
    same_suit = [card for card in hand if card[1] == led[1]]
    winning = [card for card in same_suit if better(card, led)]
    trumps = [card for card in hand if card[1] == trump]
    if play == "strict":
        return winning or same_suit or trumps or list(hand)
    return same_suit or list(hand)


def reply_wins(led: str, reply: str, trump: str) -> bool:
    """Return True if the second card of a trick takes it (R5.3)."""
    if reply[1] == led[1]:
        return better(reply, led)
    return reply[1] == trump


def trick_points(tricks: int, exchanged: bool, loser_vulnerable: bool, vole: int) -> int:
    """Return the points for three or more tricks (R6.1 to R6.3)."""
    if loser_vulnerable:
        return 2
    if tricks < 5:
        return 1
    return 2 if exchanged else vole


def in_order(cards: list[str]) -> list[str]:
    """Sort cards as the pack is: spades to clubs, king to seven."""
    return sorted(cards, key=PACK.index)


def exchange_token(cards: list[str]) -> str:
    return "X" + "".join(in_order(cards))


def normal(token: str) -> str:
    """Return a token with the cards of an exchange in order; any other token unchanged."""
    cards = [token[at : at + 2] for at in range(1, len(token), 2)]
    if token[:1] == "X" and all(card in PACK for card in cards):
        return exchange_token(cards)
    return token


def deal_out(deck: list[str], packets: list[int]) -> tuple[list[str], list[str]]:
    """Return the elder's and the dealer's five cards, dealt in two packets (R2.3)."""
    elder: list[str] = []
    dealer: list[str] = []
    rest = list(deck)
    for packet in packets:
        for hand in (elder, dealer):
            for _ in range(packet):
                hand.append(rest.pop(0))
    return elder, dealer
