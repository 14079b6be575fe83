"""Leaves of the log, which are immutable values encoded as the exact bytes that are hashed.

A leaf is encoded as canonical JSON: sorted keys, no spaces, UTF-8, and only strings, lists, objects
and integers that every language can represent. The ledger defines a few leaf types itself; from
all others (see `casino.events` and docs/log.md) it reads only bytes, type, subject and owners.

>>> encode(LogOpened(at=5, key="k", name="casino", version=1))
b'{"at":5,"key":"k","name":"casino","type":"log_opened","version":1}'
>>> encode(LogOpened(at=5, key="k", name="casino", version=2**53))
Traceback (most recent call last):
    ...
casino.errors.InvariantError: no leaf can hold this: Expected `int` <= 9007199254740991 - at ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, groupby
from operator import attrgetter
from typing import Annotated, ClassVar, Final, TypeAlias, cast

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from casino.errors import InvariantError

MAX_INT: Final = 2**53 - 1  # the largest integer that JSON parsers of every language read exactly
MAX_LEAF: Final = 65_535  # bytes per leaf: log tiles store the length in two bytes
# Postings that fit into a leaf, however long the names; longer entries span several leaves (L23).
MAX_POSTINGS: Final = 150

UNSTAMPED: Final = -1  # the time of a leaf that is not written yet
UNNUMBERED: Final = 0  # the number of an entry that is not written yet
WALLET: Final = "wallet/"  # prefix of players' accounts

Whole: TypeAlias = Annotated[int, Meta(ge=-MAX_INT, le=MAX_INT)]
Time: TypeAlias = Annotated[int, Meta(ge=0, le=MAX_INT)]


class Part(Struct, frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """A JSON object within a leaf; fields with default values are omitted."""


class _Kind:
    """Descriptor for a class's type name, cached on the class at first use."""

    def __get__(self, _: object, owner: type[Leaf]) -> str:
        tag = owner.__struct_config__.tag
        assert isinstance(tag, str)
        owner.kind = tag
        return tag


class Leaf(Part, frozen=True, kw_only=True, tag_field="type"):
    """Base class of all leaves, with the type and the time in milliseconds."""

    late: ClassVar[bool] = False  # whether leaves of this type may follow the end of their subject

    kind: ClassVar[str] = cast("str", _Kind())  # the value of the leaf's `type` field

    at: Time = UNSTAMPED

    @property
    def subject(self) -> str | None:
        """The name of the game or other subject that the leaf belongs to, if any."""
        return getattr(self, "game", None)


class Origin(Part, frozen=True, kw_only=True):
    """The log that this one replaces, with its published size and the number of leaves kept."""

    kept: Whole
    origin: str
    root: str
    size: Whole


class LogOpened(Leaf, frozen=True, kw_only=True, tag="log_opened"):
    """The first leaf, which states the log's key and name, and any log that this one replaces."""

    after: Origin | None = None
    key: str
    name: str
    version: Whole


class Entry(Leaf, frozen=True, kw_only=True, tag="entry"):
    """A balanced transaction, numbered when it is written.

    An entry that spans several leaves states `part` and `parts` in each of them; only the postings
    of all parts together sum to zero.
    """

    corrects: Whole | None = None
    entry: Whole
    game: str | None = None
    move: str
    part: Whole | None = None
    parts: Whole | None = None
    postings: tuple[tuple[str, Whole], ...]
    reason: str | None = None


def split_entry(entry: Entry) -> tuple[Entry, ...]:
    """Split an entry with more than `MAX_POSTINGS` postings into the leaves it spans.

    >>> entry = Entry(entry=1, move="grant", postings=(("wallet/ann", 1),) * 301)
    >>> [(one.part, len(one.postings)) for one in split_entry(entry)]
    [(1, 150), (2, 150), (3, 1)]
    """
    if len(entry.postings) <= MAX_POSTINGS:
        return (entry,)
    first = range(0, len(entry.postings), MAX_POSTINGS)
    return tuple(
        replace(
            entry,
            part=number,
            parts=len(first),
            postings=entry.postings[start : start + MAX_POSTINGS],
        )
        for number, start in enumerate(first, 1)
    )


def join_entries(leaves: Iterable[Entry]) -> Iterator[Entry]:
    """Yield whole entries, joining the parts of those that span several leaves."""
    for _, parts in groupby(leaves, attrgetter("entry")):
        first, *others = parts
        if others:
            postings = chain(first.postings, *(part.postings for part in others))
            first = replace(first, part=None, parts=None, postings=tuple(postings))
        yield first


class AnswersGiven(Leaf, frozen=True, kw_only=True, tag="answers"):
    """Leaf that holds a hash of the responses to all commands in a commit (L21)."""

    hash: str


class KeyRotated(Leaf, frozen=True, kw_only=True, tag="key_rotated"):
    """Leaf that replaces the log's signing key, signed with both the old and the new key."""

    new: str
    new_signature: str
    old: str
    old_signature: str


class RunStarted(Leaf, frozen=True, kw_only=True, tag="run_started"):
    """Leaf written when a casino opens the log for writing."""


class RunStopped(Leaf, frozen=True, kw_only=True, tag="run_stopped"):
    """Leaf written when the casino closes the log cleanly."""


# Encodes a leaf, or a part of one, as canonical JSON.
canonical: Final[Callable[[Part], bytes]] = msgspec.json.Encoder(order="sorted").encode

# Decodes an entry, or raises one of `BROKEN`.
as_entry: Final[Callable[[bytes], Entry]] = msgspec.json.Decoder(Entry).decode

BROKEN: Final = (msgspec.DecodeError, ValueError, RecursionError)


def encode(leaf: Leaf) -> bytes:
    """Encode a leaf canonically; raise `InvariantError` if decoding would not restore it."""
    try:
        body = canonical(leaf)
        # msgspec checks the bounds of `Meta` only when it decodes.
        again = msgspec.json.decode(body, type=type(leaf))
    except (*BROKEN, TypeError) as error:
        raise InvariantError(f"no leaf can hold this: {error}") from None
    if again != leaf:
        raise InvariantError(f"no leaf can hold this: {leaf} would be read as {again}")
    if len(body) > MAX_LEAF:
        raise InvariantError(f"a leaf of {len(body)} bytes: at most {MAX_LEAF} are allowed")
    return body
