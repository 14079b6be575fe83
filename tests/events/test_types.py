"""Event types: none can hold a secret, and encoding round-trips."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from msgspec import Struct, inspect

from casino.ecarte.cards import CARD_NAMES
from casino.errors import FileError, InvariantError
from casino.events.types import (
    KINDS,
    CutSealed,
    Event,
    TurnedUp,
    decode,
    decode_canonical,
    decode_or_none,
)
from casino.ledger.entries import MAX_INT, MAX_LEAF, Entry, LogOpened, canonical, encode

FREE_TEXTS = {
    "LogOpened.key", "LogOpened.name", "Origin.origin", "Origin.root", "AnswersGiven.hash",
    "KeyRotated.new", "KeyRotated.new_signature", "KeyRotated.old", "KeyRotated.old_signature",
    "Entry.move", "Entry.game",
    "Entry.reason", "Entry.postings", "GameOpened.commitment", "GameOpened.game",
    "GameOpened.table", "GameLaws.deal", "GameLaws.enforcement", "GameLaws.first_dealer",
    "GameLaws.play", "BettingLaws.commission_base", "BettingLaws.gallery_stakes",
    "BettingLaws.matching", "Players.challenger", "Players.house", "BotName.name",
    "BotName.strength", "BotName.version", "CutSealed.game", "CutSealed.player", "CutSealed.seal",
    "BetAccepted.seal", "BookLocked.game", "CutOpened.game", "CutOpened.text", "CutLate.game",
    "CutLate.text", "SeedChain.anchor", "SeedChain.reason", "SeedChain.table",
    "BetAccepted.game", "BetAccepted.player", "BettingClosed.cut", "BettingClosed.game",
    "PackDealt.game", "TurnedUp.game", "ActionTaken.game", "ActionTaken.seal",
    "HandsShown.challenger", "HandsShown.game", "HandsShown.house", "SeatChanged.game",
    "TermsSet.abandon", "TermsSet.challenger", "TermsSet.house", "TermsSet.table",
    "HostedTable.host", "PouleTerms.others", "PouleOpened.entrants", "PouleOpened.game",
    "PouleOpened.player", "PouleOpened.table", "PouleOver.game", "PouleVoid.game",
    "SeatChanged.player", "SeatChanged.table", "SeatChanged.what",
    "LimitSet.player",
}  # fmt: skip
"""Fields that may hold any text; each was reviewed and is public at once."""

REVEALED = {
    "GameOver.exchanges", "GameOver.game", "GameOver.server_seed", "GameVoid.exchanges",
    "GameVoid.game", "GameVoid.reason", "GameVoid.fault", "GameVoid.server_seed",
}  # fmt: skip
"""Fields that may hold any text once a game is over: what was hidden until then."""


def texts_in(kind: Any, place: str) -> Iterator[str]:
    """Yield the fields of a type, nested ones too, that can hold any text or bytes."""
    match kind:
        case inspect.StructType(cls=cls):
            for field in inspect.type_info(cls).fields:  # type: ignore[attr-defined]
                if field.name != "command":
                    yield from texts_in(field.type, f"{cls.__name__}.{field.name}")
        case inspect.UnionType(types=types):
            for one in types:
                yield from texts_in(one, place)
        case inspect.TupleType(item_types=types):
            for one in types:
                yield from texts_in(one, place)
        case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item):
            yield from texts_in(item, place)
        case inspect.IntType() | inspect.LiteralType() | inspect.NoneType():
            return
        case _:
            yield place


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_no_event_has_a_field_for_secrets(kind: type[Struct]) -> None:
    texts = set(texts_in(inspect.type_info(kind), ""))
    ends = {"GameOver", "GameVoid"}
    allowed = FREE_TEXTS | REVEALED if kind.__name__ in ends else FREE_TEXTS
    assert texts <= allowed


@pytest.mark.parametrize("bad", [1.5, None, True, b"x", MAX_INT + 1, {1: 2}, [{"a": 0.1}], "x"])
def test_l6_value_of_wrong_type_is_refused(bad: Any) -> None:
    with pytest.raises(InvariantError):
        encode(LogOpened(key="k", name="n", version=bad))


def test_l6_unpaired_surrogate_is_refused() -> None:
    with pytest.raises(InvariantError):
        encode(CutSealed(game="t1-000001", player="ann", seal="\ud800"))


def test_l23_leaf_that_is_too_long_is_refused() -> None:
    empty = len(encode(CutSealed(at=1, game="g", player="a", seal="")))
    encode(CutSealed(at=1, game="g", player="a", seal="x" * (MAX_LEAF - empty)))
    with pytest.raises(InvariantError, match="65536 bytes"):
        encode(CutSealed(at=1, game="g", player="a", seal="x" * (MAX_LEAF - empty + 1)))


@pytest.mark.parametrize("body", [b"{}x", b"{}", b"[]", b'{"type":"x"}', b"7", b"", b"\xff", b"["])
def test_invalid_leaf_bytes_are_refused(body: bytes) -> None:
    with pytest.raises(FileError):
        decode(body)
    assert decode_or_none(body) is None


@pytest.mark.parametrize(
    "body",
    [
        b'{"at":1,"game":"g","player":"a","seal":"x", "type":"cut"}',
        b'{"at":1,"game":"g","player":"a","type":"cut","seal":"x"}',
        b'{"at":1,"at":1,"game":"g","player":"a","seal":"x","type":"cut"}',
        b'{"at":1,"corrects":null,"entry":1,"move":"grant","postings":[["a",1]],"type":"entry"}',
        b'{"at":1,"game":"g","player":"a","seal":"\\u0078","type":"cut"}',
    ],
)
def test_l6_noncanonical_bytes_are_detected(body: bytes) -> None:
    leaf = decode(body)
    assert isinstance(leaf, CutSealed | Entry)
    assert canonical(leaf) != body
    assert decode(canonical(leaf)) == leaf


def test_every_kind_has_its_own_type() -> None:
    assert set(get_args(Event)) == set(KINDS.values())
    assert len(KINDS) == len(get_args(Event))
    assert "opponent" not in KINDS


def test_turn_up_must_be_a_card() -> None:
    for name in CARD_NAMES:
        encode(TurnedUp(card=name, game="g"))
    with pytest.raises(InvariantError):
        encode(TurnedUp(card="??", game="g"))


ONE = b'{"at":5,"game":"t1-000001","player":"ann","seal":"x","type":"cut"}'
TWO = b'{"at":6,"hash":"y","type":"answers"}'


@pytest.mark.parametrize("bodies", [[ONE], [TWO, ONE], [ONE] * 700])
def test_canonical_leaves_decode_in_bulk(bodies: list[bytes]) -> None:
    assert decode_canonical(bodies) == [decode(body) for body in bodies]


@pytest.mark.parametrize(
    "bodies",
    [
        [ONE, b"{}"],
        [ONE, b"", TWO],
        [b"   ", ONE],
        [ONE + b"\n"],
        [b"\n" + ONE, TWO],
        [ONE + b"\n" + TWO],
        [ONE + b"\n" + TWO, b""],
        [ONE + b"\n" + TWO, b"\n"],
        [b"\n", ONE + b"\n" + TWO],
        [ONE[:9], ONE[9:]],
        [ONE[:9] + b"\n" + ONE[9:], TWO],
        [ONE + b"," + TWO],
        [ONE.replace(b":5", b": 5")],
        [ONE.replace(b"ann", b"\\u0061nn")],
        [ONE.replace(b'"at":5,', b'"at":5,"at":5,')],
        [b'{"type":"cut",' + ONE[1:].replace(b',"type":"cut"', b"")],
        [TWO.replace(b"6", b"6.0")],
        [TWO.replace(b'"hash"', b'"extra":null,"hash"')],
        [ONE.replace(b"ann", b"\xff")],
        [TWO + b"\x00"],
        [b"[" * 10_000],
    ],
)
def test_noncanonical_leaves_do_not_decode_in_bulk(bodies: list[bytes]) -> None:
    assert decode_canonical(bodies) is None
