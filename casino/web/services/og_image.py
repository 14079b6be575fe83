"""Open Graph images of finished games, for link previews: players, score, last hands.

Cards and letters are copied, row by row, from a sprite sheet that `python -m tools.share_art`
renders from those of the pages, so that drawing needs no imaging library.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

FOLDER: Final = Path(__file__).parent
WIDE: Final = 1200
HIGH: Final = 630
_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_MARGIN: Final = 84
_CARDS_FROM: Final = 446
_CARD_STEP: Final = 134
_NAME_WIDTH: Final = 340
_ROWS: Final = {"house": 68, "challenger": 368}  # the y position of each seat

_SEATS: Final = tuple(_ROWS)
_HAND: Final = 10  # the width of a hand in letters

Box = tuple[int, int, int, int]


class Sprites(NamedTuple):
    """The sprite sheet: palette, pixel rows, the boxes of sprites, names of bots and tables."""

    palette: bytes
    rows: list[bytes]
    boxes: Mapping[str, Box]
    names: Mapping[str, Mapping[str, str]]
    tables: Mapping[str, str]


class SeatPicture(NamedTuple):
    """The name, points and last hand of a seat, as drawn."""

    name: str
    points: str
    hand: str


class TablePicture(NamedTuple):
    """The content of an image: the game, both seats, and the trump suit."""

    game: str
    house: SeatPicture
    challenger: SeatPicture
    trumps: str


class Canvas:
    """A paletted image onto which sprites are copied."""

    def __init__(self, sheet: Sprites) -> None:
        self._sheet = sheet
        self._rows = [bytearray(row[:WIDE]) for row in sheet.rows[:HIGH]]

    def draw(self, piece: str, left: int, top: int) -> int:
        """Draw a sprite, if it exists, and return the x position after it."""
        if piece not in self._sheet.boxes:
            return left
        x, y, width, height = self._sheet.boxes[piece]
        for at in range(height):
            self._rows[top + at][left : left + width] = self._sheet.rows[y + at][x : x + width]
        return left + width

    def draw_text(self, kind: str, text: str, left: int, top: int, most: int = WIDE) -> None:
        """Draw a text, skipping letters without a sprite and shortening it to `most` pixels."""
        letters = [f"{kind}-{letter}" for letter in text]
        widths = [self._sheet.boxes.get(letter, (0, 0, 0, 0))[2] for letter in letters]
        if sum(widths) > most:
            dots = self._sheet.boxes[f"{kind}-."][2]
            while letters and sum(widths) + 3 * dots > most:
                letters.pop()
                widths.pop()
            letters += [f"{kind}-."] * 3
        for letter in letters:
            left = self.draw(letter, left, top)

    def png(self) -> bytes:
        """Return the image as the bytes of a PNG file."""
        rows = b"".join(b"\0" + row for row in self._rows)
        head = struct.pack(">IIBBBBB", WIDE, HIGH, 8, 3, 0, 0, 0)
        parts = (b"IHDR", head), (b"PLTE", self._sheet.palette), (b"IDAT", zlib.compress(rows, 6))
        return _SIGNATURE + b"".join(_chunk(*part) for part in (*parts, (b"IEND", b"")))


def table_picture(game: Mapping[str, Any], steps: Iterable[Mapping[str, Any]]) -> TablePicture:
    """Return the content of a finished game's image, from the game and its replay as JSON."""
    hands, trumps = {"house": "", "challenger": ""}, ""
    for step in steps:
        if all(len(step["hands"].get(seat, "")) == _HAND for seat in _SEATS):
            hands = step["hands"]
        if step["message"]["type"] == "turned_up":
            trumps = step["message"]["card"][1]
    score = game["score"] or dict.fromkeys(_SEATS, "–")
    house, challenger = (
        SeatPicture(_name(game, seat), str(score[seat]), hands[seat]) for seat in _SEATS
    )
    return TablePicture(game["game"], house, challenger, trumps)


def _name(game: Mapping[str, Any], seat: str) -> str:
    player = str(game["players"][seat])
    return (
        load_sprites().names[seat].get(player, player.partition(":")[2] or player)
        if game["opened"]["bots"].get(seat)
        else player
    )


def _title(game: str) -> str:
    table, _, number = game.rpartition("-")
    return (
        f"{load_sprites().tables.get(table, table)} {int(number)}" if number.isdecimal() else game
    )


@lru_cache(maxsize=64)
def render(shown: TablePicture) -> bytes:
    """Return the image as the bytes of a PNG file; recent ones are cached."""
    canvas = Canvas(load_sprites())
    for (name, points, hand), top in zip(
        (shown.house, shown.challenger), _ROWS.values(), strict=True
    ):
        canvas.draw_text("name", name, _MARGIN, top, _NAME_WIDTH)
        canvas.draw_text("score", points, _MARGIN, top + 66)
        for index in range(0, len(hand), 2):
            canvas.draw(hand[index : index + 2], _CARDS_FROM + index // 2 * _CARD_STEP, top + 4)
    canvas.draw(f"trump-{shown.trumps}", _MARGIN + 180, HIGH // 2 - 42)
    canvas.draw_text("note", f" {_title(shown.game)} ", _MARGIN + 290, HIGH // 2 - 19)
    return canvas.png()


@cache
def load_sprites() -> Sprites:
    """Return the sprite sheet, which is read on the first call."""
    data = json.loads((FOLDER / "preview.json").read_text("utf-8"))
    boxes = {name: tuple(box) for name, box in data["boxes"].items()}
    return Sprites(*_read(FOLDER / "preview.png"), boxes, data["names"], data["tables"])


def _read(path: Path) -> tuple[bytes, list[bytes]]:
    body = path.read_bytes()
    chunks: dict[bytes, bytes] = {}
    at = len(_SIGNATURE)
    while at < len(body):
        (length,) = struct.unpack_from(">I", body, at)
        chunks[body[at + 4 : at + 8]] = body[at + 8 : at + 8 + length]
        at += 12 + length
    width, height = struct.unpack_from(">II", chunks[b"IHDR"])
    pixels = zlib.decompress(chunks[b"IDAT"])
    # Each row begins with its filter type, which is 0 (none) in this file.
    rows = [pixels[1 + (width + 1) * row : (width + 1) * (row + 1)] for row in range(height)]
    return chunks[b"PLTE"], rows


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
