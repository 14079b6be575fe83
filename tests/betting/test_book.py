"""Cases for laws, the open book, its lock and its closing: G1 to G8, G13 and G16."""

from __future__ import annotations

import pytest

from casino import betting
from casino.ecarte import CHALLENGER, HOUSE
from casino.errors import LawsError, Refused
from tests.betting.notation import LIFO, SIDES, Rows, book_of, move_text


def test_g2_g4_g5_bets_are_accepted_or_refused() -> None:
    limits = betting.BetSizeLimits(
        least_cents=100, greatest_cents=400, bettor_cents=600, side_cents=1000
    )
    rows: Rows = [
        ("", "ann", "H", 99, 10**6, "below_minimum"),
        ("", "ann", "H", -100, 10**6, "below_minimum"),
        ("", "ann", "H", 400, 1200, "hold: wallet/ann -1200; escrow/ann +1200"),
        ("", "ann", "H", 401, 10**6, "over_limit"),
        ("", "ann", "H", 400, 1199, "insufficient_chips"),
        ("ann H 300", "ann", "H", 300, 900, "hold: wallet/ann -900; escrow/ann +900"),
        ("ann H 300", "ann", "H", 301, 10**6, "over_limit"),
        ("ann H 300", "ann", "C", 100, 10**6, "wrong_side"),
        ("ann H 300; ben H 400", "cy", "H", 300, 900, "hold: wallet/cy -900; escrow/cy +900"),
        ("ann H 300; ben H 400", "cy", "H", 301, 10**6, "over_limit"),
        ("", "cat", "C", 100, 10**6, "own_game"),
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


def test_g6_cents_left_over_go_to_the_largest_remainders_then_to_earlier_bets() -> None:
    rows: Rows = [
        ("ann H 10; ben H 25; cy C 18", [5, 13, 18]),
        ("ann H 25; ben H 10; cy C 18", [13, 5, 18]),
        ("ann H 1; ben H 1; cy H 1; dee C 2", [1, 1, 0, 2]),
        ("ann C 7; ben C 5; cy C 7; dee H 4", [2, 1, 1, 4]),
        # Beyond what a float could hold to the cent.
        (f"ann H {10**17 + 1}; ben H {10**17 + 3}; cy C {10**17 + 1}",
         [5 * 10**16, 5 * 10**16 + 1, 10**17 + 1]),
    ]  # fmt: skip
    for bets, matched in rows:
        closing = betting.close(book_of(bets), betting.Cover())
        assert [stand.matched_cents for stand in closing.stands] == matched, bets


def test_g7_cover_is_capped_by_bank_and_wallet() -> None:
    rows: Rows = [
        ("game", (500, 0), 1499, 0, (499, 0)),
        ("game", (500, 0), 1500, 0, (500, 0)),
        ("game", (500, 0), 2, 0, (0, 0)),
        ("game", (0, 500), 9000, 1499, (0, 499)),
        ("single", (0, 500), 9000, 499, (0, 499)),
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
        assert [bet.order for bet in closing.book.bets] == list(range(1, len(closing.stands) + 1))


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


def test_g16_lock_holds_cover_for_withheld_texts() -> None:
    rows: Rows = [
        ("ann H 300; ben C 500", (900, 900), "", {}, (0, 0), "hold:"),
        ("ann H 300; ben C 500", (900, 900), "ann", {}, (500, 0),
         "hold: wallet/house -1500; escrow/house +1500"),
        ("ann H 300; ben C 500", (900, 900), "ben", {}, (200, 300),
         "hold: wallet/house -600; escrow/house +600; wallet/cat -900; escrow/cat +900"),
        ("ann H 300; ben C 500; dee C 100", (900, 900), "ann ben", {"gallery_stakes": "single"},
         (600, 200),
         "hold: wallet/house -600; escrow/house +600; wallet/cat -200; escrow/cat +200"),
        ("", (900, 900), "cat", {}, (0, 0), "hold:"),
    ]  # fmt: skip
    for bets, most, sealed, laws, cover, hold in rows:
        locked = betting.lock(book_of(bets, **laws), betting.Cover(*most), sealed.split())
        assert (bets, sealed, tuple(locked.held)) == (bets, sealed, cover)
        assert move_text(locked.hold) == hold


@pytest.mark.parametrize(
    ("side", "said"),
    [
        (CHALLENGER, "you have bet on the other side of this game: add to that bet"),
        (HOUSE, "you may bet 2.50 chips on a game and have bet 1.00: bet 1.50 or less"),
    ],
)
def test_g2_g5_refusal_says_what_to_do(side: int, said: str) -> None:
    book = book_of("ann H 100")._replace(limits=betting.BetSizeLimits(1, 1000, 250, 1000))
    with pytest.raises(Refused) as caught:
        betting.enter_bet(book, "ann", side, 151, 10**6)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("gallery_stakes", "double", "law gallery_stakes: double must be game or single"),
        ("gallery_stakes", 1, "law gallery_stakes: 1 must be game or single"),
        ("matching", "first", "law matching: first must be pro_rata or last_in_first_out"),
        ("commission_base", "net", "law commission_base: net must be winnings or gross"),
        ("commission_bp", -1, "law commission_bp: -1 must be a whole number from 0 to 10000"),
        ("commission_bp", True, "law commission_bp: True must be a whole number from 0 to 10000"),
        ("commission_bp", 5.0, "law commission_bp: 5.0 must be a whole number from 0 to 10000"),
        ("principal_commission_bp", 10_001,
         "law principal_commission_bp: 10001 must be a whole number from 0 to 10000"),
    ],
)  # fmt: skip
def test_invalid_law_is_refused(name: str, value: object, said: str) -> None:
    with pytest.raises(LawsError) as caught:
        betting.parse_betting_rules({name: value})
    assert str(caught.value) == said


def test_unknown_law_is_refused() -> None:
    with pytest.raises(LawsError, match="law tips is unknown: choose one of gallery_stakes, "):
        betting.parse_betting_rules({"tips": 1})
