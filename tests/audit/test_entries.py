"""L2, L3: every entry by itself, the pieces of long ones, and balances joined range by range."""

from __future__ import annotations

import pytest

from casino.audit.checks.ledger import (
    Correction,
    EntryPart,
    PostingSums,
    RunningBalances,
    RunningSum,
    SplitEntries,
    check_correction,
    is_valid_name,
)
from casino.audit.checks.log import RULES
from casino.audit.report import Finding, Report
from casino.ledger.entries import AnswersGiven, Entry, Leaf, LogOpened
from tests.audit.by_hand import bet, entry, locked, opened, texts

GAME = "t1-000001"
ESCROW = f"escrow/{GAME}/ann"
ANN, BEN = "wallet/ann", "wallet/ben"

ENTRIES: dict[str, tuple[Entry, str]] = {
    "a grant": (entry(1, "grant", ("treasury", -5), (ANN, 5)), ""),
    "a hold": (entry(1, "hold", (ESCROW, 5), (ANN, -5), game=GAME), ""),
    "a hold of the house's": (entry(1, "hold", (ESCROW, 5), ("house/bank", -5), game=GAME), ""),
    "a release": (entry(1, "release", (ESCROW, -5), (ANN, 5), game=GAME), ""),
    "a settlement": (
        entry(1, "settle", (ESCROW, -5), ("house/commission", 1), (ANN, 4), game=GAME), ""
    ),
    "a correction": (entry(2, "correct", ("treasury", 5), (ANN, -5), corrects=1, reason="x"), ""),
    "an unknown move": (entry(1, "gift", (ANN, 5)), "has the unknown move gift"),
    "a cent more": (entry(1, "grant", ("treasury", -5), (ANN, 6)), "does not sum to 0"),
    "one account": (entry(1, "grant", ("treasury", 0)), "does not sum to 0"),
    "no account": (entry(1, "grant"), "does not sum to 0"),
    "nothing moved": (
        entry(1, "grant", ("treasury", -5), (ANN, 5), (BEN, 0)), "moves 0 cents on wallet/ben"
    ),
    "out of order": (
        entry(1, "grant", (ANN, 5), ("treasury", -5)), "names an account twice, or out of order"
    ),
    "an account twice": (
        entry(1, "grant", ("treasury", -5), (ANN, 2), (ANN, 3)), "names an account twice"
    ),
    "a grant the wrong way": (
        entry(1, "grant", ("treasury", 5), (ANN, -5)), "moves -5 cents on wallet/ann"
    ),
    "from wallet to wallet": (
        entry(1, "settle", (ANN, -5), (BEN, 5), game=GAME), "moves -5 cents on wallet/ann"
    ),
    "a commission of a release": (
        entry(1, "release", (ESCROW, -5), ("house/commission", 5), game=GAME),
        "moves 5 cents on house/commission, which release does not",
    ),
    "a hold without a game": (
        entry(1, "hold", ("escrow/x/ann", 5), (ANN, -5)), "is a hold without a game"
    ),
    "a grant of a game": (
        entry(1, "grant", ("treasury", -5), (ANN, 5), game=GAME), "is a grant of a game"
    ),
    "another game's escrow": (
        entry(1, "hold", ("escrow/t1-000002/ann", 5), (ANN, -5), game=GAME),
        "which is not the escrow of t1-000001",
    ),
    "a wallet of nobody": (
        entry(1, "grant", ("treasury", -5), ("wallet/", 5)), "an account that cannot be: wallet/"
    ),
    "a wallet of the house": (
        entry(1, "grant", ("treasury", -5), ("wallet/house", 5)), "cannot be: wallet/house"
    ),
    "an escrow of nobody": (
        entry(1, "hold", (f"escrow/{GAME}/", 5), (ANN, -5), game=GAME), "an account that cannot be"
    ),
    "a piece does not balance by itself": (entry(1, "grant", (ANN, 5), part=2, parts=2), ""),
    "a piece without its place": (entry(1, "grant", (ANN, 5), parts=2), ""),
    "a piece of nobody knows how many": (entry(1, "grant", (ANN, 5), part=2), ""),
}  # fmt: skip


