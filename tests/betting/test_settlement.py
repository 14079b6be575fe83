"""Cases for the end of a game: G10 to G13."""

from __future__ import annotations

import pytest

from casino import betting
from casino.ecarte import HOUSE
from casino.errors import InvariantError
from tests.betting.notation import FIVE, LIFO, SIDES, Rows, book_of, move_text, outcomes_text


def test_g11_outcome_of_each_bet() -> None:
    single, gross = {"gallery_stakes": "single"}, {"commission_base": "gross"}
    duel = "ann H 100; ben C 100"
    rows: Rows = [
        (FIVE, {"matching": LIFO}, "C", 3, "ann -2100; ben +1200 -60; cy +0; dee +900 -45; eve +0"),
        (FIVE, {}, "H", 2, "ann +824 -41; ben -800; cy +412 -20; dee -600; eve +164 -8"),
        (duel, {}, "H", 1, "ann +100 -5; ben -100"),
        (duel, {}, "H", 2, "ann +200 -10; ben -200"),
        (duel, {}, "H", 3, "ann +300 -15; ben -300"),
        (duel, {}, "C", 3, "ann -300; ben +300 -15"),
        (duel, single, "H", 1, "ann +100 -5; ben -100"),
        (duel, single, "C", 2, "ann -100; ben +100 -5"),
        (duel, single, "H", 3, "ann +100 -5; ben -100"),
        (duel, gross, "H", 1, "ann +100 -10; ben -100"),
        (duel, gross, "C", 3, "ann -300; ben +300 -20"),
        (duel, {**gross, **single}, "H", 3, "ann +100 -10; ben -100"),
        (duel, {"commission_bp": 0}, "H", 3, "ann +300; ben -300"),
        (duel, {"commission_bp": 10_000}, "H", 3, "ann +300 -300; ben -300"),
        (duel, {"commission_bp": 1}, "H", 3, "ann +300; ben -300"),
        ("ann H 500; ben C 200", {}, "H", 1, "ann +200 -10; ben -200"),
        ("ann H 500; ben C 200", {}, "C", 1, "ann -200; ben +200 -10"),
        ("ann H 500", {}, "C", 1, "ann +0"),
    ]
    for bets, laws, winner, multiplier, outcomes in rows:
        book = book_of(bets, **laws)
        settled = betting.settle(betting.close(book, betting.Cover()), SIDES[winner], multiplier)
        assert outcomes_text(settled.bets) == outcomes, (bets, laws, winner, multiplier)


def test_g12_commission_rounds_down_for_each_bet() -> None:
    rows: Rows = [
        ([19], 500, 1, [0]),
        ([20], 500, 1, [1]),
        ([199], 500, 1, [9]),
        ([199], 500, 2, [19]),
        ([200], 500, 1, [10]),
        ([19, 19], 500, 1, [0, 0]),
        ([19, 21], 500, 3, [2, 3]),
        ([333], 250, 1, [8]),
        ([9999], 1, 1, [0]),
        ([10000], 1, 1, [1]),
    ]
    for units, bp, multiplier, fees in rows:
        bets = "; ".join(f"ann H {unit}" for unit in units) + f"; ben C {sum(units)}"
        book = book_of(bets, commission_bp=bp)
        settled = betting.settle(betting.close(book, betting.Cover()), HOUSE, multiplier)
        assert [one.commission_cents for one in settled.bets] == [*fees, 0], (units, bp)
        assert sum(
            cents for account, _, cents in settled.move.postings if account == "commission"
        ) == sum(fees)


def test_g13_principals_win_or_lose_their_stake() -> None:
    rows: Rows = [
        ({}, "H", 1, "house +1000; cat -1000"),
        ({}, "C", 2, "house -2000; cat +2000"),
        ({"gallery_stakes": "single"}, "C", 3, "house -3000; cat +3000"),
        ({"principal_commission_bp": 250}, "C", 3, "house -3000; cat +3000 -75"),
        ({"principal_commission_bp": 250}, "H", 1, "house +1000 -25; cat -1000"),
        ({"commission_bp": 9000}, "H", 1, "house +1000; cat -1000"),
    ]
    for laws, winner, multiplier, principals in rows:
        book = book_of("ann H 100; ben C 100", stake_cents=1000, **laws)
        settled = betting.settle(betting.close(book, betting.Cover()), SIDES[winner], multiplier)
        assert (laws, outcomes_text(settled.principals)) == (laws, principals)


def test_g11_game_settles_in_one_balanced_move() -> None:
    rows: Rows = [
        (FIVE, (0, 0), {"matching": LIFO}, 0, "C", 3,
         "settle: escrow/ann -2100; escrow/ben -1200; wallet/ben +2340; escrow/dee -900; "
         "wallet/dee +1755; commission/house +105"),
        (FIVE, (0, 0), {}, 0, "H", 2,
         "settle: escrow/ann -1236; wallet/ann +2019; escrow/ben -1200; wallet/ben +400; "
         "escrow/cy -618; wallet/cy +1010; escrow/dee -900; wallet/dee +300; escrow/eve -246; "
         "wallet/eve +402; commission/house +69"),
        ("ann H 100; ann H 100; ben C 200", (0, 0), {"gallery_stakes": "single"}, 1000, "C", 3,
         "settle: escrow/house -3000; escrow/cat -3000; wallet/cat +6000; "
         "escrow/ann -200; escrow/ben -200; wallet/ben +390; commission/house +10"),
        ("ann C 100", (100, 0), {}, 1000, "H", 1,
         "settle: escrow/house -3300; wallet/house +4395; escrow/cat -3000; wallet/cat +2000; "
         "escrow/ann -300; wallet/ann +200; commission/house +5"),
        ("ann H 100", (0, 100), {"principal_commission_bp": 100}, 1000, "C", 1,
         "settle: escrow/house -3000; wallet/house +2000; escrow/cat -3300; wallet/cat +4385; "
         "escrow/ann -300; wallet/ann +200; commission/house +15"),
    ]  # fmt: skip
    for bets, cover, laws, stake, winner, multiplier, text in rows:
        book = book_of(bets, stake_cents=stake, **laws)
        closing = betting.close(book, betting.Cover(*cover))
        settled = betting.settle(closing, SIDES[winner], multiplier)
        assert move_text(settled.move) == text


@pytest.mark.parametrize("multiplier", [0, 4, -1])
def test_g10_multiplier_is_one_to_three(multiplier: int) -> None:
    closing = betting.close(book_of("ann H 100; ben C 100"), betting.Cover())
    with pytest.raises(InvariantError):
        betting.settle(closing, HOUSE, multiplier)
