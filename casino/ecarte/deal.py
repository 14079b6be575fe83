"""One deal: what is legal in it, and the state that an action leads to.

A deal goes through phases. The cards are dealt (`DEALING`; an exposed card may ask the elder
for a word, `EXPOSED`), the turn-up is shown, the elder speaks (`PROPOSING`), the dealer answers
(`ANSWERING`), both exchange (`ELDER_EXCHANGE`, `DEALER_EXCHANGE`) and the elder speaks again,
until they play: one leads (`LEADING`), the other plays to it (`FOLLOWING`), until the deal is
`OVER`, or `ANNULLED` for a card exposed. Each phase has one function that says what is legal
and one that applies it; they stand in `before_play`, `play` and `irregularities`; this module
only chooses.

>>> from casino.ecarte import CHALLENGER, PACK, STAND, Laws, new_deal, token
>>> start = new_deal(Laws(), CHALLENGER, PACK)
>>> [token(action) for action in legal_actions(start)]
['P', 'S']
>>> [token(action) for action in legal_actions(apply(start, STAND))]
['KS', 'QS', 'JS', '8S', '7S', 'C']
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, SupportsIndex

from casino.ecarte import play, proposals, revokes
from casino.ecarte.actions import CLAIM, EXPOSE, LEAD_OUT, TAKE_BACK, Action
from casino.ecarte.observation.evidence import revoke_seen
from casino.ecarte.observation.view import view
from casino.ecarte.rules import NOBODY, Seat
from casino.ecarte.state import (
    ANSWERING,
    DEALER_EXCHANGE,
    DEALING,
    ELDER_EXCHANGE,
    EXPOSED,
    FOLLOWING,
    LEADING,
    OVER,
    PROPOSING,
    Deal,
)
from casino.ecarte.validation import check_seat
from casino.errors import BadInput


def legal_actions(deal: Deal) -> Sequence[Action]:
    """Every action the rules allow now, whoever takes it (see `actor`); empty at the end."""
    phase = deal.phase
    # Most actions are cards, so they come first; compiled code calls functions it knows by name.
    if phase == FOLLOWING:
        return play.legal_follow(deal)
    if phase == LEADING:
        return play.legal_lead(deal)
    if phase == PROPOSING:
        return proposals.legal_proposing(deal)
    if phase == ANSWERING:
        return proposals.legal_answering(deal)
    if phase in (ELDER_EXCHANGE, DEALER_EXCHANGE):
        return proposals.legal_exchange(deal)
    if phase in (DEALING, EXPOSED):
        return revokes.legal_dealing(deal)
    return revokes.legal_over(deal)


def legal_for(deal: Deal, seat: Seat) -> Sequence[Action]:
    """What one seat may choose to do now, as far as it can know: equal views, equal choices.

    Exposing a card while dealing is an accident, so it is nobody's choice. A revoke may be claimed
    by whoever suspects one, but it is listed only once the cards on the table prove it; a list that
    held it earlier would tell of a hidden card.
    """
    check_seat(seat, "the seat")
    legal = legal_actions(deal)
    if deal.turn == seat and deal.phase in _ONE_SEAT and deal.laws.enforcement == "strict":
        return legal
    return tuple(action for action in legal if _is_choice(deal, action, seat))


def _is_choice(deal: Deal, action: Action, seat: Seat) -> bool:
    """Whether a legal action belongs to this seat, and the seat can know that it is legal."""
    if actor(deal, action) not in (seat, NOBODY) or EXPOSE <= action < LEAD_OUT:
        return False
    return action != CLAIM or revoke_seen(view(deal, seat))


def apply(deal: Deal, action: SupportsIndex) -> Deal:
    """The deal after an action; an illegal one raises `IllegalAction`, which names the article."""
    # If the type were `Action`, compiled code would refuse anything else before we can.
    if type(action) is not int:
        raise BadInput(f"{action!r} is not an action: use PROPOSE, card('KH') or parse_token('P')")
    phase = deal.phase
    if phase == FOLLOWING:
        return play.apply_follow(deal, action)
    if phase == LEADING:
        return play.apply_lead(deal, action)
    if phase == PROPOSING:
        return proposals.apply_proposing(deal, action)
    if phase == ANSWERING:
        return proposals.apply_answering(deal, action)
    if phase in (ELDER_EXCHANGE, DEALER_EXCHANGE):
        return proposals.apply_exchange(deal, action)
    if phase in (DEALING, EXPOSED):
        return revokes.apply_dealing(deal, action)
    return revokes.apply_over(deal, action)


def actor(deal: Deal, action: Action) -> Seat:
    """The seat that takes a legal action; nobody if both have revoked and one of them claims."""
    if action == CLAIM:
        revoked = deal.irregular.revoked
        return NOBODY if all(revoked) else revoked.index(False)
    if action == TAKE_BACK or LEAD_OUT <= action < LEAD_OUT + 32:
        return 1 - deal.turn
    return deal.dealer if EXPOSE <= action < LEAD_OUT else deal.turn


_ONE_SEAT: Final = range(PROPOSING, OVER)
"""The phases in which, under enforcement strict, only the seat to act can do anything."""
