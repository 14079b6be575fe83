"""Fixed-size encoding of actions and observations, for machine learning.

There are `NUM_ACTIONS` actions. Cards (0 to 31) and words (32 to 41) are numbered as in `actions`.
Numbers from 42 on are exchanges: bit k of the number minus 42 stands for card k of the hand, in the
order of `cards_in` from 0. A lead out of turn (R8.4) is an accident and has no number.

An observation consists of the card sets in `PLANES` and the whole numbers in `NUMBERS`, with the
viewer's own values first, so that one model can play both seats. It depends on the view alone, so
it contains nothing hidden. Under enforcement `strict` it contains everything else that the viewer
knows about the deal, except the order in which the viewer's own cards entered and left the hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from casino.ecarte.actions import (
    CLAIM,
    EXCHANGE,
    HIDDEN_EXCHANGE,
    LEAD_OUT,
    Action,
    exchanged_number,
)
from casino.ecarte.cards import Card, CardSet, card_set, cards_in
from casino.ecarte.observation.view import View, collect_evidence, deck_positions
from casino.ecarte.records.notation import format_position, position_of_view
from casino.ecarte.rules import NO_CARD, NO_SEAT, SEATS, Seat, suit_set
from casino.ecarte.validation import check_type
from casino.errors import InputError

MAX_HAND: Final = 5  # the largest hand the encoding has room for
FIRST_EXCHANGE: Final = CLAIM + 1  # no cards; the 31 other exchanges follow
NUM_ACTIONS: Final = FIRST_EXCHANGE + (1 << MAX_HAND)  # the number of distinct actions
MAX_EXCHANGES: Final = 11  # by a seat: each round but the last takes at least 2 of 21 stock cards

# The card sets of an observation.
PLANES: Final = (
    "hand", "hand when play began", "turn-up", "trumps", "led", "exposed", "own discards",
    "shown by the other",
    *(f"led to trick {trick}" for trick in range(1, MAX_HAND + 1)),
    *(f"reply to trick {trick}" for trick in range(1, MAX_HAND + 1)),
)  # fmt: skip

# The numbers of an observation, which follow its planes, each with its maximum for 32 cards and the
# laws in `ALLOWED`; the minimum is 0. Where the maximum is 1, 1 means yes and 0 means no.
NUMBERS: Final = {
    "target": 11, "own score": 11, "other's score": 11, "own score before": 11,
    "other's score before": 11, "own deal": 1, "own turn": 1, "phase": 9, "stock": 21,
    "own cards": MAX_HAND, "other's cards": MAX_HAND, "own tricks": MAX_HAND,
    "other's tricks": MAX_HAND, "own vulnerable": 1, "other vulnerable": 1, "own mark": 1,
    "other's mark": 1, "own offence": 1, "other's offence": 1, "led out": 1, "strict play": 1,
    "claims": 1, "vole unexchanged": 2, "first packet": MAX_HAND, "house always deals": 1,
    **{f"own exchange {number}": MAX_HAND for number in range(1, MAX_EXCHANGES + 1)},
    **{f"other's exchange {number}": MAX_HAND for number in range(1, MAX_EXCHANGES + 1)},
    **{f"own lead of trick {trick}": 1 for trick in range(1, MAX_HAND + 1)},
}  # fmt: skip

OBSERVATION_SIZE: Final = 32 * len(PLANES) + len(NUMBERS)  # the length of an observation
MAX_VALUES: Final = (*[1] * 32 * len(PLANES), *NUMBERS.values())


def encode_action(action: Action, hand: CardSet) -> int:
    """Return the number of an action, for a player with this hand."""
    if 0 <= action < FIRST_EXCHANGE:
        return action
    if EXCHANGE <= action < HIDDEN_EXCHANGE and not (action ^ EXCHANGE) & ~hand:
        held = cards_in(hand)
        if len(held) <= MAX_HAND:
            return FIRST_EXCHANGE + sum(
                1 << at for at, card in enumerate(held) if action >> card & 1
            )
    raise InputError(f"{action} has no number: a player does not choose it")


def decode_action(number: int, hand: CardSet) -> Action:
    """Return the action with this number, for a player with this hand."""
    if type(number) is not int or not 0 <= number < NUM_ACTIONS:
        raise InputError(f"{number!r} is not the number of an action: use 0 to {NUM_ACTIONS - 1}")
    if number < FIRST_EXCHANGE:
        return number
    chosen, held = number - FIRST_EXCHANGE, cards_in(hand)
    if chosen >> len(held):
        raise InputError(f"{number} exchanges more cards than the hand has")
    return EXCHANGE | card_set(card for at, card in enumerate(held) if chosen >> at & 1)


def legal_mask(legal: Sequence[Action], hand: CardSet) -> list[bool]:
    """Return, for each action number, whether it is among the legal actions."""
    mask = [False] * NUM_ACTIONS
    for action in legal:
        if not LEAD_OUT <= action < LEAD_OUT + 32:
            mask[encode_action(action, hand)] = True
    return mask


def card_planes(view: View) -> tuple[CardSet, ...]:
    """Return the card sets of an observation, in the order of `PLANES`."""
    seat = _seat(view)
    _, shown, tricks = collect_evidence(view, 1 - seat)
    turned = _bit(view.turn_up)
    return (
        view.hand,
        view.kept[seat],
        turned,
        suit_set(view.turn_up >> 3) if turned else 0,
        _bit(view.led),
        view.exposed,
        sum(action ^ EXCHANGE for action in _exchanges(view, seat)),
        shown,
        *_padded([_bit(trick.led) for trick in tricks], MAX_HAND),
        *_padded([_bit(trick.reply) for trick in tricks], MAX_HAND),
    )


def scalar_features(view: View) -> tuple[int, ...]:
    """Return the numbers of an observation, in the order of `NUMBERS`."""
    seat = _seat(view)
    other = 1 - seat
    own_leads = [int(trick.leader == seat) for trick in collect_evidence(view, other).tricks]
    laws = view.laws
    return (
        laws.target,
        view.score[seat], view.score[other], view.score_before[seat], view.score_before[other],
        int(view.dealer == seat), int(view.turn == seat), view.phase, view.stock,
        view.sizes[seat], view.sizes[other], view.tricks[seat], view.tricks[other],
        int(view.vulnerable == seat), int(view.vulnerable == other),
        int(view.marked == seat), int(view.marked == other),
        int(view.offenders[seat]), int(view.offenders[other]), int(view.led_out),
        int(laws.play == "strict"), int(laws.enforcement == "claims"), laws.vole_unexchanged,
        laws.packets[0], int(laws.deal == "house"),
        *_padded(_taken(view, seat), MAX_EXCHANGES), *_padded(_taken(view, other), MAX_EXCHANGES),
        *_padded(own_leads, MAX_HAND),
    )  # fmt: skip


def observation(view: View) -> list[int]:
    """Return an observation as one row: the bits of the planes, then the numbers."""
    bits = [plane >> card & 1 for plane in card_planes(view) for card in range(32)]
    return [*bits, *scalar_features(view)]


def information_state(view: View) -> str:
    """Return a text that is equal for two views if and only if the seat cannot tell them apart.

    Cards that entered the hand together have no order, so they are sorted.
    """
    seat = _seat(view)
    deck = list(view.deck)
    positions = iter(deck_positions(view.laws, view.dealer, view.history, seat))
    for number in (sum(view.laws.packets), *_taken(view, seat)):
        together = [next(positions) for _ in range(number)]
        in_order = cards_in(card_set(deck[at] for at in together))
        for at, card in zip(together, in_order, strict=True):
            deck[at] = card
    return (
        f"{SEATS[seat]} sees: {format_position(position_of_view(view)._replace(deck=tuple(deck)))}"
    )


def _seat(view: View) -> Seat:
    check_type(View, view, "the view")
    if view.viewer == NO_SEAT:
        raise InputError("only a seat has an observation: the gallery does not play")
    if sum(view.laws.packets) > MAX_HAND:
        raise InputError(f"an observation has room for at most {MAX_HAND} cards in a hand")
    return view.viewer


def _taken(view: View, seat: Seat) -> list[int]:
    return [exchanged_number(action) for action in _exchanges(view, seat)]


def _exchanges(view: View, seat: Seat) -> Sequence[Action]:
    exchanges = [action for action in view.history if action >= EXCHANGE]
    # The seats exchange in turn, the elder first.
    return exchanges[seat == view.dealer :: 2]


def _bit(card: Card) -> CardSet:
    return 0 if card == NO_CARD else 1 << card


def _padded(row: list[int], length: int) -> list[int]:
    return row + [0] * (length - len(row))
