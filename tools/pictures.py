"""Retake the pictures of the README from a live casino in a browser: `make pictures`."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

from tests.web.browser import DESK, PHONE, ROOT, Person, casino, chromium
from tests.web.test_browser_table import bet as bet_by_mouse

FOLDER = ROOT / "docs" / "pictures"
WALL = (2560, 1440)
WIDEST = 1280
COLOURS = 256
TABLES: dict[str, dict[str, Any]] = {"salon": {}}
IN_PLAY = """() => casino.state().deal?.trick.length === 1
    && document.querySelectorAll(".taken").length > 1"""


def main() -> None:
    """Take all pictures."""
    with (
        tempfile.TemporaryDirectory() as folder,
        casino(Path(folder), TABLES) as opened,
        chromium() as browser,
    ):
        person = Person(browser, opened, reduced_motion="reduce", color_scheme="light")
        person.enter("Anna", "salon")
        for name, size in (("table", DESK), ("table-phone", PHONE), ("table-wall", WALL)):
            resize(person, size)
            bet_by_mouse(person, "challenger", 3)
            person.play_until(lambda: person.page.evaluate(IN_PLAY))
            take(person, name)
        resize(person, DESK)
        person.skip_to_settlement(bet_by_mouse(person, "challenger", 3))
        person.page.wait_for_selector("#settlement-mine:not([hidden])")
        take(person, "settlement")
        game = person.state("game.id")
        person.go(f"/audit?game={game}").wait_for_selector("#verdict-line.good")
        take(person, "audit")
        person.go(f"/game/{game}").wait_for_selector("#deals a")
        while not person.page.locator(".piece.trick").count():
            person.page.click("#on")
        take(person, "replay")


def resize(person: Person, size: tuple[int, int]) -> None:
    """Resize the window."""
    person.page.set_viewport_size({"width": size[0], "height": size[1]})


def take(person: Person, name: str) -> None:
    """Save what the window shows, scaled down."""
    picture = Image.open(io.BytesIO(person.page.screenshot())).convert("RGB")
    picture.thumbnail((WIDEST, picture.height))
    path = FOLDER / f"{name}.png"
    # An octree keeps small patches of a colour of their own, such as the challenger's blue.
    picture.quantize(COLOURS, Image.Quantize.FASTOCTREE).save(path, optimize=True)
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
