"""Compiled games equal the engine's games, card by card."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from casino.analysis.numba_support import compiled
from casino.bots import BOT_NAMES
from casino.ecarte import CHALLENGER, HOUSE, PACK, Laws, cut_for_deal
from casino.ecarte.rules import Seat, other
from casino.simulate import series as series_module
from casino.simulate.compiled import splitmix
from casino.simulate.compiled.splitmix import BLOCKS, Deck, cut_first, word
from casino.simulate.reference_engine import shuffled_pack
from casino.simulate.series import SERIES_GAMES, Chunk, Run, play_series
from casino.simulate.statistics import Event
from casino.solver.policy import tables
from casino.solver.policy.tables import STEPS


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


@pytest.mark.parametrize(("name", "in_file"), [("expert", CHALLENGER), ("eugenie", HOUSE)])
def test_two_experts_use_their_own_tables(
    name: str, in_file: Seat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = tables.load_packed()
    words, takes = (np.frombuffer(one, np.uint8).reshape(25, 2, -1) for one in found[1:3])
    lost = np.arange(49) // 7 * 5 // 7 * 5 + np.arange(49) % 7 * 5 // 7
    worth = np.frombuffer(found.equity, "<i4").reshape(25, -1)[lost]
    parts = ((STEPS - words)[lost].tobytes(), takes[lost].tobytes(), *found[3:6], worth.tobytes())
    file = tmp_path / "contrary.xz"
    head = json.dumps({"version": tables.VERSION, "target": 7})
    body = lzma.compress(b"".join((*parts, found.endgame, found.leads)), preset=0)
    file.write_bytes(head.encode() + b"\n" + body)
    seats = (f"{name}:{file}", name) if in_file == HOUSE else (name, f"{name}:{file}")
    run = Run(4, 5, *seats)
    assert play_series(run, 0, recording=True) == play_on_objects(run, monkeypatch)
    counts = play_series(run._replace(games=1000), 0).counts
    wins = (counts.house_wins, counts.challenger_wins)
    assert wins[other(in_file)] > 550, "who speaks by the contrary loses more"


def test_seeds_and_series_differ() -> None:
    run = Run(SERIES_GAMES * 3, 1)
    found = {
        play_series(run, 0).counts,
        play_series(run, 1).counts,
        play_series(run, 2).counts,
        play_series(run._replace(seed=2), 0).counts,
    }
    assert len(found) == 4


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
