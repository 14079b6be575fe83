"""Inference: all deals consistent with a view, counted exactly and sampled uniformly.

A possible deal specifies the order of the pack and the other seat's discards; replayed, it gives
the seat the same view. The other seat must have held each card it showed, and the king if it was
announced. If a reply would have been illegal with some card in hand, that card was not held.
Nothing is inferred from silence about the king, or from a proposal, a refusal or a lead. All
possible deals count as equally likely; a model of the other player may weight them.

>>> from random import Random
>>> from casino.ecarte import CHALLENGER, HOUSE, Laws, new_deal, view
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
from casino.ecarte.cards import PACK, Card, CardSet, card_set, cards_in
from casino.ecarte.deal import Deal
from casino.ecarte.game import Rng, sample, shuffled
from casino.ecarte.observation.view import View, collect_evidence, deck_positions
from casino.ecarte.records.notation import Position
from casino.ecarte.rules import NO_CARD, NO_SEAT, ruled_out
from casino.ecarte.validation import check_type
from casino.errors import PositionError


@dataclass(frozen=True)
class PossibleDeals:
    """All deals consistent with a view.

    `unseen` has the cards whose positions are unknown to the viewer. `dealt` lists the deck
    positions of the other seat's first hand, `drawn` those of the cards it drew in each exchange.
    The hand it plays with contains `shown`, and otherwise only cards of `free`.
    """

    view: View
    unseen: CardSet
    dealt: tuple[int, ...]
    drawn: tuple[tuple[int, ...], ...]
    shown: CardSet
    free: CardSet

    @property
    def count(self) -> int:
        """The number of possible deals, that is, combinations of a pack order and discards."""
        return sum(map(self._count_deals, self._kept_choices()))

    @property
    def hands(self) -> int:
        """The number of hands that the other seat may have begun play with."""
        return sum(
            self._count_hands(kept) for kept in self._kept_choices() if self._count_discards(kept)
        )

    def sample(self, rng: Rng) -> Deal:
        """Return one of the deals, drawn uniformly at random."""
        choices = list(self._kept_choices())
        kept = choices[_weighted_index([self._count_deals(kept) for kept in choices], rng)]
        positions, discarded = self._sample_positions(kept, rng)
        free = cards_in(self.free & self.unseen)
        needed = cards_in(self.shown & self.unseen)
        hand = [*needed, *sample(free, len(positions) - len(needed), rng)]
        rest = shuffled(cards_in(self.unseen & ~card_set(hand)), rng)
        hand = shuffled(hand, rng)
        deck = list(self.view.deck)
        for position in positions:
            deck[position] = hand.pop()
        deck = [rest.pop() if card == NO_CARD else card for card in deck]
        return self._deal(deck, [card_set(deck[at] for at in gone) for gone in discarded])

    @property
    def _exposed(self) -> CardSet:
        deck = self.view.deck
        return card_set(deck[at] for at in self.dealt if deck[at] != NO_CARD)

    def _kept_choices(self) -> Iterator[CardSet]:
        """Yield every set of exposed cards that the other seat may have kept."""
        exposed = self._exposed
        kept = exposed
        while True:
            if not exposed & self.shown & ~kept and not kept & ~self.shown & ~self.free:
                yield kept
            if not kept:
                return
            # The next smaller subset.
            kept = kept - 1 & exposed

    def _count_deals(self, kept: CardSet) -> int:
        ways = self._count_hands(kept) * self._count_discards(kept)
        return ways * self._count_orders(kept) if ways else 0

    def _count_hands(self, kept: CardSet) -> int:
        needed = (self.shown & self.unseen | kept).bit_count()
        size = len(self.dealt)
        return comb((self.free & self.unseen).bit_count(), size - needed) if needed <= size else 0

    def _count_orders(self, kept: CardSet) -> int:
        """Count the deck orders of the hand and of the other unseen cards."""
        held = len(self.dealt) - kept.bit_count()
        return factorial(held) * factorial(self.unseen.bit_count() - held)

    def _count_discards(self, kept: CardSet) -> int:
        """Count the choices of discarded positions that keep the *kept* exposed cards."""
        doomed = (self._exposed & ~kept).bit_count()
        numbers = [len(positions) for positions in self.drawn]
        return _count_exchanges(numbers, len(self.dealt) - kept.bit_count() - doomed, doomed)

    def _sample_positions(self, kept: CardSet, rng: Rng) -> tuple[list[int], list[list[int]]]:
        """Return the unknown positions of the final hand, and those discarded in each exchange."""
        deck = self.view.deck
        doomed = [at for at in self.dealt if deck[at] != NO_CARD and not kept >> deck[at] & 1]
        others = [at for at in self.dealt if deck[at] == NO_CARD]
        discarded = []
        for index, taken in enumerate(self.drawn):
            later = [len(positions) for positions in self.drawn[index + 1 :]]
            ways = [
                comb(len(doomed), number)
                * comb(len(others), len(taken) - number)
                * _count_exchanges(later, len(others) + number, len(doomed) - number)
                for number in range(min(len(doomed), len(taken)) + 1)
            ]
            number = _weighted_index(ways, rng)
            gone = sample(doomed, number, rng) + sample(others, len(taken) - number, rng)
            discarded.append(gone)
            doomed = [at for at in doomed if at not in gone]
            others = [at for at in others if at not in gone] + list(taken)
        return others, discarded

    def _deal(self, deck: Sequence[Card], discards: Sequence[CardSet]) -> Deal:
        view, exchanges = self.view, iter(discards)
        history: list[Action] = [
            exchange(next(exchanges)) if action & HIDDEN_EXCHANGE else action
            for action in view.history
        ]
        return Position(
            view.laws, view.dealer, view.score_before, tuple(deck), tuple(history)
        ).deal()


def possible_deals(view: View, pack: Sequence[Card] = PACK) -> PossibleDeals:
    """Return the deals consistent with a seat's view. Raise `PositionError` for the gallery."""
    check_type(View, view, "the view")
    if view.viewer == NO_SEAT:
        raise PositionError("possible deals are those of a seat: the gallery holds no hand")
    if CLAIM in view.history:
        raise PositionError("possible deals are not known after a revoke was claimed")
    other = 1 - view.viewer
    size = sum(view.laws.packets)
    positions = deck_positions(view.laws, view.dealer, view.history, other)
    drawn = []
    at = size
    for action in view.history:
        if action & HIDDEN_EXCHANGE:
            number = exchanged_number(action)
            drawn.append(positions[at : at + number])
            at += number
    evidence = collect_evidence(view)
    refuted = 0
    trumps, strict = view.turn_up >> 3, view.laws.play == "strict"
    for reply in evidence.replies if view.laws.enforcement == "strict" else ():
        refuted |= ruled_out(reply.card, reply.led, trumps, strict)
    seen = card_set(card for card in view.deck if card != NO_CARD)
    return PossibleDeals(
        view,
        card_set(pack) & ~seen,
        positions[:size],
        tuple(drawn),
        evidence.shown,
        card_set(pack) & ~refuted & ~evidence.shown,
    )


def _count_exchanges(numbers: Sequence[int], others: int, doomed: int) -> int:
    """Count the ways in which exchanges of these sizes discard all the doomed cards.

    The hand has `doomed` cards that must be discarded and `others` that may be; cards drawn may be
    discarded later.
    """
    if not numbers:
        return int(doomed == 0)
    size, *later = numbers
    return sum(
        comb(doomed, number)
        * comb(others, size - number)
        * _count_exchanges(later, others + number, doomed - number)
        for number in range(min(doomed, size) + 1)
    )


def _weighted_index(weights: Sequence[int], rng: Rng) -> int:
    """Return a random index with probability exactly proportional to its weight."""
    common = gcd(*weights)
    at = rng.randrange(sum(weights) // common)
    index = 0
    while at >= weights[index] // common:
        at -= weights[index] // common
        index += 1
    return index
