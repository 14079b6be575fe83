"""What a seat can be sure of: the other seat's cards that have come to the table, and a revoke.

A player sees each card played, led out of turn or exposed, and knows of the king when it is
announced. A reply was a revoke if the hand then held a card with which the player should have
followed, won or trumped; that such a card was held shows when it comes to the table later.

>>> from casino.ecarte import CHALLENGER, Laws, PACK, apply, parse_token, set_up, view
>>> laws = Laws(enforcement="claims", packets=(1, 1))
>>> deal = set_up("QS JS", "KS 7C", "8H", laws=laws).deal(PACK)
>>> for said in ("S", "QS", "7C"):
...     deal = apply(deal, parse_token(said))
>>> revoke_seen(view(deal, CHALLENGER))
False
>>> for said in ("JS", "KS"):
...     deal = apply(deal, parse_token(said))
>>> revoke_seen(view(deal, CHALLENGER))
True
"""

from __future__ import annotations

from typing import NamedTuple

from casino.ecarte.actions import CLAIM, LEAD_OUT, MARK, TAKE_BACK, played
from casino.ecarte.cards import Card, CardSet
from casino.ecarte.observation.view import View
from casino.ecarte.rules import NO_CARD, Seat, king_of, legal_replies, reply_wins
from casino.ecarte.state import held_places


class Trick(NamedTuple):
    """A trick as it was played; `reply` is `NO_CARD` while it is due."""

    leader: Seat
    led: Card
    reply: Card


class Reply(NamedTuple):
    """A card with which the other seat answered a lead; `gone` is what it had played before."""

    card: Card
    led: Card
    gone: CardSet


class Evidence(NamedTuple):
    """What has come to the table: cards the other seat held when play began, and the tricks.

    After a claim the hands are restored: the cards shown are known still, the tricks count no
    more.
    """

    other: Seat
    shown: CardSet
    tricks: tuple[Trick, ...]

    @property
    def replies(self) -> tuple[Reply, ...]:
        """The other seat's answers to leads."""
        found, gone = [], 0
        for leader, led, reply in self.tricks:
            if leader == self.other:
                gone |= 1 << led
            elif reply != NO_CARD:
                found.append(Reply(reply, led, gone))
                gone |= 1 << reply
        return tuple(found)


def evidence(view: View) -> Evidence:
    """What the course of a deal has shown of the other seat's hand."""
    other = 1 - view.viewer
    shown = 0
    tricks: list[Trick] = []
    turn, led = 1 - view.dealer, NO_CARD
    for action in view.history:
        card = played(action)
        if action == CLAIM:
            turn, led = 1 - view.dealer, NO_CARD
            tricks.clear()
        elif action == MARK and turn == other:
            shown |= 1 << king_of(view.turn_up >> 3)
        elif action == TAKE_BACK:
            led = NO_CARD
            tricks.pop()
        elif card is not None:
            whose = turn if action < LEAD_OUT else 1 - turn
            shown |= 1 << card if whose == other else 0
            if led == NO_CARD:
                tricks.append(Trick(whose, card, NO_CARD))
                turn, led = 1 - whose, card
            else:
                tricks[-1] = Trick(1 - whose, led, card)
                turn = turn if reply_wins(led, card, view.turn_up >> 3) else 1 - turn
                led = NO_CARD
    return Evidence(other, shown, tuple(tricks))


def revoke_seen(view: View) -> bool:
    """Whether the cards on the table prove that the other seat has revoked (R8.5)."""
    found = evidence(view)
    known = found.shown | _dealt_openly(view)
    trumps, strict = view.turn_up >> 3, view.laws.play == "strict"
    return any(
        not legal_replies(known & ~gone | 1 << card, led, trumps, strict) >> card & 1
        for card, led, gone in found.replies
    )


def _dealt_openly(view: View) -> CardSet:
    """The exposed cards that the other seat was dealt and, nothing being exchanged, still has."""
    if view.exchanged:
        return 0
    places = held_places(view.laws, view.dealer, (), 1 - view.viewer)
    return sum(1 << view.deck[place] for place in places if view.deck[place] != NO_CARD)
