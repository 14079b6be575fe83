"""The picture of a shared game: made of the pages' own cards and letters, named by the page."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from html import unescape
from typing import Any
from urllib.request import urlopen

import pytest
from PIL import Image

from casino.web.services.og_image import (
    HIGH,
    WIDE,
    SeatPicture,
    TablePicture,
    load_sprites,
    render,
    table_picture,
)
from tests.web.doors import Doors, Visitor

Visit = Callable[..., Visitor]
TOLD = TablePicture(
    "t1-000001",
    SeatPicture("ann", "5", "KHQHJSAS7D"),
    SeatPicture("Maître Hubert", "2", "KSQSJHTH7C"),
    "H",
)


def opened(body: bytes) -> Image.Image:
    return Image.open(io.BytesIO(body)).convert("RGB")


@pytest.mark.parametrize("name", ["", "李娜", "W" * 24, "Ægir Øst", "Ёжик", "a\u0301b"])
def test_any_name_makes_a_picture(name: str) -> None:
    seen = opened(render(TOLD._replace(house=SeatPicture(name, "5", "KHQHJSAS7D"))))
    plain = opened(render(TOLD._replace(house=SeatPicture("", "5", "KHQHJSAS7D"))))
    assert seen.crop((430, 0, WIDE, HIGH)).tobytes() == plain.crop((430, 0, WIDE, HIGH)).tobytes()
    written = any(f"name-{letter}" in load_sprites().boxes for letter in name)
    assert (seen.tobytes() != plain.tobytes()) == written


def test_a_game_without_cards_has_a_picture_too() -> None:
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


def test_the_page_of_a_game_names_its_picture(doors: Doors, visit: Visit) -> None:
    visitor = visit()
    doors.play("fast")
    games = visitor.get("/api/games?limit=1")["games"]
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
