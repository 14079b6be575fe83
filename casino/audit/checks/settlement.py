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
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from casino.audit.check import Finding
from casino.events.types import SIDES, BettingLaws, CoverLimits, Entry, GameOver, TermsSet


class PlacedBet(NamedTuple):
    """A bet's bettor, side and unit in cents."""

    player: str
    side: str
    unit: int


class GameToPay(NamedTuple):
    """The data that determine a game's payments; `silent` are the players who withheld."""

    terms: TermsSet
    challenger: str
    bets: Sequence[PlacedBet]
    cover: CoverLimits
    silent: Collection[str]
    matched_cents: int
    over: GameOver


def game_totals(game: str, entries: Iterable[Entry]) -> Counter[str]:
    """Return the net change in a game of each account that is not the game's escrow."""
    escrow = f"escrow/{game}/"
    totals: Counter[str] = Counter()
    for entry in entries:
        for account, cents in entry.postings:
            if not account.startswith(escrow):
                totals[account] += cents
    return totals


def check_settlement(
    game: str, leaf: int, totals: Counter[str], played: GameToPay
) -> list[Finding]:
    """Check that wallets and the commission changed as expected, and no other account did."""
    bets = counted_bets(played)
    units = matched_units(bets, played.terms.gallery.matching)
    texts = []
    for side in SIDES:
        backed = sum(unit for bet, unit in zip(bets, units, strict=True) if bet.side == side)
        if backed != played.matched_cents:
            texts.append(f"{backed} cents are matched on {side}, not {played.matched_cents}")
    expected = expected_payments(played, zip(bets, units, strict=True))
    for owner in sorted(expected.keys() | totals.keys()):
        if expected[owner] != totals[owner]:
            problem = f"{owner} changed by {totals[owner]} cents, not by {expected[owner]}"
            texts.append(problem)
    return [Finding("sums", text, leaf, game) for text in texts]


def counted_bets(played: GameToPay) -> list[PlacedBet]:
    """Return the bets of players who withheld nothing, plus the cover for the lighter side."""
    bets = [bet for bet in played.bets if bet.player not in played.silent]
    house = sum(bet.unit for bet in bets if bet.side == "house")
    challenger = sum(bet.unit for bet in bets if bet.side == "challenger")
    by_house = min(played.cover.house_cents, challenger - house)
    by_challenger = min(played.cover.challenger_cents, house - challenger)
    if by_house > 0:
        bets.append(PlacedBet("house", "house", by_house))
    if by_challenger > 0:
        bets.append(PlacedBet(played.challenger, "challenger", by_challenger))
    return bets


def matched_units(bets: Sequence[PlacedBet], matching: str) -> list[int]:
    """Return how much of each bet's unit is matched: on each side, the smaller side's total."""
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


def expected_payments(played: GameToPay, stands: Iterable[tuple[PlacedBet, int]]) -> Counter[str]:
    """Return the expected change in cents in every wallet and in the commission."""
    laws, over = played.terms.gallery, played.over
    # If the challenger withheld, both principals' stakes were returned (G16).
    stake = 0 if played.challenger in played.silent else played.terms.stake_cents
    times = over.stake if laws.gallery_stakes == "game" else 1
    expected: Counter[str] = Counter()
    for player, side in (("house", "house"), (played.challenger, "challenger")):
        rate = laws.principal_commission_bp
        _pay(expected, player, side == over.winner, over.stake * stake, stake, rate, laws)
    for bet, unit in stands:
        rate = laws.commission_bp
        _pay(expected, bet.player, bet.side == over.winner, times * unit, unit, rate, laws)
    return expected


def _pay(
    expected: Counter[str],
    player: str,
    has_won: bool,
    cents: int,
    unit: int,
    rate_bp: int,
    laws: BettingLaws,
) -> None:
    wallet = "house/bank" if player == "house" else f"wallet/{player}"
    if not has_won:
        expected[wallet] -= cents
        return
    base = cents + unit if laws.commission_base == "gross" else cents
    fee = base * rate_bp // 10_000
    expected[wallet] += cents - fee
    expected["house/commission"] += fee
