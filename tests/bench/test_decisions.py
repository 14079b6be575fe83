"""The benchmark of decisions: every choice is timed, and none is changed by it."""

from __future__ import annotations

from click.testing import CliRunner

from bench import decisions
from bench.decisions import Timed, told
from casino.bots.match import play_game
from casino.solver.expert_bot import Expert


def test_a_timed_expert_plays_the_same_cards() -> None:
    """Every decision has its time; the game is the one that an expert plays without a watch."""
    taken: list[float] = []
    timed, plain = Timed(4, taken), Expert(4)
    played = play_game((timed, timed), seed=2)
    assert played == play_game((plain, plain), seed=2)
    assert len(taken) == sum(len(deal.history) for deal in played.deals) and min(taken) >= 0


def test_the_tail_is_told_beside_the_mean() -> None:
    """Of a hundred times all but one short, the mean hides the one and the longest shows it."""
    assert told([1.0] * 99 + [9.0]) == (
        "mean 1.08 ms, 50 of 100 below 1.00, 90 of 100 below 1.00, 99 of 100 below 9.00, "
        "99.9 of 100 below 9.00, longest 9.00"
    )


def test_a_short_run_of_the_script() -> None:
    """It says how many games and decisions it timed."""
    result = CliRunner().invoke(decisions.main, ["--games", "1", "--effort", "2"])
    assert result.exit_code == 0, result.output
    assert result.output.startswith("1 games, ")
