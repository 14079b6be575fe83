"""Plain functions turned into machine code by numba, compiled once and kept on disk.

Compiled code is kept in a directory named by a digest of every source it could be built
from, of Python and of numba. A changed rule thus gets a new, empty directory: code of an
older rule cannot be found again. `NUMBA_CACHE_DIR` chooses where these directories stand.
"""

from __future__ import annotations

import hashlib
import os
import platform
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final, TypeVar, cast

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload, register_jitable

from casino.ecarte import bits, rules

Function = TypeVar("Function", bound=Callable[..., Any])

_settings: Final[Any] = numba.config
_PACKAGE: Final = Path(__file__).parents[1]
_SOURCES: Final = ("ecarte", "analysis", "players", "expert", "simulate")


def compiled(function: Function) -> Function:
    """A function in machine code, taken from the disk if it was ever compiled as it is now."""
    directory = cache_directory()
    if directory is None:
        return cast(Function, numba.njit(nogil=True)(function))
    before = _settings.CACHE_DIR
    _settings.CACHE_DIR = str(directory)
    try:
        return cast(Function, numba.njit(nogil=True, cache=True)(function))
    finally:
        _settings.CACHE_DIR = before


def callable_in_compiled(module: ModuleType) -> None:
    """Let compiled functions call the plain functions that a module defines."""
    for function in vars(module).values():
        if isinstance(function, FunctionType) and function.__module__ == module.__name__:
            register_jitable(function)


@cache
def cache_directory() -> Path | None:
    """Where code compiled from today's sources is kept; none if nothing can be written."""
    for root in _roots():
        directory = root / f"compiled-{sources_digest(_PACKAGE)}"
        try:
            directory.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=directory):
                return directory
        except OSError:
            continue
    return None


def sources_digest(package: Path) -> str:
    """A digest of all that compiled code depends on: sources, numba, Python, processor."""
    digest = hashlib.sha256()
    for part in (numba.__version__, platform.python_version(), platform.machine()):
        digest.update(part.encode() + b"\n")
    for room in _SOURCES:
        for path in sorted((package / room).glob("*.py")):
            digest.update(f"{room}/{path.name}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _roots() -> list[Path]:
    """The places to keep compiled code in, the first that can be written is used."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return [Path(chosen)]
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return [home / "casino", Path(tempfile.gettempdir()) / f"casino-{os.getuid()}"]


def bind_intrinsic(plain: Callable[[int], int], instruction: Callable[..., Any]) -> None:
    """Have compiled code run one machine instruction for a function of `bits`."""

    @intrinsic
    def emitted(_typing: Any, some: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            wide = context.cast(builder, arguments[0], signature.args[0], types.int64)
            return instruction(builder, wide)

        return types.int64(some), code

    def bound(_some: Any) -> Any:
        return lambda some: emitted(some)  # type: ignore[call-arg]

    overload(plain, strict=False)(bound)


_NEVER_ZERO = ir.Constant(ir.IntType(1), 1)
bind_intrinsic(bits.count, lambda builder, some: builder.ctpop(some))
bind_intrinsic(bits.lowest, lambda builder, some: builder.cttz(some, _NEVER_ZERO))
bind_intrinsic(
    bits.highest,
    lambda builder, some: builder.sub(
        ir.Constant(ir.IntType(64), 63), builder.ctlz(some, _NEVER_ZERO)
    ),
)
callable_in_compiled(rules)
