"""A second way to check a game's money: plain sums over its postings, against what is due.

This shares no code with the gallery. From the leaves alone (the terms, the bets, the covers, who
withheld a text, who won, and how high) it matches and charges once more, as simply as possible, and
every purse must have moved by exactly that.

>>> bets = [PlacedBet("ann", "house", 300), PlacedBet("ben", "house", 100)]
>>> bets.append(PlacedBet("cy", "challenger", 99))
>>> kept(bets, "pro_rata"), kept(bets, "last_in_first_out")
([74, 25, 99], [99, 0, 99])
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from casino.audit.report import Finding
from casino.events.parts import BettingLaws, CoverLimits
from casino.events.types import SIDES, GameOver, TermsSet
from casino.ledger.entries import Entry


class GameTotals(NamedTuple):
    """What each account of a game was moved by: escrow by its owner, the others by their names."""

    escrow: Counter[str]
    others: Counter[str]


class PlacedBet(NamedTuple):
    """A bet: whose it is, the side it is on, the unit."""

    player: str
    side: str
    unit: int


class GameToPay(NamedTuple):
    """What a game's payments depend on, as its leaves say."""

    terms: TermsSet
    challenger: str
    bets: Sequence[PlacedBet]
    cover: CoverLimits
    silent: Collection[str]
    matched_cents: int
    over: GameOver


def moved(game: str, entries: Iterable[Entry]) -> GameTotals:
    """What the entries of a game add up to."""
    whole: dict[str, int] = {}
    for entry in entries:
        for account, cents in entry.postings:
            whole[account] = whole.get(account, 0) + cents
    prefix = f"escrow/{game}/"
    escrow: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for account, cents in whole.items():
        if account.startswith(prefix):
            escrow[account.removeprefix(prefix)] = cents
        else:
            others[account] = cents
    return GameTotals(escrow, others)


def check_sums(game: str, leaf: int, money: GameTotals) -> list[Finding]:
    """A finished game has nothing in escrow, and what went in came out."""
    escrow, others = money
    wrong = [
        f"{owner} has {cents} cents left in escrow" for owner, cents in escrow.items() if cents
    ]
    if sum(others.values()) != 0:
        wrong.append(f"{sum(others.values())} cents more came out than went in")
    return [Finding("sums", text, leaf, game) for text in wrong]


def check_settlement(game: str, leaf: int, money: GameTotals, played: GameToPay) -> list[Finding]:
    """Every purse, and the commission, moved by exactly what is due, and no other account did."""
    bets = standing(played)
    units = kept(bets, played.terms.gallery.matching)
    texts = []
    for side in SIDES:
        backed = sum(unit for bet, unit in zip(bets, units, strict=True) if bet.side == side)
        if backed != played.matched_cents:
            texts.append(f"{backed} cents are matched on {side}, not {played.matched_cents}")
    owed = due(played, zip(bets, units, strict=True))
    for owner in sorted(owed.keys() | money.others.keys()):
        if owed[owner] != money.others[owner]:
            said = f"{owner} was moved by {money.others[owner]} cents, not by {owed[owner]}"
            texts.append(said)
    return [Finding("sums", text, leaf, game) for text in texts]


def standing(played: GameToPay) -> list[PlacedBet]:
    """The bets of all who withheld nothing, and the cover of the lighter side's principal."""
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


def kept(bets: Sequence[PlacedBet], matching: str) -> list[int]:
    """What of each unit is matched: either side keeps the total of the lighter one."""
    totals = [sum(bet.unit for bet in bets if bet.side == side) for side in SIDES]
    units = [bet.unit for bet in bets]
    for side, total in zip(SIDES, totals, strict=True):
        mine = [place for place, bet in enumerate(bets) if bet.side == side]
        if matching == "last_in_first_out":
            _first_come(units, mine, min(totals))
        elif total > 0:
            _in_proportion(units, mine, min(totals), total)
    return units


def _first_come(units: list[int], mine: Sequence[int], cents: int) -> None:
    for place in mine:
        units[place] = min(units[place], cents)
        cents -= units[place]


def _in_proportion(units: list[int], mine: Sequence[int], cents: int, total: int) -> None:
    """Share in proportion, rounded down; leftover cents go to those who lost most by rounding."""
    due = {place: units[place] * cents for place in mine}
    for place in mine:
        units[place] = due[place] // total
    left = cents - sum(units[place] for place in mine)
    for place in sorted(mine, key=lambda one: due[one] % total, reverse=True)[:left]:
        units[place] += 1


def due(played: GameToPay, stands: Iterable[tuple[PlacedBet, int]]) -> Counter[str]:
    """What every purse, and the commission, must have been moved by."""
    laws, over = played.terms.gallery, played.over
    stake = 0 if played.challenger in played.silent else played.terms.stake_cents
    times = over.stake if laws.gallery_stakes == "game" else 1
    owed: Counter[str] = Counter()
    for player, side in (("house", "house"), (played.challenger, "challenger")):
        rate = laws.principal_commission_bp
        _pay(owed, player, side == over.winner, over.stake * stake, stake, rate, laws)
    for bet, unit in stands:
        rate = laws.commission_bp
        _pay(owed, bet.player, bet.side == over.winner, times * unit, unit, rate, laws)
    return owed


def _pay(
    owed: Counter[str],
    player: str,
    has_won: bool,
    cents: int,
    unit: int,
    rate_bp: int,
    laws: BettingLaws,
) -> None:
    """Pay a winner less the commission, rounded down, or charge a loser."""
    purse = "house/bank" if player == "house" else f"wallet/{player}"
    if not has_won:
        owed[purse] -= cents
        return
    base = cents + unit if laws.commission_base == "gross" else cents
    fee = base * rate_bp // 10_000
    owed[purse] += cents - fee
    owed["house/commission"] += fee
