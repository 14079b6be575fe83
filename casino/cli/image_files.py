"""Picture files that a command draws when its work is done."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from casino.errors import InputError, MissingExtraError

ENDINGS = (".svg", ".png")


def check_image_file(file: Path, *further: str) -> None:
    """Refuse an unusable picture file before any work is done."""
    endings = (*ENDINGS, *further)
    if file.suffix.lower() not in endings:
        raise InputError(f"{file}: end its name in {', '.join(endings[:-1])} or {endings[-1]}")
    check_can_plot()


def check_can_plot() -> None:
    """Refuse to draw if the plotting package is missing."""
    if find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib")