@pytest.mark.parametrize("name", ENTRIES)
def test_l3_an_entry_moves_what_its_kind_may(name: str) -> None:
    """It sums to 0, its accounts stand in order, each falls or rises as its move lets it."""
    leaf, said = ENTRIES[name]
    money = PostingSums()
    money.add(7, leaf)
    assert len(money.findings) == (said != "")
    for one in money.findings:
        assert said in one.text and one.text.startswith(f"entry {leaf.entry} ")
        assert (one.check, one.leaf, one.entry) == ("entries", 7, leaf.entry)


def test_l2_entries_are_numbered_without_gaps() -> None:
    """From whatever the range begins with; the parts of one have one number."""
    money = PostingSums()
    for n, number in enumerate((4, 5, 7, 8, 8)):
        money.add(n, entry(number, "grant", ("treasury", -5), (ANN, 5)))
    assert texts(money.findings) == ["entry 7 follows entry 5", "entry 8 follows entry 8"]
    money.add(9, entry(9, "grant", ("treasury", -5), part=1, parts=2))
    money.add(10, entry(9, "grant", (ANN, 5), part=2, parts=2))
    assert len(money.findings) == 2
    assert (money.first, money.last) == (4, 9)
    assert [piece.part for piece in money.pieces] == [1, 2]


def test_l2_no_balance_is_below_0_at_any_moment() -> None:
    """The lowest point of a range counts, wherever it lies; the treasury owes what was issued."""
    money = PostingSums()
    for n, cents in enumerate((-5, -5, 8, 2, 5)):
        sign = "hold" if cents < 0 else "release"
        money.add(n, entry(n + 1, sign, (ESCROW, -cents), (ANN, cents), game=GAME))
    assert money.courses[ANN] == [5, -10, 1]
    assert money.courses[ESCROW] == [-5, -5, 4]
    assert money.passing()[ANN] == RunningSum(5, -10, 1)
    for before, found in ((10, []), (9, ["wallet/ann falls to -1 cents"])):
        rebuilt = RunningBalances()
        rebuilt.balances = {ANN: before, ESCROW: 5}
        assert texts(rebuilt.join(money.passing())) == found
        assert rebuilt.balances == {ANN: before + 5}, "an account that is empty is let go"
    owed = RunningBalances()
    assert owed.join({"treasury": RunningSum(-5, -5, 1), ANN: RunningSum(5, 5, 1)}) == []
    assert owed.balances == {"treasury": -5, ANN: 5}


def test_an_account_that_ends_where_it_began_is_passed_on_only_if_it_fell() -> None:
    """So that what a range passes on is no longer than the accounts it must."""
    money = PostingSums()
    money.add(0, entry(1, "grant", ("treasury", -5), (ANN, 5)))
    money.add(1, entry(2, "correct", ("treasury", 5), (ANN, -5), corrects=1))
    assert money.passing() == {}
    money.add(2, entry(3, "hold", (ESCROW, 5), (BEN, -5), game=GAME))
    money.add(3, entry(4, "void", (ESCROW, -5), (BEN, 5), game=GAME))
    assert money.passing() == {BEN: RunningSum(0, -5, 2)}


@pytest.mark.parametrize(("bank_cents", "found"), [(300, 0), (299, 1)])
def test_g7_a_cover_is_a_third_of_the_bank_at_most(bank_cents: int, found: int) -> None:
    """What the bank held before the range, and what it won in it before the lock, count."""
    money = PostingSums()
    money.add(0, entry(1, "settle", (ESCROW, -60), ("house/bank", 60), game=GAME))
    money.add_cover(1, locked(1, 120))
    money.add(2, entry(2, "settle", (ESCROW, -60), ("house/bank", 60), game=GAME))
    rebuilt = RunningBalances()
    rebuilt.balances = {"house/bank": bank_cents, ESCROW: 120}
    said = rebuilt.join(money.passing(), money.covers)
    assert [(one.check, one.leaf, one.game) for one in said] == [("cover", 1, GAME)] * found


