"""Exact odds for a hand played without an exchange, against every hand the opponent may hold.

Five cards and the turn-up leave 26 cards, or 65,780 opposing hands. Both sides play perfectly with
open cards. The result is six numbers: how many opposing hands let the holder take 0 tricks, 1
trick, and so on up to 5.

The deal is played as dealt because the elder stood, or proposed and was refused. That decision
makes one side vulnerable (R3.7), and may narrow down the opponent's hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from casino import ecarte
from casino.analysis.dd_index import MAX_CARDS, TrickTable, best_tricks, tricks_after_lead
from casino.analysis.numba_support import compiled
from casino.ecarte import Card, CardSet, Laws, Suit, cards_in, lowest, score_after_deal, suit_of
from casino.errors import CardsError
from casino.solver.policy.compiled_tables import policy_tables

ALL_CARDS = (1 << 32) - 1


def unseen_cards(hand: CardSet, turn_up: Card) -> CardSet:
    """Return the cards that the opponent may hold."""
    return ALL_CARDS & ~hand & ~(1 << turn_up)


def opponent_hands(hand: CardSet, turn_up: Card) -> NDArray[np.int64]:
    """Return every five-card hand that the opponent may hold, as card sets."""
    bits = np.array([1 << card for card in cards_in(unseen_cards(hand, turn_up))], np.int64)
    choices = np.array(list(combinations(range(len(bits)), MAX_CARDS)))
    return bits[choices].sum(axis=1)  # type: ignore[no-any-return]


@compiled
def count_tricks_by_lead(
    table: TrickTable, hand: CardSet, others: NDArray[np.int64], trumps: Suit, leads: bool
) -> NDArray[np.int64]:
    """Count, for each lead, the hands in `others` against which the holder takes 0 to 5 tricks.

    Rows 0 to 31 are for the card led, row 32 is for the best lead. If the opponent leads, a card's
    row covers only the hands that contain the card.
    """
    counts = np.zeros((33, MAX_CARDS + 1), np.int64)
    for at in range(len(others)):
        leader = hand if leads else others[at]
        follower = others[at] if leads else hand
        taken = best_tricks(table, leader, follower, trumps)
        counts[32, taken if leads else MAX_CARDS - taken] += 1
        untried = leader
        while untried:
            lead = lowest(untried)
            untried &= untried - 1
            taken = tricks_after_lead(table, leader ^ 1 << lead, follower, lead, trumps)
            counts[lead, taken if leads else MAX_CARDS - taken] += 1
    return counts


TrickCounts: TypeAlias = tuple[int, ...]
Points: TypeAlias = tuple[int, int]
BEST_LEAD: Final = 32


class OddsQuery(NamedTuple):
    """A hand, the turn-up, the holder's role, and anything else that is known.

    `lead` is the elder's first card; with None the elder leads its best card. `is_possible`
    excludes opposing hands that contradict the decisions made before play.
    """

    hand: tuple[Card, ...]
    turn_up: Card
    elder: bool
    lead: Card | None = None
    laws: Laws = Laws()
    is_possible: Callable[[int], bool] | None = None

    def check(self) -> None:
        """Raise `CardsError` if the hand, the turn-up or the lead is impossible."""
        if len(self.hand) != MAX_CARDS or len(set(self.hand)) != MAX_CARDS:
            raise CardsError(f"the hand has {len(self.hand)} cards: give five different cards")
        if self.turn_up in self.hand:
            raise CardsError(
                f"the turn-up {ecarte.format_card(self.turn_up)} is in the hand: choose another"
            )
        if self.lead is None:
            return
        held = self.lead in self.hand
        if self.elder and not held:
            raise CardsError(
                f"the lead {ecarte.format_card(self.lead)} is not in the hand: lead a card from it"
            )
        if not self.elder and (held or self.lead == self.turn_up):
            raise CardsError(
                f"the elder cannot lead {ecarte.format_card(self.lead)}: choose an unseen card"
            )


class Odds(NamedTuple):
    """The numbers of opposing hands against which the holder takes 0 to 5 tricks.

    `leads` holds these numbers for each first lead; `king_against` counts only those hands in
    `tricks` that contain the king of trumps.
    """

    question: OddsQuery
    tricks: TrickCounts
    leads: Mapping[Card, TrickCounts]
    king_against: TrickCounts

    @property
    def opponents(self) -> int:
        """The number of possible opposing hands."""
        return sum(self.tricks)

    @property
    def wins(self) -> int:
        """The number of opposing hands against which the holder wins the point."""
        return count_wins(self.tricks)


def count_wins(tricks: Sequence[int]) -> int:
    """Return how many of the counted hands give three tricks or more, which win the point."""
    return sum(tricks[MAX_CARDS // 2 + 1 :])


def compute_odds(question: OddsQuery) -> Odds:
    """Compute the odds by trying every possible opposing hand."""
    question.check()
    hand = ecarte.card_set(question.hand)
    others = opponent_hands(hand, question.turn_up)
    if question.is_possible is not None:
        others = np.array(
            [hand for hand in others.tolist() if question.is_possible(hand)], np.int64
        )
    table = policy_tables(question.laws.play == "strict").open_cards
    trumps = suit_of(question.turn_up)
    with_king = others >> ecarte.king_of(trumps) & 1 == 1
    against, without = (
        count_tricks_by_lead(table, hand, others[some_of], trumps, question.elder)
        for some_of in (with_king, ~with_king)
    )
    counts = [tuple(tricks) for tricks in (against + without).tolist()]
    row = BEST_LEAD if question.lead is None else question.lead
    first = question.hand if question.elder else cards_in(unseen_cards(hand, question.turn_up))
    leads = {card: counts[card] for card in first}
    return Odds(question, counts[row], leads, tuple(against[row].tolist()))


def score_distribution(answer: Odds, score: Points, elder_vulnerable: bool) -> dict[Points, int]:
    """Count the opposing hands that lead to each score; scores list the holder's points first.

    The holder of the king of trumps always announces it. `score` already includes a king turned up.
    """
    scores: dict[Points, int] = {}
    question = answer.question
    own_king = ecarte.king_of(ecarte.suit_of(question.turn_up)) in question.hand
    me, other = (1, 2) if question.elder else (2, 1)
    vulnerable = 1 if elder_vulnerable else 2
    began = score if question.elder else (score[1], score[0])
    for taken, number in enumerate(answer.tricks):
        against = answer.king_against[taken]
        tricks = taken if question.elder else MAX_CARDS - taken
        for king, times in ((me if own_king else 0, number - against), (other, against)):
            if times:
                elder, dealer = score_after_deal(began, vulnerable, king, tricks, question.laws)
                after = (elder, dealer) if question.elder else (dealer, elder)
                scores[after] = scores.get(after, 0) + times
    return dict(sorted(scores.items(), reverse=True))
