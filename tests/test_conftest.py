"""The golden files are compared, and written only when asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

TEST = """
def test_song(golden):
    golden("song.txt", "la\\nla\\n")
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A small project with the same conftest.py and one golden test."""
    pytester.makeconftest((Path(__file__).parent / "conftest.py").read_text("utf-8"))
    pytester.makepyfile(TEST)
    return pytester


def test_a_golden_file_is_written_when_asked_for(project: pytest.Pytester) -> None:
    """With --write-golden the file is made, and then the test passes without."""
    project.runpytest_subprocess("--write-golden").assert_outcomes(passed=1)
    assert (project.path / "golden" / "song.txt").read_text("utf-8") == "la\nla\n"
    project.runpytest_subprocess().assert_outcomes(passed=1)


def test_a_missing_golden_file_fails(project: pytest.Pytester) -> None:
    """Without the file the test fails and says which command writes it."""
    result = project.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*make golden writes it*"])


def test_another_text_fails(project: pytest.Pytester) -> None:
    """A golden file that says something else fails the test and is left as it is."""
    (project.path / "golden").mkdir()
    (project.path / "golden" / "song.txt").write_text("la\nlu\n", "utf-8")
    project.runpytest_subprocess().assert_outcomes(failed=1)
    assert (project.path / "golden" / "song.txt").read_text("utf-8") == "la\nlu\n"
