"""Cases for the lock and withheld texts (G16): cover, returned bets, remaining bets."""

from __future__ import annotations

from casino import betting
from tests.betting.notation import Rows, book_of, move_text, stands_text


def test_g16_lock_holds_cover_for_withheld_texts() -> None:
    rows: Rows = [
        ("ann H 300; ben C 500", (900, 900), "", {}, (0, 0), "hold:"),
        ("ann H 300; ben C 500", (900, 900), "ann", {}, (500, 0),
         "hold: wallet/house -1500; escrow/house +1500"),
        ("ann H 300; ben C 500", (900, 900), "ben", {}, (200, 300),
         "hold: wallet/house -600; escrow/house +600; wallet/cat -900; escrow/cat +900"),
        ("ann H 300; ben C 500; dee C 100", (150, 120), "ann ben", {}, (150, 120),
         "hold: wallet/house -450; escrow/house +450; wallet/cat -360; escrow/cat +360"),
        ("ann H 300; ben C 500; dee C 100", (900, 900), "ann ben", {"gallery_stakes": "single"},
         (600, 200),
         "hold: wallet/house -600; escrow/house +600; wallet/cat -200; escrow/cat +200"),
        ("ann H 300; ben C 500", (900, 0), "cat", {}, (200, 0),
         "hold: wallet/house -600; escrow/house +600"),
        ("", (900, 900), "cat", {}, (0, 0), "hold:"),
    ]  # fmt: skip
    for bets, most, sealed, laws, cover, hold in rows:
        locked = betting.lock(book_of(bets, **laws), betting.Cover(*most), sealed.split())
        assert (bets, sealed, tuple(locked.held)) == (bets, sealed, cover)
        assert move_text(locked.hold) == hold


def test_g16_withheld_bets_are_returned_before_matching() -> None:
    rows: Rows = [
        ("ann H 300; ben C 500; ann H 100", (0, 0), "ann", 0, "ann 0; ben 0; ann 0", (1, 3),
         ["release: wallet/ann +1200; escrow/ann -1200; wallet/ben +1500; escrow/ben -1500"]),
        ("ann H 300; ben C 500; dee H 200", (600, 0), "ann", 0,
         "ann 0; ben 500; dee 200; house 300", (1,),
         ["release: wallet/house +900; escrow/house -900; wallet/ann +900; escrow/ann -900"]),
        ("ann H 300; ben C 500", (200, 300), "ben", 0, "ann 300; ben 0; cat 300", (2,),
         ["release: wallet/house +600; escrow/house -600; wallet/ben +1500; escrow/ben -1500"]),
        ("ann H 300; ben C 500", (200, 0), "cat", 1000, "ann 300; ben 500; house 200", (),
         ["release: wallet/house +3000; escrow/house -3000; wallet/cat +3000; escrow/cat -3000"]),
        ("ann H 300; ben C 300", (0, 0), "", 1000, "ann 300; ben 300", (), []),
    ]  # fmt: skip
    for bets, held, withheld, stake_cents, stands, returned, moves in rows:
        book, cover = book_of(bets, stake_cents=stake_cents), betting.Cover(*held)
        closing = betting.close(book, cover, withheld.split(), cover)
        assert (bets, stands_text(closing.stands)) == (bets, stands)
        assert closing.returned == returned
        assert [move_text(one) for one in closing.moves] == moves
        sides = [
            sum(one.matched_cents for one in closing.stands if one.bet.side == side)
            for side in (0, 1)
        ]
        assert sides == [closing.matched_cents] * 2
        assert closing.book.stake_cents == (0 if "cat" in withheld else stake_cents)
