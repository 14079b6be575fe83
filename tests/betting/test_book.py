"""Cases for the open book and its closing: G1 to G8, and the held stakes of G13."""

from __future__ import annotations

import pytest

from casino import betting
from casino.ecarte import CHALLENGER, HOUSE
from casino.errors import Refused
from tests.betting.notation import (
    FIVE,
    LIFO,
    PRO_RATA,
    SIDES,
    Rows,
    book_of,
    move_text,
    stands_text,
)


def test_g2_g4_g5_bets_are_accepted_or_refused() -> None:
    limits = betting.BetSizeLimits(
        least_cents=100, greatest_cents=400, bettor_cents=600, side_cents=1000
    )
    rows: Rows = [
        ("", "ann", "H", 100, 300, "hold: wallet/ann -300; escrow/ann +300"),
        ("", "ann", "H", 99, 10**6, "below_minimum"),
        ("", "ann", "H", 0, 10**6, "below_minimum"),
        ("", "ann", "H", -100, 10**6, "below_minimum"),
        ("", "ann", "H", 400, 1200, "hold: wallet/ann -1200; escrow/ann +1200"),
        ("", "ann", "H", 401, 10**6, "over_limit"),
        ("", "ann", "H", 400, 1199, "insufficient_chips"),
        ("", "ann", "C", 100, 299, "insufficient_chips"),
        ("ann H 300", "ann", "H", 300, 900, "hold: wallet/ann -900; escrow/ann +900"),
        ("ann H 300", "ann", "H", 301, 10**6, "over_limit"),
        ("ann H 300", "ann", "C", 100, 10**6, "wrong_side"),
        ("ann C 300", "ann", "H", 100, 10**6, "wrong_side"),
        ("ann H 300; ben H 400", "cy", "H", 300, 900, "hold: wallet/cy -900; escrow/cy +900"),
        ("ann H 300; ben H 400", "cy", "H", 301, 10**6, "over_limit"),
        ("ann H 300; ben H 400", "cy", "C", 301, 903, "hold: wallet/cy -903; escrow/cy +903"),
        ("", "cat", "C", 100, 10**6, "own_game"),
        ("", "cat", "H", 100, 10**6, "own_game"),
        ("", "house", "H", 100, 10**6, "bad_request"),
    ]
    for before, bettor, side, unit, wallet, answer in rows:
        book = book_of(before)._replace(limits=limits)
        try:
            entered = betting.enter_bet(book, bettor, SIDES[side], unit, wallet)
            found = move_text(entered.hold)
            assert entered.book.bets == (*book.bets, entered.bet)
            assert entered.bet == betting.Bet(len(book.bets) + 1, bettor, SIDES[side], unit)
        except Refused as refusal:
            found = refusal.code
        assert found == answer, (before, bettor, side, unit, wallet)


def test_g2_books_with_common_bets_are_independent() -> None:
    limits = betting.BetSizeLimits(100, 1000, 600, 2000)
    base = book_of("")._replace(limits=limits)
    for bettor, side in (("ann", "H"), ("ben", "C"), ("ann", "H")):
        base = betting.enter_bet(base, bettor, SIDES[side], 150, 10**6).book
    three = tuple(base.bets)
    grown = [
        (betting.enter_bet(base, bettor, SIDES[side], unit, 10**6), bettor, SIDES[side], unit)
        for bettor, side, unit in (("ann", "H", 300), ("cy", "C", 200), ("ann", "H", 299))
    ]
    for entered, bettor, backed, unit in grown:
        assert tuple(entered.book.bets) == (*three, betting.Bet(4, bettor, backed, unit))
        assert entered.book.bets == betting.Bets(entered.book.bets)
        assert betting.with_bet(base, entered.bet) == entered.book
    assert base.bets == three
    assert base.bets[1:] == three[1:]
    assert betting.side_totals(base.bets) == betting.side_totals(three) == (300, 150)
    assert betting.side_totals(grown[1][0].book.bets) == (300, 350)
    for entered, room in ((grown[0][0], 0), (grown[1][0], 300), (grown[2][0], 1)):
        with pytest.raises(Refused) as caught:
            betting.enter_bet(entered.book, "ann", HOUSE, 301, 10**6)
        assert caught.value.values["left_cents"] == room
        assert caught.value.message.endswith(f": bet {room / 100:.2f} or less")


