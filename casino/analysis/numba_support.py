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

from casino.ecarte import rules
from casino.ecarte.cards import count, highest, lowest

Function = TypeVar("Function", bound=Callable[..., Any])
Value = TypeVar("Value")

_settings: Final[Any] = numba.config
_array_of: Final[Any] = make_array
_PACKAGE: Final = Path(__file__).parents[1]
_SOURCES: Final = ("ecarte", "analysis", "bots", "solver", "simulate")


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


def register_for_numba(module: ModuleType) -> None:
    """Let compiled functions call the plain functions that a module defines."""
    plain = _plain(module)
    for name, function in vars(plain).items():
        if isinstance(function, FunctionType) and function.__module__ == plain.__name__:
            register_jitable(function)
            if plain is not module:
                _stand_in(vars(module)[name], function)


def _plain(module: ModuleType) -> ModuleType:
    """The module, or if mypyc has compiled it, another one from the source that lies beside it."""
    built = Path(str(module.__file__))
    source = built.with_name(built.name.partition(".")[0] + ".py")
    if source == built:
        return module
    spec = cast(Any, spec_from_file_location(f"{module.__name__}_in_python", source))
    plain = module_from_spec(spec)
    spec.loader.exec_module(plain)
    return plain


def _stand_in(function: Callable[..., Any], plain: FunctionType) -> None:
    """Have numba compile the plain function wherever its mypyc version is called."""

    def found(*_: Any) -> Any:
        return plain

    overload(function, strict=False)(found)


class _Once(event.Listener):
    """Reports the first function that must be compiled because the disk does not hold it."""

    def __init__(self, say: Callable[[], object]) -> None:
        self._say: Callable[[], object] | None = say

    def on_start(self, event: Any) -> None:
        """A function begins to be compiled."""
        say, self._say = self._say, None
        if say is not None:
            say()

    def on_end(self, event: Any) -> None:
        """It is compiled."""


def notify_on_compile(say: Callable[[], object]) -> AbstractContextManager[object]:
    """A context that says so, once, if anything within it has to be compiled."""
    listening: AbstractContextManager[object] = event.install_listener("numba:compile", _Once(say))
    return listening


@cache
def cache_directory() -> Path | None:
    """Where code compiled from the current sources is kept; None if nothing can be written."""
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
        for path in sorted((package / room).rglob("*.py")):
            digest.update(f"{path.relative_to(package)}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _roots() -> list[Path]:
    """The places to keep compiled code in; the first writable one is used."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return [Path(chosen)]
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return [home / "casino", Path(tempfile.gettempdir()) / f"casino-{os.getuid()}"]


def borrow(owned: Value) -> Value:
    """The same arrays, also inside named tuples, without their reference counts.

    Compiled code counts each time it passes such a value on, which often takes longer than using
    it. The borrower must be done before the caller releases the arrays.
    """
    return owned


@overload(borrow, strict=False)
def _borrowed_compiled(_owned: Any) -> Any:
    """The same in machine code, where it makes the difference."""
    return lambda _owned: _lent(_owned)  # type: ignore[call-arg]


@intrinsic
def _lent(_typing: Any, owned: Any) -> Any:
    """A value whose arrays have no counter."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _uncounted(context, builder, signature.args[0], arguments[0])

    return owned(owned), code


def _uncounted(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """A value of this type with the counters of all its arrays left out."""
    if isinstance(kind, types.Array):
        array: Any = _array_of(kind)(context, builder, value=value)
        array.meminfo = ir.Constant(array.meminfo.type, None)
        array.parent = ir.Constant(array.parent.type, None)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        parts: Any = kind
        for place, inner in enumerate(parts):
            bare = _uncounted(context, builder, inner, builder.extract_value(value, place))
            value = builder.insert_value(value, bare, place)
    return value


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
bind_intrinsic(count, lambda builder, some: builder.ctpop(some))
bind_intrinsic(lowest, lambda builder, some: builder.cttz(some, _NEVER_ZERO))
bind_intrinsic(
    highest,
    lambda builder, some: builder.sub(
        ir.Constant(ir.IntType(64), 63), builder.ctlz(some, _NEVER_ZERO)
    ),
)
register_for_numba(rules)
