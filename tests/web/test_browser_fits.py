"""Whatever a game may bring fits a small phone, in every language; no game is played for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from casino.web.languages import LANGUAGES
from tests.web.browser import Person

pytestmark = pytest.mark.xdist_group("browser")

Somebody = Callable[..., Person]
FORCED = (Path(__file__).parent / "scripts" / "forced.js").read_text("utf-8")
SMALL, TALL, SIDE = (360, 640), (390, 844), (844, 390)
STILL = {"reduced_motion": "reduce"}
HAND = ["QD", "KD", "TD", "JH", "QH"]
EXCHANGES = ["XQD", "XQDKDTDJHQH", "XQDKDTDJH"]
CHOICES: list[tuple[list[str], list[str]]] = [
    (["P", "S"], []),
    (["A", "R"], []),
    (["N", "O"], []),
    (["V", "W"], []),
    (["X"], []),
    (EXCHANGES, []),
    (EXCHANGES, HAND),
    ([*HAND, "C"], []),
    ([*HAND, "K", "C"], []),
    ([*HAND, "K", "V", "C"], []),
]
"""What may be asked at once, and which cards are chosen."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_that_may_be_asked_and_said_fits_a_phone(somebody: Somebody, language: str) -> None:
    """Each pair of choices with its price, an exchange named card by card, a phrase, a word."""
    person = somebody(size=SMALL, **STILL)
    page = person.page
    page.add_init_script(FORCED)
    person.go(f"/table/open?lang={language}")
    found: dict[tuple[Any, ...], list[str]] = {}
    for size in (SIDE, TALL, SMALL):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.evaluate("hear()")
        person.picture(f"fits-{language}-{size[0]}-watching")
        found[size, "watching"] = page.evaluate("covered()")
    for legal, chosen in CHOICES:
        asked = {"legal": legal, "chosen": chosen, "trick": "C" in legal}
        page.evaluate("force", asked)
        person.picture(f"fits-{language}-{legal[-1]}-{len(chosen)}")
        found[tuple(legal), len(chosen)] = page.evaluate("[...cut(), ...covered()]")
    assert {what: wrong for what, wrong in found.items() if wrong} == {}
