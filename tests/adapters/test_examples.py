"""The examples of the adapters' documentation run."""

from __future__ import annotations

import doctest
import sys
from importlib import import_module
from pathlib import Path

import pytest

from casino.errors import MissingExtraError
from tests.adapters.oracle import EXTRAS, needed

PAGE = Path(__file__).parents[2] / "docs" / "adapters.md"
PACKAGES = {
    "Batches": "numba",
    "PettingZoo": "pettingzoo",
    "Gymnasium": "gymnasium",
    "OpenSpiel": "pyspiel",
}
"""The sections, and the package each needs."""


def sections() -> dict[str, str]:
    parts = PAGE.read_text("utf-8").split("\n## ")[1:]
    return {title: text for title, _, text in (part.partition("\n") for part in parts)}


def test_every_section_is_tested() -> None:
    assert list(sections()) == list(PACKAGES)


@pytest.mark.parametrize("title", PACKAGES)
def test_examples_of_each_section_run(title: str) -> None:
    needed(PACKAGES[title])
    examples = doctest.DocTestParser().get_doctest(sections()[title], {}, title, str(PAGE), 0)
    runner = doctest.DocTestRunner()
    runner.run(examples)
    assert runner.failures == 0 and runner.tries > 3


@pytest.mark.parametrize("package", ["pettingzoo", "gymnasium", "pyspiel"])
def test_missing_library_names_the_extra(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    extra = EXTRAS[package]
    monkeypatch.delitem(sys.modules, f"casino.adapters.{extra}", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"pip install '.\[{extra}\]"):
        import_module(f"casino.adapters.{extra}")
