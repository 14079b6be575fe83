"""The tables are sharp: a gallery with any one mistake of a long list fails the table named."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from casino import betting
from tests.betting.mutants import MUTANTS, Mutant
from tests.betting.tables import TABLES
from tests.betting.withheld_mutants import WITHHELD

FOLDER = Path(betting.__file__).parent
MODULES = ("rules", "moves", "bets", "book", "settlement")
"""The gallery's modules, each before those that import it."""

EVERY = (*MUTANTS, *WITHHELD)

TEXTS = {module: (FOLDER / f"{module}.py").read_text("utf-8") for module in MODULES}


@contextmanager
def imported_modules_kept() -> Iterator[None]:
    names = [f"casino.betting.{module}" for module in MODULES]
    kept = {name: sys.modules[name] for name in names}
    try:
        yield
    finally:
        sys.modules.update(kept)


def gallery_of(texts: dict[str, str]) -> SimpleNamespace:
    found: dict[str, object] = {}
    with imported_modules_kept():
        for module in MODULES:
            name = f"casino.betting.{module}"
            made = sys.modules[name] = ModuleType(name)
            exec(compile(texts[module], f"{module}.py", "exec"), vars(made))
            found.update(vars(made))
    return SimpleNamespace(**found)


def mutated(mutant: Mutant) -> SimpleNamespace:
    text = TEXTS[mutant.module].replace(mutant.before, mutant.after)
    return gallery_of({**TEXTS, mutant.module: text})


def test_without_a_mistake_every_table_holds() -> None:
    made = gallery_of(TEXTS)
    for table in TABLES.values():
        table(made)
    assert made.settle is not betting.settle
    assert sys.modules["casino.betting.book"].Book is betting.Book


@pytest.mark.parametrize("mutant", EVERY, ids=lambda one: f"{one.before.strip()}→{one.after}")
def test_a_mistake_is_caught(mutant: Mutant) -> None:
    assert TEXTS[mutant.module].count(mutant.before) == 1
    wrong = mutated(mutant)
    with pytest.raises((Exception, pytest.fail.Exception)):  # a mistake may end in any error
        TABLES[mutant.killer](wrong)


def test_the_mistakes_are_spread_over_the_tables() -> None:
    assert len(set(EVERY)) == len(EVERY)
    assert {mutant.killer for mutant in EVERY} == set(TABLES)
