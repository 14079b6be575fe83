"""Mistakes on purpose in how bets are matched, covered and paid, which an audit must find."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import NamedTuple

from casino import betting


class Mutant(NamedTuple):
    """A text that stands once in a module, and what replaces it."""

    module: str
    before: str
    after: str


MUTANTS = [
    Mutant("book", "min(side_totals(bets))", "max(side_totals(bets))"),
    Mutant("book", "-shares[at][1]", "shares[at][1]"),
    Mutant("book", "-shares[at][1]", "(-shares[at][1], -at)"),
    Mutant("book", "-shares[at][1]", "-units[at]"),
    Mutant("book", "-shares[at][1]", "at"),
    Mutant("book", "by_remainder[:left_over_cents]", "by_remainder[:0]"),
    Mutant("book", "by_remainder[:left_over_cents]", "by_remainder[:1]"),
    Mutant("book", "by_remainder[:left_over_cents]", "by_remainder"),
    Mutant(
        "book",
        "divmod(unit * standing_cents, total_cents)",
        "(round(unit * standing_cents / total_cents), 0)",
    ),
    Mutant(
        "book",
        "divmod(unit * standing_cents, total_cents)",
        "divmod(int(unit * (standing_cents / total_cents)), 1)",
    ),
    Mutant("book", "in reversed(range(len(kept)))", "in range(len(kept))"),
    Mutant("book", "min(kept[at], excess_cents)", "kept[at]"),
    Mutant("book", "min(kept[at], excess_cents)", "excess_cents"),
    Mutant("book", "        excess_cents -= cut_cents\n", ""),
    Mutant("book", '"pro_rata": cut_pro_rata', '"pro_rata": cut_last_first'),
    Mutant("book", "for side in (HOUSE, CHALLENGER):", "for side in (HOUSE, HOUSE):"),
    Mutant("book", "if challenger_cents > house_cents:", "if challenger_cents < house_cents:"),
    Mutant(
        "book",
        "owner, side, most_cents = HOUSE_NAME, HOUSE, ",
        "owner, side, most_cents = HOUSE_NAME, CHALLENGER, ",
    ),
    Mutant(
        "book",
        "owner, side, most_cents = book.challenger, CHALLENGER, ",
        "owner, side, most_cents = book.challenger, HOUSE, ",
    ),
    Mutant(
        "book",
        "min(most_cents, abs(challenger_cents - house_cents))",
        "abs(challenger_cents - house_cents)",
    ),
    Mutant("book", "min(most_cents, abs(challenger_cents - house_cents))", "most_cents"),
    Mutant("book", "(*bets, covering)", "(covering, *bets)"),
    Mutant("book", "return Bet(len(book.bets) + 1", "return Bet(len(book.bets)"),
    Mutant(
        "book",
        "matched_cents = min(side_totals([stand.bet for stand in stands]))",
        "matched_cents = min(side_totals(book.bets))",
    ),
    Mutant(
        "rules", 'return multiplier if self.gallery_stakes == "game" else 1', "return multiplier"
    ),
    Mutant("rules", 'return multiplier if self.gallery_stakes == "game" else 1', "return 1"),
    Mutant(
        "rules", "commission_bp: int = 500\n    principal", "commission_bp: int = 50\n    principal"
    ),
    Mutant("settlement", "if bet.side != winner:", "if bet.side == winner:"),
    Mutant(
        "settlement",
        "paid_cents = units_paid * matched_cents",
        "paid_cents = units_paid * bet.unit_cents",
    ),
    Mutant("settlement", "paid_cents = units_paid * matched_cents", "paid_cents = matched_cents"),
    Mutant(
        "settlement", "paid_cents = units_paid * matched_cents", "paid_cents = risk * matched_cents"
    ),
    Mutant("settlement", "-paid_cents, 0)", "-matched_cents, 0)"),
    Mutant("settlement", "-paid_cents, 0)", "-risk * matched_cents, 0)"),
    Mutant("settlement", '(matched_cents if laws.commission_base == "gross" else 0)', "0"),
    Mutant(
        "settlement", '(matched_cents if laws.commission_base == "gross" else 0)', "matched_cents"
    ),
    Mutant(
        "settlement",
        'matched_cents if laws.commission_base == "gross"',
        'paid_cents if laws.commission_base == "gross"',
    ),
    Mutant(
        "settlement",
        "divmod(base_cents * rate_bp, WHOLE_BP)",
        "divmod(bet.unit_cents * rate_bp, WHOLE_BP)",
    ),
    Mutant("book", "if bet.bettor not in withheld]", "]"),
    Mutant("book", "sorted((*stands, *returned), key=_by_order)", "(*stands, *returned)"),
    Mutant(
        "book",
        "covering = _covering(book, staying, cover)",
        "covering = _covering(book, book.bets, cover)",
    ),
    Mutant("book", "0 if book.challenger in withheld else", ""),
    Mutant("book", "TRIPLE * (stake_cents - book.stake_cents)", "stake_cents - book.stake_cents"),
    Mutant("book", "            *_cover_beyond(book, covering, held, -1),\n", ""),
    Mutant("book", "[stand.bet for stand in stands]))\n    returned", "book.bets))\n    returned"),
]

FOLDER = Path(betting.__file__).parent
MODULES = ("rules", "moves", "bets", "book", "settlement")
"""The gallery's modules, each before those that import it."""

TEXTS = {module: (FOLDER / f"{module}.py").read_text("utf-8") for module in MODULES}


@contextmanager
def imported_modules_kept() -> Iterator[None]:
    names = [f"casino.betting.{module}" for module in MODULES]
    kept = {name: sys.modules[name] for name in names}
    try:
        yield
    finally:
        sys.modules.update(kept)


def gallery_of(texts: dict[str, str]) -> SimpleNamespace:
    found: dict[str, object] = {}
    with imported_modules_kept():
        for module in MODULES:
            name = f"casino.betting.{module}"
            made = sys.modules[name] = ModuleType(name)
            exec(compile(texts[module], f"{module}.py", "exec"), vars(made))
            found.update(vars(made))
    return SimpleNamespace(**found)


def mutated(mutant: Mutant) -> SimpleNamespace:
    text = TEXTS[mutant.module].replace(mutant.before, mutant.after)
    return gallery_of({**TEXTS, mutant.module: text})
