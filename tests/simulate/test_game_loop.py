"""Compiled games equal the engine's games, card by card."""

from __future__ import annotations

import json
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from casino.analysis.numba_support import compiled
from casino.bots import BOT_NAMES
from casino.ecarte import CHALLENGER, HOUSE, PACK, Laws, cut_for_deal, read_record, replay
from casino.simulate import series as series_module
from casino.simulate.compiled import splitmix
from casino.simulate.compiled.splitmix import BLOCKS, Deck, cut_first, word
from casino.simulate.reference_engine import shuffled_pack
from casino.simulate.series import SERIES_GAMES, STEP_GAMES, Chunk, Run, play_series
from casino.simulate.statistics import Event


class Case(NamedTuple):
    house: str
    challenger: str
    laws: Laws = Laws()

    @property
    def games(self) -> int:
        """Return the number of games to compare; the expert is slow outside compiled code."""
        return 12 if set(self[:2]) - {"novice", "regle"} else GAMES


CASES = [
    Case("regle", "regle"),
    Case("regle", "novice", Laws(7, "ordinary", 2, (2, 3), "house")),
    Case("novice", "regle", Laws(11, "strict", 2, (2, 3), "alternate", "loser")),
    Case("novice", "novice", Laws(5, "ordinary", 1, (3, 2), "alternate", "challenger")),
    Case("regle", "regle", Laws(7, "ordinary", 2, (2, 3), "alternate", "house")),
    Case("novice", "novice", Laws(5, "strict", 2, (3, 2), "alternate", "loser")),
    Case("regle", "regle", Laws(11, "strict", 1, (3, 2), "alternate", "loser", "claims")),
    Case("novice", "regle", Laws(enforcement="claims", play="ordinary")),
    Case("expert", "regle"),
    Case("novice", "expert", Laws(7, "ordinary", 2, (2, 3), "house")),
    Case("expert", "expert", Laws(11, "strict", 2, (3, 2), "alternate", "loser", "claims")),
    Case("regle", "expert", Laws(5, "strict", 2)),
    Case("expert", "novice", Laws(7, enforcement="claims", play="ordinary")),
]
# A bot sees its own cards and what is public: each sits once in either seat.
CASES += [Case(*pair) for pair in zip(BOT_NAMES, (*BOT_NAMES[1:], BOT_NAMES[0]), strict=True)]
GAMES = 2_600
"""Eight cases of this size are more than 20,000 games."""


def play_on_objects(run: Run, monkeypatch: pytest.MonkeyPatch) -> Chunk:
    """Play the first series of a run with the engine of `casino.ecarte`."""
    with monkeypatch.context() as patch:
        patch.setattr(series_module, "COMPILED_BOTS", {})
        return play_series(run, 0, recording=True)


@pytest.mark.parametrize("case", CASES, ids=map(str, range(len(CASES))))
def test_compiled_and_object_engines_play_the_same_games(
    case: Case, quick_run: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = min(case.games, 300 if quick_run else GAMES)
    run = Run(games, 2024, case.house, case.challenger, case.laws)
    compiled, objects = play_series(run, 0, recording=True), play_on_objects(run, monkeypatch)
    for mine, theirs in zip(compiled.lines.splitlines(), objects.lines.splitlines(), strict=True):
        assert mine == theirs
    assert compiled.counts == objects.counts
    assert compiled.course == objects.course


@pytest.mark.parametrize("case", CASES[:4], ids=map(str, range(4)))
def test_recorded_games_replay(case: Case) -> None:
    run = Run(200, 5, case.house, case.challenger, case.laws)
    for number, line in enumerate(play_series(run, 0, recording=True).lines.splitlines(), 1):
        record = read_record(line)
        replayed = replay(record)
        assert replayed.winner is not None
        assert record.laws == case.laws
        assert record.players == {"house": case.house, "challenger": case.challenger}
        assert record.game == f"s5-{number:07d}"
        assert set(json.loads(line)["result"]) == {"score", "winner", "stake"}


def test_seeds_and_series_differ() -> None:
    run = Run(SERIES_GAMES * 3, 1)
    found = {
        play_series(run, 0).counts,
        play_series(run, 1).counts,
        play_series(run, 2).counts,
        play_series(run._replace(seed=2), 0).counts,
    }
    assert len(found) == 4


def test_running_totals_add_up_to_the_counts() -> None:
    played = play_series(Run(SERIES_GAMES, 4, "regle", "novice"), 0)
    assert len(played.course) == SERIES_GAMES // STEP_GAMES
    assert sum(played.course) == played.counts.stake_points_house


def test_last_series_has_remaining_games() -> None:
    run = Run(2 * SERIES_GAMES + 5)
    assert run.series == 3
    assert [play_series(run, number).counts.games for number in range(3)] == [8192, 8192, 5]


def test_regle_against_itself_matches_published_figures() -> None:
    counts = play_series(Run(SERIES_GAMES), 0).counts
    assert abs(counts.house_wins / counts.games - 0.5) < 4.5 * 0.5 / 90.5
    assert abs(counts[Event.DEALS] / counts.games - 4.549) < 0.06


@compiled
def cut_all(keys: NDArray[np.int64], dealers: NDArray[np.int64]) -> None:
    """Cut for every key in compiled code, reusing one deck."""
    deck = np.empty(32, np.int64)
    for at in range(len(keys)):
        dealers[at] = cut_first(deck, keys[at])  # type: ignore[arg-type]


@pytest.mark.parametrize(("number", "ties"), [(24_416, 5), (266_255, 5), (452_530, 6)])
def test_r2_1_cut_continues_across_shuffle_blocks(number: int, ties: int) -> None:
    key = word(5, number)
    pack = shuffled_pack(key)
    equal = [pack[at] & 7 == pack[at + 1] & 7 for at in range(0, 2 * ties + 2, 2)]
    assert equal == [True] * ties + [False]
    dealers = np.full(1, 99)
    cut_all(np.array([key]), dealers)
    assert [cut_first(list(PACK), key)] == dealers.tolist() == [cut_for_deal(pack)]


@pytest.mark.parametrize("higher", [HOUSE, CHALLENGER])
@pytest.mark.parametrize("pairs", range(16))
def test_r2_1_first_unequal_pair_decides(
    pairs: int, higher: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    equal = [card for rank in range(8) for card in (rank, 8 + rank, 16 + rank, 24 + rank)]
    decisive = [31, 0] if higher == HOUSE else [0, 31]
    pack = equal[: 2 * pairs] + decisive + 15 * decisive[::-1]

    def lay(deck: Deck, key: int, block: int) -> None:
        assert key == 77
        for place in range(BLOCKS[block], BLOCKS[block + 1]):
            deck[place] = pack[place]

    monkeypatch.setattr(splitmix, "shuffle", lay)
    assert cut_first(list(PACK), 77) == higher
