"""The picture of a shared game: made of the pages' own cards and letters, named by the page."""

from __future__ import annotations

import io
import json
import re
import subprocess
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from PIL import Image

from casino.bots import BOT_NAMES
from casino.web.services.og_image import (
    FOLDER,
    HIGH,
    WIDE,
    SeatPicture,
    TablePicture,
    load_sprites,
    render,
    table_picture,
)
from tests.web.doors import Doors, Visitor
from tests.web.share_art import SALONS
from tests.web.test_scripts import node

Visit = Callable[..., Visitor]
ROOT = Path(__file__).parent.parent.parent
TOLD = TablePicture(
    "t1-000001",
    SeatPicture("ann", "5", "KHQHJSAS7D"),
    SeatPicture("Maître Hubert", "2", "KSQSJHTH7C"),
    "H",
)
HAND_LEFT, HAND_TOPS = 446, (72, 372)


def opened(body: bytes) -> Image.Image:
    """A picture as its pixels."""
    return Image.open(io.BytesIO(body)).convert("RGB")


def art() -> Image.Image:
    """The sheet of pieces."""
    return opened((FOLDER / "preview.png").read_bytes())


def piece(name: str) -> Image.Image:
    x, y, width, height = load_sprites().boxes[name]
    return art().crop((x, y, x + width, y + height))


def test_the_cards_of_both_hands_lie_where_they_should() -> None:
    """Pixel by pixel those of the deck, in the order of the hand, and the suit of trumps."""
    seen = opened(render(TOLD))
    assert seen.size == (WIDE, HIGH)
    for part, top in zip((TOLD.house, TOLD.challenger), HAND_TOPS, strict=True):
        for place in range(5):
            card = piece(part.hand[2 * place : 2 * place + 2])
            left = HAND_LEFT + 134 * place
            there = seen.crop((left, top, left + card.width, top + card.height))
            assert there.tobytes() == card.tobytes()
    trump = piece("trump-H")
    there = seen.crop((264, 273, 264 + trump.width, 273 + trump.height))
    assert there.tobytes() == trump.tobytes()


def test_every_card_suit_and_digit_has_a_piece_within_the_sheet() -> None:
    """Nothing lies over something else, nothing outside."""
    boxes = load_sprites().boxes
    cards = {rank + suit for rank in "KQJAT987" for suit in "SHDC"}
    assert cards | {f"trump-{suit}" for suit in "SHDC"} <= set(boxes)
    assert {f"score-{digit}" for digit in "0123456789–"} <= set(boxes)
    width, height = art().size
    for x, y, wide, high in boxes.values():
        assert x >= 0 and y >= HIGH and x + wide <= width and y + high <= height


@pytest.mark.parametrize("name", ["", "李娜", "W" * 24, "Ægir Øst", "Ёжик", "a\u0301b"])
def test_any_name_makes_a_picture(name: str) -> None:
    """Letters that there are not are left out; a long name ends in dots before the cards."""
    seen = opened(render(TOLD._replace(house=SeatPicture(name, "5", "KHQHJSAS7D"))))
    plain = opened(render(TOLD._replace(house=SeatPicture("", "5", "KHQHJSAS7D"))))
    assert seen.crop((430, 0, WIDE, HIGH)).tobytes() == plain.crop((430, 0, WIDE, HIGH)).tobytes()
    written = any(f"name-{letter}" in load_sprites().boxes for letter in name)
    assert (seen.tobytes() != plain.tobytes()) == written


def test_a_game_without_cards_has_a_picture_too() -> None:
    """One that was void before the deal, whose score is nobody's."""
    game: dict[str, Any] = {
        "game": "t1-000001",
        "score": None,
        "players": {"house": "regle", "challenger": "ann"},
        "opened": {"bots": {"house": {"name": "regle"}}},
    }
    told = table_picture(game, [])
    assert told.house == SeatPicture("Maître Hubert", "–", "")
    assert told.challenger == SeatPicture("ann", "–", "")
    assert opened(render(told)).size == (WIDE, HIGH)


def test_a_game_is_called_by_its_table_and_number() -> None:
    """As on the pages, not by its id; what is no id stays as it is."""
    plain = opened(render(TOLD._replace(game="Petit Salon 36")))
    assert opened(render(TOLD._replace(game="petit-000036"))).tobytes() == plain.tobytes()
    own = opened(render(TOLD._replace(game="my own 7")))
    assert opened(render(TOLD._replace(game="my own-000007"))).tobytes() == own.tobytes()


def test_bots_and_tables_are_called_as_on_the_pages() -> None:
    """The sheet's names are those of the scripts; `python -m tests.web.share_art` writes them."""
    script = f"""
        import {{ displayName }} from "{ROOT.as_posix()}/static/js/felt/avatars.js";
        import {{ gameName }} from "{ROOT.as_posix()}/static/js/text/game_names.js";
        const bots = {json.dumps(BOT_NAMES)};
        const by = (seat) => Object.fromEntries(bots.map((bot) => [bot, displayName(seat, bot)]));
        const tables = {json.dumps(SALONS)}.map((salon) => [salon, gameName(salon)]);
        const names = {{ house: by("house"), challenger: by("challenger") }};
        console.log(JSON.stringify([names, Object.fromEntries(tables)]));
    """
    run: subprocess.CompletedProcess[str] = node("--input-type=module", "-e", script)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == [load_sprites().names, load_sprites().tables]


def test_the_page_of_a_game_names_its_picture(doors: Doors, visit: Visit) -> None:
    """By a whole address, which answers with that very picture; an unknown game has none."""
    visitor = visit()
    games = visitor.until(lambda: visitor.get("/api/games?limit=1")["games"])
    game, score = games[0]["game"], games[0]["score"]
    with urlopen(f"{doors.url}/game/{game}") as response:
        html = response.read().decode()
    found = dict(re.findall(r'<meta property="og:([\w:]+)" content="([^"]*)">', html))
    assert found["image"] == f"{doors.url}/game/{game}/picture.png"
    assert f"{score['house']} : {score['challenger']}" in unescape(found["description"])
    with urlopen(found["image"]) as response:
        assert response.headers["Content-Type"] == "image/png"
        assert "max-age=86400" in response.headers["Cache-Control"]
        body = response.read()
    steps = visitor.get(f"/api/games/{game}/steps")["steps"]
    assert body == render(table_picture(visitor.get(f"/api/games/{game}"), steps))
    with urlopen(f"{doors.url}/game/t1-999999") as response:
        html = response.read().decode()
    assert "picture.png" not in html
    with urlopen(re.findall(r'og:image" content="([^"]+)"', html)[0]) as response:
        assert response.headers["Content-Type"] == "image/png"
