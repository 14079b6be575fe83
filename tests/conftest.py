"""What all tests share: golden files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# A slow machine is no fault: no example has a deadline.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `make golden` write the golden files instead of comparing with them."""
    parser.addoption("--write-golden", action="store_true", help="write the golden files anew")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """A function that compares a text with the golden file of a name, line by line."""
    writing = bool(request.config.getoption("--write-golden"))

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if writing:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        assert path.exists(), f"{path} is missing: make golden writes it"
        assert text.splitlines() == path.read_text("utf-8").splitlines(), "make golden, then read"

    return compare
