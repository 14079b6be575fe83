"""Leaves of the log: immutable values encoded as the exact bytes that are hashed.

A leaf becomes canonical JSON: sorted keys, no spaces, UTF-8, with only strings, integers that every
language can hold, lists and objects. The ledger has a few leaf types of its own; of all others (see
`casino.events`) it knows only bytes, type, an opaque subject and the owners to index them by.
docs/log.md describes every type.

>>> encode(LogOpened(at=5, key="k", name="casino", version=1))
b'{"at":5,"key":"k","name":"casino","type":"log_opened","version":1}'
>>> encode(LogOpened(at=5, key="k", name="casino", version=2**53))
Traceback (most recent call last):
    ...
casino.errors.InvariantError: no leaf can hold this: Expected `int` <= 9007199254740991 - at ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import chain, groupby
from operator import attrgetter
from typing import Annotated, ClassVar, Final, TypeAlias, cast

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from casino.errors import InvariantError

GREATEST: Final = 2**53 - 1  # the largest integer that JSON readers of every language keep exactly

LONGEST: Final = 65_535  # bytes of a leaf: readers of log tiles accept no more

# Accounts that fit into a leaf, whatever their names; larger entries span leaves.
MAX_POSTINGS: Final = 150

UNSTAMPED: Final = -1  # the time of a leaf that is not written yet

UNNUMBERED: Final = 0  # the number of an entry that is not written yet

WALLET: Final = "wallet/"  # prefix of players' accounts

Whole: TypeAlias = Annotated[int, Meta(ge=-GREATEST, le=GREATEST)]
Time: TypeAlias = Annotated[int, Meta(ge=0, le=GREATEST)]


class Part(Struct, frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """An object within a leaf; None and default values are left out."""


class _Kind:
    """Descriptor for a class's type name, cached on the class at first use."""

    def __get__(self, _: object, owner: type[Leaf]) -> str:
        tag = owner.__struct_config__.tag
        assert isinstance(tag, str)
        owner.kind = tag
        return tag


class Leaf(Part, frozen=True, kw_only=True, tag_field="type"):
    """Base of all leaves: its type, and when it was written."""

    late: ClassVar[bool] = False  # whether leaves of this type may follow the end of their subject

    kind: ClassVar[str] = cast("str", _Kind())  # the type that the leaf names

    at: Time = UNSTAMPED

    @property
    def subject(self) -> str | None:
        """What the leaf is part of, such as a game: an opaque name."""
        return getattr(self, "game", None)

    @property
    def owners(self) -> tuple[str, ...]:
        """The names the leaf is indexed by."""
        player = getattr(self, "player", None)
        return () if player is None else (player,)


class Origin(Part, frozen=True, kw_only=True):
    """The log that this one replaces: how many leaves it published, and how many survive."""

    kept: Whole
    origin: str
    root: str
    size: Whole


class LogOpened(Leaf, frozen=True, kw_only=True, tag="log_opened"):
    """The first leaf: the log's key and name, and the log it replaces, if any."""

    after: Origin | None = None
    key: str
    name: str
    version: Whole


class Entry(Leaf, frozen=True, kw_only=True, tag="entry"):
    """A balanced transaction, numbered when it is written.

    One that spans leaves states in each which `part` of how many `parts` it is; only all of them
    balance.
    """

    corrects: Whole | None = None
    entry: Whole
    game: str | None = None
    move: str
    part: Whole | None = None
    parts: Whole | None = None
    postings: tuple[tuple[str, Whole], ...]
    reason: str | None = None

    @property
    def owners(self) -> tuple[str, ...]:
        """The owners of the wallets moved; an entry of a subject is found by the subject."""
        if self.game is not None:
            return ()
        return tuple(
            account[len(WALLET) :] for account, _ in self.postings if account.startswith(WALLET)
        )


def split_entry(entry: Entry) -> tuple[Entry, ...]:
    """Return the leaves an entry spans: itself alone unless it moves too many accounts.

    >>> entry = Entry(entry=1, move="grant", postings=(("wallet/ann", 1),) * 301)
    >>> [(one.part, len(one.postings)) for one in split_entry(entry)]
    [(1, 150), (2, 150), (3, 1)]
    """
    first = range(0, len(entry.postings), MAX_POSTINGS)
    if len(first) == 1:
        return (entry,)
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
    """Join the parts of entries that span leaves."""
    for _, parts in groupby(leaves, attrgetter("entry")):
        first, *others = parts
        if others:
            postings = chain(first.postings, *(part.postings for part in others))
            first = replace(first, part=None, parts=None, postings=tuple(postings))
        yield first


class AnswersGiven(Leaf, frozen=True, kw_only=True, tag="answers"):
    """The answers of the commands stored together, bound by one hash."""

    hash: str


class KeyRotated(Leaf, frozen=True, kw_only=True, tag="key_rotated"):
    """The log continues under a new key; both keys have signed this."""

    new: str
    new_signature: str
    old: str
    old_signature: str


class RunStarted(Leaf, frozen=True, kw_only=True, tag="run_started"):
    """A program has opened the casino's file for writing."""


class RunStopped(Leaf, frozen=True, kw_only=True, tag="run_stopped"):
    """The program has closed the file cleanly."""


_sorted: Final[Callable[[object], bytes]] = msgspec.json.Encoder(order="sorted").encode


@cache
def decoder(kind: type[Leaf]) -> Callable[[bytes], Leaf]:
    """Return the decoder of one class of leaves; it raises one of `BROKEN`."""
    return msgspec.json.Decoder(kind).decode


# Decodes an entry; raises one of `BROKEN`.
as_entry: Final[Callable[[bytes], Entry]] = msgspec.json.Decoder(Entry).decode

BROKEN: Final = (msgspec.DecodeError, ValueError, RecursionError)


def encode(leaf: Leaf) -> bytes:
    """Return the bytes of a leaf, decoded once as a check: a value that does not fit is a fault."""
    try:
        body = _sorted(leaf)
        again = decoder(type(leaf))(body)
    except (*BROKEN, TypeError) as error:
        raise InvariantError(f"no leaf can hold this: {error}") from None
    if again != leaf:
        raise InvariantError(f"no leaf can hold this: {leaf} would be read as {again}")
    if len(body) > LONGEST:
        raise InvariantError(f"a leaf of {len(body)} bytes: no more than {LONGEST} may stand")
    return body


def canonical(part: Part) -> bytes:
    """Return the canonical bytes of a decoded leaf or part."""
    return _sorted(part)
