"""What goes wrong at a table (R8): exposed cards, leads out of turn, revokes and claims.

Cards are exposed by accident while dealing. All the rest happens only under enforcement
`claims`; under `strict` an illegal card is refused, so nothing can be claimed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from casino.ecarte.actions import (
    CLAIM,
    EXPOSE,
    LEAD_OUT,
    LET_STAND,
    NEW_DEAL,
    TAKE_BACK,
    Action,
)
from casino.ecarte.cards import Card, CardSet, members
from casino.ecarte.errors import refusal
from casino.ecarte.rules import CHALLENGER, HOUSE, NO_CARD, NOBODY
from casino.ecarte.state import (
    ANNULLED,
    DEALING,
    EXPOSED,
    FOLLOWING,
    LEADING,
    Deal,
    Irregularities,
    Standing,
    replaced,
)


def belongs_to_dealing(action: Action) -> bool:
    """Whether an action comes before the turn-up: a card exposed, or the elder's word on it."""
    return EXPOSE <= action < LEAD_OUT or action in (NEW_DEAL, LET_STAND)


def legal_dealing(deal: Deal) -> Sequence[Action]:
    """Each dealt card may be exposed once; then the elder may have to answer (R8.2)."""
    unseen = (deal.hands[0] | deal.hands[1]) & ~deal.irregular.exposed
    exposures = tuple(EXPOSE + card for card in members(unseen))
    return (NEW_DEAL, LET_STAND, *exposures) if deal.phase == EXPOSED else exposures


def apply_dealing(deal: Deal, action: Action) -> Deal:
    """Expose a card (R8.1, R8.2), or answer an exposed card."""
    if action not in legal_dealing(deal):
        raise refusal(deal, action)
    if action == NEW_DEAL:
        return deal.with_standing(action, deal.standing, ANNULLED, NOBODY)
    if action == LET_STAND:
        return deal.with_standing(action, deal.standing, DEALING, deal.dealer)
    bit = 1 << action - EXPOSE
    standing = with_irregular(deal.standing, exposed=deal.irregular.exposed | bit)
    if deal.phase == EXPOSED or bit & deal.hands[deal.elder]:
        return deal.with_standing(action, standing, EXPOSED, deal.elder)
    return deal.with_standing(action, standing, DEALING, deal.dealer)


def legal_besides(deal: Deal) -> tuple[Action, ...]:
    """What may be done besides playing: lead out of turn, take that back, claim a revoke."""
    if deal.laws.enforcement == "strict":
        return ()
    legal: tuple[Action, ...] = ()
    if deal.irregular.led_out:
        legal = (TAKE_BACK,)
    elif deal.phase == LEADING:
        legal = tuple(LEAD_OUT + card for card in members(deal.hands[1 - deal.turn]))
    return (*legal, CLAIM) if any(deal.irregular.revoked) else legal


def apply_besides(deal: Deal, action: Action) -> Deal:
    """A lead out of turn, taking it back, or a claim."""
    if action == CLAIM:
        return _claim(deal)
    if action == TAKE_BACK:
        return _led_out(deal, action, deal.led, NO_CARD)
    return _led_out(deal, action, action - LEAD_OUT, action - LEAD_OUT)


def after_reply(deal: Deal, card: Card, legal: CardSet) -> Standing:
    """What goes wrong with this reply: under claims a revoke; otherwise it is refused.

    A card revokes when the hand could have obeyed (R8.5); a lead out of turn now stands (R8.4).
    """
    if deal.laws.enforcement == "strict" or not deal.hands[deal.turn] >> card & 1:
        raise refusal(deal, card)
    revoked = deal.irregular.revoked
    if not legal >> card & 1:
        revoked = (deal.turn == HOUSE or revoked[0], deal.turn == CHALLENGER or revoked[1])
    return with_irregular(deal.standing, led_out=False, revoked=revoked)


def legal_over(deal: Deal) -> Sequence[Action]:
    """Nothing, unless a revoke may be claimed."""
    claimable = any(deal.irregular.revoked) and not deal.game_over
    return (CLAIM,) if claimable else ()


def apply_over(deal: Deal, action: Action) -> Deal:
    """A revoke can be claimed until the next deal begins (R8.5)."""
    if action not in legal_over(deal):
        raise refusal(deal, action)
    return _claim(deal)


def with_irregular(standing: Standing, **changes: Any) -> Standing:
    """The standing with some of its irregularities changed."""
    return standing._replace(irregular=standing.irregular._replace(**changes))


def _led_out(deal: Deal, action: Action, moved: Card, led: Card) -> Deal:
    """A lead out of turn put on the table, or taken back into the hand (R8.4)."""
    other = 1 - deal.turn
    return deal._replace(
        standing=with_irregular(deal.standing, led_out=led != NO_CARD),
        phase=LEADING if led == NO_CARD else FOLLOWING,
        hands=replaced(deal.hands, other, deal.hands[other] ^ 1 << moved),
        led=led,
        history=(*deal.history, action),
    )


def _claim(deal: Deal) -> Deal:
    """A revoke is claimed: the hands are restored and played again (R8.5)."""
    irregular = deal.irregular
    offended = (
        irregular.offended[0] or irregular.revoked[0],
        irregular.offended[1] or irregular.revoked[1],
    )
    score = (deal.score[0] - deal.won[0], deal.score[1] - deal.won[1])
    return deal._replace(
        standing=deal.standing._replace(
            score=score,
            irregular=Irregularities(exposed=irregular.exposed, offended=offended),
        ),
        phase=LEADING,
        turn=deal.elder,
        hands=deal.kept,
        tricks=(0, 0),
        led=NO_CARD,
        history=(*deal.history, CLAIM),
    )
