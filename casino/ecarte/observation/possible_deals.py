"""What a seat may believe: every deal that agrees with all it has seen, counted and drawn.

A possible deal is a whole one: the pack in its order and what the other seat has discarded.
Replayed, it shows the seat the very view it has. Cards that came to the table were held, and so
was a king that was announced; a reply that the rules would have refused beside some card proves
that this card was not held. Silence about the king proves nothing, and neither does a proposal,
a refusal or a lead. All possible deals are equally likely here; whoever knows the other player's
habits may weigh them.

>>> from random import Random
>>> from casino.ecarte import CHALLENGER, HOUSE, new_deal, view
>>> seen = view(new_deal(Laws(), HOUSE, PACK), CHALLENGER)
>>> deals = possible_deals(seen)
>>> deals.hands, deals.count == deals.hands * factorial(5) * factorial(21)
(65780, True)
>>> view(deals.sample(Random(1)), CHALLENGER) == seen
True
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb, factorial, gcd

from casino.ecarte.actions import CLAIM, HIDDEN_EXCHANGE, Action, exchange, exchanged_number
from casino.ecarte.cards import PACK, Card, CardSet, Suit, card_set, cards_in
from casino.ecarte.laws import Laws
from casino.ecarte.observation.view import View, collect_evidence
from casino.ecarte.records.notation import Position
from casino.ecarte.rng import Rng, sample, shuffled
from casino.ecarte.rules import NO_CARD, NOBODY, legal_replies
from casino.ecarte.state import Deal, deck_positions
from casino.ecarte.validation import check_type
from casino.errors import BadPosition


@dataclass(frozen=True)
class PossibleDeals:
    """All deals that agree with a view: how many there are, and any of them at random.

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
        """How many deals there are: packs in all their orders, and discards."""
        return sum(map(self._number, self._kept()))

    @property
    def hands(self) -> int:
        """How many hands the other seat may have to play with, or have played with."""
        return sum(self._hands(kept) for kept in self._kept() if self._discards(kept))

    def sample(self, chance: Rng) -> Deal:
        """One of the deals, each equally likely."""
        choices = list(self._kept())
        kept = choices[_weighted([self._number(kept) for kept in choices], chance)]
        places, discarded = self._sample_places(kept, chance)
        free = cards_in(self.free & self.unseen)
        needed = cards_in(self.shown & self.unseen)
        hand = [*needed, *sample(free, len(places) - len(needed), chance)]
        rest = shuffled(cards_in(self.unseen & ~card_set(hand)), chance)
        hand = shuffled(hand, chance)
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

    def _number(self, kept: CardSet) -> int:
        """How many deals there are with these of the exposed cards in the hand."""
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

    def _sample_places(self, kept: CardSet, chance: Rng) -> tuple[list[int], list[list[int]]]:
        """Places discarded in each exchange, and the unknown ones in the hand at the end."""
        deck = self.view.deck
        doomed = [at for at in self.dealt if deck[at] != NO_CARD and not kept >> deck[at] & 1]
        others = [at for at in self.dealt if deck[at] == NO_CARD]
        discarded = []
        for exchange_number, taken in enumerate(self.drawn):
            later = [len(some) for some in self.drawn[exchange_number + 1 :]]
            ways = [
                comb(len(doomed), some)
                * comb(len(others), len(taken) - some)
                * _ways(later, len(others) + some, len(doomed) - some)
                for some in range(min(len(doomed), len(taken)) + 1)
            ]
            some = _weighted(ways, chance)
            gone = sample(doomed, some, chance) + sample(others, len(taken) - some, chance)
            discarded.append(gone)
            doomed = [at for at in doomed if at not in gone]
            others = [at for at in others if at not in gone] + list(taken)
        return others, discarded

    def _deal(self, deck: Sequence[Card], discards: Sequence[CardSet]) -> Deal:
        """The deal with this pack and these discards."""
        view, exchanges = self.view, iter(discards)
        history: list[Action] = [
            exchange(next(exchanges)) if action & HIDDEN_EXCHANGE else action
            for action in view.history
        ]
        place = Position(view.laws, view.dealer, view.began, tuple(deck), tuple(history))
        return place.deal()


def possible_deals(view: View, pack: Sequence[Card] = PACK) -> PossibleDeals:
    """The deals that agree with what a seat has seen."""
    check_type(View, view, "what a seat has seen")
    if view.viewer == NOBODY:
        raise BadPosition("possible deals are those of a seat: the gallery holds no hand")
    if CLAIM in view.history:
        raise BadPosition("possible deals are not known after a revoke was claimed")
    other = 1 - view.viewer
    size = sum(view.laws.packets)
    places = deck_positions(view.laws, view.dealer, view.history, other)
    taken = []
    at = size
    for action in view.history:
        if action & HIDDEN_EXCHANGE:
            number = exchanged_number(action)
            taken.append(places[at : at + number])
            at += number
    found = collect_evidence(view)
    refuted = 0
    for reply in found.replies:
        refuted |= _refuted(view.laws, reply.card, reply.led, view.turn_up >> 3)
    seen = card_set(one for one in view.deck if one != NO_CARD)
    return PossibleDeals(
        view,
        card_set(pack) & ~seen,
        places[:size],
        tuple(taken),
        found.shown,
        card_set(pack) & ~refuted & ~found.shown,
    )


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
    """In how many ways exchanges of these sizes discard all the doomed cards.

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


def _weighted(weights: Sequence[int], chance: Rng) -> int:
    """A place in a row of weights, drawn by them exactly."""
    common = gcd(*weights)
    at = chance.randrange(sum(weights) // common)
    place = 0
    while at >= weights[place] // common:
        at -= weights[place] // common
        place += 1
    return place
