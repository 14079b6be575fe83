"""A deal followed without any hand is what the gallery sees of the deal itself, at every step."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from casino.ecarte import (
    DEALING,
    GALLERY,
    HOUSE,
    PACK,
    Deal,
    Laws,
    apply,
    deal_cards,
    legal_actions,
    turn_up,
    view,
)
from casino.ecarte.actions import (
    CONCEDE,
    EXCHANGE,
    EXPOSE,
    LEAD_OUT,
    Action,
    exchanged_number,
    hidden_exchange,
    token,
)
from casino.ecarte.observation import observer
from casino.errors import IllegalAction

LONGEST = 60


def seen(deal: Deal) -> dict[str, Any]:
    """What the gallery sees of a deal, but for the places of cards in the pack."""
    found = view(deal, GALLERY)._asdict()
    del found["deck"]
    return found


def heard(deal: Deal, action: Action) -> tuple[str, int, list[int]]:
    """What everybody hears of an action: its token, whose card was exposed, who had revoked."""
    said = hidden_exchange(exchanged_number(action)) if action & EXCHANGE else action
    of = HOUSE
    if EXPOSE <= action < LEAD_OUT:
        of = 0 if deal.hands[0] >> (action - EXPOSE) & 1 else 1
    return token(said), of, [seat for seat in range(2) if deal.irregular.revoked[seat]]


def laws(random: Random) -> Laws:
    return Laws(
        play=random.choice(["strict", "ordinary"]),
        enforcement=random.choice(["strict", "claims"]),
        packets=random.choice([(3, 2), (2, 3)]),
        vole_unexchanged=random.choice([1, 2]),
    )


def choose(deal: Deal, random: Random) -> Action | None:
    """What happens next: nothing to be said means the turn-up, or the end."""
    actions = list(legal_actions(deal))
    if not actions or (deal.phase == DEALING and random.random() < 0.9):
        return None
    action = random.choice(actions)
    return random.choice(actions) if action == CONCEDE else action


@pytest.mark.parametrize("seed", range(8))
def test_what_is_followed_is_what_the_gallery_sees(seed: int) -> None:
    random, kinds, compared = Random(seed), set[str](), 0
    for _ in range(100):
        deck = list(PACK)
        random.shuffle(deck)
        law, dealer = laws(random), random.randrange(2)
        score = random.randrange(5), random.randrange(5)
        deal, followed = (
            deal_cards(law, dealer, deck, score),
            observer.new_public_deal(law, dealer, score),
        )
        while len(deal.history) < LONGEST:
            assert seen(deal) == seen(followed)
            compared += 1
            action = choose(deal, random)
            if action is None and deal.phase != DEALING:
                break
            if action is None:
                deal = turn_up(deal)
                followed = observer.with_turn_up(followed, deal.turn_up)
                continue
            said, of, revoked = heard(deal, action)
            kinds.add(said[0] if len(said) != 2 else "card")
            followed = observer.apply_public(followed, said, of, revoked)
            deal = apply(deal, action)
    assert compared > 1_000
    assert kinds >= {"card", "P", "S", "A", "R", "X", "K", "C", "E", "O", "L", "W", "V"}


def test_what_the_rules_refuse_is_refused() -> None:
    start = observer.with_turn_up(observer.new_public_deal(Laws(), HOUSE, (0, 0)), PACK[0])
    with pytest.raises(IllegalAction):
        observer.apply_public(start, "A")
    with pytest.raises(IllegalAction):
        observer.apply_public(observer.apply_public(observer.apply_public(start, "P"), "A"), "X")
