"""Mistakes on purpose: each changes one place in the gallery's text and names who must see it."""

from __future__ import annotations

from typing import NamedTuple


class Mutant(NamedTuple):
    """A text that stands once in a module, what replaces it, and the table that must fail."""

    module: str
    before: str
    after: str
    killer: str


MUTANTS = [
    # What each bettor and each side has staked.
    Mutant("bets", "if length <= self._length:", "if True:", "table_g2_books_grow_apart"),
    Mutant("bets", "self._all[self._length] != bet", "False", "table_g2_books_grow_apart"),
    Mutant("bets", "in reversed(self._of", "in (self._of", "table_g2_books_grow_apart"),
    Mutant("bets", "if bet.side == HOUSE:", "if True:", "table_g2_g4_g5_refusals"),
    Mutant("bets", "self._all[: self._length]", "self._all", "table_g2_books_grow_apart"),
    # Matching (G6).
    Mutant("book", "min(side_totals(bets))", "max(side_totals(bets))", "table_g6_matching"),
    Mutant("book", "-shares[at][1]", "shares[at][1]", "table_g6_matching"),
    Mutant("book", "-shares[at][1]", "(-shares[at][1], -at)", "table_g6_matching"),
    Mutant("book", "-shares[at][1]", "-units[at]", "table_g6_matching"),
    Mutant("book", "-shares[at][1]", "at", "table_g6_matching"),
    Mutant("book", "by_remainder[:left_over_cents]", "by_remainder[:0]", "table_g6_matching"),
    Mutant("book", "by_remainder[:left_over_cents]", "by_remainder[:1]", "table_g6_matching"),
    Mutant("book", "by_remainder[:left_over_cents]", "by_remainder", "table_g6_matching"),
    Mutant(
        "book",
        "divmod(unit * standing_cents, total_cents)",
        "(round(unit * standing_cents / total_cents), 0)",
        "table_g6_matching",
    ),
    Mutant(
        "book",
        "divmod(unit * standing_cents, total_cents)",
        "divmod(int(unit * (standing_cents / total_cents)), 1)",
        "table_g6_matching",
    ),
    Mutant("book", "in reversed(range(len(kept)))", "in range(len(kept))", "table_g6_matching"),
    Mutant("book", "min(kept[at], excess_cents)", "kept[at]", "table_g6_matching"),
    Mutant("book", "min(kept[at], excess_cents)", "excess_cents", "table_g6_matching"),
    Mutant("book", "        excess_cents -= cut_cents\n", "", "table_g6_matching"),
    Mutant("book", '"pro_rata": cut_pro_rata', '"pro_rata": cut_last_first', "table_g6_matching"),
    Mutant(
        "book",
        "for side in (HOUSE, CHALLENGER):",
        "for side in (HOUSE, HOUSE):",
        "table_g6_matching",
    ),
    # Cover (G7).
    Mutant(
        "book",
        "if challenger_cents > house_cents:",
        "if challenger_cents < house_cents:",
        "table_g7_cover",
    ),
    Mutant(
        "book",
        "owner, side, most_cents = HOUSE_NAME, HOUSE, ",
        "owner, side, most_cents = HOUSE_NAME, CHALLENGER, ",
        "table_g7_cover",
    ),
    Mutant(
        "book",
        "owner, side, most_cents = book.challenger, CHALLENGER, ",
        "owner, side, most_cents = book.challenger, HOUSE, ",
        "table_g7_cover",
    ),
    Mutant(
        "book",
        "min(most_cents, abs(challenger_cents - house_cents))",
        "abs(challenger_cents - house_cents)",
        "table_g7_cover",
    ),
    Mutant(
        "book",
        "min(most_cents, abs(challenger_cents - house_cents))",
        "most_cents",
        "table_g7_cover",
    ),
    Mutant("book", "(*bets, covering)", "(covering, *bets)", "table_g7_cover"),
    Mutant("book", "return Bet(len(book.bets) + 1", "return Bet(len(book.bets)", "table_g7_cover"),
    Mutant("book", "divmod(bank_cents, 3)", "divmod(bank_cents, 2)", "table_g7_affordable_cover"),
    Mutant(
        "book",
        "divmod(bank_cents, 3)",
        "divmod(bank_cents, book.laws.risk)",
        "table_g7_affordable_cover",
    ),
    Mutant(
        "book", "divmod(bank_cents, 3)", "divmod(bank_cents + 2, 3)", "table_g7_affordable_cover"
    ),
    Mutant(
        "book",
        "divmod(wallet_cents, book.laws.risk)",
        "divmod(wallet_cents, 3)",
        "table_g7_affordable_cover",
    ),
    Mutant(
        "book",
        "min(wished.challenger_cents, units_cents)",
        "units_cents",
        "table_g7_affordable_cover",
    ),
    # What goes back at closing (G8), and what is shown before (G9).
    Mutant(
        "book",
        "book.laws.risk * (kept_cents - bet.unit_cents)",
        "kept_cents - bet.unit_cents",
        "table_g8_moves_at_closing",
    ),
    Mutant(
        "book",
        "book.laws.risk * (kept_cents - bet.unit_cents)",
        "-book.laws.risk * kept_cents",
        "table_g8_moves_at_closing",
    ),
    Mutant(
        "book",
        "book.laws.risk * (used_cents - held_cents)",
        "used_cents - held_cents",
        "table_g8_moves_at_closing",
    ),
    Mutant("book", "in (hold, release)", "in (release,)", "table_g8_moves_at_closing"),
    Mutant("book", "+ (covering.unit_cents if covering else 0)", "", "table_g9_quote"),
    Mutant(
        "book",
        "matched_cents = min(side_totals([stand.bet for stand in stands]))",
        "matched_cents = min(side_totals(book.bets))",
        "table_g7_cover",
    ),
    # Entering (G1 to G5) and the stakes (G13).
    Mutant(
        "book",
        "if risk_cents > wallet_cents:",
        "if unit_cents > wallet_cents:",
        "table_g2_g4_g5_refusals",
    ),
    Mutant(
        "book",
        "if risk_cents > wallet_cents:",
        "if risk_cents >= wallet_cents:",
        "table_g2_g4_g5_refusals",
    ),
    Mutant(
        "book",
        "bets.totals_of(bettor)[other(side)]",
        "bets.totals_of(bettor)[side]",
        "table_g2_g4_g5_refusals",
    ),
    Mutant(
        "book",
        "bets.totals_of(bettor)[other(side)]",
        "bets.totals_cents[other(side)]",
        "table_g2_g4_g5_refusals",
    ),
    Mutant("book", "if bettor == book.challenger:", "if False:", "table_g2_g4_g5_refusals"),
    Mutant("book", "if bettor == HOUSE_NAME:", "if False:", "table_g2_g4_g5_refusals"),
    Mutant(
        "book",
        "if unit_cents < max(1, limits.least_cents):",
        "if unit_cents <= max(1, limits.least_cents):",
        "table_g2_g4_g5_refusals",
    ),
    Mutant(
        "book",
        "before_cents + unit_cents > most_cents",
        "before_cents + unit_cents >= most_cents",
        "table_g2_g4_g5_refusals",
    ),
    Mutant(
        "book",
        "before_cents + unit_cents > most_cents",
        "unit_cents > most_cents",
        "table_g2_g4_g5_refusals",
    ),
    Mutant("book", "side_totals(bets)[side]", "sum(side_totals(bets))", "table_g2_g4_g5_refusals"),
    Mutant(
        "book", "sum(bets.totals_of(bettor))", "sum(bets.totals_cents)", "table_g2_g4_g5_refusals"
    ),
    Mutant(
        "book",
        "bets=tuple([stand.bet for stand in stands]), closed=True",
        "bets=tuple([stand.bet for stand in stands])",
        "table_g1_a_closed_book_takes_nothing",
    ),
    Mutant(
        "book",
        "risk_cents = TRIPLE * book.stake_cents",
        "risk_cents = book.laws.risk * book.stake_cents",
        "table_g13_stakes_are_held",
    ),
    Mutant(
        "book",
        "if risk_cents > has_cents:",
        "if risk_cents > has_cents + 1:",
        "table_g13_stakes_are_held",
    ),
    # The laws (G3, G10).
    Mutant(
        "rules",
        'return TRIPLE if self.gallery_stakes == "game" else 1',
        "return TRIPLE",
        "table_g3_single_stakes",
    ),
    Mutant(
        "rules",
        'return multiplier if self.gallery_stakes == "game" else 1',
        "return multiplier",
        "table_g11_settling",
    ),
    Mutant(
        "rules",
        'return multiplier if self.gallery_stakes == "game" else 1',
        "return 1",
        "table_g11_settling",
    ),
    Mutant(
        "rules",
        "commission_bp: int = 500\n    principal",
        "commission_bp: int = 50\n    principal",
        "table_g11_settling",
    ),
    # Settling (G10 to G13).
    Mutant("settlement", "if bet.side != winner:", "if bet.side == winner:", "table_g11_settling"),
    Mutant(
        "settlement",
        "paid_cents = units_paid * matched_cents",
        "paid_cents = units_paid * bet.unit_cents",
        "table_g11_settling",
    ),
    Mutant(
        "settlement",
        "paid_cents = units_paid * matched_cents",
        "paid_cents = matched_cents",
        "table_g11_settling",
    ),
    Mutant(
        "settlement",
        "paid_cents = units_paid * matched_cents",
        "paid_cents = risk * matched_cents",
        "table_g11_settling",
    ),
    Mutant("settlement", "-paid_cents, 0)", "-matched_cents, 0)", "table_g11_settling"),
    Mutant("settlement", "-paid_cents, 0)", "-risk * matched_cents, 0)", "table_g11_settling"),
    Mutant(
        "settlement",
        '(matched_cents if laws.commission_base == "gross" else 0)',
        "0",
        "table_g11_settling",
    ),
    Mutant(
        "settlement",
        '(matched_cents if laws.commission_base == "gross" else 0)',
        "matched_cents",
        "table_g11_settling",
    ),
    Mutant(
        "settlement",
        'matched_cents if laws.commission_base == "gross"',
        'paid_cents if laws.commission_base == "gross"',
        "table_g11_settling",
    ),
    Mutant(
        "settlement",
        "divmod(base_cents * rate_bp, WHOLE_BP)",
        "(-(-base_cents * rate_bp // WHOLE_BP), 0)",
        "table_g12_commission_rounds_down_for_each_bet",
    ),
    Mutant(
        "settlement",
        "divmod(base_cents * rate_bp, WHOLE_BP)",
        "divmod(base_cents * rate_bp + 5000, WHOLE_BP)",
        "table_g12_commission_rounds_down_for_each_bet",
    ),
    Mutant(
        "settlement",
        "divmod(base_cents * rate_bp, WHOLE_BP)",
        "divmod(bet.unit_cents * rate_bp, WHOLE_BP)",
        "table_g11_settling",
    ),
    Mutant(
        "settlement",
        "divmod(base_cents * rate_bp, WHOLE_BP)",
        "(base_cents * (rate_bp // 100) // 100, 0)",
        "table_g12_commission_rounds_down_for_each_bet",
    ),
    Mutant(
        "settlement",
        "multiplier, winner, laws.principal_commission_bp",
        "multiplier, winner, laws.commission_bp",
        "table_g13_principals",
    ),
    Mutant(
        "settlement",
        "_outcome(stake, TRIPLE, multiplier,",
        "_outcome(stake, TRIPLE, laws.units_paid(multiplier),",
        "table_g13_principals",
    ),
    Mutant(
        "settlement",
        "_outcome(stake, TRIPLE, multiplier,",
        "_outcome(stake, laws.risk, multiplier,",
        "table_g11_one_balanced_move",
    ),
    Mutant(
        "settlement",
        "self.escrow_cents + self.gain_cents - self.commission_cents",
        "self.escrow_cents + self.gain_cents",
        "table_g11_one_balanced_move",
    ),
    Mutant(
        "settlement",
        "self.escrow_cents + self.gain_cents - self.commission_cents",
        "self.gain_cents - self.commission_cents",
        "table_g11_one_balanced_move",
    ),
    Mutant(
        "settlement",
        "_settle_move((*principals, *bets))",
        "_settle_move(bets)",
        "table_g11_one_balanced_move",
    ),
    Mutant(
        "settlement",
        "(COMMISSION, HOUSE_NAME, fees_cents)",
        "(BANK, HOUSE_NAME, fees_cents)",
        "table_g11_one_balanced_move",
    ),
    Mutant(
        "settlement",
        "fees_cents += outcome.commission_cents",
        "fees_cents = outcome.commission_cents",
        "table_g11_one_balanced_move",
    ),
    # Void (G14) and the moves.
    Mutant("settlement", "-risk * kept_cents", "-TRIPLE * kept_cents", "table_g14_void"),
    Mutant("settlement", "-risk * kept_cents", "-risk * bet.unit_cents", "table_g14_void"),
    Mutant("settlement", "(*stakes, *gallery, *cover)", "(*gallery, *cover)", "table_g14_void"),
    Mutant("settlement", "-TRIPLE * stake_cents", "-stake_cents", "table_g14_void"),
    Mutant("moves", "sums.get(key, 0) + cents", "cents", "table_g11_one_balanced_move"),
    Mutant("moves", "in sums.items() if cents", "in sums.items()", "table_g11_one_balanced_move"),
    Mutant(
        "moves",
        "(wallet_kind(owner), owner, -cents)",
        "(wallet_kind(owner), owner, cents)",
        "table_g14_void",
    ),
    Mutant(
        "moves",
        "return BANK if owner == HOUSE_NAME else WALLET",
        "return WALLET",
        "table_g11_one_balanced_move",
    ),
]
