"""Check a game's payments independently of the code that made them.

No code is shared with `casino.betting`. Bets are matched and paid again, as simply as possible,
from the leaves alone (settings, bets, covers, unrevealed contributions, winner and multiplier), and
every wallet must have changed by exactly the result.

>>> bets = [PlacedBet("ann", "house", 300), PlacedBet("ben", "house", 100)]
>>> bets.append(PlacedBet("cy", "challenger", 99))
>>> matched_units(bets, "pro_rata"), matched_units(bets, "last_in_first_out")
([74, 25, 99], [99, 0, 99])
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from casino.audit.check import Finding, GameLeaf
from casino.events.types import SIDES, BettingLaws, CoverLimits, GameOver, TermsSet


class PlacedBet(NamedTuple):
    """A bet's bettor, side and unit in cents."""

    player: str
    side: str
    unit: int


def check_payments(
    game: str, leaves: Mapping[str, Sequence[GameLeaf]], terms: TermsSet
) -> list[Finding]:
    """Check that wallets and the commission changed as expected, and no other account did.

    `leaves` are those of a finished game, by type. A missing leaf raises `KeyError`.
    """
    closed, end = leaves["betting_closed"][-1].leaf, leaves["game_over"][-1]
    challenger = leaves["game_opened"][-1].leaf.players.challenger
    placed, cuts = leaves.get("bet", ()), leaves.get("cut", ())
    in_order = sorted((*placed, *cuts), key=attrgetter("n"))
    sealed = [row.leaf.player for row in in_order if row.leaf.seal]
    silent = [sealed[number - 1] for number in closed.withheld]
    bets = [PlacedBet(row.leaf.player, row.leaf.side, row.leaf.unit_cents) for row in placed]
    bets = [bet for bet in bets if bet.player not in silent]
    bets += cover_bets(bets, challenger, leaves["book_locked"][-1].leaf.cover)
    units = matched_units(bets, terms.gallery.matching)
    texts = []
    for side in SIDES:
        backed = sum(unit for bet, unit in zip(bets, units, strict=True) if bet.side == side)
        if backed != closed.matched_cents:
            texts.append(f"{backed} cents are matched on {side}, not {closed.matched_cents}")
    # If the challenger withheld, both principals' stakes were returned (G16).
    stake = 0 if challenger in silent else terms.stake_cents
    principals = [PlacedBet("house", "house", stake), PlacedBet(challenger, "challenger", stake)]
    matched = [bet._replace(unit=unit) for bet, unit in zip(bets, units, strict=True)]
    expected = expected_payments(terms.gallery, principals, matched, end.leaf)
    escrow, totals = f"escrow/{game}/", Counter[str]()
    for row in leaves.get("entry", ()):
        for account, cents in row.leaf.postings:
            if not account.startswith(escrow):
                totals[account] += cents
    for owner in sorted(expected.keys() | totals.keys()):
        if expected[owner] != totals[owner]:
            problem = f"{owner} changed by {totals[owner]} cents, not by {expected[owner]}"
            texts.append(problem)
    return [Finding("sums", text, end.n, game) for text in texts]


def cover_bets(bets: Sequence[PlacedBet], challenger: str, cover: CoverLimits) -> list[PlacedBet]:
    """Return the cover of the lighter side as a bet, if there is any."""
    house, against = (sum(bet.unit for bet in bets if bet.side == side) for side in SIDES)
    covers = (
        PlacedBet("house", "house", min(cover.house_cents, against - house)),
        PlacedBet(challenger, "challenger", min(cover.challenger_cents, house - against)),
    )
    return [bet for bet in covers if bet.unit > 0]


def matched_units(bets: Sequence[PlacedBet], matching: str) -> list[int]:
    """Return the matched part of each bet's unit; each side is matched up to the smaller total."""
    totals = [sum(bet.unit for bet in bets if bet.side == side) for side in SIDES]
    units = [bet.unit for bet in bets]
    for side, total in zip(SIDES, totals, strict=True):
        mine = [index for index, bet in enumerate(bets) if bet.side == side]
        if matching == "last_in_first_out":
            _first_come(units, mine, min(totals))
        elif total > 0:
            _in_proportion(units, mine, min(totals), total)
    return units


def _first_come(units: list[int], mine: Sequence[int], cents: int) -> None:
    for index in mine:
        units[index] = min(units[index], cents)
        cents -= units[index]


def _in_proportion(units: list[int], mine: Sequence[int], cents: int, total: int) -> None:
    """Share `cents` pro rata, rounded down; left-over cents go to the largest remainders."""
    shares = {index: units[index] * cents for index in mine}
    for index in mine:
        units[index] = shares[index] // total
    left = cents - sum(units[index] for index in mine)
    # `sorted` is stable, so the earlier bet comes first if remainders are equal.
    for index in sorted(mine, key=lambda index_of_bet: shares[index_of_bet] % total, reverse=True)[
        :left
    ]:
        units[index] += 1


def expected_payments(
    laws: BettingLaws, principals: Iterable[PlacedBet], bets: Iterable[PlacedBet], over: GameOver
) -> Counter[str]:
    """Return the expected change in cents in every wallet and in the commission."""
    times = over.stake if laws.gallery_stakes == "game" else 1
    paid = [(bet, over.stake, laws.principal_commission_bp) for bet in principals]
    paid += [(bet, times, laws.commission_bp) for bet in bets]
    expected: Counter[str] = Counter()
    for (player, side, unit), factor, rate_bp in paid:
        wallet, cents = "house/bank" if player == "house" else f"wallet/{player}", factor * unit
        if side != over.winner:
            expected[wallet] -= cents
            continue
        base = cents + unit if laws.commission_base == "gross" else cents
        fee = base * rate_bp // 10_000
        expected[wallet] += cents - fee
        expected["house/commission"] += fee
    return expected
