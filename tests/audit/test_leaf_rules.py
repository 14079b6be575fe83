"""L2, L3, L12, L18, L19: each check of the audit by itself, leaf by leaf, without a casino."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from casino.audit.audits import Report
from casino.audit.check import Check, Finding, RunningGames
from casino.audit.checks.ledger import LedgerCheck
from casino.audit.checks.limits import LimitsCheck
from casino.audit.checks.log import RULES, OrderCheck
from casino.audit.checks.seats import SeatsCheck
from casino.audit.checks.seed_chains import MIN_CHAIN_LENGTH, SeedChainsCheck
from casino.audit.checks.store import check_secrets
from casino.audit.checks.table_rules import GAMES_BEFORE, TableRulesCheck
from casino.events import types
from casino.ledger.entries import (
    AnswersGiven,
    Entry,
    Leaf,
    LogOpened,
    Origin,
    RunStarted,
    RunStopped,
    encode,
)
from casino.player_limits import DAY_MS
from tests.audit.leaf_builders import bet, chain, entry, locked, opened, seed, terms, texts

GAME = "t1-000001"
ESCROW = f"escrow/{GAME}/ann"
ANN, BEN = "wallet/ann", "wallet/ben"
OPENED = LogOpened(key="k", name="n", version=3)
VOID = types.GameVoid(game=GAME, reason="enough")


def among(entries: dict[int, Any]) -> Callable[[list[int]], dict[int, Any]]:
    return lambda numbers: {number: entries[number] for number in numbers}


ENTRIES: dict[str, tuple[Entry, str]] = {
    "a grant": (entry(1, "grant", ("treasury", -5), (ANN, 5)), ""),
    "a hold": (entry(1, "hold", (ESCROW, 5), (ANN, -5), game=GAME), ""),
    "a settlement": (
        entry(1, "settle", (ESCROW, -5), ("house/commission", 1), (ANN, 4), game=GAME), ""
    ),
    "a correction": (entry(2, "correct", ("treasury", 5), (ANN, -5), corrects=1, reason="x"), ""),
    "a correction of a game's entry": (
        entry(2, "correct", (ESCROW, 5), (ANN, -5), corrects=1, reason="x"),
        f"moves 5 cents on {ESCROW}, which correct does not",
    ),
    "an unknown move": (entry(1, "gift", (ANN, 5)), "has the unknown move gift"),
    "a cent more": (entry(1, "grant", ("treasury", -5), (ANN, 6)), "does not sum to 0"),
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
    "another game's escrow": (
        entry(1, "hold", ("escrow/t1-000002/ann", 5), (ANN, -5), game=GAME),
        "moves escrow/t1-000002/ann, which is not the escrow of t1-000001",
    ),
    "a wallet of the house": (
        entry(1, "grant", ("treasury", -5), ("wallet/house", 5)), "cannot exist: wallet/house"
    ),
    "a piece does not balance by itself": (entry(1, "grant", (ANN, 5), part=2, parts=2), ""),
}  # fmt: skip


def ledger(**balances: int) -> LedgerCheck:
    check = LedgerCheck(RunningGames())
    check.balances = {name.replace("_", "/"): cents for name, cents in balances.items()}
    return check


def found_in(check: Check, *leaves: Leaf, first: int = 0) -> list[Finding]:
    return [one for n, leaf in enumerate(leaves, first) for one in check.on_event(n, leaf)]


@pytest.mark.parametrize(("leaf", "said"), ENTRIES.values(), ids=ENTRIES)
def test_l3_entry_may_move_only_accounts_of_its_kind(leaf: Entry, said: str) -> None:
    check = ledger(wallet_ann=99, wallet_ben=99, house_bank=99)
    check.entries, check.escrow = leaf.entry - 1, {ESCROW: 99}
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
    check = ledger()
    numbers = [entry(n, "grant", ("treasury", -5), (ANN, 5)) for n in (1, 2, 4, 5, 5)]
    parts = [entry(7, "grant", (account, cents), part=part, parts=2)
             for part, account, cents in ((1, "treasury", -5), (2, ANN, 5))]  # fmt: skip
    found = found_in(check, *numbers, *parts)
    assert texts(found) == [
        f"entry {n} follows entry {last}" for n, last in ((4, 2), (5, 5), (7, 5))
    ]
    assert [one.leaf for one in found] == [2, 4, 5]
    assert (check.entries, check.all_balances()) == (7, {"treasury": -30, ANN: 30})


@pytest.mark.parametrize(("before", "found"), [(10, []), (9, ["wallet/ann falls to -1 cent"])])
def test_l2_balance_below_zero_is_found(before: int, found: list[str]) -> None:
    check = ledger(wallet_ann=before)
    moves = []
    for n, cents in enumerate((-5, -5, 8, 2, 5), 1):
        sign = "hold" if cents < 0 else "release"
        moves.append(entry(n, sign, (ESCROW, -cents), (ANN, cents), game=GAME))
    check.escrow = {ESCROW: 5}
    told = found_in(check, *moves)
    assert (texts(told), [one.leaf for one in told]) == (found, [1] * len(found))
    assert check.all_balances() == {ANN: before + 5}
    assert found_in(ledger(), entry(1, "grant", ("treasury", -5), (ANN, 5))) == []


@pytest.mark.parametrize(("bank_cents", "found"), [(300, 0), (299, 1)])
def test_g7_cover_is_at_most_a_third_of_the_bank(bank_cents: int, found: int) -> None:
    check = ledger(house_bank=bank_cents)
    check.escrow = {ESCROW: 120}
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
    "without a number": ([replace(WHOLE[0], part=None)], ["begins with part 0"]),
    "an account twice": ([*WHOLE[:2], part(3, 2, account="wallet/p2")], LACKS_THIRD),
}  # fmt: skip


@pytest.mark.parametrize(("parts", "said"), PARTS.values(), ids=PARTS)
def test_l3_long_entry_needs_all_its_parts(parts: list[Entry], said: list[str]) -> None:
    check = ledger()
    found = [*found_in(check, *parts), *check.finish()]
    told = [one.text.split(" ", 2)[2] for one in found if one.check == "entries"]
    assert [text for text in told if "part" in text or "sum" in text] == said
    assert check.parts == []


@pytest.mark.parametrize("is_long", [False, True])
def test_l3_correction_must_undo_its_entry_exactly(is_long: bool) -> None:
    postings = (("treasury", 3), ("wallet/p2", -1), ("wallet/p3", -2))
    whole = entry(1, "correct", *postings, corrects=4, reason="x")
    parts = [replace(whole, part=n, parts=3, postings=(one,)) for n, one in enumerate(postings, 1)]
    undone = [(account, -cents) for account, cents in postings][::-1]
    for wrong in ([], undone[1:], [*undone[:2], (undone[2][0], 7)], list(postings)):
        check = ledger(wallet_p2=2, wallet_p3=4)
        (found,) = found_in(check, *(parts if is_long else [whole]))
        said = (found.text, found.leaf, found.severity)
        assert said == ("entry 4 was undone by the house", 0, "warning")
        with pytest.raises(KeyError):
            list(check.compare_corrections(among({})))
        (text,) = texts(check.compare_corrections(among({4: wrong})))
        assert text == "the correction does not undo entry 4"
        assert list(check.compare_corrections(among({}))) == []
    (again,) = found_in(check, replace(whole, entry=2))
    assert (again.text, again.severity) == ("entry 4 is corrected a second time", "error")
    assert list(check.compare_corrections(among({4: undone}))) == []


def seat(player: str, what: str, **changes: Any) -> types.SeatChanged:
    return types.SeatChanged(player=player, table=changes.pop("table", "t1"), what=what, **changes)


RULED: dict[str, tuple[int, Leaf, list[str]]] = {
    "the first leaf": (0, OPENED, []),
    "a bet of the house's": (4, bet("house"), ["'house' cannot be a player's name"]),
    "a game of a person without a name": (
        4, opened(1, challenger="", is_bot=False), ["'' cannot be a player's name"]
    ),
    "a queue": (4, seat("ann", "queued"), []),
    "a seat of the house": (
        4, seat("house", "queued"), ["'house' cannot be a player's name"]
    ),
    "a name with a slash": (4, seat("a/b", "left"), ["'a/b' cannot be a player's name"]),
    "a limit without a name": (
        4, types.LimitSet(from_ms=0, limits=types.OwnLimits(day_loss_cents=5), player=""),
        ["'' cannot be a player's name"],
    ),
    "a text of a simulated spectator": (
        4, types.CutSealed(game=GAME, player="Léa*", seal="0" * 64),
        ["'Léa*' is simulated, but seals a text"],
    ),
    "a bet of a simulated spectator": (4, bet("Léa*"), []),
    "a bet of a simulated spectator with a text": (
        4, replace(bet("Léa*"), seal="0" * 64), ["'Léa*' is simulated, but seals a text"]
    ),
    "a second beginning": (4, OPENED, ["the log begins a second time"]),
    "answers bound by a hash": (4, AnswersGiven(hash="ab" * 32), []),
    "a correction of entry 0": (
        4, entry(2, "correct", corrects=0, reason="x"),
        ["entry 2 cannot undo entry 0, only earlier ones"],
    ),
    "a correction of itself, for no reason": (
        4, entry(2, "correct", corrects=2),
        ["the correction gives no reason", "entry 2 cannot undo entry 2, only earlier ones"],
    ),
    "a grant that undoes an entry": (
        4, entry(2, "grant", corrects=1), ["only a correction can name an entry to undo"]
    ),
    "a correction of nothing": (
        4, entry(2, "correct"), ["only a correction can name an entry to undo"]
    ),
    "a log after another": (
        0, replace(OPENED, after=Origin(kept=3, origin="o", root="", size=5)),
        ["this log replaces o after 3 of at least 5 leaves: "
         "only that log shows whose chips this one carries over"],
    ),
    "a correction of the entry before": (4, entry(2, "correct", corrects=1, reason="x"), []),
}  # fmt: skip


@pytest.mark.parametrize(("number", "leaf", "said"), RULED.values(), ids=RULED)
def test_l18_leaf_must_follow_rules_of_its_kind(number: int, leaf: Leaf, said: list[str]) -> None:
    found = list(RULES[type(leaf)](number, leaf))
    assert texts(found) == said
    assert all((one.check, one.leaf) == ("rules", number) for one in found)


def test_finding_names_leaf_game_and_entry() -> None:
    bare = Finding("time", "it jumps", severity="warning")
    assert str(bare) == "time: it jumps"
    full = Finding("sums", "no", 0, "t1-000001", 9)
    assert str(full) == "sums: no (leaf 0, game t1-000001, entry 9)"
    assert full.json() == {"check": "sums", "severity": "error", "leaf": 0, "game": "t1-000001",
                           "entry": 9, "text": "no"}  # fmt: skip
    report = Report(1, 2, 3, [bare, Finding("n", "n", severity="note")], "ab", known=("a",))
    assert report.is_clean
    assert not replace(report, findings=[bare, full]).is_clean
    told = report.json()
    assert told.pop("findings") == [bare.json(), report.findings[1].json()]
    assert told == {"leaves": 1, "games": 2, "entries": 3, "root": "ab", "signed": 0, "key": "",
                    "key_from": "", "known": ["a"], "witnessed": None}  # fmt: skip


OVER_TERMS = "ann could lose {:,} cents in a day, but the terms allow {}"


def moved(at: int, move: str, cents: int, player: str = "ann") -> Entry:
    postings = (f"escrow/t1-000001/{player}", -cents), (f"wallet/{player}", cents)
    return entry(1, move, *postings, at=at, game="t1-000001")


def limit(at: int, from_ms: int | None = None, **limits: int) -> types.LimitSet:
    said = types.OwnLimits(**limits)
    return types.LimitSet(
        at=at, from_ms=at if from_ms is None else from_ms, limits=said, player="ann"
    )


def stake(at: int, cents: int) -> tuple[types.Event, types.Event]:
    return bet("ann", at), moved(at, "hold", -cents)


CASES: dict[str, tuple[list[types.Event], list[str]]] = {
    "a stake within the limit": ([limit(0, day_stake_cents=500), *stake(1, 500)], []),
    "a stake that came back counts": (
        [limit(0, day_stake_cents=500), *stake(1, 300), moved(2, "void", 300), *stake(3, 201)],
        ["5.00 chips staked"],
    ),
    "another day begins with nothing": (
        [limit(0, day_stake_cents=500), *stake(1, 300), *stake(DAY_MS, 500)], []
    ),
    "the last moment of the day is of it": (
        [limit(0, day_stake_cents=500), *stake(1, 300), *stake(DAY_MS - 1, 500)],
        ["5.00 chips staked"],
    ),
    "what is at risk may be lost": (
        [limit(0, day_loss_cents=500), *stake(1, 300), *stake(2, 201)], ["5.00 chips lost"]
    ),
    "chips that are given make no loss smaller": (
        [limit(0, day_loss_cents=500), *stake(1, 300), moved(2, "grant", 300),
         moved(3, "correct", 300), *stake(4, 201)],
        ["5.00 chips lost"],
    ),
    "a break": ([limit(0, break_until_ms=9_000), *stake(8_999, 1)], ["taking a break"]),
    "a bet is judged once": (
        [limit(0, day_stake_cents=500), *stake(1, 501), moved(2, "hold", -5)],
        ["5.00 chips staked"],
    ),
    "a looser limit waits a day": (
        [limit(0, day_stake_cents=500), limit(5, 5 + DAY_MS, day_stake_cents=900),
         *stake(4 + DAY_MS, 501), *stake(5 + DAY_MS, 399)],
        ["5.00 chips staked"],
    ),
    "a looser limit that does not wait": (
        [limit(0, day_stake_cents=500), limit(5, day_stake_cents=900)],
        [f"day_stake_cents applies from 5, not from {5 + DAY_MS}"],
    ),
    "a tighter limit that waits": (
        [limit(0, day_stake_cents=500), limit(5, 6, day_stake_cents=400)],
        ["day_stake_cents applies from 6, not from 5"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("steps", "said"), CASES.values(), ids=CASES)
def test_l12_bet_must_respect_player_limits(steps: list[types.Event], said: list[str]) -> None:
    found = found_in(LimitsCheck(lambda _: 0), *steps)
    assert len(found) == len(said)
    for one, part in zip(found, said, strict=True):
        assert part in one.text
        assert one.check == "limits"
        assert isinstance(steps[one.leaf or 0], types.LimitSet) is (one.game is None)


def test_l19_daily_limit_of_terms_applies_without_own_limits() -> None:
    others: list[types.Event] = [bet("ben", 1), moved(1, "hold", -900, "ben")]
    steps = [*others, *stake(1, 400), bet("ann", 2, "t2-000001"), moved(2, "hold", -900)]
    limited = LimitsCheck(lambda game: 600 if game.startswith("t1") else 0)
    found = found_in(limited, *steps, *stake(3, 1))
    assert texts(found[1:]) == [OVER_TERMS.format(1_301, 600)]
    assert [(one.leaf, one.game) for one in found] == [(0, "t1-000001"), (6, "t1-000001")]
    assert found_in(LimitsCheck(lambda _: 600), *stake(1, 200), *stake(2, 400)) == []


def bots(house: str) -> types.Bots:
    named = types.BotName(name=house, version="1") if house else None
    return types.Bots(house=named, challenger=types.BotName(name="novice", version="1"))


Step = types.TermsSet | types.GameOpened | types.BookLocked


def hosted(from_game: int, stake_cents: int = 1_000, **changes: Any) -> types.TermsSet:
    fields: dict[str, Any] = {"audience": "public", "games": 0, "host": "ann", "spectators": 0}
    return terms(from_game, hosted=types.HostedTable(**fields | changes), stake_cents=stake_cents)


TABLE_RULES_CASES: dict[str, tuple[list[Step], list[str]]] = {
    "the first hold at once": ([terms(1), opened(1)], []),
    "the first hold from no other game": (
        [terms(2)], ["the terms of t1 apply from game 2, not 1"]
    ),
    "later ones from the tenth game": (
        [terms(1), opened(1), opened(2), terms(12), opened(3)], []
    ),
    "later ones a game too soon": (
        [terms(1), opened(1), opened(2), terms(11)],
        ["the terms of t1 apply from game 11, not 12"],
    ),
    "a game given up is not provided for": (
        [terms(1, abandon="shrug")], ["the terms of t1 say 'shrug' about abandoned games"]
    ),
    "second ones before any game": (
        [terms(1), terms(1)], ["the terms of t1 apply from game 1, not 10"]
    ),
    "each table has its own": (
        [terms(1), opened(1), terms(1, "t2"), opened(1, "t2"), opened(2)], []
    ),
    "a game is left out": (
        [terms(1), opened(1), opened(3), opened(4)],
        ["game t1-000003 of table t1 opens in place of t1-000002"],
    ),
    "a game is opened twice": (
        [terms(1), opened(1), opened(2), opened(1), opened(3)],
        ["game t1-000001 of table t1 opens in place of t1-000003"],
    ),
    "a number that is none": (
        [terms(1), opened(1, game="t1-first"), opened(1)],
        ["game t1-first of table t1 opens in place of t1-000001"],
    ),
    "another bot in the house's seat": (
        [terms(1), opened(1, house="novice")],
        ["the house's player of this game is not the one in the terms"],
    ),
    "the house's seat is played by another bot than the one named": (
        [terms(1), opened(1, bots=bots(house="novice"))],
        ["novice plays for the house, whose player is regle"],
    ),
    "the bot in the house's seat is left out": (
        [terms(1), opened(1, bots=bots(house=""))],
        ["the bot that plays for the house is not named"],
    ),
    "a person challenges": ([terms(1), opened(1, challenger="ann", is_bot=False)], []),
    "a cover of all that the terms allow": ([terms(1), opened(1), locked(1, 50_000)], []),
    "a cover of a cent more": (
        [terms(1), opened(1), locked(1, 50_001)],
        ["the house covers 50,001 cents, but its terms allow 50,000 at most"],
    ),
    "a hosted table is closed": (
        [hosted(1), opened(1), hosted(11, stake_cents=200), hosted(11, closed="host")], []
    ),
    "a game after the closing": (
        [hosted(1), hosted(10, closed="idle"), opened(1)], ["the game opens after t1 was closed"]
    ),
    "terms after the closing": (
        [hosted(1), hosted(10, closed="idle"), hosted(10)],
        ["t1 has new terms after it was closed"],
    ),
    "a game too many": (
        [hosted(1, games=1), opened(1), opened(2)], ["the game opens after the 1 games of t1"]
    ),
    "another host": (
        [hosted(1), hosted(10, host="ben")],
        ["the host of t1, its audience or its number of games changes"],
    ),
    "the casino's own table gets a host": (
        [terms(1), hosted(10)], ["the host of t1, its audience or its number of games changes"]
    ),
    "a host of no name": ([hosted(1, host="a/b")], ["'a/b' cannot be a host's name"]),
}  # fmt: skip


@pytest.mark.parametrize(("steps", "said"), TABLE_RULES_CASES.values(), ids=TABLE_RULES_CASES)
def test_l19_games_are_numbered_and_follow_their_terms(steps: list[Step], said: list[str]) -> None:
    assert texts(found_in(TableRulesCheck(), *steps)) == said


def test_l19_daily_limit_comes_from_terms_of_the_game() -> None:
    later = GAMES_BEFORE + 1
    log = TableRulesCheck()
    for leaf in (terms(1, day_cents=600), terms(later, day_cents=900), terms(1, "t2")):
        assert len(list(log.on_event(0, leaf))) == (leaf.from_game == later)
    days = [("t1-000001", 600), (f"t1-{later - 1:06}", 600), (f"t1-{later:06}", 900)]
    days += [(game, 0) for game in ("t2-000001", "t3-000001", "t1-x", "t1", "t1-000000")]
    assert [(game, log.day_cents(game)) for game, _ in days] == days
    assert {table: len(laid) for table, laid in log.laid_down.items()} == {"t1": 2, "t2": 1}


NOT_NEXT = "the game has seed {} of chain {}, not the next one"
NOT_IN_CHAIN = "the commitment does not follow the chain of seeds"

SEED_CHAINS_CASES: dict[str, tuple[list[types.GameOpened | types.SeedChain], list[str]]] = {
    "nine games of nine": ([chain(), *map(opened, range(1, 10))], []),
    "no chain": ([opened(1)], ["the table has no chain of seeds"]),
    "a seed left out": ([chain(), opened(2)], [NOT_NEXT.format(2, 1)]),
    "a seed used twice": (
        [chain(), opened(1), opened(1, commitment=seed(2).hex())], [NOT_NEXT.format(1, 1)]
    ),
    "a seed of another chain": ([chain(), opened(1, chain=2)], [NOT_NEXT.format(1, 2)]),
    "a commitment that is no hash": (
        [chain(), opened(1, commitment="ab")], ["the commitment is not a hash"]
    ),
    "a first commitment that is not the anchor": (
        [chain(anchor=seed(2).hex()), opened(1)], [NOT_IN_CHAIN]
    ),
    "a later commitment that leads elsewhere": (
        [chain(), opened(1), opened(2, commitment=seed(3).hex())], [NOT_IN_CHAIN]
    ),
    "a seed shown before its game": (
        [chain(), opened(1), opened(2, commitment=seed(1).hex())], [NOT_IN_CHAIN]
    ),
    "the first chain is number 1": ([chain(2)], ["chain 1 of t1 must begin here"]),
    "a chain used up that was short": (
        [chain(length=2), opened(1), opened(2), chain(2), opened(1, chain=2)],
        ["chain 2 of t1 begins after only 2 games: seeds could be chosen game by game"],
    ),
    "a chain given up": (
        [chain(), opened(1), chain(2)],
        ["chain 1 of t1 was given up after 1 of 9 games without a reason"],
    ),
    "a chain given up for a reason": (
        [chain(), chain(2, reason="the secret is lost")],
        ["chain 1 of t1 was given up after 0 of 9 games: the secret is lost"],
    ),
    "a chain begun twice": (
        [chain(length=1), opened(1), chain(1)], ["chain 2 of t1 must begin here"]
    ),
}  # fmt: skip


def check_between_games(
    chains: SeedChainsCheck, n: int, leaf: types.GameOpened | types.SeedChain
) -> list[Finding]:
    """Return the findings for a leaf whose table has no running game."""
    chains.running.clear()
    return list(chains.on_event(n, leaf))


@pytest.mark.parametrize("name", SEED_CHAINS_CASES)
def test_l18_each_game_uses_next_seed_of_its_chain(name: str) -> None:
    steps, said = SEED_CHAINS_CASES[name]
    chains = SeedChainsCheck()
    found = [one for n, leaf in enumerate(steps) for one in check_between_games(chains, n, leaf)]
    assert texts(found) == said
    assert all(one.check == "chains" for one in found)
    for one in found:
        wrong = steps[one.leaf or 0]
        assert one.game == (wrong.game if isinstance(wrong, types.GameOpened) else None)
        is_note = isinstance(wrong, types.SeedChain) and wrong.reason is not None
        severity = "warning" if "begins after only" in one.text else "error"
        assert one.severity == ("note" if is_note else severity)


def test_used_up_chain_is_followed_by_next_one() -> None:
    chains = SeedChainsCheck()
    assert list(chains.on_event(0, chain(length=MIN_CHAIN_LENGTH))) == []
    last = chains.chains["t1"]._replace(number=MIN_CHAIN_LENGTH)
    chains.chains["t1"] = last
    assert list(chains.on_event(1, chain(2, length=1))) == []
    assert list(chains.on_event(2, opened(1, chain=2))) == []
    (told,) = chains.on_event(3, chain(3, reason="the secret is lost"))
    assert (told.severity, told.check) == ("note", "chains")


def test_several_tables_may_run_games_at_once() -> None:
    chains = SeedChainsCheck()
    steps: list[Any] = [chain(), chain(1, "t2"), opened(1), opened(1, "t2"), VOID]
    assert [len(list(chains.on_event(n, one))) for n, one in enumerate(steps)] == [0] * 5
    assert chains.running == {"t2": "t2-000001"}
    assert list(chains.on_event(5, opened(2))) == []
    (found,) = chains.on_event(6, opened(3))
    assert (found.leaf, found.game) == (6, "t1-000003")
    assert "before t1-000002 is over" in found.text


LOSER = replace(terms().laws, first_dealer="loser")
SeatsStep = types.SeatChanged | types.GameOpened | types.GameOver | types.GameVoid


def person(number: int, player: str, **changes: Any) -> types.GameOpened:
    return opened(number, challenger=player, is_bot=False, **changes)


def over(number: int, winner: Any) -> types.GameOver:
    score = types.Score(challenger=5, house=0)
    game = f"t1-{number:06}"
    return types.GameOver(game=game, score=score, server_seed="0" * 64, stake=1, winner=winner)


QUEUED, SEATED = seat("ann", "queued"), seat("ann", "seated")
IN, OUT = [QUEUED, SEATED], seat("ann", "left")
SENT = seat("ann", "queued", played_by="remote_bot")
BEN_QUEUED, BEN_SEATED = seat("ben", "queued"), seat("ben", "seated")
NO_SEAT, TAKEN = ("{} challenges without the seat", "ann already has the seat or waits for it")
OUT_OF_TURN = "{} takes the seat out of turn"
BOT = "a bot challenges, but ann has the seat or waits for it"
LOSES = "{} deals as the last loser, not {}"
SEATS_CASES: dict[str, tuple[list[SeatsStep], str]] = {
    "one plays and goes": ([*IN, person(1, "ann"), over(1, "house"), OUT, opened(2)], ""),
    "two wait their turn": (
        [QUEUED, BEN_QUEUED, SEATED, person(1, "ann"), over(1, "house"), OUT, BEN_SEATED,
         person(2, "ben")], ""
    ),
    "one who waits goes": ([QUEUED, BEN_QUEUED, OUT, BEN_SEATED, person(1, "ben")], ""),
    "one gives the game up": (
        [*IN, person(1, "ann"), seat("ann", "defaulted", game="t1-000001"), over(1, "house"), OUT,
         opened(2)], ""
    ),
    "a person who only waits": ([QUEUED, person(1, "ann")], NO_SEAT.format("ann")),
    "another person than the one seated": ([*IN, person(1, "ben")], NO_SEAT.format("ben")),
    "the second in the queue": ([QUEUED, BEN_QUEUED, BEN_SEATED], OUT_OF_TURN.format("ben")),
    "a seat that is not free": ([*IN, BEN_QUEUED, BEN_SEATED], OUT_OF_TURN.format("ben")),
    "a queue of one twice": ([QUEUED, QUEUED], TAKEN),
    "a seat left that was another's": ([*IN, seat("ben", "left")], "ben has no seat to give up"),
    "a bot while a person waits": ([QUEUED, opened(1)], BOT),
    "a player's own bot, then the player": (
        [SENT, SEATED, person(1, "ann", played_by="remote_bot"), over(1, "house"), OUT, *IN,
         person(2, "ann")], ""
    ),
    "an own bot that is not said to play": (
        [SENT, SEATED, person(1, "ann")], "ann took the seat as a bot, but plays as a person"
    ),
    "a person who is said to be a bot": (
        [*IN, person(1, "ann", played_by="remote_bot")],
        "ann took the seat as a person, but plays as a bot",
    ),
    "a loser named where the laws name none": (
        [opened(1), over(1, "house"), opened(2, loser_deals="challenger")],
        LOSES.format("challenger", "no one"),
    ),
}  # fmt: skip
REMATCHES: dict[str, tuple[list[SeatsStep], str]] = {
    "the loser deals": (
        [opened(1), over(1, "house"), opened(2, loser_deals="challenger"), over(2, "challenger"),
         opened(3, loser_deals="house")], ""
    ),
    "nobody lost before": ([opened(1, loser_deals="house")], LOSES.format("house", "no one")),
    "a void game has no loser": (
        [opened(1), VOID, opened(2, loser_deals="house")], LOSES.format("house", "no one")
    ),
    "against another there is no loser": ([opened(1), over(1, "house"), *IN, person(2, "ann")], ""),
    "the winner deals": (
        [opened(1), over(1, "house"), opened(2, loser_deals="house")],
        LOSES.format("house", "challenger"),
    ),
    "nobody is said to": (
        [opened(1), over(1, "house"), opened(2)], LOSES.format("no one", "challenger")
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "steps", "said"),
    [(terms(), *case) for case in SEATS_CASES.values()]
    + [(replace(terms(), laws=LOSER), *case) for case in REMATCHES.values()],
    ids=[*SEATS_CASES, *REMATCHES],
)
def test_seats_follow_the_queue_and_loser_deals(
    settings: types.TermsSet, steps: list[SeatsStep], said: str
) -> None:
    told = found_in(SeatsCheck(lambda _: settings), *steps)
    assert texts(told) == [said] * bool(said)
    for one in told:
        step = steps[one.leaf or 0]
        game = step.game if isinstance(step, types.GameOpened) else None
        assert (one.check, one.game) == ("seats", game)


START, STOP, LEAF = RunStarted(at=5), RunStopped(at=5), seat("ann", "queued")


@pytest.mark.parametrize(
    ("leaves", "found"),
    [
        ([OPENED, START, LEAF], []),
        ([OPENED, LEAF, LEAF], [1]),
        ([OPENED, START, LEAF, STOP, START, LEAF], []),
        ([OPENED, START, STOP, LEAF, START], [3]),
        ([OPENED, START, STOP, STOP, START], [3]),
        ([OPENED, START, START, LEAF, STOP], []),
    ],
)
def test_leaf_outside_a_run_is_found(leaves: list[Leaf], found: list[int]) -> None:
    told = found_in(OrderCheck(RunningGames()), *leaves)
    assert [one.leaf for one in told if one.check == "rules"] == found


ACTION = types.ActionTaken(action="X??", game="g", seal="0" * 64)
DEALT = types.PackDealt(deal=1, dealer="house", game="g")
STORED: dict[str, list[Leaf]] = {
    "g": [DEALT, replace(ACTION, seal=None), ACTION, replace(DEALT, deal=2), ACTION],
    "ann": [LEAF, seat("ann", "left", table="t2")],
}
COVER, SEALED = bytes(29), {"action 1 2": bytes(31), "action 2 1": bytes(31)}
SECRETS: list[tuple[dict[str, dict[str, bytes]], str]] = [
    ({"g": SEALED, "t1/ann": {"cover": COVER}}, ""),
    ({}, "the file has no secrets, like a copy without keys: running games would be void"),
    ({"g": SEALED | {"action 1 2": COVER}},
     "action 1 2 is missing: the game cannot continue after a restart"),
    ({"g": {"action 2 1": bytes(31)}},
     "action 1 2 is missing: the game cannot continue after a restart"),
    ({"g": SEALED | {"x": b""}}, "x belongs to no leaf"),
    ({"g": SEALED, "t1/ann": {"cover": COVER[1:]}}, "cover of ann at t1 belongs to no leaf"),
    ({"g": SEALED, "t1/ann": {"x": COVER}}, "x of ann at t1 belongs to no leaf"),
    ({"g": SEALED, "t1/ann": {"cover": COVER, "x": COVER}},
     "cover, x of ann at t1 belongs to no leaf"),
    ({"g": SEALED, "t1/ann": {"cover": bytes(30)}}, ""),
    ({"g": SEALED, "t2/ann": {"cover": COVER}}, "cover of ann at t2 belongs to no leaf"),
]  # fmt: skip


@pytest.mark.parametrize(("kept", "found"), SECRETS)
def test_only_secrets_still_needed_are_stored(
    kept: dict[str, dict[str, bytes]], found: str
) -> None:
    def read(name: str) -> list[tuple[int, bytes]]:
        return [(n, encode(replace(leaf, at=5))) for n, leaf in enumerate(STORED[name])]

    log: Any = SimpleNamespace(secrets=lambda: kept, of_subject=read, of_owner=read)
    assert texts(check_secrets(log, {"g"})) == [found] * bool(found)
