"""Invalid cuts, slips and bots in a game's leaves, each reported with its own message."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from casino.audit import FileSource
from casino.audit.check import GameLeaf
from casino.audit.checks.game import check_game
from casino.audit.checks.withholding import UnrevealedGame
from casino.cli.verify.audit import decide_again
from casino.events.types import LEFT, OUT_OF_TIME, BotName, Bots, CoverLimits, SeatChanged, decode
from casino.player_limits import DAY_MS

GAME = "t1-000001"

Rows = list[GameLeaf]


@pytest.fixture(scope="module")
def source(played: Path) -> FileSource:
    return FileSource(played)


def rows_of(source: FileSource, game: str = GAME) -> Rows:
    return [GameLeaf(n, decode(body)) for n, body in source.log.of_subject(game)]


def terms_of(source: FileSource) -> list[Any]:
    return [decode(leaf.body) for leaf in source.log.of_kinds(["terms"])]


def place_of(rows: Rows, kind: str) -> int:
    return next(at for at, row in enumerate(rows) if row.leaf.kind == kind)


def like(row: GameLeaf, **changes: Any) -> GameLeaf:
    leaf = replace(row.leaf, **changes)
    return GameLeaf(row.n, leaf)


def again(rows: Rows, at: int, **changes: Any) -> None:
    rows.insert(at + 1, like(rows[at], **changes))


def changed(rows: Rows, at: int, **changes: Any) -> None:
    rows[at] = like(rows[at], **changes)


NONE = "0" * 64
CUT_LIES: dict[str, Callable[[Rows], object]] = {
    "ann seals a second text": lambda rows: again(rows, place_of(rows, "cut"), seal=NONE),
    "only a human challenger seals without a bet": lambda rows: again(
        rows, place_of(rows, "cut"), player="zed"
    ),
    "this seal must be refused": lambda rows: changed(rows, place_of(rows, "cut"), seal=NONE[1:]),
    "only a bettor's first bet has a seal": lambda rows: rows.insert(
        place_of(rows, "bet") + 2, like(rows[place_of(rows, "bet")], order=2, seal=NONE)
    ),
    "text 2 cannot be opened here": lambda rows: again(rows, place_of(rows, "cut_opened")),
    "text 0 cannot be opened here": lambda rows: again(
        rows, place_of(rows, "cut_opened"), number=0
    ),
}


@pytest.mark.parametrize("said", CUT_LIES)
def test_invalid_cut_leaf_is_reported(source: FileSource, said: str) -> None:
    rows = rows_of(source)
    assert check_game(GAME, rows, terms_of(source)) == []
    CUT_LIES[said](rows)
    found = check_game(GAME, rows, terms_of(source))
    assert (said, "cuts") in {(one.text, one.check) for one in found}


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


GAME_LIES: dict[str, Callable[[Rows], object]] = {
    "the revealed seed does not match the commitment": lambda rows: changed(
        rows, 0, commitment=NONE
    ),
    # Which seat deals first follows from the seed, not from what the book says.
    "the closed book names the wrong first dealer": lambda rows: changed(
        rows, place_of(rows, "betting_closed"), first_dealer="house"
    ),
    "the game is over, but this leaf follows": lambda rows: again(rows, len(rows) - 1),
}


@pytest.mark.parametrize("text", GAME_LIES)
def test_forged_game_leaf_is_reported_once(source: FileSource, text: str) -> None:
    rows = [row for row in rows_of(source) if row.leaf.kind != "cut_late"]
    GAME_LIES[text](rows)
    at = len(rows) - 1 if "follows" in text else place_of(rows, "game_over")
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
    withheld = game.closed.leaf.withheld
    at = place_of(game.rows, "betting_closed")
    forged = [*game.rows]
    changed(forged, at, withheld=(0, *withheld, 99))
    assert [*UnrevealedGame(late.leaf.game, forged).missing] == [*withheld]
    end = game.closed.leaf.at + DAY_MS
    for at, too_late in ((end, False), (end + 1, True)):
        row = late._replace(leaf=replace(late.leaf, at=at))
        assert (game.is_over(at), "more than a day" in game.late_fault(row)) == (too_late, too_late)


VOID_GAME = "t1-000005"
NOT_VOID = "the game is void because it was given up, but "
CONCEDED = f"{NOT_VOID}under the terms it is conceded"
GIVEN_UP = [
    ("concede", "game_over", "", []),
    ("concede", "game_void", "a fire", []),
    ("void", "game_void", LEFT, []),
    ("void", "game_void", OUT_OF_TIME, []),
    ("concede", "dealt", "",
     ["deal 2: the challenger gave this game up and concedes it, but P is played, not S"]),
    ("concede", "game_void", LEFT, [CONCEDED]),
    ("concede", "game_void", OUT_OF_TIME, [CONCEDED]),
    ("void", "", LEFT, [f"{NOT_VOID}no one gave it up"]),
    ("void", "game_over", "",
     ["the challenger gave this game up, which makes it void under the terms, but it continues"]),
]  # fmt: skip


@pytest.mark.parametrize(("abandon", "before", "reason", "said"), GIVEN_UP)
def test_abandoned_game_must_end_as_the_terms_require(
    source: FileSource, abandon: str, before: str, reason: str, said: list[str]
) -> None:
    """Ann gives up the game before a leaf of some type, or does not; a reason makes it void."""
    game = VOID_GAME if reason else GAME
    rows = rows_of(source, game)
    for at, row in enumerate(rows):
        if reason and (row.leaf.kind == "game_void" or getattr(row.leaf, "move", "") == "void"):
            changed(rows, at, reason=reason)
    if before:
        at = place_of(rows, before)
        gone = SeatChanged(game=game, player="ann", table="t1", what="defaulted")
        rows.insert(at, GameLeaf(rows[at - 1].n, gone))
    terms = [replace(leaf, abandon=abandon) for leaf in terms_of(source)]
    found = check_game(game, rows, terms)
    assert len(found) == len(said)
    assert all(one.text.startswith(part) for one, part in zip(found, said, strict=True))


def test_leaf_that_breaks_the_replay_is_reported(source: FileSource) -> None:
    rows = rows_of(source)
    changed(rows, at := place_of(rows, "betting_closed"), first_dealer="zed")
    found = check_game(GAME, rows, terms_of(source))
    broken = [(one.check, one.leaf) for one in found if "lacks a required value" in one.text]
    assert broken == [("games", rows[at].n)]


def test_cover_above_challenger_offer_is_found(source: FileSource) -> None:
    rows = rows_of(source)
    cover = CoverLimits(challenger_cents=1, house_cents=0)
    changed(rows, at := place_of(rows, "book_locked"), cover=cover)
    found = check_game(GAME, rows, terms_of(source))[0]
    text = "the challenger covers 1 cents, but offered 0"
    assert (found.check, found.text, found.leaf) == ("cover", text, rows[at].n)


def test_missing_bet_is_reported_in_words(source: FileSource) -> None:
    rows = rows_of(source)
    del rows[at := place_of(rows, "bet")]
    found = check_game(GAME, rows, terms_of(source))[0]
    assert (found.text, found.leaf) == ("an entry without its bet", rows[at].n)


@pytest.mark.parametrize(
    ("bot", "text"),
    [
        (BotName(name="novice", strength="", version="1"), "this program has no bot novice 1,"),
        (BotName(name="novice", strength="9", version="2"), "this program has no bot novice 2 9,"),
        (BotName(name="robot", strength="", version="2"), "this program has no bot robot 2,"),
    ],
)
def test_unknown_bot_is_reported(source: FileSource, bot: BotName, text: str) -> None:
    rows = rows_of(source)
    changed(rows, 0, bots=Bots(house=bot))
    (found,) = check_game(GAME, rows, terms_of(source), decide_again)
    assert (found.check, found.severity, found.game) == ("bots", "error", GAME)
    assert text in found.text
