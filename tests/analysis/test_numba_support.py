"""Compiled code: reused by the second start, never after a source has changed."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from casino.analysis import numba_support
from casino.analysis.numba_support import cache_directory, sources_digest

PACKAGE = Path(numba_support.__file__).parents[1]
PROGRAM = """
from casino.analysis.numba_support import compiled
from casino.ecarte import rules

@compiled
def replies(hand, led):
    return rules.legal_replies(hand, led, 0, True)

assert replies(255, 9) == rules.legal_replies(255, 9, 0, True)
"""


class Pair(NamedTuple):
    numbers: NDArray[np.int64]
    deeper: tuple[NDArray[np.uint8], NDArray[np.uint8]]
    number: int


@numba_support.compiled
def written_through(pair: Pair, at: int) -> int:
    lent = numba_support.borrow(pair)
    lent.numbers[at] += lent.number
    return int(lent.numbers[at] + lent.deeper[0][at] * 10 + lent.deeper[1][at] * 100)


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    cache_directory.cache_clear()
    yield tmp_path
    cache_directory.cache_clear()


def test_changed_source_has_its_own_cache(tmp_path: Path) -> None:
    for room in ("ecarte", "analysis", "bots", "solver", "simulate"):
        shutil.copytree(PACKAGE / room, tmp_path / room)
    seen = {sources_digest(tmp_path)}
    changes = (
        "ecarte/rules.py", "analysis/dd_index.py", "bots/new.py", "solver/training/cfr.py",
        "simulate/compiled/game_loop.py",
    )  # fmt: skip
    for changed in changes:
        with (tmp_path / changed).open("a") as file:
            file.write("# changed\n")
        seen.add(sources_digest(tmp_path))
    (tmp_path / "bots/new.py").rename(tmp_path / "bots/newer.py")
    assert len(seen | {sources_digest(tmp_path)}) == 7


@pytest.mark.parametrize(
    ("module", "name"),
    [(numba, "__version__"), (platform, "python_version"), (platform, "machine")],
)
def test_cache_depends_on_numba_python_and_processor(
    module: ModuleType, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sources_digest(PACKAGE)
    other = "other" if name == "__version__" else lambda: "other"
    monkeypatch.setattr(module, name, other)
    assert sources_digest(PACKAGE) != before


def test_second_start_compiles_nothing(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (own_cache / "program.py").write_text(PROGRAM)
    monkeypatch.syspath_prepend(own_cache)
    compiled, loaded = [], []
    for _ in range(2):
        function = import_module("program").replies
        compiled.append(function.stats.cache_misses.total())
        loaded.append(function.stats.cache_hits.total())
        monkeypatch.delitem(sys.modules, "program")
    assert (compiled, loaded) == ([1, 0], [0, 1])


def test_code_compiles_without_a_cache_directory(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (own_cache / "file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(own_cache / "file"))
    assert cache_directory() is None
    assert numba_support.compiled(lambda some: some + 1)(41) == 42


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"NUMBA_CACHE_DIR": "N", "XDG_CACHE_HOME": "X", "HOME": "H"}, "N"),
        ({"XDG_CACHE_HOME": "X", "HOME": "H"}, "X/casino"),
        ({"XDG_CACHE_HOME": "", "HOME": "H"}, "H/.cache/casino"),
        ({"HOME": "H"}, "H/.cache/casino"),
        ({"HOME": "file"}, f"T/casino-{os.getuid()}"),
    ],
)
def test_location_of_the_cache_directory(
    environ: dict[str, str], folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "T").mkdir()
    (tmp_path / "file").write_text("in the way of a folder")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "T"))
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value and str(tmp_path / value))
    cache_directory.cache_clear()
    found = cache_directory()
    cache_directory.cache_clear()
    assert found is not None
    assert found.parent == tmp_path / folder
    assert list(found.iterdir()) == []


def test_borrowed_arrays_are_shared_and_stay_alive() -> None:
    small = np.arange(4, dtype=np.uint8)
    pair = Pair(np.arange(4), (small, small + 1), 7)
    users = sys.getrefcount(pair.numbers), sys.getrefcount(small)
    found = [written_through(pair, at) for at in (0, 1, 2, 3)]
    assert found == [7 + 0 + 100, 8 + 10 + 200, 9 + 20 + 300, 10 + 30 + 400]
    assert pair.numbers.tolist() == [7, 8, 9, 10]
    assert (sys.getrefcount(pair.numbers), sys.getrefcount(small)) == users
