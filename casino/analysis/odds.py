"""Exact odds of a hand played without an exchange, against every hand the opponent may hold.

Both sides play perfectly with open cards. The deal is played as dealt because the elder stood, or
proposed and was refused. That decision makes one side vulnerable (R3.7), and may narrow down the
other's hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from casino import ecarte
from casino.analysis.dd_index import MAX_CARDS
from casino.analysis.double_dummy import trick_table
from casino.analysis.enumeration import count_tricks_by_lead, opponent_hands, unseen_cards
from casino.ecarte import Card, Laws
from casino.errors import CardsError

TrickCounts: TypeAlias = tuple[int, ...]
Points: TypeAlias = tuple[int, int]
BEST_LEAD: Final = 32
DEFAULT_LAWS: Final = Laws()


@dataclass(frozen=True, slots=True)
class OddsQuery:
    """A hand, the turn-up, the holder's role, and anything else that is known.

    `lead` is the elder's first card; with None the elder leads its best card. `is_possible`
    excludes opposing hands that contradict the decisions made before play.
    """

    hand: tuple[Card, ...]
    turn_up: Card
    elder: bool
    lead: Card | None = None
    laws: Laws = DEFAULT_LAWS
    is_possible: Callable[[int], bool] | None = None

    def check(self) -> None:
        """Raise `CardsError` if the hand, the turn-up or the lead is impossible."""
        if len(self.hand) != MAX_CARDS or len(set(self.hand)) != MAX_CARDS:
            raise CardsError(f"the hand has {len(self.hand)} cards: give five, each once")
        if self.turn_up in self.hand:
            raise CardsError(
                f"the turn-up {ecarte.format_card(self.turn_up)} is in the hand: it is out of play"
            )
        if self.lead is None:
            return
        held = self.lead in self.hand
        if self.elder and not held:
            raise CardsError(
                f"the lead {ecarte.format_card(self.lead)} is not in the hand: lead a card of it"
            )
        if not self.elder and (held or self.lead == self.turn_up):
            raise CardsError(
                f"the elder cannot lead {ecarte.format_card(self.lead)}: name a card not seen yet"
            )


@dataclass(frozen=True, slots=True)
class Odds:
    """Counts of opposing hands against which the holder takes 0 to 5 tricks.

    `leads` has the counts for each first lead; `king_against` counts only the hands in `tricks`
    that contain the king of trumps.
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
    """Return the number of cases with three tricks or more, which win the point."""
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
    with_king = others >> ecarte.king_of(ecarte.suit_of(question.turn_up)) & 1 == 1
    against = _counts(question, hand, others[with_king])
    counts = against + _counts(question, hand, others[~with_king])
    row = BEST_LEAD if question.lead is None else question.lead
    first = (
        question.hand if question.elder else ecarte.cards_in(unseen_cards(hand, question.turn_up))
    )
    return Odds(
        question,
        _row(counts, row),
        {card: _row(counts, card) for card in first},
        _row(against, row),
    )


def score_distribution(answer: Odds, score: Points, elder_vulnerable: bool) -> dict[Points, int]:
    """Count the opposing hands that lead to each score; scores list the holder's points first.

    The holder of the king of trumps always announces it. `score` already includes a king turned up.
    """
    scores: dict[Points, int] = {}
    laws = answer.question.laws
    own_king = ecarte.king_of(ecarte.suit_of(answer.question.turn_up)) in answer.question.hand
    for taken, number in enumerate(answer.tricks):
        against = answer.king_against[taken]
        for king_points, times in (((int(own_king), 0), number - against), ((0, 1), against)):
            marked = _add(score, king_points, laws)
            won = _trick_points(answer.question, taken, elder_vulnerable)
            after = marked if laws.target in marked else _add(marked, won, laws)
            if times:
                scores[after] = scores.get(after, 0) + times
    return dict(sorted(scores.items(), reverse=True))


def _counts(question: OddsQuery, hand: int, others: NDArray[np.int64]) -> NDArray[np.int64]:
    table = trick_table(question.laws.play == "strict")
    return count_tricks_by_lead(
        table, hand, others, ecarte.suit_of(question.turn_up), question.elder
    )


def _row(counts: NDArray[np.int64], row: int) -> TrickCounts:
    return tuple(counts[row].tolist())


def _trick_points(question: OddsQuery, taken: int, elder_vulnerable: bool) -> Points:
    """Return both sides' trick points in a deal without an exchange."""
    holder_vulnerable = question.elder == elder_vulnerable
    vole = question.laws.vole_unexchanged
    return (
        ecarte.trick_points(taken, MAX_CARDS, not holder_vulnerable, False, vole),
        ecarte.trick_points(MAX_CARDS - taken, MAX_CARDS, holder_vulnerable, False, vole),
    )


def _add(score: Points, points: Points, laws: Laws) -> Points:
    return (
        ecarte.score_after(score[0], points[0], laws.target),
        ecarte.score_after(score[1], points[1], laws.target),
    )
