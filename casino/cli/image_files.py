"""The picture that a command is asked to draw when its work is done."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from casino.errors import InputError, MissingExtraError

ENDINGS = (".svg", ".png")


def check_picture(file: Path, *further: str) -> None:
    """Refuse a picture that could not be drawn, before anything is done for it."""
    endings = (*ENDINGS, *further)
    if file.suffix.lower() not in endings:
        raise InputError(f"{file}: end its name in {', '.join(endings[:-1])} or {endings[-1]}")
    check_can_draw()


def check_can_draw() -> None:
    """Refuse to draw without the package that draws."""
    if find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib")
