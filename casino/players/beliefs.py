"""What a seat may believe: every deal that agrees with all it has seen.

A world is a whole deal: the pack in its order and what the other seat has discarded. It is
possible if, replayed, it shows the seat the very view it has. Cards that were played or led out
of turn were held, and so was a king that was announced; a reply that the rules would have
refused beside some card proves that this card was not held. Silence about the king proves
nothing, and neither does a proposal, a refusal or a lead. All possible worlds are taken as
equally likely; who knows the other player's habits may weigh them.

>>> from random import Random
>>> from casino.ecarte import CHALLENGER, HOUSE, new_deal, view
>>> seen = view(new_deal(Laws(), HOUSE, PACK), CHALLENGER)
>>> worlds = possible_worlds(seen)
>>> worlds.hands, worlds.count == worlds.hands * factorial(5) * factorial(21)
(65780, True)
>>> view(worlds.sample(Random(1)), CHALLENGER) == seen
True
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb, factorial
from random import Random

from casino.ecarte.actions import (
    CLAIM,
    HIDDEN_EXCHANGE,
    LEAD_OUT,
    MARK,
    TAKE_BACK,
    Action,
    exchange,
    exchanged_number,
    played,
)
from casino.ecarte.cards import PACK, Card, CardSet, Suit, card_set, members
from casino.ecarte.laws import Laws
from casino.ecarte.position import Position
from casino.ecarte.rules import NO_CARD, NOBODY, Seat, king_of, legal_replies, reply_wins
from casino.ecarte.state import Deal, held_places
from casino.ecarte.view import View
from casino.errors import BadPosition


@dataclass(frozen=True)
class Worlds:
    """All worlds that agree with a view: how many there are, and any of them at random.

    `unseen` are the cards whose places the viewer does not know. `dealt` are the places in the
    deck of the other seat's first cards, `drawn` those of the cards of each of its exchanges.
    The hand it plays holds the cards `shown` and, besides, none but those of `free`.
    """

    view: View
    unseen: CardSet
    dealt: tuple[int, ...]
    drawn: tuple[tuple[int, ...], ...]
    shown: CardSet
    free: CardSet

    @property
    def count(self) -> int:
        """How many worlds there are: packs in all their orders, and discards."""
        return sum(map(self._worlds, self._kept()))

    @property
    def hands(self) -> int:
        """How many hands the other seat may have to play with, or have played with."""
        return sum(self._hands(kept) for kept in self._kept() if self._discards(kept))

    def sample(self, rng: Random) -> Deal:
        """One of the worlds, each as likely."""
        choices = list(self._kept())
        kept = choices[_weighted([self._worlds(kept) for kept in choices], rng)]
        places, discarded = self._sample_places(kept, rng)
        free = members(self.free & self.unseen)
        needed = members(self.shown & self.unseen)
        hand = [*needed, *rng.sample(free, len(places) - len(needed))]
        rest = list(members(self.unseen & ~card_set(hand)))
        rng.shuffle(hand)
        rng.shuffle(rest)
        deck = list(self.view.deck)
        for place in places:
            deck[place] = hand.pop()
        deck = [rest.pop() if one == NO_CARD else one for one in deck]
        return self._deal(deck, [card_set(deck[place] for place in some) for some in discarded])

    @property
    def _exposed(self) -> CardSet:
        """The cards dealt to the other seat that were exposed."""
        deck = self.view.deck
        return card_set(deck[place] for place in self.dealt if deck[place] != NO_CARD)

    def _kept(self) -> Iterator[CardSet]:
        """The exposed cards that the other seat may have kept, in every possible choice."""
        exposed = self._exposed
        kept = exposed
        while True:
            if not exposed & self.shown & ~kept and not kept & ~self.shown & ~self.free:
                yield kept
            if not kept:
                return
            kept = kept - 1 & exposed

    def _worlds(self, kept: CardSet) -> int:
        """How many worlds there are with these of the exposed cards in the hand."""
        ways = self._hands(kept) * self._discards(kept)
        return ways * self._orders(kept) if ways else 0

    def _hands(self, kept: CardSet) -> int:
        """How many hands there are with these of the exposed cards."""
        needed = (self.shown & self.unseen | kept).bit_count()
        size = len(self.dealt)
        return comb((self.free & self.unseen).bit_count(), size - needed) if needed <= size else 0

    def _orders(self, kept: CardSet) -> int:
        """In how many ways the cards of a hand, and all other unseen ones, can lie in the deck."""
        held = len(self.dealt) - kept.bit_count()
        return factorial(held) * factorial(self.unseen.bit_count() - held)

    def _discards(self, kept: CardSet) -> int:
        """In how many ways the places discarded leave these of the exposed cards in the hand."""
        doomed = (self._exposed & ~kept).bit_count()
        numbers = [len(some) for some in self.drawn]
        return _ways(numbers, len(self.dealt) - kept.bit_count() - doomed, doomed)

    def _sample_places(self, kept: CardSet, rng: Random) -> tuple[list[int], list[list[int]]]:
        """Places discarded in each exchange, and the unknown ones in the hand at the end."""
        deck = self.view.deck
        doomed = [at for at in self.dealt if deck[at] != NO_CARD and not kept >> deck[at] & 1]
        others = [at for at in self.dealt if deck[at] == NO_CARD]
        discarded = []
        for exchange_number, drawn in enumerate(self.drawn):
            later = [len(some) for some in self.drawn[exchange_number + 1 :]]
            ways = [
                comb(len(doomed), some)
                * comb(len(others), len(drawn) - some)
                * _ways(later, len(others) + some, len(doomed) - some)
                for some in range(min(len(doomed), len(drawn)) + 1)
            ]
            some = _weighted(ways, rng)
            gone = rng.sample(doomed, some) + rng.sample(others, len(drawn) - some)
            discarded.append(gone)
            doomed = [at for at in doomed if at not in gone]
            others = [at for at in others if at not in gone] + list(drawn)
        return others, discarded

    def _deal(self, deck: Sequence[Card], discards: Sequence[CardSet]) -> Deal:
        """The deal of a world."""
        view, exchanges = self.view, iter(discards)
        history: list[Action] = [
            exchange(next(exchanges)) if action & HIDDEN_EXCHANGE else action
            for action in view.history
        ]
        place = Position(view.laws, view.dealer, view.began, tuple(deck), tuple(history))
        return place.deal()


def possible_worlds(view: View, pack: Sequence[Card] = PACK) -> Worlds:
    """The worlds that agree with what a seat has seen."""
    if view.viewer == NOBODY:
        raise BadPosition("possible worlds are those of a seat: the gallery holds no hand")
    other = 1 - view.viewer
    size = sum(view.laws.packets)
    places = held_places(view.laws, view.dealer, view.history, other)
    drawn = []
    at = size
    for action in view.history:
        if action & HIDDEN_EXCHANGE:
            number = exchanged_number(action)
            drawn.append(places[at : at + number])
            at += number
    shown, refuted = _evidence(view, other)
    seen = card_set(one for one in view.deck if one != NO_CARD)
    return Worlds(
        view,
        card_set(pack) & ~seen,
        places[:size],
        tuple(drawn),
        shown,
        card_set(pack) & ~refuted & ~shown,
    )


def _evidence(view: View, other: Seat) -> tuple[CardSet, CardSet]:
    """The cards that the other seat's hand has shown, and those that it cannot have held since."""
    trumps = view.turn_up >> 3
    shown = refuted = 0
    turn, led = 1 - view.dealer, NO_CARD
    for action in view.history:
        card = played(action)
        if action == CLAIM:
            raise BadPosition("possible worlds are not known after a revoke was claimed")
        if action == MARK and turn == other:
            shown |= 1 << king_of(trumps)
        elif action == TAKE_BACK:
            led = NO_CARD
        elif card is None:
            continue
        elif action >= LEAD_OUT:
            shown |= 1 << card if turn != other else 0
            led = card
        elif led == NO_CARD:
            shown |= 1 << card if turn == other else 0
            turn, led = 1 - turn, card
        else:
            if turn == other:
                shown |= 1 << card
                refuted |= _refuted(view.laws, card, led, trumps)
            turn = turn if reply_wins(led, card, trumps) else 1 - turn
            led = NO_CARD
    return shown, refuted


def _refuted(laws: Laws, reply: Card, led: Card, trumps: Suit) -> CardSet:
    """The cards beside which the rules would have refused this reply (R5.2, R5.4)."""
    if laws.enforcement == "claims":
        return 0
    strict = laws.play == "strict"
    return card_set(
        one
        for one in PACK
        if one != reply
        and not legal_replies(1 << one | 1 << reply, led, trumps, strict) >> reply & 1
    )


def _ways(numbers: Sequence[int], others: int, doomed: int) -> int:
    """In how many ways exchanges of these numbers of cards discard all doomed ones.

    A hand has `doomed` cards that must go and `others` that may; what is drawn may go as well.
    """
    if not numbers:
        return int(doomed == 0)
    number, *later = numbers
    return sum(
        comb(doomed, some)
        * comb(others, number - some)
        * _ways(later, others + some, doomed - some)
        for some in range(min(doomed, number) + 1)
    )


def _weighted(weights: Sequence[int], rng: Random) -> int:
    """A place in a row of weights, drawn by them exactly."""
    at = rng.randrange(sum(weights))
    place = 0
    while at >= weights[place]:
        at -= weights[place]
        place += 1
    return place
