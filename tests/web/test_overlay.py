"""The stream overlay and the web app manifest, over HTTP and in a browser."""

from __future__ import annotations

import io
import re

from PIL import Image

from tests.web.browser import DESK, NEXT_FRAME, PHONE, NewPerson
from tests.web.server import Server, fetch

CORNER = (2, 2, 3, 3)
WHOLE = "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
# The words and counters that the round rim of the felt cuts off.
OUTSIDE = """() => {
    const felt = document.getElementById("cloth");
    const there = (x, y) => felt.contains(document.elementFromPoint(x, y));
    return [...document.querySelectorAll(".plate :is(.points, .name, .counters, .plate-notes)")]
        .filter((one) => {
            if (!one.checkVisibility()) return false;
            const { left, top, right, bottom } = one.getBoundingClientRect();
            const [x, y] = [(left + right) / 2, (top + bottom) / 2];
            return !(there(left, y) && there(right, y) && there(x, top) && there(x, bottom));
        }).map((one) => one.className);
}"""


def test_manifest_icons_exist(server: Server) -> None:
    (address,) = re.findall(r'rel="manifest" href="([^"]+)"', fetch(server.url, "/rules").text)
    manifest = fetch(server.url, address)
    assert manifest.headers["Content-Type"] == "application/manifest+json"
    told = manifest.json
    assert (told["start_url"], told["scope"], told["display"]) == ("/", "/", "standalone")
    assert {icon.get("purpose") for icon in told["icons"]} == {None, "maskable"}
    for icon in told["icons"]:
        image = fetch(server.url, icon["src"])
        assert image.headers["Content-Type"].partition(";")[0] == icon["type"]
        if icon["type"] == "image/png":
            width, height = Image.open(io.BytesIO(image.body)).size
            assert icon["sizes"] == f"{width}x{height}"


def test_an_overlay_shows_only_the_felt(new_person: NewPerson) -> None:
    person = new_person()
    page = person.go("/overlay/quick")
    person.play_until(lambda: page.locator("#cloth .piece.hand").count() > 0, "quick")
    assert page.locator("header, nav, footer, form").count() == 0
    person.until(lambda: " bet" in page.inner_text("#book-words"))
    for size in (DESK, PHONE, (1920, 1080), (844, 390)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.evaluate(NEXT_FRAME)
        assert tuple(page.evaluate(WHOLE)) == size
        box = page.locator("#cloth").bounding_box()
        assert box is not None
        assert box["x"] >= 0 and box["x"] + box["width"] <= size[0]
        assert box["y"] >= 0 and box["y"] + box["height"] <= size[1]
        assert page.evaluate(OUTSIDE) == [], size
    seen = Image.open(io.BytesIO(page.screenshot(omit_background=True))).convert("RGBA")
    assert seen.crop(CORNER).getpixel((0, 0)) == (0, 0, 0, 0)
