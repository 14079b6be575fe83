"""The benchmarks' arithmetic, with engines whose speed is known; no test waits for a clock."""

from random import Random

from bench._laps import Lap, interleave, microseconds, ratio, run, speed


def three_decisions(rng: Random) -> tuple[int, int]:
    """A game of three decisions and one chance step, long enough for any clock to see."""
    sum(rng.random() for _ in range(200))
    return 3, 1


def test_run_adds_up_games_decisions_and_chance_steps() -> None:
    """A lap counts what its games report."""
    lap = run(three_decisions, Random(1), 5)
    assert (lap.games, lap.decisions, lap.chances) == (5, 15, 5)
    assert lap.seconds > 0


def test_speed_takes_medians_and_counts_chance_steps_apart() -> None:
    """One slow lap out of three moves nothing."""
    laps = [Lap(10, 30, 10, 1.0), Lap(10, 30, 10, 100.0), Lap(10, 30, 10, 1.0)]
    assert speed(laps) == (10.0, 30.0, 40.0)


def test_ratio_compares_lap_with_lap() -> None:
    """A spell that slows both engines leaves their ratio alone."""
    ours = [Lap(1, 60, 0, 1.0), Lap(1, 60, 0, 4.0)]
    theirs = [Lap(1, 30, 9, 1.0), Lap(1, 30, 9, 4.0)]
    assert ratio(ours, theirs) == 2.0


def test_interleave_gives_every_engine_its_turn_in_every_lap() -> None:
    """The order rotates, but results stand in the engines' order."""
    turns: list[str] = []

    def named(name: str, decisions: int) -> tuple[int, int]:
        if turns[-1:] != [name]:
            turns.append(name)
        return decisions, int(three_decisions(Random(1))[1])

    engines = [lambda _: named("first", 1), lambda _: named("second", 2)]
    laps = list(interleave(engines, laps=2, seconds=0.002, seed=1))
    assert [[lap.decisions // lap.games for lap in done] for done in laps] == [[1, 2], [1, 2]]
    assert turns == ["first", "second", "first", "second", "first"]


def test_microseconds_calls_for_every_thing_as_often_as_asked() -> None:
    """A cost is a mean over all things given."""
    called: list[int] = []
    microseconds(called.append, [7, 8], laps=3, times=2)
    assert called == [7, 8] * 6
