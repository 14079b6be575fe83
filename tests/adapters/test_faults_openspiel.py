"""Our suite for the game of OpenSpiel sees each of eighteen faults that are planted for it.

A fault is a method of the state, made of the sound one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from casino.adapters import openspiel
from casino.ecarte import CONCEDE, SEATS, cards_in, format_cards, legal_actions, new_game
from casino.ecarte.observation import encoding
from casino.errors import CasinoError
from tests.adapters.oracle import needed
from tests.adapters.spiel_suite import CHECKS, PLAYED, check_steps

Method = Callable[..., Any]
STOPPED: Final = (
    AssertionError, CasinoError, RuntimeError, LookupError, StopIteration, pytest.fail.Exception,
)  # fmt: skip
"""How the suite stops: it finds something, OpenSpiel or the rules refuse, or cards lack."""


def sign_of_the_other(sound: Method) -> Method:
    """Who has won pays."""
    return lambda state: [-won for won in sound(state)]


def winner_alone_is_paid(sound: Method) -> Method:
    """The loser loses nothing."""
    return lambda state: [max(won, 0.0) for won in sound(state)]


def every_game_is_single(sound: Method) -> Method:
    """Double and triple games are paid like single ones."""
    return lambda state: [float((won > 0) - (won < 0)) for won in sound(state)]


def legal_off_by_one(sound: Method) -> Method:
    """What is legal stands one number too far."""
    return lambda state, player: [number + 1 for number in sound(state, player)]


def nobody_concedes(sound: Method) -> Method:
    """One of the legal actions is missing."""
    return lambda state, player: [n for n in sound(state, player) if n != CONCEDE]


def whole_hand_is_legal(sound: Method) -> Method:
    """Every card held may be played, whatever was led."""

    def legal(state: Any, player: int) -> list[int]:
        found: list[int] = sound(state, player)
        if not found or found[0] >= 32:
            return found
        return sorted({*found, *cards_in(state.deal.hands[player])})

    return legal


def pack_upside_down(sound: Method) -> Method:
    """The cards that chance has dealt first come last."""

    def dealt(state: Any, game: Any) -> None:
        if state.deal is None:
            state.dealt = state.dealt[::-1]
        sound(state, game)

    return dealt


def seats_strictly_in_turn(sound: Method) -> Method:
    """The seats alternate, whoever took the trick."""

    def player(state: Any) -> int:
        found: int = sound(state)
        return len(state.deal.history) % 2 if found in (0, 1) else found

    return player


def game_of_one_deal(sound: Method) -> Method:
    """Every game ends with its first deal."""
    return lambda state: sound(state) or state.deal_start > 0


def chance_that_prefers(sound: Method) -> Method:
    """The first card is likelier than the rest."""

    def outcomes(state: Any) -> list[tuple[int, float]]:
        (first, p), *others = sound(state)
        (last, q) = others.pop() if others else (first, 0.0)
        return [(first, p + q / 2), *others, *([(last, q / 2)] if q else [])]

    return outcomes


def card_dealt_twice(_: Method) -> Method:
    """Chance may deal what it has dealt."""

    def outcomes(state: Any) -> list[tuple[int, float]]:
        left = sorted(state.variant.pack) if state.game else [*range(len(SEATS))]
        return [(one, 1.0 / len(left)) for one in left]

    return outcomes


def hidden_hand_told(sound: Method) -> Method:
    """The other's hand is told beside what is known."""

    def known(state: Any, viewer: int, recall: bool) -> str:
        text: str = sound(state, viewer, recall)
        if viewer < 0 or state.deal is None:
            return text
        return f"{text.rstrip()} {format_cards(cards_in(state.deal.hands[1 - viewer]))}\n"

    return known


def eyes_of_the_other_seat(sound: Method) -> Method:
    """A seat knows what the other should."""
    return lambda state, viewer, recall: sound(state, 1 - viewer, recall)


def nothing_is_remembered(sound: Method) -> Method:
    """The deals before are forgotten."""
    return lambda state, viewer, recall: sound(state, viewer, False) + "\n" * recall


def exchanges_in_the_open(sound: Method) -> Method:
    """While chance still deals, everybody reads which cards are exchanged."""

    def known(state: Any, viewer: int, recall: bool) -> str:
        text: str = sound(state, viewer, recall)
        if state.pending_exchange is None or viewer == state.deal.turn:
            return text
        told: str = sound(state, state.deal.turn, recall)
        return told

    return known


def hidden_cards_kept(_: Method) -> Method:
    """The state that is dealt anew has the very cards of the old one."""
    return lambda state, player, sampler: state.clone()


def cut_ignored(sound: Method) -> Method:
    """Whoever has won the cut, the house deals."""

    def apply_action(state: Any, action: int) -> None:
        if state.game is None:
            state.game = new_game(state.variant.laws, 0)
        else:
            sound(state, action)

    return apply_action


def illegal_played_as_another(sound: Method) -> Method:
    """What is not legal is quietly replaced by what is."""

    def apply_action(state: Any, action: int) -> None:
        try:
            sound(state, action)
        except CasinoError:
            hand = state.deal.hands[state.deal.turn]
            legal = legal_actions(state.deal)
            sound(state, encoding.encode_action(legal[0], hand))

    return apply_action


FAULTS: Final[dict[Callable[[Method], Method], str]] = {
    sign_of_the_other: "returns", winner_alone_is_paid: "returns", every_game_is_single: "returns",
    legal_off_by_one: "_legal_actions", nobody_concedes: "_legal_actions",
    whole_hand_is_legal: "_legal_actions", pack_upside_down: "_cards_dealt",
    seats_strictly_in_turn: "current_player", game_of_one_deal: "is_terminal",
    chance_that_prefers: "chance_outcomes", card_dealt_twice: "chance_outcomes",
    hidden_hand_told: "known", eyes_of_the_other_seat: "known", nothing_is_remembered: "known",
    exchanges_in_the_open: "known", hidden_cards_kept: "resample_from_infostate",
    cut_ignored: "_apply_action", illegal_played_as_another: "_apply_action",
}  # fmt: skip
"""Each fault with the method it changes."""


def test_the_faults_are_eighteen() -> None:
    """Each has a name of its own; the suite without them passes in `test_openspiel`."""
    assert len({fault.__name__ for fault in FAULTS}) == 18


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_planted_fault_is_seen(
    fault: Callable[[Method], Method], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The suite stops at the fault."""
    needed("pyspiel")
    method = FAULTS[fault]
    monkeypatch.setattr(openspiel._State, method, fault(getattr(openspiel._State, method)))
    with pytest.raises(STOPPED):
        _whole_suite()


def _whole_suite() -> None:
    """All that is asked of the game."""
    for parameters in PLAYED:
        check_steps(parameters)
    for check in CHECKS:
        check()
