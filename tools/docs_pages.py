"""Hooks of `make docs`: home page from README.md, commands from --help, settings from config.toml.

Links to files that are not pages become plain text, because the site does not carry them.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from mkdocs.structure.files import File, Files

from casino.cli import GROUPS, casino

ROOT = Path(__file__).resolve().parent.parent
LINK_OUTSIDE = re.compile(
    r"\[([^\]]+)\]\((?:\.\./[^)]+|[A-Z]\w+(?:\.md)?|config\.toml|bench/[^)]+|\w+\.ipynb)\)"
)


def commands() -> str:
    """Return a page with the help of every command, by group."""
    exits = (
        "The exit code is 0 for success, 1 if something was found or refused, 2 for wrong use or"
    )
    parts = [
        "# Commands",
        f"{exits} unreadable input, 130 if interrupted. An error is one sentence.",
    ]
    for (_, title), summaries in GROUPS.items():
        parts.append(f"## {title}")
        for name, summary in summaries.items():
            text = CliRunner().invoke(casino, [name, "--help"], prog_name="casino").stdout
            parts.append(f"### casino {name}\n\n{summary}\n\n```text\n{text}```")
    return "\n\n".join(parts)


def settings() -> str:
    """Return a page with a table of each section of config.toml."""
    text = (ROOT / "config.toml").read_text("utf-8")
    tomllib.loads(text)
    parts, comment = ["# Settings"], []
    for line in text.splitlines():
        if line.startswith("# "):
            comment.append(line[2:])
        elif section := re.match(r"\[(.+)\]", line):
            parts += ["", f"## [{section[1]}]", "", " ".join(comment), ""]
            parts += ["| key | default | meaning |", "|---|---|---|"]
        elif pair := re.match(r"(\w+) *= *(.+)", line):
            meaning = " ".join(comment).replace("|", "\\|")
            parts.append(f"| `{pair[1]}` | `{pair[2]}` | {meaning} |")
        if not line.startswith("#"):
            comment = []
    return "\n".join(parts)


class DoctestFences(Preprocessor):  # type: ignore[misc]
    """Fence the doctests of docstrings, which Markdown would read as quotations."""

    def run(self, lines: list[str]) -> list[str]:
        """Return the lines with a fence around each doctest that has none."""
        fenced, is_code, is_doctest = list[str](), False, False
        for line in [*lines, ""]:
            is_code ^= line.startswith("```")
            if line.startswith(">>> ") and not (is_code or is_doctest):
                is_doctest = True
                fenced.append("```pycon")
            elif is_doctest and not line:
                is_doctest = False
                fenced.append("```")
            fenced.append(line)
        return fenced


class Doctests(Extension):  # type: ignore[misc]
    """Markdown extension for doctests."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - named by Markdown
        """Fence doctests before other fences are read."""
        md.preprocessors.register(DoctestFences(md), "doctests", 28)


def on_config(config: Any) -> Any:
    """Add the extension for doctests."""
    config.markdown_extensions.append(Doctests())
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages."""
    home = (ROOT / "README.md").read_text("utf-8").replace("](docs/", "](")
    pages = {"index.md": home, "commands.md": commands(), "settings.md": settings()}
    for name, content in pages.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Turn links to files outside the site into their text."""
    return LINK_OUTSIDE.sub(r"\1", markdown)
