"""Mistakes on purpose in what the lock and a withheld cut do (G16)."""

from __future__ import annotations

from tests.betting.mutants import Mutant

WITHHELD = [
    Mutant("book", "if bet.bettor not in sealed]", "]", "table_g16_lock"),
    Mutant(
        "book", "challenger_cents - sure[HOUSE]", "challenger_cents - house_cents", "table_g16_lock"
    ),
    Mutant("book", "house_cents - sure[CHALLENGER]", "house_cents", "table_g16_lock"),
    Mutant("book", "min(cover.house_cents, max", "max(0, max", "table_g16_lock"),
    Mutant("book", "min(cover.challenger_cents, max", "max(0, max", "table_g16_lock"),
    Mutant("book", "most, -1) if sealed else ()", "most, -1)", "table_g16_lock"),
    Mutant("book", "most, -1) if sealed else ()", "most, 1) if sealed else ()", "table_g16_lock"),
    Mutant("book", "if bet.bettor not in withheld]", "]", "table_g16_withheld"),
    Mutant(
        "book",
        "sorted((*stands, *returned), key=_by_order)",
        "(*stands, *returned)",
        "table_g16_withheld",
    ),
    Mutant(
        "book",
        "covering = _covering(book, staying, cover)",
        "covering = _covering(book, book.bets, cover)",
        "table_g16_withheld",
    ),
    Mutant("book", "0 if book.challenger in withheld else", "", "table_g16_withheld"),
    Mutant(
        "book",
        "TRIPLE * (stake_cents - book.stake_cents)",
        "stake_cents - book.stake_cents",
        "table_g16_withheld",
    ),
    Mutant(
        "book", "            *_cover_beyond(book, covering, held, -1),\n", "", "table_g16_withheld"
    ),
    Mutant(
        "book",
        "[stand.bet for stand in stands]))\n    returned",
        "book.bets))\n    returned",
        "table_g16_withheld",
    ),
    Mutant("settlement", "(*stakes, *gallery, *cover)", "(*stakes, *gallery)", "table_g16_void"),
    Mutant("settlement", "-risk * held.house_cents", "-held.house_cents", "table_g16_void"),
    Mutant(
        "settlement", "-risk * held.challenger_cents", "-held.challenger_cents", "table_g16_void"
    ),
]
