"""First paint and weight of the table page, and Lighthouse's scores of three pages.

It needs chromium, and for Lighthouse npx, which fetches it; a missing program costs its own rows.
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
DEVICES = {"phone": (), "desktop": ("--preset=desktop",)}
PAINTED = """() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0"""
MOVING = """() => document.getAnimations().some((one) => one.playState === "running")"""
TIMEOUT_SECONDS = 60
POLL_SECONDS = 0.01


class Visit(NamedTuple):
    """A visit of a page: milliseconds since the casino was ready, and bytes."""

    painted: float
    moving: float
    bytes: int
    script_bytes: int


def visit(path: str) -> Visit:
    """Start a casino with default settings, and open a page of it as soon as it is ready."""
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
            sizes = {answer.url: answer.request.sizes()["responseBodySize"] for answer in answers}
            scripts = sum(size for url, size in sizes.items() if url.endswith(".js"))
            return Visit(painted, 1000 * (moving - ready), sum(sizes.values()), scripts)


@contextmanager
def pages() -> Iterator[dict[str, str]]:
    """Run casinos; yield the addresses of the pages that Lighthouse visits."""
    # After its first game the table pauses, so that it takes no time from the measurement.
    one_game = {"t1": {"betting_ms": 1_000, "pace_ms": 15, "deal_ms": 30, "game_ms": 600_000}}
    with (
        tempfile.TemporaryDirectory() as live_folder,
        tempfile.TemporaryDirectory() as played_folder,
        casino(Path(live_folder), {}) as live,
        casino(Path(played_folder), one_game) as played,
    ):
        game = f"{played}/game/{wait_for_game(played)}"
        yield {"lobby": live + "/", "table": live + TABLE, "game": game}


def wait_for_game(url: str) -> str:
    """Wait for the first finished game of a casino; return its id."""
    end = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < end:
        with urllib.request.urlopen(f"{url}/api/games?limit=1") as answer:
            if games := json.load(answer)["games"]:
                return str(games[0]["game"])
        time.sleep(POLL_SECONDS)
    raise TimeoutError(f"no game was finished at {url}")


def run_lighthouse(url: str, *options: str) -> dict[str, int]:
    """Return Lighthouse's scores of a page out of 100, or nothing if it cannot run."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.json")
        command = ["npx", "--yes", LIGHTHOUSE, url, "--quiet", "--output=json", *options]
        flags = "--chrome-flags=--headless=new --no-sandbox"
        done = subprocess.run(
            [*command, f"--output-path={path}", flags],
            env={**os.environ, "CHROME_PATH": CHROMIUM},
            cwd=folder,
            check=False,
        )
        if done.returncode != 0:
            return {}
        report = json.loads(path.read_text("utf-8"))
    for name, category in report["categories"].items():
        for reference in category["auditRefs"]:
            audit = report["audits"][reference["id"]]
            is_counted = reference["weight"] and name != "performance"
            if is_counted and audit["score"] is not None and audit["score"] < 1:
                click.echo(f"  failed: {reference['id']}: {audit['title']}")
    return {name: round(100 * report["categories"][name]["score"]) for name in CATEGORIES}


def print_scores(runs: int) -> None:
    with pages() as addresses:
        for page, url in addresses.items():
            for device, options in DEVICES.items():
                scores = [score for _ in range(runs) if (score := run_lighthouse(url, *options))]
                if not scores:
                    click.echo("left out: Lighthouse: npx could not run it")
                    return
                medians = (
                    f"{key} {median(each[key] for each in scores):.0f}" for key in CATEGORIES
                )
                load = os.getloadavg()[0]
                click.echo(f"Lighthouse {page}, {device}: {', '.join(medians)} (load {load:.1f})")


@click.command()
@click.option("--visits", type=click.IntRange(1), default=5, show_default=True)
@click.option("--runs", type=click.IntRange(1), default=3, show_default=True, help="Of Lighthouse.")
def main(visits: int, runs: int) -> None:
    """Measure the table page, and print Lighthouse's scores of three pages."""
    if not CHROMIUM or find_spec("playwright") is None:
        click.echo("left out: chromium or playwright is not installed")
        return
    click.echo(f"load of this machine: {os.getloadavg()[0]:.1f}")
    measured = [visit(TABLE) for _ in range(visits)]
    for name in ("painted", "moving"):
        values = [getattr(each, name) for each in measured]
        click.echo(
            f"table {name} after ready: median {median(values):.0f} ms, maximum {max(values):.0f}"
        )
    weight = measured[0]
    click.echo(f"table weighs {weight.bytes} bytes, {weight.script_bytes} of them scripts")
    if shutil.which("npx") is None:
        click.echo("left out: Lighthouse: npx is not installed")
        return
    print_scores(runs)


if __name__ == "__main__":
    main()
