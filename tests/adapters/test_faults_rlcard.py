"""Our suite for the environment of RLCard sees each of eighteen faults that are planted for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
import pytest

from casino.adapters import rlcard
from casino.adapters.episode import DEFAULT_LAWS
from casino.ecarte import CONCEDE, Laws, cards_in, format_cards
from casino.ecarte.observation import encoding
from casino.errors import CasinoError
from tests.adapters.oracle import needed
from tests.adapters.rlcard_suite import CHECKS, check_steps

Fault = Callable[[Any], Any]


def _paying(base: Any, change: Callable[[Any], Any]) -> Any:
    """The class with something changed in what is won."""
    return type("Broken", (base,), {"get_payoffs": lambda env: change(base.get_payoffs(env))})


def _seeing(base: Any, change: Callable[[Any, int, dict[str, Any]], None]) -> Any:
    """The class with something changed in all that a seat is told."""

    def init(env: Any, config: dict[str, Any]) -> None:
        base.__init__(env, config)
        sound = env.game.get_state

        def get_state(seat: int) -> dict[str, Any]:
            state: dict[str, Any] = sound(seat)
            change(env, seat, state)
            return state

        env.game.get_state = get_state

    return type("Broken", (base,), {"__init__": init})


def _allowing(base: Any, change: Callable[[Any, int, list[int]], list[int]]) -> Any:
    """The class with something changed in what is legal."""

    def changed(env: Any, seat: int, state: dict[str, Any]) -> None:
        legal = change(env, seat, list(state["legal_actions"]))
        state["legal_actions"] = dict.fromkeys(legal)

    return _seeing(base, changed)


def reward_of_the_wrong_sign(base: Any) -> Any:
    """Who has won pays."""
    return _paying(base, lambda won: -won)


def winner_alone_is_paid(base: Any) -> Any:
    """The loser loses nothing."""
    return _paying(base, lambda won: won.clip(0))


def every_game_is_single(base: Any) -> Any:
    """Double and triple games are paid like single ones."""
    return _paying(base, np.sign)


def legal_off_by_one(base: Any) -> Any:
    """What is legal stands one number too far."""
    return _allowing(base, lambda _, __, legal: [number + 1 for number in legal])


def nobody_concedes(base: Any) -> Any:
    """One of the legal actions is missing."""
    return _allowing(base, lambda _, __, legal: [one for one in legal if one != CONCEDE])


def whole_hand_is_legal(base: Any) -> Any:
    """Every card held may be played, whatever was led."""

    def change(env: Any, seat: int, legal: list[int]) -> list[int]:
        if not legal or legal[0] >= 32:
            return legal
        return sorted({*legal, *cards_in(env.game.table.deal.hands[seat])})

    return _allowing(base, change)


def legal_at_the_end(base: Any) -> Any:
    """Something may still be done when the episode is over."""
    return _allowing(base, lambda env, _, legal: [CONCEDE] if env.game.table.over else legal)


def legal_out_of_turn(base: Any) -> Any:
    """Who waits is offered what the other may do."""
    return _allowing(base, lambda env, _, __: env.game.table.legal())


def hidden_card_shown(base: Any) -> Any:
    """The other's hand is seen."""

    def change(env: Any, seat: int, state: dict[str, Any]) -> None:
        place = 32 * encoding.PLANES.index("shown by the other")
        for card in cards_in(env.game.table.deal.hands[1 - seat]):
            state["obs"][place + card] = 1

    return _seeing(base, change)


def hand_in_the_text(base: Any) -> Any:
    """The other's hand stands in the text alone."""

    def change(env: Any, seat: int, state: dict[str, Any]) -> None:
        state["raw_obs"] += format_cards(cards_in(env.game.table.deal.hands[1 - seat]))

    return _seeing(base, change)


def eyes_of_the_other_seat(base: Any) -> Any:
    """A seat sees what the other should."""

    def change(env: Any, seat: int, state: dict[str, Any]) -> None:
        state["obs"][:] = env.game.table.observation(1 - seat)

    return _seeing(base, change)


