"""A casino in a process of its own, in real time, and the browser of this machine."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PROGRAMS = "chromium", "chromium-browser", "chromium-headless-shell"
CHROMIUM = next(filter(None, map(shutil.which, PROGRAMS)), "")


@contextmanager
def casino(folder: Path, tables: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Run a new casino with some tables, or the default ones; yield its address."""
    lines: list[str] = []
    for name, keys in tables.items():
        lines += [f"[tables.{name}]", *(f"{key} = {json.dumps(keys[key])}" for key in keys)]
    settings = folder / "config.toml"
    settings.write_text("\n".join(lines), "utf-8")
    command = [sys.executable, "-m", "casino", "run", "--config", str(settings), "--port", "0"]
    env = {name: value for name, value in os.environ.items() if not name.startswith("CASINO_")}
    with subprocess.Popen(
        [*command, "--db", str(folder / "casino.db")], env=env, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            address = re.search(r"http://\S+", process.stdout.readline())
            assert address, "the casino does not start"
            yield address[0]
        finally:
            process.terminate()


@contextmanager
def chromium(program: str = CHROMIUM) -> Iterator[Browser]:
    """Open the browser; raise ImportError if playwright is missing."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()
