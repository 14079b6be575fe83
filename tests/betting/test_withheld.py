"""Cases for the cover that a lock holds for texts that may be withheld (G16)."""

from __future__ import annotations

from casino import betting
from tests.betting.notation import Rows, book_of, move_text


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