def test_g3_single_stakes_hold_one_unit() -> None:
    book = book_of("", gallery_stakes="single")
    entered = betting.enter_bet(book, "ann", HOUSE, 100, 100)
    assert move_text(entered.hold) == "hold: wallet/ann -100; escrow/ann +100"
    with pytest.raises(Refused, match=r"puts 1\.00 chips at risk, but you have 0\.99"):
        betting.enter_bet(book, "ann", HOUSE, 100, 99)


def test_g6_matching_of_both_sides() -> None:
    rows: Rows = [
        (LIFO, FIVE, 700, "ann 700; ben 400; cy 0; dee 300; eve 0"),
        (PRO_RATA, FIVE, 700, "ann 412; ben 400; cy 206; dee 300; eve 82"),
        # Nothing to cut, nothing to match, no bets.
        (LIFO, "ann H 300; ben C 100; cy C 200", 300, "ann 300; ben 100; cy 200"),
        (PRO_RATA, "ann H 300; ben C 100; cy C 200", 300, "ann 300; ben 100; cy 200"),
        (LIFO, "ann H 300; ben H 100", 0, "ann 0; ben 0"),
        (PRO_RATA, "ann C 300; ben C 100", 0, "ann 0; ben 0"),
        (LIFO, "", 0, ""),
        (PRO_RATA, "", 0, ""),
        # The excess ends within a bet, at a bet's edge, and one cent beyond it.
        (LIFO, "ann C 50; ben C 30; cy C 20; dee H 70", 70, "ann 50; ben 20; cy 0; dee 70"),
        (LIFO, "ann C 50; ben C 30; cy C 20; dee H 80", 80, "ann 50; ben 30; cy 0; dee 80"),
        (LIFO, "ann C 50; ben C 30; cy C 20; dee H 79", 79, "ann 50; ben 29; cy 0; dee 79"),
        (LIFO, "dee H 1; ann C 50; ben C 30", 1, "dee 1; ann 1; ben 0"),
        # An addition is an entry of its own.
        (LIFO, "ann H 50; ben H 50; ann H 50; cy C 75", 75, "ann 50; ben 25; ann 0; cy 75"),
        (PRO_RATA, "ann H 50; ben H 50; ann H 50; cy C 76", 76, "ann 26; ben 25; ann 25; cy 76"),
        # Cents left over: to the largest remainders, ties to the earlier entry.
        (PRO_RATA, "ann H 10; ben H 25; cy C 18", 18, "ann 5; ben 13; cy 18"),
        (PRO_RATA, "ann H 25; ben H 10; cy C 18", 18, "ann 13; ben 5; cy 18"),
        (PRO_RATA, "ann H 1; ben H 1; cy H 1; dee C 2", 2, "ann 1; ben 1; cy 0; dee 2"),
        (PRO_RATA, "ann C 7; ben C 5; cy C 7; dee H 4", 4, "ann 2; ben 1; cy 1; dee 4"),
        (PRO_RATA, "ann H 1; ben H 999; cy C 500", 500, "ann 1; ben 499; cy 500"),
        # Beyond what a float could hold to the cent.
        (
            PRO_RATA,
            f"ann H {10**17 + 1}; ben H {10**17 + 3}; cy C {10**17 + 1}",
            10**17 + 1,
            f"ann {5 * 10**16}; ben {5 * 10**16 + 1}; cy {10**17 + 1}",
        ),
    ]
    for law, bets, matched_cents, stands in rows:
        closing = betting.close(book_of(bets, matching=law), betting.Cover())
        assert (law, bets, stands_text(closing.stands)) == (law, bets, stands)
        assert (law, bets, closing.matched_cents) == (law, bets, matched_cents)


