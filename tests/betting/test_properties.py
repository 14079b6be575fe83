"""Properties of betting, tested on random books and against the naive version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.betting import (
    HOUSE_NAME,
    NO_COVER,
    Bet,
    BetSizeLimits,
    BettingRules,
    Book,
    Closing,
    Cover,
    MoneyMove,
    as_entered,
    close,
    enter_bet,
    hold_stakes,
    lock,
    matched_now,
    quote,
    settle,
    side_totals,
    void,
)
from casino.ecarte import SEATS
from casino.ecarte.rules import CHALLENGER, HOUSE, other
from casino.errors import Refused
from tests.betting import naive

SIDES = st.sampled_from([HOUSE, CHALLENGER])
MULTIPLIERS = st.integers(1, 3)
MATCHINGS = st.sampled_from(["pro_rata", "last_in_first_out"])
COVERS = st.builds(Cover, st.integers(0, 10**5), st.integers(0, 10**5))
UNITS = st.one_of(st.integers(1, 12), st.integers(1, 10**5), st.integers(1, 10**17))
LAWS = st.builds(
    BettingRules,
    gallery_stakes=st.sampled_from(["game", "single"]),
    matching=MATCHINGS,
    commission_base=st.sampled_from(["winnings", "gross"]),
    commission_bp=st.integers(0, 10_000),
    principal_commission_bp=st.integers(0, 10_000),
)


@st.composite
def books(draw: st.DrawFn) -> Book:
    """Draw a book of up to 24 bets by up to eight bettors, each on one side."""
    sides = draw(st.lists(SIDES, min_size=1, max_size=8))
    rows = draw(st.lists(st.tuples(st.integers(0, len(sides) - 1), UNITS), max_size=24))
    bets = tuple(
        Bet(order, f"p{who}", sides[who], unit) for order, (who, unit) in enumerate(rows, 1)
    )
    limits = BetSizeLimits(1, 10**18, 10**20, 10**20)
    return Book("cat", draw(st.integers(0, 10**6)), draw(LAWS), limits, bets)


def changes(moves: list[MoneyMove]) -> Counter[tuple[str, str]]:
    sums: Counter[tuple[str, str]] = Counter()
    for move in moves:
        for posting in move.postings:
            sums[posting.account, posting.owner] += posting.cents
    return sums


def holds(book: Book) -> list[MoneyMove]:
    """Return the moves that put stakes and bets of an open book into escrow."""
    empty = book._replace(bets=(), limits=BetSizeLimits(1, 10**30, 10**30, 10**30))
    moves = [hold_stakes(book, 10**30, 10**30)]
    for bet in book.bets:
        empty, _, hold = enter_bet(empty, bet.bettor, bet.side, bet.unit_cents, 10**30)
        moves.append(hold)
    assert empty.bets == book.bets
    return moves


def naive_entries(bets: Sequence[Bet]) -> list[naive.Entry]:
    return [naive.Entry(bet.bettor, SEATS[bet.side], bet.unit_cents) for bet in bets]


@given(books(), COVERS)
def test_g6_naive_matching_agrees(book: Book, cover: Cover) -> None:
    closing = close(book, cover)
    expected = naive.matched(naive_entries(closing.book.bets), book.laws.matching)
    assert [stand.matched_cents for stand in closing.stands] == expected


@given(books(), COVERS)
def test_g7_principal_covers_only_the_lighter_own_side(book: Book, cover: Cover) -> None:
    bets = close(book, cover).book.bets
    added = bets[len(book.bets) :]
    assert bets[: len(book.bets)] == book.bets
    assert len(added) <= 1
    for bet in added:
        totals = side_totals(book.bets)
        assert bet.bettor == (HOUSE_NAME, "cat")[bet.side]
        assert (
            0 < bet.unit_cents <= min(cover[bet.side], totals[other(bet.side)] - totals[bet.side])
        )


@given(books(), COVERS)
def test_g9_quote_equals_closing(book: Book, cover: Cover) -> None:
    closing = close(book, cover)
    shown = quote(book, cover)
    assert shown.matched_cents == closing.matched_cents
    assert (shown.house_cents, shown.challenger_cents) == side_totals(book.bets)
    assert matched_now(book, cover) == closing.stands


def whole_game(closing: Closing, ending: MoneyMove) -> Counter[tuple[str, str]]:
    """Return a game's net change of each account; escrow never falls below 0."""
    own = tuple(bet for bet in closing.book.bets if bet.bettor not in (HOUSE_NAME, "cat"))
    book = closing.book._replace(closed=False)
    moves = [*holds(book._replace(bets=own)), *closing.moves, ending]
    for until in range(1, len(moves) + 1):
        escrow = {key: cents for key, cents in changes(moves[:until]).items() if key[0] == "escrow"}
        assert min(escrow.values(), default=0) >= 0
    assert all(sum(posting.cents for posting in move.postings) == 0 for move in moves)
    return changes(moves)


