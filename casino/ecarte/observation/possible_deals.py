"""Inference: all deals consistent with a view, counted exactly and sampled uniformly.

A possible deal specifies the order of the pack and the other seat's discards; replaying it gives
the viewer the same view. The other seat must have held each card it showed, and the king of trumps
if announced. It cannot have held a card that would have made one of its replies illegal.
Nothing is inferred from silence about the king, or from a proposal, a refusal or a lead. All
possible deals count as equally likely; a model of the other player may weight them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, factorial, prod

from casino.ecarte.actions import CLAIM, HIDDEN_EXCHANGE, exchange, exchanged_number
from casino.ecarte.cards import PACK, CardSet, card_set, cards_in
from casino.ecarte.deal import Deal
from casino.ecarte.game import Rng, sample, shuffled
from casino.ecarte.observation.view import View, collect_evidence, deck_positions, refuted_cards
from casino.ecarte.records.notation import position_of_view
from casino.ecarte.rules import NO_CARD, NO_SEAT
from casino.ecarte.validation import check_type
from casino.errors import PositionError


@dataclass(frozen=True)
class PossibleDeals:
    """All deals consistent with a view.

    `unseen` holds the cards whose positions the viewer does not know. `dealt` lists the unknown
    deck positions of the other seat's first hand, `drawn` the positions drawn in each of its
    exchanges. Its hand when play began includes all of `shown`; the other unseen cards in that hand
    come from `free`.
    """

    view: View
    unseen: CardSet
    dealt: tuple[int, ...]
    drawn: tuple[tuple[int, ...], ...]
    shown: CardSet
    free: CardSet

    @property
    def count(self) -> int:
        """The number of possible deals: combinations of a pack order and discards."""
        held = len(self.dealt)
        discards = prod(comb(held, len(positions)) for positions in self.drawn)
        return self.hands * discards * factorial(held) * factorial(self.unseen.bit_count() - held)

    @property
    def hands(self) -> int:
        """The number of hands that the other seat may have held when play began."""
        return comb(self.free.bit_count(), len(self.dealt) - self.shown.bit_count())

    def sample(self, rng: Rng) -> Deal:
        """Return one of the deals, drawn uniformly at random."""
        shown = cards_in(self.shown)
        hand = [*shown, *sample(cards_in(self.free), len(self.dealt) - len(shown), rng)]
        rest = shuffled(cards_in(self.unseen & ~card_set(hand)), rng)
        hand = shuffled(hand, rng)
        positions, discarded = self.dealt, []
        for drawn in self.drawn:
            gone = sample(positions, len(drawn), rng)
            discarded.append(gone)
            positions = (*(at for at in positions if at not in gone), *drawn)
        deck = list(self.view.deck)
        for position in positions:
            deck[position] = hand.pop()
        deck = [rest.pop() if card == NO_CARD else card for card in deck]
        exchanges = iter([exchange(card_set(deck[at] for at in gone)) for gone in discarded])
        history = tuple(
            next(exchanges) if action & HIDDEN_EXCHANGE else action for action in self.view.history
        )
        return position_of_view(self.view)._replace(deck=tuple(deck), history=history).deal()


def possible_deals(view: View, pack: Sequence[int] = PACK) -> PossibleDeals:
    """Return the deals consistent with a seat's view.

    Raises `PositionError` for the gallery, after a claim, and if the other seat had exposed cards
    when it exchanged, because it may or may not have kept them.
    """
    check_type(View, view, "the view")
    if view.viewer == NO_SEAT:
        raise PositionError("only a seat has possible deals: the gallery holds no hand")
    if CLAIM in view.history:
        raise PositionError("possible deals are unknown after a revoke was claimed")
    size = sum(view.laws.packets)
    positions = deck_positions(view.laws, view.dealer, view.history, 1 - view.viewer)
    dealt = tuple(at for at in positions[:size] if view.deck[at] == NO_CARD)
    drawn = []
    at = size
    for action in view.history:
        if action & HIDDEN_EXCHANGE:
            number = exchanged_number(action)
            drawn.append(positions[at : at + number])
            at += number
    if drawn and len(dealt) < size:
        raise PositionError("possible deals are unknown after a seat exchanged with cards exposed")
    evidence = collect_evidence(view, 1 - view.viewer)
    seen = card_set(card for card in view.deck if card != NO_CARD)
    unseen, shown = card_set(pack) & ~seen, evidence.shown & ~seen
    free = unseen & ~refuted_cards(view, evidence) & ~shown
    return PossibleDeals(view, unseen, dealt, tuple(drawn), shown, free)
