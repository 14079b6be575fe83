"""How soon a page is seen and moves, how much it weighs, and what Lighthouse says of it.

Needs chromium, and for Lighthouse npx, which fetches it; what is missing costs its own rows only.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import click

LIGHTHOUSE = "lighthouse@12.8.2"
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
PAINTED = """() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0"""
MOVING = """() => document.getAnimations().some((one) => one.playState === "running")"""
PATIENCE_SECONDS = 60
MOMENT_MS = 10


class Visit(NamedTuple):
    """One visit of a page, in milliseconds since the casino was ready, and in bytes."""

    painted: float
    moving: float
    bytes: int
    script_bytes: int


def visit(path: str) -> Visit:
    """Open a casino with the house's own settings, and a page of it as soon as it is ready."""
    from tests.web.browser import Casino, Person, casino, chromium

    def look(opened: Casino, ready: float) -> Visit:
        answers: list[Any] = []
        person.page.on("response", lambda answer: answers.append(answer))
        started = time.monotonic()
        person.page.goto(opened.url + path, wait_until="commit")
        painted = person.until(lambda: person.page.evaluate(PAINTED))
        person.until(lambda: person.page.evaluate(MOVING))
        moving = time.monotonic()
        person.page.wait_for_load_state("networkidle")
        sizes = {one.url: one.request.sizes()["responseBodySize"] for one in answers}
        scripts = sum(size for url, size in sizes.items() if url.endswith(".js"))
        before = started - ready
        return Visit(1000 * before + painted, 1000 * (moving - ready), sum(sizes.values()), scripts)

    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        person = Person(browser, "")
        with casino(Path(folder), {}) as opened:
            return look(opened, time.monotonic())


def scores(path: str) -> dict[str, int]:
    """What Lighthouse gives a page, out of a hundred in each category."""
    from tests.web.browser import CHROMIUM, casino

    with tempfile.TemporaryDirectory() as folder, casino(Path(folder), {}) as opened:
        report = Path(folder, "report.json")
        command = ["npx", "--yes", LIGHTHOUSE, opened.url + path, "--quiet", "--output=json"]
        flags = "--chrome-flags=--headless=new --no-sandbox"
        done = subprocess.run(
            [*command, f"--output-path={report}", flags],
            env={**os.environ, "CHROME_PATH": CHROMIUM},
            cwd=folder,
            check=False,
        )
        if done.returncode != 0:
            return {}
        categories = json.loads(report.read_text("utf-8"))["categories"]
        return {name: round(100 * categories[name]["score"]) for name in CATEGORIES}


@click.command()
@click.option("--visits", type=click.IntRange(1), default=5, show_default=True)
def main(visits: int) -> None:
    """Print the figures of the table's page and of the lobby."""
    try:
        from tests.web.browser import CHROMIUM
    except ImportError:
        CHROMIUM = ""  # noqa: N806 - playwright could not be installed here
    if not CHROMIUM:
        click.echo("the pages: left out, chromium or playwright is missing")
        return
    click.echo(f"load of this machine: {os.getloadavg()[0]:.1f}")
    seen = [visit("/table/t1") for _ in range(visits)]
    for name in ("painted", "moving"):
        values = [getattr(one, name) for one in seen]
        click.echo(
            f"table {name} after ready: median {median(values):.0f} ms, {max(values):.0f} at worst"
        )
    click.echo(f"table weighs {seen[0].bytes} bytes, {seen[0].script_bytes} of them scripts")
    if shutil.which("npx") is None:
        click.echo("Lighthouse: left out, npx is missing")
        return
    for path in ("/table/t1", "/"):
        found = scores(path) or {"left out, npx could not run it": 0}
        click.echo(f"Lighthouse {path}: " + ", ".join(f"{k} {v}" for k, v in found.items()))


if __name__ == "__main__":
    main()
