"""Invalid cuts and slips in a game's leaves, each reported with its own message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from casino.audit import FileSource
from casino.audit.check import GameLeaf
from casino.audit.checks.game import check_game
from casino.audit.checks.withholding import UnrevealedGame
from casino.events.codec import decode
from casino.events.types import CutSealed
from casino.player_limits import DAY_MS
from tests.ledger.game_simulator import play_games

GAME = "t1-000001"

Rows = list[GameLeaf]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> FileSource:
    path = tmp_path_factory.mktemp("cuts") / "casino.db"
    play_games(path, games=3)
    return FileSource(path)


def rows_of(source: FileSource, game: str = GAME) -> Rows:
    return [GameLeaf(n, decode(body)) for n, body in source.rows(game)]


def terms_of(source: FileSource) -> list[Any]:
    return [decode(leaf.body) for leaf in source.settings_leaves()]


def place_of(rows: Rows, kind: str) -> int:
    return next(at for at, row in enumerate(rows) if row.leaf.kind == kind)


def again(rows: Rows, at: int, **changes: Any) -> None:
    leaf = replace(rows[at].leaf, **changes)
    rows.insert(at + 1, GameLeaf(rows[at].n, leaf))


def seal_twice(rows: Rows) -> str:
    again(rows, place_of(rows, "cut"), seal="0" * 64)
    return "ann seals a second text"


def seal_as_another(rows: Rows) -> str:
    again(rows, place_of(rows, "cut"), player="zed")
    return "only a person who challenges seals without a bet"


def seal_without_hash(rows: Rows) -> str:
    at = place_of(rows, "cut")
    leaf = CutSealed(at=rows[at].leaf.at, game=GAME, player="ann", seal="0" * 63)
    rows[at] = GameLeaf(rows[at].n, leaf)
    return "this seal could not be taken"


def seal_with_a_later_bet(rows: Rows) -> str:
    again(rows, place_of(rows, "bet") + 1)
    at = place_of(rows, "bet")
    leaf = replace(rows[at].leaf, order=2, seal="0" * 64)
    rows[at + 2] = GameLeaf(rows[at].n, leaf)
    return "a seal comes with the first bet of a game"


def open_twice(rows: Rows) -> str:
    at = place_of(rows, "cut_opened")
    again(rows, at)
    return f"text {rows[at].leaf.number} cannot be opened here"


def open_text_zero(rows: Rows) -> str:
    at = place_of(rows, "cut_opened")
    again(rows, at, number=0)
    return "text 0 cannot be opened here"


@pytest.mark.parametrize(
    "lie",
    [
        seal_twice,
        seal_as_another,
        seal_without_hash,
        seal_with_a_later_bet,
        open_twice,
        open_text_zero,
    ],
)
def test_invalid_cut_leaf_is_reported(source: FileSource, lie: Callable[[Rows], str]) -> None:
    rows = rows_of(source)
    assert check_game(GAME, rows, terms_of(source)) == []
    said = lie(rows)
    assert (said, "cuts") in {
        (one.text, one.check) for one in check_game(GAME, rows, terms_of(source))
    }


def test_r8_1_house_slip_required_by_seed_is_checked(source: FileSource) -> None:
    terms = [replace(one, slip_permille=1000) for one in terms_of(source)]
    first = set()
    for number in (1, 2, 3):
        rows = rows_of(source, f"t1-00000{number}")
        packs = [row.leaf for row in rows if row.leaf.kind == "dealt"]
        due = next(leaf.deal for leaf in packs if leaf.dealer == "house")
        first.add(due)
        (found,) = check_game(f"t1-00000{number}", rows, terms)
        assert found.text.startswith(f"deal {due}: E")
        assert " must be exposed, not " in found.text
    assert first == {1, 2}, "either seat dealt first in one of the games"


def other_commitment(rows: Rows) -> tuple[str, int]:
    changed(rows, 0, commitment="0" * 64)
    return "the seed revealed is not the one committed to", place_of(rows, "game_over")


def other_first_dealer(rows: Rows) -> tuple[str, int]:
    """The seat that deals first follows from the seed, not from what the book says."""
    at = place_of(rows, "betting_closed")
    other = {"house": "challenger", "challenger": "house"}[rows[at].leaf.first_dealer]
    changed(rows, at, first_dealer=other)
    return "the book closed with the wrong seat to deal first", place_of(rows, "game_over")


def append_leaf(rows: Rows) -> tuple[str, int]:
    again(rows, len(rows) - 1)
    return "the game is over, but this leaf follows", len(rows) - 1


def changed(rows: Rows, at: int, **changes: Any) -> None:
    again(rows, at, **changes)
    del rows[at]


@pytest.mark.parametrize("lie", [other_commitment, other_first_dealer, append_leaf])
def test_forged_game_leaf_is_reported_once(
    source: FileSource, lie: Callable[[Rows], tuple[str, int]]
) -> None:
    rows = [row for row in rows_of(source) if row.leaf.kind != "cut_late"]
    text, at = lie(rows)
    found = check_game(GAME, rows, terms_of(source))
    games = [(one.text, one.leaf) for one in found if one.check == "games"]
    assert games == [(text, rows[at].n)]


def test_l18_late_text_is_accepted_for_one_day(source: FileSource) -> None:
    rows = next(
        rows
        for rows in (rows_of(source, f"t1-00000{number}") for number in (1, 2, 3))
        if any(row.leaf.kind == "cut_late" for row in rows)
    )
    late = next(row for row in rows if row.leaf.kind == "cut_late")
    game = UnrevealedGame(late.leaf.game, [row for row in rows if row.leaf.kind != "cut_late"])
    assert game.closed is not None
    end = game.closed.leaf.at + DAY_MS
    for at, too_late in ((end, False), (end + 1, True)):
        row = late._replace(leaf=replace(late.leaf, at=at))
        assert (game.is_over(at), "more than a day" in game.late_fault(row)) == (too_late, too_late)
