"""The pieces of which shared pictures are made, and the icons: `python -m tools.share_art`.

A browser draws them from the pages' own cards and letters; the server only puts them together.
"""

from __future__ import annotations

import io
import json
import struct
import tempfile
import zlib
from pathlib import Path
from typing import Any

from PIL import Image

from casino.bots import BOT_NAMES
from casino.web.services.og_image import FOLDER
from tests.web.browser import ROOT, Person, casino, chromium

STATIC = ROOT / "static"
TABLES = {"salon": {"betting_ms": 3_600_000, "number": 0}}
WIDE, HIGH, SHEET_HIGH = 1200, 630, 3200
COLOURS = 200
ICONS = (192, 512)
SALONS = ("garnier", "petit", "grand", "cabinet")
LETTERS = (
    " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{}~"
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿŒœ–—…’"
    "АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдеёжзийклмнопрстуфхцчшщъыьэюя"
)

DRAW = """async ({letters, bots, salons, wide, high, sheet}) => {
  const files = new URL(document.querySelector("link[rel=icon]").href, location).href;
  const load = (name) => import(files.replace("icon.svg", `js/${name}`));
  const { cardSvg } = await load("felt/cards.js");
  const { displayName } = await load("felt/avatars.js");
  const { gameName } = await load("text/game_names.js");
  const deck = document.querySelector(".sprite");
  document.body.replaceChildren(deck);
  document.body.className = "";
  const boxes = {};
  const root = document.documentElement;
  root.dataset.theme = "light";
  const size = `width:${wide}px;height:${sheet}px`;
  document.body.style.cssText = `background:#17594a;display:block;${size}`;
  root.style.cssText = "font-size:16px;background:#17594a";
  const put = (name, x, y, w, h, css, html) => {
    const box = document.createElement("div");
    const place = `left:${x}px;top:${y}px;width:${w}px;height:${h}px`;
    box.style.cssText = `position:absolute;${place};${css}`;
    box.innerHTML = html;
    document.body.append(box);
    if (name) boxes[name] = [x, y, w, h];
  };
  put("", 0, 0, wide, high, `background:#efe9dc`, "");
  put("", 24, 24, wide - 48, high - 48, `background:#17594a;border-radius:64px;
    box-shadow:0 0 0 12px #3a2219, 0 0 0 14px #c9a55e, inset 0 0 40px #0005`, "");
  put("", 70, high / 2 - 1, wide - 140, 2, "background:#c9a55e", "");
  let [x, y] = [0, high + 10];
  const next = (w, h, step = 8) => {
    if (x + w > wide) [x, y] = [0, y + h + step];
    const at = [x, y];
    x += w + step;
    return at;
  };
  for (const suit of "SHDC") for (const rank of "KQJAT987") {
    const [left, top] = next(130, 182);
    put(rank + suit, left, top, 130, 182, "", cardSvg(rank + suit));
  }
  [x, y] = [0, y + 190];
  for (const suit of "SHDC") {
    const [left, top] = next(84, 84);
    const paper = "background:#fffdf6;border-radius:14px;padding:14px;box-sizing:border-box";
    const ink = "width:56px;height:56px;display:block;fill:var(--suit);color:var(--suit)";
    put(`trump-${suit}`, left, top, 84, 84, paper,
      `<svg class="suit-${suit}" viewBox="0 0 100 100" style="${ink}">
        <use href="#pip-${suit}" width="100" height="100"/></svg>`);
  }
  const glyphs = (prefix, some, size, colour, tall) => {
    [x, y] = [0, y + 110];
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `400 ${size}px "Salon Display"`;
    for (const letter of some) {
      const w = Math.ceil(pen.measureText(letter).width);
      const [left, top] = next(w, tall, 14);
      const font = `font:400 ${size}px/${tall}px "Salon Display";color:${colour}`;
      put(prefix + letter, left, top, w, tall, `${font};white-space:pre`,
        letter.replace("<", "&lt;"));
    }
  };
  glyphs("name-", letters, 46, "#faf3e3", 64);
  glyphs("note-", letters.slice(0, 94), 26, "#cfe1d5", 38);
  glyphs("score-", "0123456789–", 104, "#f3da9b", 124);
  await document.fonts.ready;
  const names = Object.fromEntries(["house", "challenger"].map((seat) =>
    [seat, Object.fromEntries(bots.map((bot) => [bot, displayName(seat, bot)]))]));
  const tables = Object.fromEntries(salons.map((salon) => [salon, gameName(salon)]));
  return { boxes, names, tables, bottom: y + 124 };
}"""
ICON = """({size, margin}) => {
  const url = document.querySelector("link[rel=icon]").href;
  document.body.replaceChildren();
  document.body.style.cssText = "margin:0;background:#14533a;display:block;min-height:0";
  document.documentElement.style.background = "#14533a";
  const icon = document.createElement("img");
  icon.src = url;
  const inner = size - 2 * margin;
  icon.style.cssText = `position:absolute;left:${margin}px;top:${margin}px;width:${inner}px`;
  document.body.append(icon);
  return icon.decode();
}"""


def main() -> None:
    """Draw them all."""
    with (
        tempfile.TemporaryDirectory() as folder,
        casino(Path(folder), TABLES) as opened,
        chromium() as browser,
    ):
        person = Person(browser, opened, (WIDE, SHEET_HIGH), color_scheme="light", bypass_csp=True)
        person.go("/chart").evaluate(
            "document.fonts.load('46px \"Salon Display\"', 'AЖ').then(() => null)"
        )
        asked: dict[str, Any] = {"letters": LETTERS, "bots": BOT_NAMES, "salons": SALONS}
        asked |= {"wide": WIDE, "high": HIGH, "sheet": SHEET_HIGH}
        told: dict[str, Any] = person.page.evaluate(DRAW, asked)
        person.settles(person.page)
        seen = person.page.screenshot(clip=clip(WIDE, told.pop("bottom")))
        write_sheet(Image.open(io.BytesIO(seen)).convert("RGB"), told)
        for size in ICONS:
            person.page.set_viewport_size({"width": size, "height": size})
            person.go("/rules").evaluate(ICON, {"size": size, "margin": size // 10})
            icon = Image.open(io.BytesIO(person.page.screenshot())).convert("RGB")
            icon.quantize(64).save(STATIC / f"icon-{size}.png", optimize=True)


def clip(width: int, height: int) -> Any:
    """Return the part of the page that is kept."""
    return {"x": 0, "y": 0, "width": width, "height": height}


def write_sheet(drawn: Image.Image, told: dict[str, Any]) -> None:
    """Write the pieces: a picture of at most 256 colours whose rows are not filtered."""
    small = drawn.quantize(COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    width, height = small.size
    palette = bytes(small.getpalette() or b"")[: 3 * COLOURS]
    pixels = small.tobytes()
    rows = b"".join(b"\0" + pixels[at : at + width] for at in range(0, len(pixels), width))
    path = FOLDER / "preview.png"
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0))
        + chunk(b"PLTE", palette)
        + chunk(b"IDAT", zlib.compress(rows, 9))
        + chunk(b"IEND", b"")
    )
    text = json.dumps(told, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    (FOLDER / "preview.json").write_text(text + "\n", "utf-8")
    print(f"{path}: {path.stat().st_size} bytes")


def chunk(name: bytes, body: bytes) -> bytes:
    """Return a chunk of a PNG file."""
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


if __name__ == "__main__":
    main()
