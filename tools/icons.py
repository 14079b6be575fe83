"""Draw static/icon.svg as PNG files with a browser: `python -m tools.icons`."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from PIL import Image

from tests.web.browser import ROOT, Person, casino, chromium

STATIC = ROOT / "static"
TABLES = {"salon": {"betting_ms": 3_600_000, "number": 0}}
SIZES = (192, 512)

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
    """Draw all sizes."""
    with (
        tempfile.TemporaryDirectory() as folder,
        casino(Path(folder), TABLES) as opened,
        chromium() as browser,
    ):
        for size in SIZES:
            person = Person(browser, opened, (size, size), color_scheme="light", bypass_csp=True)
            person.go("/rules").evaluate(ICON, {"size": size, "margin": size // 10})
            icon = Image.open(io.BytesIO(person.page.screenshot())).convert("RGB")
            icon.quantize(64).save(STATIC / f"icon-{size}.png", optimize=True)


if __name__ == "__main__":
    main()