@given(books(), COVERS, SIDES, MULTIPLIERS)
def test_g11_settlement_balances_and_empties_escrow(
    book: Book, cover: Cover, winner: int, multiplier: int
) -> None:
    closing = close(book, cover)
    settled = settle(closing, winner, multiplier)
    sums = whole_game(closing, settled.move)
    assert all(cents == 0 for (kind, _), cents in sums.items() if kind == "escrow")
    assert sum(sums.values()) == 0
    for outcomes in (settled.principals, settled.bets):
        assert sum(one.gain_cents for one in outcomes) == 0
        assert all(
            (one.gain_cents >= 0) == (one.bet.side == winner) or not one.gain_cents
            for one in outcomes
        )
    fees = sum(one.commission_cents for one in (*settled.principals, *settled.bets))
    assert sums["commission", HOUSE_NAME] == fees


@given(books(), COVERS, SIDES, MULTIPLIERS)
def test_g11_naive_settlement_agrees(
    book: Book, cover: Cover, winner: int, multiplier: int
) -> None:
    laws = book.laws._replace(commission_base="winnings", principal_commission_bp=0)
    book = book._replace(laws=laws)
    closing = close(book, cover)
    sums = whole_game(closing, settle(closing, winner, multiplier).move)
    paid = multiplier if laws.gallery_stakes == "game" else 1
    entries = naive_entries(closing.book.bets)
    expected = naive.won(entries, laws.matching, SEATS[winner], paid, laws.commission_bp)
    stake = multiplier * book.stake_cents * (1 if winner == HOUSE else -1)
    expected[HOUSE_NAME] += stake
    expected["cat"] -= stake
    found = Counter(
        {
            owner: cents
            for (kind, owner), cents in sums.items()
            if kind != "escrow" and kind != "commission"
        }
    )
    found["commission"] = sums["commission", HOUSE_NAME]
    assert {who: cents for who, cents in found.items() if cents} == {
        who: cents for who, cents in expected.items() if cents
    }


@given(books(), COVERS, SIDES, MULTIPLIERS)
def test_g12_commission_is_rounded_down_to_whole_cents(
    book: Book, cover: Cover, winner: int, multiplier: int
) -> None:
    gross = book.laws.commission_base == "gross"
    for one in settle(close(book, cover), winner, multiplier).bets:
        base = max(one.gain_cents, 0)
        base += one.matched_cents if gross and one.bet.side == winner else 0
        assert 0 <= base * book.laws.commission_bp - one.commission_cents * 10_000 < 10_000


@given(books(), COVERS)
def test_g14_void_game_changes_no_balance(book: Book, cover: Cover) -> None:
    before = changes([*holds(book), void(book, as_entered(book))])
    closing = close(book, cover)
    after = whole_game(closing, void(closing.book, closing.stands))
    assert set(before.values()) | set(after.values()) <= {0}


@given(books(), COVERS, st.sets(st.sampled_from(["p0", "p1", "p2", "cat"])), st.data())
def test_g16_held_cover_suffices_and_is_returned(
    book: Book, affordable: Cover, sealed: set[str], data: st.DataObject
) -> None:
    withheld = data.draw(st.sets(st.sampled_from(sorted(sealed)))) if sealed else set()
    locked = lock(book, affordable, sealed)
    held = locked.cover if sealed else NO_COVER
    closing = close(book, locked.cover, withheld, held)
    staying = [bet for bet in book.bets if bet.bettor not in withheld]
    renumbered = tuple(bet._replace(order=order) for order, bet in enumerate(staying, 1))
    same = close(book._replace(bets=renumbered), affordable)
    assert closing.matched_cents == same.matched_cents
    assert [one[1] for one in closing.stands if one.bet.bettor not in withheld - {"cat"}] == [
        one.matched_cents for one in same.stands
    ]
    before = changes([*holds(book), locked.hold, *closing.moves])
    gone = {bet.bettor for bet in book.bets} & withheld
    assert all(before["wallet", who] == before["escrow", who] == 0 for who in gone)
    assert all(cents >= 0 for (kind, _), cents in before.items() if kind == "escrow")
    after = changes([*holds(book), locked.hold, *closing.moves, void(closing.book, closing.stands)])
    assert set(after.values()) <= {0}
    unlocked = changes([*holds(book), locked.hold, void(book, as_entered(book), held)])
    assert set(unlocked.values()) <= {0}


@given(books(), SIDES, UNITS, st.integers(0, 10**6))
def test_g4_bet_is_accepted_whole_or_refused(
    book: Book, side: int, unit_cents: int, wallet_cents: int
) -> None:
    risk_cents = book.laws.risk * unit_cents
    if any(bet.bettor == "p0" and bet.side != side for bet in book.bets):
        expected = "wrong_side"
    else:
        expected = "" if risk_cents <= wallet_cents else "insufficient_chips"
    if expected:
        with pytest.raises(Refused) as caught:
            enter_bet(book, "p0", side, unit_cents, wallet_cents)
        assert caught.value.code == expected
    else:
        hold = enter_bet(book, "p0", side, unit_cents, wallet_cents).hold
        assert changes([hold]) == {("wallet", "p0"): -risk_cents, ("escrow", "p0"): risk_cents}
