"""The engines a benchmark compares: ours plays by the rules, missing ones are named."""

from collections.abc import Callable
from random import Random

from rich.console import Console

from bench import _ours
from bench._laps import Lap, PlayOne
from bench._rivals import Rival
from bench.engines import engines_table, load_rivals, versions
from casino.ecarte import PACK, read_record, replay


def missing(_seed: int) -> PlayOne:
    """An engine whose package is not here."""
    raise ImportError("No module named 'absent'")


def present(_seed: int) -> PlayOne:
    """An engine that is here."""
    return lambda _: (1, 0)


def test_a_missing_rival_is_named_and_the_others_go_on() -> None:
    """The run says which package it lacks."""
    said: list[str] = []
    rivals = [Rival("Absent", "absent", missing), Rival("Present", "present", present)]
    assert [name for name, _ in load_rivals(rivals, 1, said.append)] == ["Present"]
    text = "left out: Absent: absent cannot be imported (No module named 'absent')"
    assert said == [text]


def test_versions_leave_out_what_is_not_installed() -> None:
    """Only packages that are here have a version to state."""
    stated = versions(["rich", "absent-package"])
    assert "rich " in stated
    assert "absent" not in stated


def test_a_shuffled_pack_holds_every_card_once() -> None:
    """Shuffling loses no card."""
    pack = _ours.shuffled(Random(1))
    assert sorted(pack) == sorted(PACK)
    assert pack != PACK


def test_our_games_run_to_their_end() -> None:
    """Both ways of playing end a game after some decisions, a pack for each deal."""
    plays: list[Callable[[Random], tuple[int, int]]] = [_ours.play_one, _ours.play_out_one]
    for play in plays:
        decisions, packs = play(Random(3))
        assert decisions >= packs >= 1


def test_the_states_timed_are_those_of_one_deal() -> None:
    """One more action stands in the history of each state."""
    states = _ours.states_of_one(Random(4))
    assert [len(state.history) for state in states] == list(range(len(states)))


def test_the_records_timed_are_good_and_finished() -> None:
    """Every generated record replays to a winner."""
    rng = Random(5)
    for _ in range(20):
        assert replay(read_record(_ours.record_of_one(rng))).winner in (0, 1)


def test_the_table_states_speeds_and_ratios() -> None:
    """Each engine has a row; the last columns compare our two rows with it."""
    lap = [Lap(10, 100, 0, 1.0), Lap(10, 200, 0, 1.0), Lap(10, 50, 50, 1.0)]
    console = Console(width=80)
    with console.capture() as shown:
        console.print(engines_table(["ours", "played out", "other"], [lap]))
    assert " ".join(shown.get().splitlines()[-1].split()) == "other 50 100 10 5.0 2.00 4.00"
