"""How strong a bot is, told to whoever may play against it."""

from __future__ import annotations

import re
from urllib.request import urlopen

import pytest

from casino.bots import WIN_RATES
from tests.web.doors import Doors


def page(doors: Doors, path: str) -> str:
    with urlopen(f"{doors.url}/{path}") as response:
        html: str = response.read().decode()
    return html


@pytest.mark.parametrize(
    ("wins", "language", "said"),
    [
        (50, "en", "is a steady player"),
        (15, "en", "wins 15 of 100 games to five against a steady player"),
        (58, "fr", "gagne 58 parties en cinq points sur 100 contre un bon joueur"),
        (21, "ru", "выигрывает у крепкого игрока 21 из 100 партий до пяти"),
        (None, "en", ""),
        (None, "ru", ""),
    ],
)
def test_the_sheet_before_the_seat_says_how_strong_the_house_is(
    doors: Doors, monkeypatch: pytest.MonkeyPatch, wins: int | None, language: str, said: str
) -> None:
    """By what it wins against the steady player; of a bot that nobody has measured, nothing."""
    monkeypatch.setitem(WIN_RATES, "regle", wins)
    found = re.search(
        r'<span id="sheet-house"></span>(.*?)</dd>', page(doors, f"table/open?lang={language}")
    )
    assert found
    assert found[1].strip() == said


def test_practice_says_how_strong_every_bot_is(
    doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside each that may be chosen, if it was measured."""
    monkeypatch.setitem(WIN_RATES, "clement", None)
    found = re.findall(r'<option value="(\w+)" data-wins="(\d*)"', page(doors, "practice/open"))
    assert dict(found) == {
        name: "" if wins is None else str(wins) for name, wins in WIN_RATES.items()
    }
