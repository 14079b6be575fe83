"""Compile functions with numba, using a disk cache that never serves stale code.

numba's own cache checks only the compiled function's file, not the rules that the function calls.
Here each cache directory is named after a digest of all sources that compiled code can include and
of the Python and numba versions, so that any change starts with an empty directory.
`NUMBA_CACHE_DIR` sets the parent directory.
"""

from __future__ import annotations

import hashlib
import os
import platform
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final, TypeVar, cast

import numba
from llvmlite import ir
from numba.core import event, types
from numba.extending import intrinsic, overload, register_jitable
from numba.np.arrayobj import make_array

from casino.ecarte import count, highest, lowest, rules

Function = TypeVar("Function", bound=Callable[..., Any])
Value = TypeVar("Value")
_settings: Final[Any] = numba.config
_array_of: Final[Any] = make_array
_PACKAGE: Final = Path(__file__).parents[1]
_SOURCES: Final = ("ecarte", "analysis", "bots", "solver", "simulate")


def compiled(function: Function) -> Function:
    """Compile a function with numba, or load it from the disk cache."""
    directory = cache_directory()
    # No C code calls these functions, so numba need not compile C wrappers.
    options: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True}
    if directory is None:
        return cast(Function, numba.njit(**options)(function))
    # `njit` reads the global setting when it decorates: restore it for other users of numba.
    before = _settings.CACHE_DIR
    _settings.CACHE_DIR = str(directory)
    try:
        return cast(Function, numba.njit(cache=True, **options)(function))
    finally:
        _settings.CACHE_DIR = before


def register_for_numba(module: ModuleType, forceinline: bool = False) -> None:
    """Let compiled functions call a module's plain functions; inline them with `forceinline`."""
    plain = _plain(module)
    for name, function in vars(plain).items():
        if isinstance(function, FunctionType) and function.__module__ == plain.__name__:
            register_jitable(forceinline=forceinline)(function)
            if plain is not module:
                _overload_with(vars(module)[name], function)


def _plain(module: ModuleType) -> ModuleType:
    """Return the module, or its source loaded as plain Python if mypyc has compiled it."""
    built = Path(str(module.__file__))
    source = built.with_name(built.name.partition(".")[0] + ".py")
    if source == built:
        return module
    spec = cast(Any, spec_from_file_location(f"{module.__name__}_in_python", source))
    plain = module_from_spec(spec)
    spec.loader.exec_module(plain)
    return plain


def _overload_with(function: Callable[..., Any], plain: FunctionType) -> None:
    """Make numba compile `plain` wherever the mypyc `function` is called."""

    def implementation(*_: Any) -> Any:
        return plain

    overload(function, strict=False)(implementation)


class _FirstCompilation(event.Listener):
    """A listener that calls back once, when a function missing from the cache is compiled."""

    def __init__(self, callback: Callable[[], object]) -> None:
        self._callback: Callable[[], object] | None = callback

    def on_start(self, event: Any) -> None:
        callback, self._callback = self._callback, None
        if callback is not None:
            callback()

    def on_end(self, event: Any) -> None: ...


def notify_on_compile(callback: Callable[[], object]) -> AbstractContextManager[object]:
    """Return a context manager that calls back once if anything inside it must be compiled."""
    context: AbstractContextManager[object] = event.install_listener(
        "numba:compile", _FirstCompilation(callback)
    )
    return context


@cache
def cache_directory() -> Path | None:
    """Return the cache directory for these sources, or None if no candidate is writable."""
    for root in _roots():
        directory = root / f"compiled-{sources_digest(_PACKAGE)}"
        try:
            directory.mkdir(parents=True, exist_ok=True)
            # A directory may exist and yet be read-only: try to write.
            with tempfile.TemporaryFile(dir=directory):
                return directory
        except OSError:
            continue
    return None


def sources_digest(package: Path) -> str:
    """Return a digest of the sources, the numba and Python versions, and the CPU architecture."""
    digest = hashlib.sha256()
    for part in (numba.__version__, platform.python_version(), platform.machine()):
        digest.update(part.encode() + b"\n")
    for folder in _SOURCES:
        for path in sorted((package / folder).rglob("*.py")):
            digest.update(f"{path.relative_to(package)}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _roots() -> list[Path]:
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return [Path(chosen)]
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return [home / "casino", Path(tempfile.gettempdir()) / f"casino-{os.getuid()}"]


def borrow(owned: Value) -> Value:
    """Return the value with all its arrays, even nested ones, exempt from reference counting.

    numba counts references whenever such a value is passed on: without this, games of the rule bot
    take 1.6 times as long, and those of the expert five times. The caller must keep the arrays
    alive until the borrower is done.
    """
    return owned


@overload(borrow, strict=False)
def _borrowed_compiled(_owned: Any) -> Any:
    return lambda _owned: _uncount(_owned)  # type: ignore[call-arg]


@intrinsic
def _uncount(_typing: Any, owned: Any) -> Any:

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _without_counters(context, builder, signature.args[0], arguments[0])

    return owned(owned), code


def _without_counters(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Emit code that clears the reference counters of all arrays in a value."""
    if isinstance(kind, types.Array):
        array: Any = _array_of(kind)(context, builder, value=value)
        array.meminfo = ir.Constant(array.meminfo.type, None)
        array.parent = ir.Constant(array.parent.type, None)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        parts: Any = kind
        for index, inner in enumerate(parts):
            bare = _without_counters(context, builder, inner, builder.extract_value(value, index))
            value = builder.insert_value(value, bare, index)
    return value


def bind_intrinsic(plain: Callable[[int], int], instruction: Callable[..., Any]) -> None:
    """Compile calls to `plain`, a function on card sets, to one machine instruction."""

    @intrinsic
    def emitted(_typing: Any, cards: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            wide = context.cast(builder, arguments[0], signature.args[0], types.int64)
            return instruction(builder, wide)

        return types.int64(cards), code

    def bound(_cards: Any) -> Any:
        return lambda cards: emitted(cards)  # type: ignore[call-arg]

    overload(plain, strict=False)(bound)


_NEVER_ZERO = ir.Constant(ir.IntType(1), 1)
bind_intrinsic(count, lambda builder, cards: builder.ctpop(cards))
bind_intrinsic(lowest, lambda builder, cards: builder.cttz(cards, _NEVER_ZERO))
bind_intrinsic(
    highest,
    lambda builder, cards: builder.sub(
        ir.Constant(ir.IntType(64), 63), builder.ctlz(cards, _NEVER_ZERO)
    ),
)
register_for_numba(rules)