def test_g7_principal_covers_the_lighter_side() -> None:
    rows: Rows = [
        ("ann C 500; ben H 200", (1000, 0), LIFO, "ann 500; ben 200; house 300"),
        ("ann C 500; ben H 200", (100, 0), LIFO, "ann 300; ben 200; house 100"),
        ("ann C 500; dee C 100; ben H 200", (99, 0), LIFO, "ann 299; dee 0; ben 200; house 99"),
        ("ann C 500; ben H 200", (0, 900), LIFO, "ann 200; ben 200"),
        ("ann C 500", (200, 0), PRO_RATA, "ann 200; house 200"),
        ("ann H 500; ben C 200", (900, 0), LIFO, "ann 200; ben 200"),
        ("ann H 500; ben C 200", (900, 50), LIFO, "ann 250; ben 200; cat 50"),
        ("ann H 500; ben C 200", (0, 900), PRO_RATA, "ann 500; ben 200; cat 300"),
        ("ann H 200; ben C 200", (900, 900), PRO_RATA, "ann 200; ben 200"),
        ("", (900, 900), PRO_RATA, ""),
    ]
    for bets, most, law, stands in rows:
        closing = betting.close(book_of(bets, matching=law), betting.Cover(*most))
        assert (bets, most, stands_text(closing.stands)) == (bets, most, stands)
        backed = [one.matched_cents for one in closing.stands if one.bet.side == HOUSE]
        assert (bets, most, closing.matched_cents) == (bets, most, sum(backed))
        covering = closing.book.bets[len(bets.split(";")) :]
        assert all(bet.side == (HOUSE if bet.bettor == "house" else CHALLENGER) for bet in covering)
        assert [bet.order for bet in closing.book.bets] == list(range(1, len(closing.stands) + 1))


def test_g7_cover_is_capped_by_bank_and_wallet() -> None:
    rows: Rows = [
        ("game", (500, 0), 3000, 0, (500, 0)),
        ("game", (500, 0), 1499, 0, (499, 0)),
        ("game", (500, 0), 1500, 0, (500, 0)),
        ("single", (500, 0), 1499, 0, (499, 0)),
        ("game", (500, 0), 2, 0, (0, 0)),
        ("game", (0, 500), 9000, 1499, (0, 499)),
        ("single", (0, 500), 9000, 499, (0, 499)),
        ("single", (0, 500), 9000, 9000, (0, 500)),
    ]
    for stakes, wished, bank_cents, wallet_cents, affordable in rows:
        book = book_of("", gallery_stakes=stakes)
        found = betting.affordable_cover(book, betting.Cover(*wished), bank_cents, wallet_cents)
        assert found == betting.Cover(*affordable), (wished, bank_cents, wallet_cents)


def test_g8_closing_holds_cover_and_releases_unmatched() -> None:
    rows: Rows = [
        ("ann H 300; ben C 300", (0, 0), {}, []),
        ("ann H 300; ben C 200", (0, 0), {}, ["release: wallet/ann +300; escrow/ann -300"]),
        ("ann H 300; ben C 200", (0, 0), {"gallery_stakes": "single"},
         ["release: wallet/ann +100; escrow/ann -100"]),
        ("ann H 100; ann H 100; ben H 100; cy C 100", (0, 0), {"matching": LIFO},
         ["release: wallet/ann +300; escrow/ann -300; wallet/ben +300; escrow/ben -300"]),
        ("ann C 300; ben H 100", (150, 0), {},
         ["hold: wallet/house -450; escrow/house +450",
          "release: wallet/ann +150; escrow/ann -150"]),
        ("ann H 300", (0, 300), {"gallery_stakes": "single"},
         ["hold: wallet/cat -300; escrow/cat +300"]),
    ]  # fmt: skip
    for bets, most, laws, moves in rows:
        closing = betting.close(book_of(bets, **laws), betting.Cover(*most))
        assert [move_text(one) for one in closing.moves] == moves, bets


def test_g13_principals_stakes_are_held() -> None:
    rows: Rows = [
        (100, 300, 300,
         "hold: wallet/house -300; escrow/house +300; wallet/cat -300; escrow/cat +300"),
        (100, 299, 300, "insufficient_chips"),
        (100, 300, 299, "insufficient_chips"),
        (0, 0, 0, "hold:"),
    ]  # fmt: skip
    for stake, wallet, bank, answer in rows:
        for stakes in ("game", "single"):
            book = book_of("", stake_cents=stake, gallery_stakes=stakes)
            try:
                found = move_text(betting.hold_stakes(book, wallet, bank))
            except Refused as refusal:
                found = refusal.code
            assert (stake, wallet, bank, found) == (stake, wallet, bank, answer)
