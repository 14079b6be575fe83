"""The libraries that adapters are for: imported when they are first needed, missed by name."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from casino.errors import MissingExtra


def import_extra(name: str) -> Any:
    """A module of a library; if that is not installed, the error says which extra brings it."""
    package = name.partition(".")[0]
    try:
        import_module(package)
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise MissingExtra(package) from None


class NumpyRng:
    """Chance from a generator of numpy, as the libraries seed it."""

    def __init__(self, generator: Any) -> None:
        self.generator = generator

    def randrange(self, stop: int, /) -> int:
        """A number from 0 to `stop - 1`, each as likely."""
        return int(self.generator.integers(stop))
