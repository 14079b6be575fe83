"""A tiny Écarté counted to its last leaf: a short pack, hands of two, one packet of one each.

The count follows the articles over texts and lists and knows nothing of the engine: every word,
exchange, announcement, concession and card is a branch, and each way a deal can end a leaf.
"""

from __future__ import annotations

from .basics import follows, reply_wins

Hands = tuple[list[str], list[str]]


def without(hand: list[str], card: str) -> list[str]:
    return [one for one in hand if one != card]


class TinyDeal:
    def __init__(self, deck: list[str], target: int, play: str) -> None:
        """Deal a card to each, another to each, and turn one up (R2.3, R2.4)."""
        self.elder, self.dealer = [deck[0], deck[2]], [deck[1], deck[3]]
        self.turn_up = deck[4]
        self.trump = deck[4][1]
        self.stock = deck[5:]
        self.target = target
        self.play = play

    def leaves(self) -> int:
        """Every way the deal can end."""
        if self.turn_up[0] == "K" and self.target == 1:
            return 1
        return self.talk(self.elder, self.dealer, self.stock)

    def talk(self, elder: list[str], dealer: list[str], stock: list[str]) -> int:
        """The elder stands; or proposes and is refused, or accepted (R3)."""
        played = self.tricks((elder, dealer))
        if not stock:
            return played
        return 2 * played + sum(
            self.dealer_takes(kept, dealer, left) for kept, left in self.exchanges(elder, stock)
        )

    def dealer_takes(self, elder: list[str], dealer: list[str], stock: list[str]) -> int:
        """The dealer exchanges after the elder, or keeps his hand if nothing is left (R3.5)."""
        if not stock:
            return self.tricks((elder, dealer))
        return sum(self.talk(elder, kept, left) for kept, left in self.exchanges(dealer, stock))

    def exchanges(self, hand: list[str], stock: list[str]) -> list[tuple[list[str], list[str]]]:
        found = [([card, stock[0]], stock[1:]) for card in hand]
        if len(stock) > 1:
            found.append((stock[:2], stock[2:]))
        return found

    def tricks(self, hands: Hands) -> int:
        """The play from the elder's first lead."""
        king = "K" + self.trump
        holder = 0 if king in hands[0] else 1 if king in hands[1] else None
        return self.lead(0, hands, holder)

    def ends(self) -> bool:
        """Whether a point for the king, added to one turned, ends the game (R4.4).

        A king turned up is nobody's to announce, so nobody has a point before.
        """
        return self.target == 1

    def lead(self, seat: int, hands: Hands, announcer: int | None) -> int:
        found = 1
        if seat == announcer:
            found += 1 if self.ends() else self.lead(seat, hands, None)
            announcer = None
        for led in hands[seat]:
            mine = without(hands[seat], led)
            left = (mine, hands[1]) if seat == 0 else (hands[0], mine)
            found += self.answer(1 - seat, left, led, announcer)
        return found

    def answer(self, seat: int, hands: Hands, led: str, announcer: int | None) -> int:
        found = 1
        if seat == announcer:
            found += 1 if self.ends() else self.answer(seat, hands, led, None)
        for reply in follows(hands[seat], led, self.trump, self.play):
            mine = without(hands[seat], reply)
            left = (mine, hands[1]) if seat == 0 else (hands[0], mine)
            taker = seat if reply_wins(led, reply, self.trump) else 1 - seat
            found += self.lead(taker, left, None) if mine else 1
        return found


def leaves(deck: list[str], target: int, play: str) -> int:
    """How many ways a tiny deal can end."""
    return TinyDeal(deck, target, play).leaves()