def piece(leaf: int, part: int, cents: int, **changes: object) -> EntryPart:
    account = f"wallet/p{part}"
    made = EntryPart(leaf, 5, part, 3, cents, account, account, ("grant", None, None), ())
    return made._replace(**changes)  # type: ignore[arg-type]


WHOLE = [piece(10, 1, -3), piece(11, 2, 1), piece(12, 3, 2)]

PIECES: dict[str, tuple[list[EntryPart], list[str]]] = {
    "whole": (WHOLE, []),
    "a cent too much": ([*WHOLE[:2], piece(12, 3, 3)], ["does not sum to 0"]),
    "the last is missing": (WHOLE[:2], ["ends with part 2 of 3"]),
    "the first is missing": (WHOLE[1:], ["begins with part 2", "begins with part 3"]),
    "one is missing": ([WHOLE[0], WHOLE[2]], ["ends with part 1 of 3", "begins with part 3"]),
    "something stands between": (
        [*WHOLE[:2], piece(13, 3, 2)], ["ends with part 2 of 3", "begins with part 3"]
    ),
    "of another entry": (
        [*WHOLE[:2], piece(12, 3, 2, entry=6)], ["ends with part 2 of 3", "begins with part 3"]
    ),
    "of another move": (
        [*WHOLE[:2], piece(12, 3, 2, about=("hold", None, None))],
        ["ends with part 2 of 3", "begins with part 3"],
    ),
    "of more parts": (
        [*WHOLE[:2], piece(12, 3, 2, parts=4)], ["ends with part 2 of 3", "begins with part 3"]
    ),
    "an account twice": (
        [*WHOLE[:2], piece(12, 3, 2, first="wallet/p2")],
        ["ends with part 2 of 3", "begins with part 3"],
    ),
    "one part that is all": ([piece(10, 1, 0, parts=1)], ["does not sum to 0"]),
    "two in a row": ([*WHOLE, *(one._replace(leaf=one.leaf + 3, entry=6) for one in WHOLE)], []),
}  # fmt: skip


@pytest.mark.parametrize("name", PIECES)
@pytest.mark.parametrize("at_once", [True, False])
def test_l3_a_long_entry_is_whole_only_with_all_of_its_parts(name: str, at_once: bool) -> None:
    """In order, directly behind one another, of one entry; the end of a range changes nothing."""
    parts, said = PIECES[name]
    pieces = SplitEntries()
    ranges = [parts] if at_once else [[one] for one in parts]
    found = [one for some in ranges for one in pieces.add(some)]
    found += pieces.finish()
    assert [one.text.split(" ", 2)[2] for one in found] == said
    assert pieces.open == []


def test_l3_a_piece_keeps_what_later_ranges_need() -> None:
    """Postings only of a correction, which is compared with another entry once it is whole."""
    postings = (("treasury", -5), (ANN, 5), (BEN, 1))
    grant = EntryPart.from_leaf(9, entry(4, "grant", *postings, part=1, parts=2))
    assert grant == EntryPart(9, 4, 1, 2, 1, "treasury", BEN, ("grant", None, None), ())
    undone = EntryPart.from_leaf(
        9, entry(4, "correct", *postings, part=1, parts=2, corrects=3, reason="x")
    )
    assert undone.postings == postings
    assert undone.about == ("correct", None, 3)
    lost = EntryPart.from_leaf(9, entry(4, "hold", game=GAME))
    assert lost == EntryPart(9, 4, 0, 0, 0, "", "", ("hold", GAME, None), ())


def test_g7_a_bank_that_has_not_moved_is_what_it_was() -> None:
    money = PostingSums()
    money.add_cover(1, locked(1, 120))
    assert [one.needed_cents for one in money.covers] == [360]


