"""L2, L3: every entry by itself, the pieces of long ones, and balances joined range by range."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from casino.audit.check import RunningGames
from casino.audit.checks.ledger import LedgerCheck, is_valid_name
from casino.audit.checks.log import RULES
from casino.audit.report import Finding, Report
from casino.events.types import BookLocked
from casino.ledger.entries import AnswersGiven, Entry, Leaf, LogOpened
from tests.audit.by_hand import bet, entry, locked, opened, texts

GAME = "t1-000001"
ESCROW = f"escrow/{GAME}/ann"
ANN, BEN = "wallet/ann", "wallet/ben"

NO_ENTRIES: dict[int, list[tuple[str, int]]] = {}
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


def ledger(**balances: int) -> LedgerCheck:
    check = LedgerCheck(RunningGames())
    check.kept.balances = {name.replace("_", "/"): cents for name, cents in balances.items()}
    return check


def found_in(check: LedgerCheck, *leaves: Entry | BookLocked, first: int = 0) -> list[Finding]:
    return [one for n, leaf in enumerate(leaves, first) for one in check.on_event(n, leaf)]


@pytest.mark.parametrize("name", ENTRIES)
def test_l3_an_entry_moves_what_its_kind_may(name: str) -> None:
    """It sums to 0, its accounts stand in order, each falls or rises as its move lets it."""
    leaf, said = ENTRIES[name]
    check = ledger(wallet_ann=99, wallet_ben=99, house_bank=99)
    check.kept.entries, check.kept.escrow = leaf.entry - 1, {ESCROW: 99}
    money = [
        one
        for one in found_in(check, leaf, first=7)
        if one.check == "entries" and "part" not in one.text
    ]
    assert len(money) == (said != "")
    for one in money:
        assert said in one.text and one.text.startswith(f"entry {leaf.entry} ")
        assert (one.check, one.leaf, one.entry) == ("entries", 7, leaf.entry)


def test_l2_entries_are_numbered_without_gaps() -> None:
    """The parts of one have one number."""
    check = ledger()
    numbers = [entry(n, "grant", ("treasury", -5), (ANN, 5)) for n in (1, 2, 4, 5, 5)]
    parts = [entry(6, "grant", (account, cents), part=part, parts=2)
             for part, account, cents in ((1, "treasury", -5), (2, ANN, 5))]  # fmt: skip
    found = found_in(check, *numbers, *parts)
    assert texts(found) == ["entry 4 follows entry 2", "entry 5 follows entry 5"]
    assert [one.leaf for one in found] == [2, 4]
    assert (check.kept.entries, check.balances) == (6, {"treasury": -30, ANN: 30})


@pytest.mark.parametrize(("before", "found"), [(10, []), (9, ["wallet/ann falls to -1 cents"])])
def test_l2_no_balance_is_below_0_at_any_moment(before: int, found: list[str]) -> None:
    """It is said where it falls, and once; an empty account is let go, the treasury owes."""
    check = ledger(wallet_ann=before)
    moves = []
    for n, cents in enumerate((-5, -5, 8, 2, 5), 1):
        sign = "hold" if cents < 0 else "release"
        moves.append(entry(n, sign, (ESCROW, -cents), (ANN, cents), game=GAME))
    check.kept.escrow = {ESCROW: 5}
    told = found_in(check, *moves)
    assert (texts(told), [one.leaf for one in told]) == (found, [1] * len(found))
    assert check.balances == {ANN: before + 5}
    assert found_in(ledger(), entry(1, "grant", ("treasury", -5), (ANN, 5))) == []


@pytest.mark.parametrize(("bank_cents", "found"), [(300, 0), (299, 1)])
def test_g7_a_cover_is_a_third_of_the_bank_at_most(bank_cents: int, found: int) -> None:
    """What the bank holds when the book is locked counts, and no later win."""
    check = ledger(house_bank=bank_cents)
    check.kept.escrow = {ESCROW: 120}
    win = entry(1, "settle", (ESCROW, -60), ("house/bank", 60), game=GAME)
    said = found_in(check, win, locked(1, 120), replace(win, entry=2))
    assert [(one.check, one.leaf, one.game) for one in said] == [("cover", 1, GAME)] * found


def part(number: int, cents: int, **changes: object) -> Entry:
    account = changes.pop("account", f"wallet/p{number}")
    made = entry(1, "grant", (str(account), cents), part=number, parts=3)
    return replace(made, **changes)


WHOLE = [part(1, -3, account="treasury"), part(2, 1), part(3, 2)]
OTHER = entry(2, "grant", ("treasury", -5), (ANN, 5))
LACKS_THIRD = ["ends with part 2 of 3", "begins with part 3"]
PARTS: dict[str, tuple[list[Entry], list[str]]] = {
    "whole": (WHOLE, []),
    "a cent too much": ([*WHOLE[:2], part(3, 3)], ["does not sum to 0"]),
    "the last is missing": (WHOLE[:2], ["ends with part 2 of 3"]),
    "the first is missing": (WHOLE[1:], ["begins with part 2", "begins with part 3"]),
    "one is missing": ([WHOLE[0], WHOLE[2]], ["ends with part 1 of 3", "begins with part 3"]),
    "something stands between": ([*WHOLE[:2], OTHER, WHOLE[2]], LACKS_THIRD),
    "of another entry": ([*WHOLE[:2], part(3, 2, entry=6)], LACKS_THIRD),
    "of another move": ([*WHOLE[:2], part(3, 2, move="correct", corrects=1)], LACKS_THIRD),
    "of more parts": ([*WHOLE[:2], part(3, 2, parts=4)], LACKS_THIRD),
    "an account twice": ([*WHOLE[:2], part(3, 2, account="wallet/p2")], LACKS_THIRD),
    "one part that is all": ([part(1, 0, parts=1)], ["does not sum to 0"]),
    "two in a row": ([*WHOLE, *(replace(one, entry=2) for one in WHOLE)], []),
}  # fmt: skip


@pytest.mark.parametrize("name", PARTS)
def test_l3_a_long_entry_is_whole_only_with_all_of_its_parts(name: str) -> None:
    """In order, directly behind one another, of one entry."""
    parts, said = PARTS[name]
    check = ledger()
    found = [*found_in(check, *parts), *check.finish()]
    told = [one.text.split(" ", 2)[2] for one in found if one.check == "entries"]
    assert [text for text in told if "part" in text or "sum" in text] == said
    assert check.kept.split is None


@pytest.mark.parametrize("is_long", [False, True])
def test_l3_a_correction_undoes_its_entry_to_the_cent(is_long: bool) -> None:
    """One in several leaves is one correction; it waits until its entry can be reached."""
    postings = (("treasury", 3), ("wallet/p2", -1), ("wallet/p3", -2))
    whole = entry(1, "correct", *postings, corrects=4, reason="x")
    parts = [replace(whole, part=n, parts=3, postings=(one,)) for n, one in enumerate(postings, 1)]
    undone = [(account, -cents) for account, cents in postings][::-1]
    for wrong in ([], undone[1:], [*undone[:2], (undone[2][0], 7)], list(postings)):
        check = ledger(wallet_p2=2, wallet_p3=4)
        (found,) = found_in(check, *(parts if is_long else [whole]))
        assert (found.text, found.leaf) == ("entry 4 is undone by the house", 0)
        with pytest.raises(KeyError):
            list(check.compare_corrections(NO_ENTRIES.__getitem__))
        (text,) = texts(check.compare_corrections({4: wrong}.__getitem__))
        assert text == "the correction does not undo entry 4"
        assert list(check.compare_corrections(NO_ENTRIES.__getitem__)) == []
    (again,) = found_in(check, replace(whole, entry=2))
    assert (again.text, again.severity) == ("entry 4 is corrected a second time", "error")
    assert list(check.compare_corrections({4: undone}.__getitem__)) == []


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
