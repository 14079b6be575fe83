"""Cases for the end of a game: G10 to G13."""

from __future__ import annotations

from casino import betting
from tests.betting.notation import FIVE, LIFO, SIDES, Rows, book_of, move_text


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