def eyes_of_a_step_before(base: Any) -> Any:
    """What is seen lags one step behind."""

    def step(env: Any, action: Any, raw_action: bool = False) -> Any:
        before = [env.game.table.observation(seat) for seat in (0, 1)]
        state, player = base.step(env, action, raw_action)
        state["obs"][:] = before[player]
        return state, player

    return type("Broken", (base,), {"step": step})


def one_array_for_all(base: Any) -> Any:
    """Every observation is written into the same array."""

    def change(env: Any, _: int, state: dict[str, Any]) -> None:
        env.row = getattr(env, "row", state["obs"])
        env.row[:] = state["obs"]
        state["obs"] = env.row

    return _seeing(base, change)


def seats_strictly_in_turn(base: Any) -> Any:
    """The seats alternate, whoever took the trick."""

    def step(env: Any, action: Any, raw_action: bool = False) -> Any:
        acted = env.game.get_player_id()
        state, _ = base.step(env, action, raw_action)
        return state, 1 - acted

    return type("Broken", (base,), {"step": step})


def score_that_stays(base: Any) -> Any:
    """A reset deals new cards, and the game goes on where it was."""

    def reset(env: Any) -> Any:
        table = env.game.table
        lost = min(table.deal.score) if hasattr(table, "deal") else 0
        found = base.reset(env)
        standing = table.deal.standing._replace(score=(lost, lost))
        table.deal = table.deal._replace(standing=standing)
        return (env.get_state(found[1]), found[1])

    return type("Broken", (base,), {"reset": reset})


def seed_ignored(base: Any) -> Any:
    """Whatever the seed, the same games come."""
    return type("Broken", (base,), {"seed": lambda env, _=None: base.seed(env, 3)})


def chance_that_begins_anew(base: Any) -> Any:
    """Every episode has the cards of the first."""

    def reset(env: Any) -> Any:
        base.seed(env, 3)
        return base.reset(env)

    return type("Broken", (base,), {"reset": reset})


def illegal_played_as_another(base: Any) -> Any:
    """What is not legal is quietly replaced by what is."""

    def step(env: Any, action: Any, raw_action: bool = False) -> Any:
        try:
            return base.step(env, action, raw_action)
        except CasinoError:
            return base.step(env, env.game.table.legal()[0], raw_action)

    return type("Broken", (base,), {"step": step})


FAULTS: Final[list[Fault]] = [
    reward_of_the_wrong_sign, winner_alone_is_paid, every_game_is_single, legal_off_by_one,
    nobody_concedes, whole_hand_is_legal, legal_at_the_end, legal_out_of_turn, hidden_card_shown,
    hand_in_the_text, eyes_of_the_other_seat, eyes_of_a_step_before, one_array_for_all,
    seats_strictly_in_turn, score_that_stays, seed_ignored, chance_that_begins_anew,
    illegal_played_as_another,
]  # fmt: skip


@pytest.fixture
def sound() -> Any:
    """The class of the environment without a fault."""
    needed("rlcard")
    return rlcard.environment_class()


def made(of: Any, laws: Laws = DEFAULT_LAWS, episode: str = "game", seed: int = 3) -> Any:
    """An environment of a class."""
    return of({"allow_step_back": False, "seed": seed, "laws": laws, "episode": episode})


def whole_suite(of: Any) -> None:
    """All that is asked of a class."""
    for laws in (Laws(), Laws(first_dealer="loser", play="ordinary")):
        check_steps(made(of, laws), laws, "game")
    for check in CHECKS:
        check(partial(made, of))


def test_without_a_fault_nothing_is_seen(sound: Any) -> None:
    """The suite finds nothing where nothing is wrong, and the faults are eighteen."""
    whole_suite(sound)
    assert len({fault.__name__ for fault in FAULTS}) == 18


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_planted_fault_is_seen(fault: Fault, sound: Any) -> None:
    """The suite stops at the fault."""
    broken = fault(sound)
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        whole_suite(broken)
