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
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import click

from bench._pages import CHROMIUM, casino, chromium

LIGHTHOUSE = "lighthouse@12.8.2"
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
TABLE = "/table/garnier"
DEVICES = {"phone": (), "desk": ("--preset=desktop",)}
PAINTED = """() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0"""
MOVING = """() => document.getAnimations().some((one) => one.playState === "running")"""
ANSWER_TIMEOUT_SECONDS = 60
MOMENT_MS = 10


class Visit(NamedTuple):
    """One visit of a page, in milliseconds since the casino was ready, and in bytes."""

    painted: float
    moving: float
    bytes: int
    script_bytes: int


def visit(path: str) -> Visit:
    """Open a casino with the house's own settings, and a page of it as soon as it is ready."""
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        page = browser.new_page()
        answers: list[Any] = []
        page.on("response", lambda answer: answers.append(answer))
        with casino(Path(folder), {}) as url:
            ready = time.monotonic()
            page.goto(url + path, wait_until="commit")
            painted = page.wait_for_function(PAINTED).json_value()
            page.wait_for_function(MOVING)
            moving = time.monotonic()
            page.wait_for_load_state("networkidle")
            sizes = {one.url: one.request.sizes()["responseBodySize"] for one in answers}
            scripts = sum(size for url, size in sizes.items() if url.endswith(".js"))
            return Visit(painted, 1000 * (moving - ready), sum(sizes.values()), scripts)


@contextmanager
def pages() -> Iterator[dict[str, str]]:
    """The addresses that Lighthouse visits, in casinos that are open meanwhile."""
    # After its first game the table rests, so that it takes no time from what is measured.
    once = {"t1": {"betting_ms": 1_000, "pace_ms": 15, "deal_ms": 30, "game_ms": 600_000}}
    with (
        tempfile.TemporaryDirectory() as house,
        tempfile.TemporaryDirectory() as played,
        casino(Path(house), {}) as opened,
        casino(Path(played), once) as finished,
    ):
        yield {
            "lobby": opened + "/",
            "table": opened + TABLE,
            "game": f"{finished}/game/{first_game(finished)}",
        }


def first_game(url: str) -> str:
    """The first game that a casino finishes."""
    end = time.monotonic() + ANSWER_TIMEOUT_SECONDS
    while time.monotonic() < end:
        with urllib.request.urlopen(f"{url}/api/games?limit=1") as answer:
            if games := json.load(answer)["games"]:
                return str(games[0]["game"])
        time.sleep(MOMENT_MS / 1000)
    raise TimeoutError(f"no game was finished at {url}")


def scores(url: str, *options: str) -> dict[str, int]:
    """What Lighthouse gives a page, out of a hundred in each category."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = ["npx", "--yes", LIGHTHOUSE, url, "--quiet", "--output=json", *options]
        flags = "--chrome-flags=--headless=new --no-sandbox"
        done = subprocess.run(
            [*command, f"--output-path={report}", flags],
            env={**os.environ, "CHROME_PATH": CHROMIUM},
            cwd=folder,
            check=False,
        )
        if done.returncode != 0:
            return {}
        told = json.loads(report.read_text("utf-8"))
        lost = [
            one["id"]
            for name, category in told["categories"].items()
            if name != "performance"
            for one in category["auditRefs"]
            if one["weight"] and (score := told["audits"][one["id"]]["score"]) is not None
            if score < 1
        ]
        for name in lost:
            click.echo(f"  lost by {name}: {told['audits'][name]['title']}")
        return {name: round(100 * told["categories"][name]["score"]) for name in CATEGORIES}


def lighthouse(runs: int) -> None:
    """Print the median marks of each page, on a phone and at a desk."""
    with pages() as addresses:
        for page, url in addresses.items():
            for device, options in DEVICES.items():
                found = [one for _ in range(runs) if (one := scores(url, *options))]
                if not found:
                    return click.echo("Lighthouse: left out, npx could not run it")
                marks = (f"{name} {median(one[name] for one in found):.0f}" for name in CATEGORIES)
                load = os.getloadavg()[0]
                click.echo(f"Lighthouse {page}, {device}: {', '.join(marks)} (load {load:.1f})")
    return None


@click.command()
@click.option("--visits", type=click.IntRange(1), default=5, show_default=True)
@click.option("--runs", type=click.IntRange(1), default=3, show_default=True)
def main(visits: int, runs: int) -> None:
    """Print the figures of the table's page, and Lighthouse's marks of three pages."""
    if not CHROMIUM or find_spec("playwright") is None:
        click.echo("the pages: left out, chromium or playwright is missing")
        return
    click.echo(f"load of this machine: {os.getloadavg()[0]:.1f}")
    seen = [visit(TABLE) for _ in range(visits)]
    for name in ("painted", "moving"):
        values = [getattr(one, name) for one in seen]
        click.echo(
            f"table {name} after ready: median {median(values):.0f} ms, {max(values):.0f} at worst"
        )
    click.echo(f"table weighs {seen[0].bytes} bytes, {seen[0].script_bytes} of them scripts")
    if shutil.which("npx") is None:
        click.echo("Lighthouse: left out, npx is missing")
        return
    lighthouse(runs)


if __name__ == "__main__":
    main()