def test_l3_a_correction_undoes_its_entry_to_the_cent() -> None:
    about = ("correct", None, 4)
    parts = [one._replace(about=about, postings=((one.first, one.cents),)) for one in WHOLE]
    pieces = SplitEntries()
    assert list(pieces.add(parts)) == []
    (whole,) = pieces.take_corrections()
    assert whole == Correction(10, 4, tuple((one.first, one.cents) for one in WHOLE))
    assert pieces.take_corrections() == []
    undone = [(account, -cents) for account, cents in whole.postings][::-1]
    assert list(check_correction(10, 4, whole.postings, undone)) == []
    for wrong in (undone[1:], [*undone[:2], (undone[2][0], 7)], list(whole.postings), []):
        assert texts(check_correction(10, 4, whole.postings, wrong)) == [
            "the correction does not undo entry 4"
        ]


RULED: dict[str, tuple[int, Leaf, list[str]]] = {
    "the first leaf": (0, LogOpened(key="k", name="n", version=3), []),
    "an older version": (
        0, LogOpened(key="k", name="n", version=2), ["version 2 of the log is not known"]
    ),
    "a bet of the house's": (4, bet("house"), ["'house' cannot be a player's name"]),
    "a game of a person without a name": (
        4, opened(1, challenger="", is_bot=False), ["'' cannot be a player's name"]
    ),
    "answers bound by no hash": (4, AnswersGiven(hash="ab"), ["answers are bound by no hash"]),
    "answers bound by a hash": (4, AnswersGiven(hash="ab" * 32), []),
    "a correction of what": (
        4, entry(2, "correct", reason="x"), ["only a correction names an entry it undoes"]
    ),
    "a grant that corrects": (
        4, entry(2, "grant", corrects=1), ["only a correction names an entry it undoes"]
    ),
    "a correction of entry 0": (
        4, entry(2, "correct", corrects=0, reason="x"),
        ["entry 2 cannot undo entry 0: it is not before it"],
    ),
    "a correction of itself, for no reason": (
        4, entry(2, "correct", corrects=2),
        ["the correction gives no reason", "entry 2 cannot undo entry 2: it is not before it"],
    ),
    "a correction of the entry before": (4, entry(2, "correct", corrects=1, reason="x"), []),
}  # fmt: skip


@pytest.mark.parametrize("name", RULED)
def test_l18_a_leaf_keeps_the_rule_of_its_kind(name: str) -> None:
    number, leaf, said = RULED[name]
    found = list(RULES[type(leaf)](number, leaf))
    assert texts(found) == said
    assert all((one.check, one.leaf) == ("rules", number) for one in found)


@pytest.mark.parametrize(
    ("name", "is_one"),
    [("ann", True), ("a" * 40, True), ("a" * 41, False), ("", False), (" ann", False),
     ("ann ", False), ("a/b", False), ("a|b", False), ("a\tb", False), ("Аня*", True)],
)  # fmt: skip
def test_a_name_is_short_and_printable(name: str, is_one: bool) -> None:
    assert is_valid_name(name) is is_one


def test_a_finding_names_every_place_it_knows() -> None:
    """Leaf 0 is a place as well; only an error makes a report unclean."""
    bare = Finding("time", "it jumps", severity="warning")
    assert str(bare) == "time: it jumps"
    full = Finding("sums", "no", 0, "t1-000001", 9)
    assert str(full) == "sums: no (leaf 0, game t1-000001, entry 9)"
    assert full.json() == {"check": "sums", "severity": "error", "leaf": 0, "game": "t1-000001",
                           "entry": 9, "text": "no"}  # fmt: skip
    report = Report(1, 2, 3, "ab", [bare, Finding("n", "n", severity="note")], known=("a",))
    assert report.is_clean
    assert not report._replace(findings=[bare, full]).is_clean
    told = report.json()
    assert told.pop("findings") == [bare.json(), report.findings[1].json()]
    assert told == {"leaves": 1, "games": 2, "entries": 3, "root": "ab", "signed": 0, "key": "",
                    "key_from": "", "known": ["a"], "witnessed": None}  # fmt: skip
