"""Properties of betting, tested on random books and against the naive version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from casino import betting
from casino.ecarte import SEATS
from casino.ecarte.rules import CHALLENGER, HOUSE
from tests.betting import naive

SIDES = st.sampled_from([HOUSE, CHALLENGER])
MULTIPLIERS = st.integers(1, 3)
MATCHINGS = st.sampled_from(["pro_rata", "last_in_first_out"])
COVERS = st.builds(betting.Cover, st.integers(0, 10**5), st.integers(0, 10**5))
UNITS = st.one_of(st.integers(1, 12), st.integers(1, 10**5), st.integers(1, 10**17))
LAWS = st.builds(
    betting.BettingRules,
    gallery_stakes=st.sampled_from(["game", "single"]),
    matching=MATCHINGS,
    commission_base=st.sampled_from(["winnings", "gross"]),
    commission_bp=st.integers(0, 10_000),
    principal_commission_bp=st.integers(0, 10_000),
)


@st.composite
def books(draw: st.DrawFn) -> betting.Book:
    """Draw a book of up to 24 bets by up to eight bettors, each on one side."""
    sides = draw(st.lists(SIDES, min_size=1, max_size=8))
    rows = draw(st.lists(st.tuples(st.integers(0, len(sides) - 1), UNITS), max_size=24))
    bets = tuple(
        betting.Bet(order, f"p{who}", sides[who], unit) for order, (who, unit) in enumerate(rows, 1)
    )
    limits = betting.BetSizeLimits(1, 10**18, 10**20, 10**20)
    return betting.Book("cat", draw(st.integers(0, 10**6)), draw(LAWS), limits, bets)


def changes(moves: list[betting.MoneyMove]) -> Counter[tuple[str, str]]:
    sums: Counter[tuple[str, str]] = Counter()
    for move in moves:
        for account, owner, cents in move.postings:
            sums[account, owner] += cents
    return sums


def holds(book: betting.Book) -> list[betting.MoneyMove]:
    """Return the moves that put stakes and bets of an open book into escrow."""
    empty = book._replace(bets=(), limits=betting.BetSizeLimits(1, 10**30, 10**30, 10**30))
    moves = [betting.hold_stakes(book, 10**30, 10**30)]
    for bet in book.bets:
        empty, _, hold = betting.enter_bet(empty, bet.bettor, bet.side, bet.unit_cents, 10**30)
        moves.append(hold)
    assert empty.bets == book.bets
    return moves


def naive_entries(bets: Sequence[betting.Bet]) -> list[naive.Entry]:
    return [naive.Entry(bet.bettor, SEATS[bet.side], bet.unit_cents) for bet in bets]


@given(books(), COVERS)
def test_g6_naive_matching_agrees(book: betting.Book, cover: betting.Cover) -> None:
    closing = betting.close(book, cover)
    expected = naive.matched(naive_entries(closing.book.bets), book.laws.matching)
    assert [stand.matched_cents for stand in closing.stands] == expected


@given(books(), COVERS)
def test_g9_matched_now_equals_closing(book: betting.Book, cover: betting.Cover) -> None:
    closing = betting.close(book, cover)
    assert betting.count_matched(book, cover) == closing.matched_cents
    assert betting.matched_now(book, cover) == closing.stands


def whole_game(closing: betting.Closing, ending: betting.MoneyMove) -> Counter[tuple[str, str]]:
    """Return a game's net change of each account; escrow never falls below 0."""
    own = tuple(bet for bet in closing.book.bets if bet.bettor not in (betting.HOUSE_NAME, "cat"))
    moves = [*holds(closing.book._replace(bets=own)), *closing.moves, ending]
    for until in range(1, len(moves) + 1):
        escrow = {key: cents for key, cents in changes(moves[:until]).items() if key[0] == "escrow"}
        assert min(escrow.values(), default=0) >= 0
    assert all(sum(cents for _, _, cents in move.postings) == 0 for move in moves)
    return changes(moves)


@given(books(), COVERS, SIDES, MULTIPLIERS)
def test_g11_settlement_balances_and_empties_escrow(
    book: betting.Book, cover: betting.Cover, winner: int, multiplier: int
) -> None:
    closing = betting.close(book, cover)
    settled = betting.settle(closing, winner, multiplier)
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
    assert sums["commission", betting.HOUSE_NAME] == fees


@given(books(), COVERS, SIDES, MULTIPLIERS)
def test_g11_naive_settlement_agrees(
    book: betting.Book, cover: betting.Cover, winner: int, multiplier: int
) -> None:
    laws = book.laws._replace(commission_base="winnings", principal_commission_bp=0)
    book = book._replace(laws=laws)
    closing = betting.close(book, cover)
    sums = whole_game(closing, betting.settle(closing, winner, multiplier).move)
    paid = multiplier if laws.gallery_stakes == "game" else 1
    entries = naive_entries(closing.book.bets)
    expected = naive.won(entries, laws.matching, SEATS[winner], paid, laws.commission_bp)
    stake = multiplier * book.stake_cents * (1 if winner == HOUSE else -1)
    expected[betting.HOUSE_NAME] += stake
    expected["cat"] -= stake
    found = Counter(
        {
            owner: cents
            for (kind, owner), cents in sums.items()
            if kind != "escrow" and kind != "commission"
        }
    )
    found["commission"] = sums["commission", betting.HOUSE_NAME]
    assert {who: cents for who, cents in found.items() if cents} == {
        who: cents for who, cents in expected.items() if cents
    }


@given(books(), COVERS)
def test_g14_void_game_changes_no_balance(book: betting.Book, cover: betting.Cover) -> None:
    before = changes([*holds(book), betting.void(book, betting.as_entered(book))])
    closing = betting.close(book, cover)
    after = whole_game(closing, betting.void(closing.book, closing.stands))
    assert set(before.values()) | set(after.values()) <= {0}


@given(books(), COVERS, st.sets(st.sampled_from(["p0", "p1", "p2", "cat"])), st.data())
def test_g16_held_cover_suffices_and_is_returned(
    book: betting.Book, affordable: betting.Cover, sealed: set[str], data: st.DataObject
) -> None:
    withheld = data.draw(st.sets(st.sampled_from(sorted(sealed)))) if sealed else set()
    locked = betting.lock(book, affordable, sealed)
    closing = betting.close(book, affordable, withheld, locked.held)
    staying = [bet for bet in book.bets if bet.bettor not in withheld]
    renumbered = tuple(bet._replace(order=order) for order, bet in enumerate(staying, 1))
    same = betting.close(book._replace(bets=renumbered), affordable)
    assert closing.matched_cents == same.matched_cents
    assert [one[1] for one in closing.stands if one.bet.bettor not in withheld - {"cat"}] == [
        one.matched_cents for one in same.stands
    ]
    before = changes([*holds(book), locked.hold, *closing.moves])
    gone = {bet.bettor for bet in book.bets} & withheld
    assert all(before["wallet", who] == before["escrow", who] == 0 for who in gone)
    assert all(cents >= 0 for (kind, _), cents in before.items() if kind == "escrow")
    after = changes(
        [*holds(book), locked.hold, *closing.moves, betting.void(closing.book, closing.stands)]
    )
    assert set(after.values()) <= {0}
    unlocked = changes(
        [*holds(book), locked.hold, betting.void(book, betting.as_entered(book), locked.held)]
    )
    assert set(unlocked.values()) <= {0}
